/** What-if trees: those that there are, and one that is looked at, grown and cut back. */

import { h } from "/shared/js/lib/dom.js";
import { Pane } from "/shared/js/tree/pane.js";
import { Tree } from "/shared/js/tree/tree.js";
import { confirmed } from "/shared/js/widgets/dialog.js";
import { TreeHost } from "./growing.js";
import { deed, nothing, part, table } from "./parts.js";
import { change, headers } from "./session.js";
import { t } from "/shared/js/lib/words.js";

/** The list. */
export function trees({ trees: rows }) {
  const row = (one) => [one.id, h("a", { href: `#/trees/${one.id}` }, one.title || t("Tree {number}", { number: one.id })), t("at most {money}", { money: `${one.usd_cap} ${one.coin}` })];
  return [
    h("h1", {}, t("What-ifs")),
    h("p", {}, t("A tree of worlds shows how it might have gone on: /timeline fork begins one, and here it grows.")),
    part(t("Trees"), rows.length ? table(t("What-if trees"), [t("Number"), t("Title"), t("Budget")], rows.map(row)) : nothing(t("There are none."))),
  ];
}

/** One tree, live from now on; `at`: the node that is shown first; `agents`: those of the server, for their names. */
export function treePage({ tree: told }, at, agents) {
  const tree = new Tree(told.id, "/api/v1", headers());
  const host = new TreeHost(tree, agents);
  const root = h("section.tree", { "aria-label": t("What if"), hidden: true });
  const pane = new Pane(host, root, tree);
  const sure = () => confirmed(t("Delete what-if {number}?", { number: told.id }), t("All its nodes go, and do not come back."), { yes: t("Delete") });
  const remove = async () => (await sure()) && change("DELETE", `/trees/${told.id}`);
  return {
    nodes: [
      h("h1.unseen", {}, `${t("What if {number}", { number: told.id })}${told.title ? `: ${told.title}` : ""}`),
      h("p", {}, h("a", { href: "#/trees" }, t("All what-ifs"))),
      root,
      h("p", {}, deed(t("Delete this what-if …"), remove, () => (location.hash = "#/trees"), ".small.danger")),
    ],
    open: () => pane.open(at),
    close: () => pane.close(),
  };
}
