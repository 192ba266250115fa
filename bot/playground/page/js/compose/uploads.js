/** Files that go with the next message. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { sizeText } from "../chat/attachments.js";
import { toast } from "../widgets/toast.js";

const MOST = 10;
const LARGEST = 25 * 1024 * 1024;

export class Uploads {
  files = [];

  constructor(root) {
    this.root = root;
    this.picker = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "Attach files" });
    this.picker.addEventListener("change", () => {
      this.add([...this.picker.files]);
      this.picker.value = "";
    });
    root.after(this.picker);
    this.#show();
  }

  /** Take files in; those that are too many or too large are named, and the answer is false. */
  add(files) {
    const before = this.files.length;
    for (const file of files) {
      if (file.size > LARGEST) toast(`${file.name} is larger than 25 MB.`, "error");
      else if (this.files.length >= MOST) toast("A message takes ten files.", "error");
      else this.files.push(file);
    }
    this.#show();
    return this.files.length === before + files.length;
  }

  /** Give the files away and be empty. */
  take() {
    const { files } = this;
    this.files = [];
    this.#show();
    return files;
  }

  #show() {
    this.root.hidden = !this.files.length;
    this.root.replaceChildren(...this.files.map((file) => this.#chip(file)));
  }

  #chip(file) {
    const drop = () => {
      this.files = this.files.filter((one) => one !== file);
      this.#show();
    };
    const remove = h(
      "button.icon-button",
      { type: "button", "aria-label": `Remove ${file.name}`, on: { click: drop } },
      icon("close", 16),
    );
    const words = h("span.upload-name", {}, file.name, h("small", {}, sizeText(file.size)));
    return h("div.upload", {}, this.#look(file), words, remove);
  }

  #look(file) {
    if (!file.type.startsWith("image/")) return icon("file", 22);
    const url = URL.createObjectURL(file);
    const image = h("img", { src: url, alt: "" });
    image.addEventListener("load", () => URL.revokeObjectURL(url));
    return image;
  }
}

/** Files dropped on or pasted into `target` are taken too. */
export function acceptFiles(target, uploads) {
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  target.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    target.classList.add("dropping");
  });
  target.addEventListener(
    "dragleave",
    (event) => target.contains(event.relatedTarget) || target.classList.remove("dropping"),
  );
  target.addEventListener("drop", (event) => {
    target.classList.remove("dropping");
    if (!hasFiles(event)) return;
    event.preventDefault();
    uploads.add([...event.dataTransfer.files]);
  });
  target.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    uploads.add(files);
  });
}
