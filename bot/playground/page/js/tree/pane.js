/** A tree of what-ifs: its picture, and one node or two beside it; on the playground's page and in the console. */

import { fill, h, oncePerFrame } from "../lib/dom.js";
import { counted, t } from "../lib/words.js";
import { icon } from "../lib/icons.js";
import { NodeView } from "./node.js";
import { Picture } from "./picture.js";
import { comparisonOf } from "./telling.js";

function tool(label, picture, click) {
  const button = h("button.icon-button", { type: "button", "aria-label": label, title: label }, icon(picture));
  button.addEventListener("click", () => click(button));
  return button;
}

/** One tree that is looked at.
 *
 * `host` is where it is shown: `name(id)` of an agent; `use(what, values, usd)` does something at the price that was
 * seen; `begin(what, values)` asks for more first; `shown(id)` hears which node is looked at.
 */
export class Pane {
  #chosen = [0];
  #choosing = false; // the next node that is pressed is set beside the first

  constructor(host, root, tree) {
    [this.host, this.root, this.tree] = [host, root, tree];
    this.picture = new Picture((id, beside) => this.#choose(id, beside));
    this.title = h("h2");
    this.about = h("p.tree-state", { role: "status" });
    this.remarks = h("div.tree-remarks", { hidden: true });
    this.side = h("div.tree-side", { role: "group", "aria-label": t("Node") });
    const use = (...given) => host.use(...given);
    const begin = (...given) => host.begin(...given);
    const deeds = { use, begin, beside: () => this.#besideNext(), children: () => this.#compare(null) };
    this.node = new NodeView(host, tree, deeds);
    const draw = oncePerFrame(() => this.#draw());
    tree.on("change", draw);
    tree.on("run", (id) => this.node.again(id));
    tree.on("gone", (why) => this.#gone(why));
    this.#build();
  }

  #build() {
    const large = (button) => this.#large(button.getAttribute("aria-pressed") !== "true");
    this.bigger = tool(t("Only the tree"), "open", large);
    this.bigger.setAttribute("aria-pressed", "false");
    const tools = h(
      "div.tree-tools",
      { role: "toolbar", "aria-label": t("Picture") },
      tool(t("Larger"), "plus", () => this.picture.larger()),
      tool(t("Smaller"), "minus", () => this.picture.smaller()),
      tool(t("Show all nodes"), "fit", () => this.picture.fit()),
      this.bigger,
    );
    const head = h("div.tree-head", {}, this.title, this.about, tools);
    fill(this.root, head, this.remarks, h("div.tree-parts", {}, this.picture.frame, this.side));
  }

  /** Show it, and one of its nodes first. */
  async open(first = 0) {
    const stop = this.tree.on("change", () => {
      stop();
      this.root.hidden = false;
      this.#show(this.tree.nodes.has(first) ? first : 0);
    });
    await this.tree.open();
  }

  close() {
    this.tree.close();
    this.node.close();
    this.small();
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  /** Leave room for what stands beside it. */
  small() {
    this.#large(false);
  }

  #large(on) {
    this.bigger.setAttribute("aria-pressed", String(on));
    this.root.classList.toggle("large", on);
  }

  #gone(why) {
    fill(this.root, h("p.quiet", {}, why));
    this.root.classList.remove("large");
  }

  #draw() {
    const { about, nodes } = this.tree;
    if (this.#chosen.some((id) => !nodes.has(id))) {
      this.#show(0);
      return;
    }
    const usd = [...nodes.values()].reduce((sum, one) => sum + Number(one.usd), 0);
    const runs = [...nodes.values()].filter((one) => one.status === "running").length;
    this.title.textContent = `${t("What if {number}", { number: about.id })}${about.title ? `: ${about.title}` : ""}`;
    const words = `${counted(nodes.size, "node")}${runs ? `, ${t("{number} running", { number: runs })}` : ""}`;
    this.about.textContent = this.#choosing
      ? t("Choose the other node.")
      : `${words} · ${t("{spent} of {most}", { spent: usd.toFixed(4), most: `${Number(about.usd_cap).toFixed(2)} ${about.coin}` })}`;
    const lines = about.remarks ?? [];
    fill(this.remarks, ...lines.map((one) => h("p", {}, one.replace(/[`*]/g, ""))));
    this.remarks.hidden = !lines.length;
    this.picture.draw(nodes, this.#chosen);
    this.node.update();
  }

  #choose(id, beside) {
    const first = this.#chosen[0];
    if ((beside || this.#choosing) && id !== first) this.#compare(id);
    else this.#show(id);
  }

  #show(id) {
    this.#chosen = [id];
    this.#choosing = false;
    fill(this.side, this.node.element);
    this.node.show(id);
    this.host.shown?.(id);
    this.#draw();
  }

  #besideNext() {
    this.#choosing = true;
    this.#draw();
  }

  /** Set another node beside the first, or (null) all children of the first beside one another. */
  async #compare(other) {
    const [first] = this.#chosen;
    this.#chosen = other === null ? [first] : [first, other];
    this.#choosing = false;
    this.#draw();
    const back = h("button.button.small", { type: "button", on: { click: () => this.#show(first) } }, t("Back"));
    const what = other === null ? t("Children of node {number}", { number: first }) : t("Node {one} beside node {two}", { one: first, two: other });
    const wait = h("p.quiet", { role: "status" }, t("Comparing …"));
    const body = h("div.tree-body", { tabindex: 0, role: "group", "aria-label": what }, wait);
    fill(this.side, h("h3", {}, what), back, body);
    back.focus(); // now: who has gone elsewhere by the time it is read is left where they are
    const shown = await comparisonOf(this.tree, first, other).catch((error) => h("p.quiet", {}, error.message));
    fill(body, shown);
  }

  /** See it anew: a note is told by the board alone. */
  refresh() {
    this.tree.refresh().catch(() => {}); // its stream says when it is gone
  }
}
