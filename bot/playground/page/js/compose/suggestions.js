/** The list above the box: people, channels, emoji, commands, choices. The box keeps the focus; arrows move here. */

import { h } from "../lib/dom.js";

let count = 0;

export class Suggestions {
  #items = [];
  #active = -1;
  #input = null;

  constructor(root) {
    this.root = root;
    this.list = h("div.suggestion-list", { role: "listbox", id: `suggestions-${(count += 1)}`, tabindex: 0 });
    this.title = h("div.suggestion-title");
    root.append(this.title, this.list);
    root.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("keydown", (event) => this.keys(event));
    this.hide();
  }

  get open() {
    return !this.root.hidden && this.#items.length > 0;
  }

  /** Show items `{label, detail?, side?, lead?, pick}` for an input; `active` is the one that Enter takes, or -1. */
  show(input, items, { title = "", active = 0, problem = false } = {}) {
    this.#input?.removeAttribute("aria-activedescendant");
    this.#input = input;
    this.#items = items;
    this.#active = Math.min(active, items.length - 1);
    this.title.textContent = title;
    this.title.hidden = !title;
    this.title.classList.toggle("problem", problem);
    this.list.hidden = !items.length;
    this.list.setAttribute("aria-label", title || "Suggestions");
    this.list.replaceChildren(...items.map((item, index) => this.#row(item, index)));
    this.root.hidden = !items.length && !title;
    this.#mark();
  }

  hide() {
    if (this.root.contains(document.activeElement)) this.#input?.focus();
    this.root.hidden = true;
    this.#items = [];
    this.#active = -1;
    this.#mark();
  }

  #row(item, index) {
    const words = h(
      "span.suggestion-words",
      {},
      h("span.suggestion-label", {}, item.label),
      item.detail ? h("small", { title: item.detail }, item.detail) : null,
    );
    const side = item.side ? h("span.suggestion-side", {}, item.side) : null;
    return h(
      "div.suggestion",
      {
        role: "option",
        id: `${this.list.id}-${index}`,
        on: { click: () => this.#take(index), pointermove: () => this.#hover(index) },
      },
      item.lead ?? null,
      words,
      side,
    );
  }

  #hover(index) {
    if (this.#active === index) return;
    this.#active = index;
    this.#mark(false);
  }

  #mark(scroll = true) {
    const input = this.#input;
    [...this.list.children].forEach((row, index) =>
      row.setAttribute("aria-selected", String(index === this.#active)),
    );
    if (!input) return;
    const row = this.list.children[this.#active];
    if (input.matches("[role=combobox]")) input.setAttribute("aria-expanded", String(this.open));
    if (this.open && row) input.setAttribute("aria-activedescendant", row.id);
    else input.removeAttribute("aria-activedescendant");
    if (row && scroll) row.scrollIntoView({ block: "nearest" });
  }

  #take(index) {
    const item = this.#items[index];
    this.hide();
    item?.pick();
  }

  #step(by) {
    const size = this.#items.length;
    this.#active = (this.#active + by + size + (this.#active < 0 && by < 0 ? 1 : 0)) % size;
    this.#mark();
  }

  /** Use a key for the list; true when it was used. */
  keys(event) {
    if (!this.open || event.isComposing) return false;
    if (event.key === "ArrowDown") this.#step(1);
    else if (event.key === "ArrowUp") this.#step(-1);
    else if (event.key === "Escape") this.hide();
    else if (["Enter", "Tab"].includes(event.key) && !event.shiftKey && this.#active >= 0)
      this.#take(this.#active);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}

/** Tell a box that a list belongs to it; one of several lines stays a text box to screen readers. */
export function asCombobox(input, suggestions) {
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", suggestions.list.id);
  if (!input.matches("textarea")) {
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-expanded", "false");
  }
  return input;
}
