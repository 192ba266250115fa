/** One tree of what-ifs as the bot tells of it, as it grows. */

import { Bus } from "../lib/bus.js";
import { ask, follow } from "../lib/stream.js";
import { t } from "../lib/words.js";

/** Emits `change` when a node is otherwise, `run` with a node that began or ended, `gone` with a sentence. */
export class Tree extends Bus {
  nodes = new Map();
  about = null;
  #after = 0;
  #leave = new AbortController();

  /** `base`: the address below which trees are; `headers` and `query` say who asks. */
  constructor(id, base, headers, query = {}) {
    super();
    [this.id, this.base, this.headers, this.query] = [id, `${base}/trees/${id}`, headers, query];
  }

  #address(path, asked = {}) {
    return `${this.base}${path}?${new URLSearchParams({ ...this.query, ...asked })}`;
  }

  /** Look at it, and from then on hear what happens. */
  async open() {
    const { signal } = this.#leave;
    try {
      await this.refresh();
      const events = (after) => this.#address("/events", { after });
      await follow(events, this.headers, this.#after, (event) => this.#hear(event), signal);
    } catch (error) {
      if (!signal.aborted) this.emit("gone", error.message);
    }
  }

  close() {
    this.#leave.abort();
  }

  /** See all of it as it is now. */
  async refresh() {
    const shown = await this.ask("");
    this.about = { ...shown.tree, coin: t(shown.tree.coin) };
    this.#after = shown.seq;
    this.nodes = new Map(shown.nodes.map((one) => [one.id, one]));
    this.emit("change");
  }

  #hear(event) {
    const { node: id, kind, seq } = event;
    if (seq <= this.#after) return; // what is shown tells of it already
    this.#after = seq;
    const node = this.nodes.get(id);
    if (kind === "attached") this.nodes.set(id, { ...NEW, id, ...pick(event, "parent", "depth", "edge") });
    else if (kind === "deleted") this.nodes.delete(id);
    else if (!node) return;
    else if (kind === "run_start") this.nodes.set(id, { ...node, status: "running" });
    else this.nodes.set(id, { ...node, ...pick(event, "status", "outcome", "turns", "usd") });
    this.emit("change");
    if (kind !== "attached") this.emit("run", id, kind);
  }

  /** Ask for a part of it; throws with the bot's own sentence. */
  ask(path, asked = {}) {
    return ask(this.#address(path, asked), this.headers, this.#leave.signal);
  }

  /** Look at one node: what happened in it until now, and while it is not over, with `hear`, what happens. */
  async look(id, hear, signal) {
    const shown = await ask(this.#address(`/nodes/${id}`), this.headers, signal);
    if (this.nodes.has(id)) this.nodes.set(id, shown.node);
    this.emit("change");
    shown.events.forEach(hear);
    if (OVER.has(shown.node.status)) return;
    const events = (after) => this.#address(`/nodes/${id}/events`, { after });
    follow(events, this.headers, shown.seq, hear, signal).catch(() => {}); // the tree's own stream says why
  }
}

const OVER = new Set(["done", "failed", "stopped"]);
const NEW = { status: "queued", turns: 0, usd: "0", outcome: "", note: "" };

function pick(event, ...names) {
  return Object.fromEntries(names.filter((name) => name in event).map((name) => [name, event[name]]));
}
