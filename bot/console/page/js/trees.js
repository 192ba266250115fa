/** What-if trees: those that there are, and one that is looked at, grown and cut back. */

import { h } from "/shared/js/lib/dom.js";
import { Pane } from "/shared/js/tree/pane.js";
import { Tree } from "/shared/js/tree/tree.js";
import { confirmed } from "/shared/js/widgets/dialog.js";
import { TreeHost } from "./growing.js";
import { deed, nothing, part, table } from "./parts.js";
import { change, headers } from "./session.js";

/** The list. */
export function trees({ trees: rows }) {
  const row = (one) => [one.id, h("a", { href: `#/trees/${one.id}` }, one.title || `Tree ${one.id}`), `${one.usd_cap} ${one.coin} at most`];
  return [
    h("h1", {}, "What-ifs"),
    h("p", {}, "A tree of worlds shows how it might have gone on: /timeline fork begins one, and here it grows."),
    part("Trees", rows.length ? table("What-if trees", ["Number", "Title", "Budget"], rows.map(row)) : nothing("There are none.")),
  ];
}

/** One tree, live from now on; `at`: the node that is shown first; `agents`: those of the server, for their names. */
export function treePage({ tree: told }, at, agents) {
  const tree = new Tree(told.id, "/api/v1", headers());
  const host = new TreeHost(tree, agents);
  const root = h("section.tree", { "aria-label": "What if", hidden: true });
  const pane = new Pane(host, root, tree);
  const sure = () => confirmed(`Delete what-if ${told.id}?`, "All its nodes go, and do not come back.", { yes: "Delete" });
  const remove = async () => (await sure()) && change("DELETE", `/trees/${told.id}`);
  return {
    nodes: [
      h("h1.unseen", {}, `What if ${told.id}${told.title ? `: ${told.title}` : ""}`),
      h("p", {}, h("a", { href: "#/trees" }, "All what-ifs")),
      root,
      h("p", {}, deed("Delete this what-if …", remove, () => (location.hash = "#/trees"), ".small.danger")),
    ],
    open: () => pane.open(at),
    close: () => pane.close(),
  };
}
