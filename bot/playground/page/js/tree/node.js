/** One node beside the picture: what it is, what can be done with it, and what it tells. */

import { fill, findAll, h } from "../lib/dom.js";
import { counted, t } from "../lib/words.js";
import { cameOf } from "./picture.js";
import { runsOf } from "./runs.js";
import { lineOf, mindsOf, transcriptOf } from "./telling.js";

const TABS = { here: t("In it"), said: t("Transcript"), minds: t("Knowledge") };
const QUIET = t("quiet: nobody in it has a reason to do anything; Change … gives it an event");
const SIGNS = { queued: t("waits"), running: t("runs"), done: t("done"), failed: t("failed"), stopped: t("stopped") };

export class NodeView {
  #node = null;
  #tab = "here";
  #leave = new AbortController();
  #events = [];
  #drawn = "";

  /** `deeds`: use(what, values, usd), begin(what, values), beside(), children(). */
  constructor(host, tree, deeds) {
    this.host = host;
    this.tree = tree;
    this.deeds = deeds;
    this.element = h("div.tree-node");
    this.body = h("div.tree-body", { role: "tabpanel", tabindex: 0 });
    this.list = h("ol.tree-events");
  }

  close() {
    this.#leave.abort();
  }

  /** Show a node from its beginning. */
  async show(id) {
    this.#leave.abort();
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    this.#node = this.tree.nodes.get(id);
    this.#events = [];
    this.#drawn = "";
    this.#draw();
    const hear = (event) => {
      if (signal.aborted) return;
      this.#events.push(event);
      this.list.append(lineOf(this.host, this.tree, id, event));
      this.#emptyOrNot();
    };
    await this.tree.look(id, hear, signal).catch(() => {});
  }

  /** A node began, or is over: where it is the one that is shown, what happened in it is read anew. */
  again(id) {
    if (this.#node?.id === id && this.tree.nodes.has(id)) this.show(id);
  }

  /** The tree has changed: draw the node anew where it is otherwise. */
  update() {
    const node = this.#node && this.tree.nodes.get(this.#node.id);
    if (!node) return;
    this.#node = node;
    this.#draw();
  }

  #draw() {
    const node = this.#node;
    const text = JSON.stringify(node);
    if (text === this.#drawn) return;
    this.#drawn = text;
    const turns = node.turns ? ` · ${counted(node.turns, "turn")}` : "";
    const pressed = this.element.contains(document.activeElement) ? document.activeElement.textContent : null;
    const about = `${SIGNS[node.status]}${turns} · ${Number(node.usd).toFixed(4)} ${this.tree.about.coin}`;
    fill(
      this.element,
      h("h3", {}, t("Node {number}", { number: node.id })),
      h("p.tree-about", {}, `${cameOf(node)} · ${about}`),
      node.outcome ? h("p.tree-about", {}, node.outcome === "quiet" ? QUIET : node.outcome) : null,
      node.note ? h("p.tree-note", {}, node.note) : null,
      node.status === "done" ? runsOf(this.tree, node, this.deeds.use) : null,
      h("div.tree-buttons", {}, this.#others(node)),
      this.#tabs(),
      this.body,
    );
    this.#fillBody();
    if (pressed) findAll("button", this.element).find((one) => one.textContent === pressed)?.focus();
  }

  #others(node) {
    const { use, begin, beside, children } = this.deeds;
    const at = { node: node.id };
    const made = node.parent !== null;
    const done = node.status === "done";
    const over = !["queued", "running"].includes(node.status);
    const list = [
      [done, t("Compare with …"), beside],
      [done, t("Compare children"), children],
      [done, t("Change …"), () => begin("change", at)],
      [done, t("Ask …"), () => begin("ask", at)],
      [done && made, t("Merge …"), () => use("merge", at)],
      [done && made, t("Run again"), () => use("rerun", at)],
      [true, t("Note …"), () => begin("note", at)],
      [!over, t("Stop"), () => use("stop", at)],
      [made, t("Delete …"), () => use("delete", at)],
    ];
    return list
      .filter(([fits]) => fits)
      .map(([, label, click]) => h("button.button.small", { type: "button", on: { click } }, label));
  }

  #tabs() {
    const buttons = Object.entries(TABS).map(([key, name]) => {
      const pick = () => {
        this.#tab = key;
        this.#mark(buttons);
        this.#fillBody();
      };
      return h("button.tab", { type: "button", role: "tab", data: { tab: key }, on: { click: pick } }, name);
    });
    const list = h("div.tabs", { role: "tablist", "aria-label": t("What this node tells") }, buttons);
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = buttons.indexOf(document.activeElement);
      if (!step || at < 0) return;
      const next = buttons[(at + step + buttons.length) % buttons.length];
      next.click();
      next.focus();
    });
    this.#mark(buttons);
    return list;
  }

  #mark(buttons) {
    for (const tab of buttons) {
      const on = tab.dataset.tab === this.#tab;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    this.body.setAttribute("aria-label", TABS[this.#tab]);
  }

  #emptyOrNot() {
    if (this.#tab !== "here") return;
    const none = h("p.quiet", {}, t("Nothing happened in it."));
    const shown = this.#events.length ? this.list : none;
    if (this.body.firstChild !== shown || !this.#events.length) fill(this.body, shown);
  }

  async #fillBody() {
    const [node, tab] = [this.#node, this.#tab];
    if (tab === "here") {
      const lines = this.#events.map((event) => lineOf(this.host, this.tree, node.id, event));
      this.list.replaceChildren(...lines);
      this.#emptyOrNot();
      return;
    }
    if (node.status !== "done") {
      fill(this.body, h("p.quiet", {}, t("There is nothing to read of a node that is not done.")));
      return;
    }
    const told = tab === "said" ? transcriptOf(this.tree, node.id) : mindsOf(this.host, this.tree, node.id);
    const shown = await told.catch((error) => h("p.quiet", {}, error.message));
    if (this.#node?.id === node.id && this.#tab === tab) fill(this.body, shown);
  }

  /** The first thing that can be pressed. */
  focus() {
    findAll("button", this.element)[0]?.focus();
  }
}
