/** Files and pictures of a message. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { codeBlock } from "../text/code.js";
import { openDialog } from "../widgets/dialog.js";
import { orSay } from "../widgets/toast.js";

const WIDEST = 420;
const TALLEST = 320;
const LARGEST_PREVIEW = 262144;
const ON_DARK = /\.dark\.png$/; // a chart on a dark ground, which is shown on a light one where the page is light
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** An address on this server without its host, so that it works under each of the machine's names. */
export function localUrl(url) {
  if (!url || !/^https?:/.test(url)) return url ?? "";
  if (!URL.canParse(url)) return ""; // one bad address must not take the log down
  const parsed = new URL(url);
  const same =
    parsed.port === location.port && LOOPBACK.has(parsed.hostname) && LOOPBACK.has(location.hostname);
  return same ? parsed.pathname + parsed.search : url;
}

/** Whether a picture or a film lies elsewhere: to load it would tell the viewer's address to whoever chose it. */
export function isForeign(url) {
  return /^https?:/.test(localUrl(url));
}

/** A link to what lies elsewhere, which says where. */
function linkElsewhere({ url, description }) {
  const where = `Picture at ${new URL(url).host}`;
  return h(
    "a.link",
    { href: url, target: "_blank", rel: "noopener noreferrer", title: description ?? null },
    where,
  );
}

export function sizeText(bytes) {
  if (bytes === undefined || bytes === null) return "";
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;
}

function lightbox(item) {
  const build = () => {
    const open = h(
      "a.link",
      { href: item.url, target: "_blank", rel: "noopener noreferrer" },
      "Open the original",
    );
    return h(
      "div.dialog-body",
      {},
      h(`img.lightbox${ON_DARK.test(item.filename) ? ".dark-ground" : ""}`, { src: item.url, alt: item.description ?? "" }),
      h("p", {}, open),
    );
  };
  openDialog(item.filename ?? "Picture", build, { kind: "wide" });
}

function fitted({ width, height }) {
  if (!width || !height) return {};
  const scale = Math.min(1, WIDEST / width, TALLEST / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** A picture that opens large, or a link to a foreign one; a spoiler is blurred until it is asked for. */
export function picture(app, item) {
  if (isForeign(item.url)) return linkElsewhere(item);
  const image = h("img", {
    src: item.url,
    alt: item.description ?? item.filename ?? "",
    loading: "lazy",
    ...fitted(item),
  });
  const label = item.spoiler ? "Spoiler picture, show it" : `Open ${item.filename ?? "the picture"}`;
  const button = h("button.picture", { type: "button", "aria-label": label }, image);
  button.classList.toggle("hidden-picture", Boolean(item.spoiler));
  image.classList.toggle("dark-ground", ON_DARK.test(item.filename ?? ""));
  button.addEventListener("click", () => {
    if (button.classList.contains("hidden-picture")) button.classList.remove("hidden-picture");
    else lightbox(item);
  });
  return button;
}

function isText({ content_type, filename }) {
  return (
    /^text\/|json|yaml|toml/.test(content_type ?? "") ||
    /\.(txt|md|json|log|csv|toon|ya?ml|py|js)$/i.test(filename ?? "")
  );
}

async function showText(app, item) {
  const text = await orSay(async () => (await fetch(item.url)).text());
  const kind = item.filename.match(/\.(\w+)$/)?.[1];
  if (text !== undefined)
    openDialog(item.filename, () => h("div.dialog-body", {}, codeBlock(app, kind, text)), { kind: "wide" });
}

/** A file as a card, with a look inside when it is text. */
export function fileCard(app, item) {
  const name = h(
    "a.link",
    { href: item.url, download: item.filename, target: "_blank", rel: "noopener" },
    item.filename,
  );
  const look = h(
    "button.button.small",
    { type: "button", "aria-label": `Show ${item.filename}`, on: { click: () => showText(app, item) } },
    "Show",
  );
  const readable = isText(item) && (item.size ?? 0) <= LARGEST_PREVIEW;
  return h(
    "div.file-card",
    {},
    icon("file", 26),
    h("div.file-name", {}, name, h("small", {}, sizeText(item.size))),
    readable ? look : null,
  );
}

function one(app, attachment) {
  const spoiler = /^SPOILER_/.test(attachment.filename) || Boolean((attachment.flags ?? 0) & 8);
  const item = { ...attachment, url: localUrl(attachment.url), spoiler };
  const type = attachment.content_type ?? "";
  if (type.startsWith("image/")) return picture(app, item);
  if (type.startsWith("video/")) return h("video", { src: item.url, controls: true, preload: "metadata" });
  if (type.startsWith("audio/")) return h("audio", { src: item.url, controls: true, preload: "metadata" });
  return fileCard(app, item);
}

/** All files of a message, except those that its components show. */
export function attachmentsOf(app, message) {
  return h(
    "div.attachments",
    {},
    message.attachments.map((attachment) => one(app, attachment)),
  );
}
