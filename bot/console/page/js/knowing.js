/** What an agent knows, as a tree that can be changed, with its history and a way back. */

import { fill, h } from "/shared/js/lib/dom.js";
import { orSay, toast } from "/shared/js/widgets/toast.js";
import { deed, exactly, field, nothing } from "./parts.js";
import { ask, change } from "./session.js";
import { t } from "/shared/js/lib/words.js";

/** A name as the segment of a path: quoted where it has more than letters, digits and dashes. */
function segment(name) {
  return /^[\p{L}\p{N}_-]+$/u.test(name) ? name : `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function written(value) {
  if (value === null || value === undefined) return t("nothing");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A value by hand: JSON where it is JSON, a plain text otherwise, as in /knowledge set. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A tree whose values can be chosen; `choose(path, value)`. */
function tree(name, value, path, choose) {
  const pick = h("button.link", { type: "button", "aria-label": t("Change {path}", { path }), on: { click: () => choose(path, value) } }, name);
  if (value === null || typeof value !== "object") return h("li", {}, pick, `: ${String(value)}`);
  const isList = Array.isArray(value);
  const inner = Object.entries(value).map(([key, one]) =>
    tree(isList ? `[${key}]` : key, one, isList ? `${path}[${key}]` : `${path}.${segment(key)}`, choose),
  );
  return h("li", {}, pick, inner.length ? h("ul.knows", {}, inner) : `: ${t("empty")}`);
}

/** The tree with its form and history; `after` is called once something has changed. */
export function knowing(agent, side, knowledge, after) {
  const at = `/agents/${agent}/knowledge`;
  const where = side ? `?room=${side}` : "";
  const path = h("input", { maxlength: 500, placeholder: "people.Bob.trust", autocomplete: "off" });
  const value = h("textarea", { rows: 2 });
  const choose = (chosen, known) => {
    path.value = chosen;
    value.value = typeof known === "string" ? known : JSON.stringify(known);
    value.focus();
  };
  const done = ({ told }) => {
    toast(told || t("Done."));
    after();
  };
  const known = Object.entries(knowledge);
  const history = h("div");
  const undo = (one) => deed(t("Undo"), () => change("POST", at + where, { type: "undo_knowledge", entry_id: one.id }), done, ".small");
  const show = async () => {
    const told = await orSay(() => ask(`${at}/history${where}`));
    if (!told) return;
    const row = (one) =>
      h("li.line", {}, h("p", {}, `${one.by}: `, h("b", {}, one.path), ` ${written(one.before)} → ${written(one.after)} `, exactly(one.at)), undo(one));
    fill(history, told.changes.length ? h("ol.lines", {}, told.changes.map(row)) : nothing(t("It has never changed.")));
  };
  const details = h("details", { on: { toggle: () => details.open && show() } }, h("summary", {}, t("How it changed")), history);
  return [
    known.length ? h("ul.knows", {}, known.map(([name, one]) => tree(name, one, segment(name), choose))) : nothing(t("It knows nothing yet.")),
    h("div.fields", {}, field(t("Path"), path), field(t("Value (a text, or JSON)"), value)),
    h(
      "div.row",
      {},
      deed(t("Keep it"), () => change("POST", at + where, { type: "set", path: path.value, value: read(value.value) }), done, ".small.primary"),
      deed(t("Delete what is there"), () => change("POST", at + where, { type: "delete", path: path.value }), done, ".small"),
    ),
    details,
  ];
}
