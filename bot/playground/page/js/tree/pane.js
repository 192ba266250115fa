/** A tree of what-ifs above its thread: its picture, and one node or two beside it. */

import { fill, h, oncePerFrame } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { markdown } from "../text/blocks.js";
import { isManager } from "../world/permissions.js";
import { treeOf } from "../world/trees.js";
import { NodeView } from "./node.js";
import { Picture } from "./picture.js";
import { comparisonOf } from "./telling.js";

function tool(label, picture, click) {
  const button = h("button.icon-button", { type: "button", "aria-label": label, title: label }, icon(picture));
  button.addEventListener("click", () => click(button));
  return button;
}

/** One tree that is looked at. */
class Pane {
  #chosen = [0];
  #choosing = false; // the next node that is pressed is set beside the first

  constructor(app, root, tree) {
    [this.app, this.root, this.tree] = [app, root, tree];
    this.picture = new Picture((id, beside) => this.#choose(id, beside));
    this.title = h("h2");
    this.about = h("p.tree-state", { role: "status" });
    this.remarks = h("div.tree-remarks", { hidden: true });
    this.side = h("div.tree-side", { role: "group", "aria-label": "Node" });
    const use = (command, values) => this.#use(command, values);
    const begin = (command, values) => this.#begin(command, values);
    const deeds = { use, begin, beside: () => this.#besideNext(), children: () => this.#compare(null) };
    this.node = new NodeView(app, tree, deeds);
    const draw = oncePerFrame(() => this.#draw());
    tree.on("change", draw);
    tree.on("run", (id, kind) => this.node.update(kind === "run_start" ? id : null));
    tree.on("gone", (why) => this.#gone(why));
    this.#build();
  }

  #build() {
    const large = (button) => this.#large(button.getAttribute("aria-pressed") !== "true");
    this.bigger = tool("Only the tree", "open", large);
    this.bigger.setAttribute("aria-pressed", "false");
    const tools = h(
      "div.tree-tools",
      { role: "toolbar", "aria-label": "Picture" },
      tool("Larger", "plus", () => this.picture.larger()),
      tool("Smaller", "minus", () => this.picture.smaller()),
      tool("Show all nodes", "fit", () => this.picture.fit()),
      this.bigger,
    );
    const head = h("div.tree-head", {}, this.title, this.about, tools);
    fill(this.root, head, this.remarks, h("div.tree-parts", {}, this.picture.frame, this.side));
  }

  async open() {
    const stop = this.tree.on("change", () => {
      stop();
      this.root.hidden = false;
      this.#show(0);
    });
    await this.tree.open();
  }

  close() {
    this.tree.close();
    this.node.close();
    this.#large(false);
    this.root.hidden = true;
    this.root.replaceChildren();
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
    this.title.textContent = `What if ${about.id}${about.title ? `: ${about.title}` : ""}`;
    const words = `${nodes.size} ${nodes.size === 1 ? "node" : "nodes"}${runs ? `, ${runs} running` : ""}`;
    this.about.textContent = this.#choosing
      ? "Choose the other node."
      : `${words} · ${usd.toFixed(4)} of ${Number(about.usd_cap).toFixed(2)} ${about.coin}`;
    const lines = about.remarks ?? [];
    fill(this.remarks, ...lines.map((one) => h("p", {}, markdown(this.app, one))));
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
    const back = h("button.button.small", { type: "button", on: { click: () => this.#show(first) } }, "Back");
    const what = other === null ? `Children of node ${first}` : `Node ${first} beside node ${other}`;
    const wait = h("p.quiet", { role: "status" }, "Comparing …");
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

  /** Run one of the bot's commands: its answer stands in the thread, below. */
  async #use(command, values) {
    this.#large(false);
    await this.app.useCommand(command, { ...values, tree: this.tree.id });
  }

  /** Begin one that wants to be told more. */
  #begin(command, values) {
    this.#large(false);
    const texts = Object.fromEntries(
      Object.entries({ ...values, tree: this.tree.id }).map(([name, value]) => [name, String(value)]),
    );
    this.app.startCommand(command, texts);
  }
}

/** Keep it up to date while a tree's thread is open. */
export function mountTree(app, root) {
  let pane = null;
  const look = async () => {
    const channel = app.world.channels.get(app.channelId);
    if (pane || !channel || !app.world.isThread(channel) || !app.world.me || !isManager(app.world)) return;
    const tree = await treeOf(app.agents, channel);
    if (!tree || pane || app.channelId !== channel.id) return;
    pane = new Pane(app, root, tree);
    app.tree = tree;
    app.emit("tree");
    pane.open();
  };
  app.on("open", () => {
    pane?.close();
    pane = app.tree = null;
    look();
  });
  app.world.on("messageUpdate", (message) => message.channel_id === app.channelId && pane?.refresh());
  app.world.on("message", (message) => message.channel_id === app.channelId && look());
}
