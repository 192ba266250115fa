/** Buttons that let a tree grow, each with what it is thought to cost; they do what the bot's own commands do. */

import { afterPause, h } from "../lib/dom.js";
import { t } from "../lib/words.js";

const RUNS = [
  ["advance", t("Advance"), t("One child that goes on")],
  ["multi", t("Siblings"), t("Several children, each with its own chance")],
  ["chain", t("Chain"), t("A line of children of one turn each")],
  ["frontier", t("Frontier"), t("A child for each of the deepest leaves")],
];
const LIMITS = { turns: [1, 20], siblings: [2, 8] };

/** What something is thought to cost. */
export function money(usd, coin) {
  const number = Number(usd);
  if (!number) return t("free");
  return number < 0.0001 ? t("under {money}", { money: `0.0001 ${coin}` }) : t("about {money}", { money: `${number.toFixed(4)} ${coin}` });
}

function number(name, label, value, change) {
  const [min, max] = LIMITS[name];
  const input = h("input.field", { type: "number", min, max, value, required: true, on: { input: change } });
  return [h("label.tree-number", {}, label, input), input];
}

/** Build the buttons for a node; `use(what, values, usd)` does one of them, at the price that stands on it. */
export function runsOf(tree, node, use) {
  const later = afterPause(250, () => read());
  const [turnsBox, turns] = number("turns", t("Turns"), 1, () => wait());
  const [siblingsBox, siblings] = number("siblings", t("Siblings"), 3, () => wait());
  const seen = new Map(); // prices that stand on buttons
  const why = h("p.quiet", { role: "status" });
  const buttons = RUNS.map(([what, label, title]) => {
    const price = h("span.price", {}, "…");
    const click = () => use(what, valuesOf(what), seen.get(what));
    const button = h("button.button.small", { type: "button", title, disabled: true, on: { click } }, label, price);
    return { what, label, button, price };
  });
  const valuesOf = (what) => ({
    turns: Number(turns.value),
    ...(what === "frontier" ? {} : { node: node.id }),
    ...(what === "multi" ? { siblings: Number(siblings.value) } : {}),
  });
  const wait = () => {
    for (const { button } of buttons) button.disabled = true; // nothing is run at a price that nobody has read
    later();
  };
  const read = async () => {
    if (!turns.checkValidity() || !siblings.checkValidity()) {
      why.textContent = t("Give 1 to 20 turns, and 2 to 8 siblings.");
      return;
    }
    const asked = { turns: turns.value, siblings: siblings.value };
    const prices = await tree.ask(`/nodes/${node.id}/prices`, asked).catch((error) => ({ refused: error.message }));
    const refusals = new Set();
    for (const { what, label, button, price } of buttons) {
      const { usd, refused = prices.refused ?? "" } = prices[what] ?? {};
      seen.set(what, usd);
      button.disabled = Boolean(refused);
      price.textContent = refused ? "" : money(usd, tree.about.coin);
      if (refused) refusals.add(`${label}: ${refused}`);
    }
    why.replaceChildren(...[...refusals].map((one) => h("span.refusal", {}, one)));
  };
  read();
  const all = buttons.map((one) => one.button);
  return h("div.tree-runs", {}, turnsBox, siblingsBox, h("div.tree-buttons", {}, all), why);
}
