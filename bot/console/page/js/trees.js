/** What-if trees: those that there are, and one with what was said, and who carries what, in each of its worlds. */

import { h } from "/shared/js/lib/dom.js";
import { Picture, wordsOf } from "/shared/js/tree/picture.js";
import { knownTree } from "./agent.js";
import { nothing, part, table } from "./parts.js";

/** The list. */
export function trees({ trees: rows }) {
  const row = (one) => [one.id, h("a", { href: `#/trees/${one.id}` }, one.title || `Tree ${one.id}`), `${one.usd_cap} ${one.coin} at most`];
  return [
    h("h1", {}, "What-ifs"),
    h("p", {}, "A tree of worlds shows how it might have gone on: /timeline fork begins one, /timeline advance lets it grow."),
    rows.length ? table("What-if trees", ["Number", "Title", "Budget"], rows.map(row)) : nothing("There are none."),
  ];
}

/** Which node is shown: the one that is asked for, where it has been played, else the root. */
export function nodeAt({ nodes }, query) {
  const wanted = Number(query.get("at") ?? 0);
  return nodes.some((one) => one.id === wanted && one.status === "done") ? wanted : 0;
}

function picture({ tree, nodes }, at) {
  const byId = new Map(nodes.map((one) => [one.id, one]));
  const drawn = new Picture((id) => byId.get(id)?.status === "done" && (location.hash = `#/trees/${tree.id}?at=${id}`));
  requestAnimationFrame(() => drawn.draw(byId, [at]));
  return h("div.run-tree", {}, drawn.frame);
}

function named(one, tree) {
  const words = wordsOf(one);
  return h("li", {}, one.status === "done" ? h("a", { href: `#/trees/${tree.id}?at=${one.id}` }, words) : words);
}

function mind(one) {
  const where = one.side ? ` (private side ${one.side})` : "";
  return h("ul.knows", {}, knownTree(`${one.name}${where}`, { knowledge: one.knowledge, focus: one.focus }));
}

/** One tree; `at`: the node whose transcript and minds are shown. */
export function treePage(told, at, { lines }, { minds }) {
  const { tree, nodes } = told;
  return [
    h("p", {}, h("a", { href: "#/trees" }, "All what-ifs")),
    h("h1", {}, `What-if ${tree.id}: ${tree.title}`),
    part("Worlds", picture(told, at), h("details", {}, h("summary", {}, "As a list"), h("ul", {}, nodes.map((one) => named(one, tree))))),
    part(`What was said in world ${at}`, lines.length ? h("ol.lines", {}, lines.map((one) => h("li.line", {}, one))) : nothing("Nothing was said since the fork.")),
    part("What its agents carry", minds.length ? minds.map(mind) : nothing("Nothing that you may see.")),
  ];
}
