/** One option of a slash command, as a small labelled field. */

import { afterPause, h } from "../lib/dom.js";
import { OPTION } from "../world/commands.js";
import { kindOf, offered, valueOf } from "./option_values.js";
import { asCombobox } from "./suggestions.js";

const MOST = 25;
const WAIT = 180;

export class OptionField {
  #picked = null;
  #asked = 0;

  /** `form` has `app`, `suggestions`, `complete(field)`, `changed()`, `next(field)`. */
  constructor(form, option, text = "") {
    this.form = form;
    this.option = option;
    this.error = "";
    this.input = option.type === OPTION.FILE ? this.#fileInput() : this.#textInput(text);
    const mark = option.required ? h("span.required", { "aria-hidden": "true" }, "*") : null;
    this.element = h("label.option", {}, h("span.option-name", {}, option.label, mark), this.input);
    this.fetch = afterPause(WAIT, () => this.#complete());
    this.#fit();
  }

  #fileInput() {
    return h("input", {
      type: "file",
      "aria-label": this.option.label,
      on: { change: () => this.form.changed(), focus: () => this.offer() },
    });
  }

  #textInput(text) {
    const input = h("input", {
      type: "text",
      value: text,
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": this.option.label,
    });
    const required = this.option.required ? "true" : "false";
    input.setAttribute("aria-required", required);
    input.addEventListener("input", () => this.#typed());
    input.addEventListener("focus", () => this.offer());
    return asCombobox(input, this.form.suggestions);
  }

  get text() {
    return this.input.value;
  }

  /** What it holds, as it can be written and read again; a file cannot. */
  get words() {
    if (this.option.type === OPTION.FILE) return "";
    const settled = this.#picked && this.#picked.label === this.text;
    return settled && this.option.autocomplete ? String(this.#picked.value) : this.text;
  }

  get file() {
    return this.option.type === OPTION.FILE ? (this.input.files[0] ?? null) : null;
  }

  get empty() {
    return this.option.type === OPTION.FILE ? !this.file : !this.text.trim();
  }

  /** Have it hold this from now on. */
  put(text) {
    this.input.value = text;
    this.#fit();
  }

  #typed() {
    if (/^\s/.test(this.text)) this.put(this.text.trimStart());
    if (this.form.named(this)) return;
    this.error = "";
    this.element.classList.remove("wrong");
    this.#fit();
    this.form.changed();
    this.offer();
  }

  #fit() {
    if (this.option.type !== OPTION.FILE) this.input.size = Math.max(6, Math.min(48, this.text.length + 1));
  }

  /** `{value}`, `{problem}` or `{}`. */
  read() {
    if (this.option.type !== OPTION.FILE)
      return valueOf(this.form.app.world, this.option, this.text, this.#picked);
    return this.file || !this.option.required ? {} : { problem: "Choose a file." };
  }

  /** Show what is wrong, if anything; true when all is well. */
  check() {
    this.error = this.read().problem ?? "";
    this.element.classList.toggle("wrong", Boolean(this.error));
    this.input.setAttribute("aria-invalid", String(Boolean(this.error)));
    return !this.error;
  }

  #title() {
    const { label, description } = this.option;
    return this.error ? `${label}: ${this.error}` : `${label}: ${description} (${kindOf(this.option)})`;
  }

  #present(list, active) {
    const items = list.slice(0, MOST).map((one) => ({ ...one, pick: () => this.#pick(one) }));
    this.form.suggestions.show(this.input, items, {
      title: this.#title(),
      active,
      problem: Boolean(this.error),
    });
  }

  /** Offer what fits: choices, people, channels, or what the bot completes. */
  offer() {
    const list = offered(this.form.app.world, this.option);
    const settled = this.#picked && this.#picked.label === this.text;
    if (list) {
      const needle = settled ? "" : this.text.trim().replace(/^[@#]/, "").toLowerCase();
      const fits = list.filter((one) => `${one.label} ${one.detail ?? ""}`.toLowerCase().includes(needle));
      this.#present(fits, settled || (!needle && !this.option.required) ? -1 : 0);
      return;
    }
    this.#present([], -1);
    if (this.option.autocomplete) this.fetch();
  }

  async #complete() {
    const turn = (this.#asked += 1);
    const text = this.text;
    const choices = await this.form.complete(this);
    if (turn !== this.#asked || document.activeElement !== this.input || text !== this.text) return;
    const settled = this.#picked && this.#picked.label === text;
    this.#present(
      (choices ?? []).map((one) => ({ label: one.name, value: one.value })),
      text && !settled ? 0 : -1,
    );
  }

  #pick(one) {
    this.#picked = { label: one.label, value: one.value };
    this.input.value = one.label;
    this.error = "";
    this.element.classList.remove("wrong");
    this.#fit();
    this.form.changed();
    this.form.next(this);
  }
}
