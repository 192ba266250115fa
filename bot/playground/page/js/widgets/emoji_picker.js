/** The picker: search, groups, arrows; gives an emoji as Discord's routes want it. */

import { findAll, h } from "../lib/dom.js";
import { kept } from "../lib/keep.js";
import { EMOJI, nameOfEmoji, searchEmoji } from "../text/emoji.js";
import { closePopover, openPopover } from "./popover.js";

const COLUMNS = 9;
const RECENT = 18;

function remember(char) {
  const before = kept.get("emoji", []).filter((one) => one !== char);
  kept.set("emoji", [char, ...before].slice(0, RECENT));
}

function cell(char, name, pick) {
  const label = `:${name}:`;
  return h(
    "button.emoji-cell",
    { type: "button", title: label, "aria-label": label, on: { click: pick } },
    char,
  );
}

function group(title, cells) {
  return cells.length ? [h("div.emoji-title", {}, title), h("div.emoji-grid", {}, cells)] : [];
}

function gridKeys(event, panel, search) {
  const cells = findAll(".emoji-cell", panel);
  const at = cells.indexOf(document.activeElement);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }[event.key];
  if (!step || (at < 0 && event.key !== "ArrowDown")) return;
  event.preventDefault();
  const next = at < 0 ? 0 : at + step;
  (next < 0 ? search : (cells[Math.min(next, cells.length - 1)] ?? search)).focus();
}

function listing(world, text, pick) {
  const standard = ({ char, names }) => cell(char, names[0], () => pick({ id: null, name: char }));
  if (text) {
    const found = group("Found", searchEmoji(text).map(standard));
    return found.length ? found : [h("p.quiet", { role: "status" }, "No emoji has that name.")];
  }
  const recent = kept
    .get("emoji", [])
    .map((char) => cell(char, nameOfEmoji(char), () => pick({ id: null, name: char })));
  const custom = (world.guild?.emojis ?? []).map((emoji) =>
    cell(`:${emoji.name}:`, emoji.name, () => pick(emoji)),
  );
  const groups = Object.entries(EMOJI).map(([title, list]) => group(title, list.map(standard)));
  return [group("Used lately", recent), group("This server", custom), groups];
}

/** Open the picker; `onPick` gets `{id, name}`. */
export function openEmojiPicker(world, anchor, onPick, side = "below") {
  const body = h("div.emoji-body");
  const pick = (emoji) => {
    if (!emoji.id) remember(emoji.name);
    closePopover();
    onPick(emoji);
  };
  const show = (text) => body.replaceChildren(...listing(world, text, pick).flat(Infinity));
  const search = h("input.field", {
    type: "search",
    placeholder: "Find an emoji",
    "aria-label": "Find an emoji",
    autofocus: true,
    on: { input: () => show(search.value.trim()) },
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") body.querySelector(".emoji-cell")?.click();
  });
  show("");
  const opened = openPopover(anchor, [search, body], { label: "Emoji", kind: "emoji-popover", side });
  opened.panel.addEventListener("keydown", (event) => gridKeys(event, opened.panel, search));
}

/** An emoji as it stands in a route. */
export function emojiRoute(emoji) {
  return encodeURIComponent(emoji.id ? `${emoji.name}:${emoji.id}` : emoji.name);
}
