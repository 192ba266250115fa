/** Menus: arrows move, Enter picks, letters jump, Escape leaves. */

import { findAll, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { closePopover, openPopover } from "./popover.js";

function entry(item) {
  if (item.separator) return h("div.menu-line", { role: "separator" });
  if (item.heading) return h("div.menu-heading", { role: "presentation" }, item.heading);
  const pick = () => {
    closePopover();
    item.action();
  };
  const kind = item.danger ? ".danger" : "";
  const checked = item.checked === undefined ? {} : { "aria-checked": String(item.checked) };
  const role = item.checked === undefined ? "menuitem" : "menuitemradio";
  return h(
    `button.menu-item${kind}`,
    { type: "button", role, tabindex: -1, ...checked, disabled: Boolean(item.disabled), on: { click: pick } },
    item.lead ?? (item.icon ? icon(item.icon, 18) : null),
    h("span.menu-label", {}, item.label, item.detail ? h("small", {}, item.detail) : null),
    item.checked ? icon("check", 16) : item.hint ? h("kbd", {}, item.hint) : null,
  );
}

/** Move the focus through a list of elements by arrow keys and letters; true when the key was used. */
export function walk(event, items) {
  const at = items.indexOf(document.activeElement);
  const steps = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: items.length - 1 };
  let next = steps[event.key];
  if (next === undefined && event.key.length === 1 && event.key !== " ") next = letter(event.key, items, at);
  if (next === undefined || !items.length) return false;
  event.preventDefault();
  items.at(((next % items.length) + items.length) % items.length).focus();
  return true;
}

function letter(key, items, at) {
  const order = [...items.keys()].map((index) => (at + 1 + index) % items.length);
  return order.find((index) => items[index].textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
}

/** Open a menu of `{label, action, icon?, detail?, hint?, danger?, checked?, disabled?}`, `{separator}` or `{heading}`. */
export function openMenu(anchor, items, { label = "Menu", side = "below" } = {}) {
  const list = h("div.menu", { role: "menu", "aria-label": label }, items.filter(Boolean).map(entry));
  const opened = openPopover(anchor, list, { label, side, kind: "menu-popover" });
  const buttons = () => findAll(".menu-item:not(:disabled)", list);
  opened.panel.addEventListener("keydown", (event) => {
    if (event.key === "Tab") closePopover();
    else walk(event, buttons());
  });
  buttons()[0]?.focus();
  return opened;
}
