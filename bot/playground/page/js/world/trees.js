/** Trees of what-ifs as the bot tells of them: which there are, and one of them as it grows. */

import { Bus } from "../lib/bus.js";
import { ask, follow } from "../lib/stream.js";

/** Emits `change` when a node is otherwise, `run` with a node that began or ended, `gone` with a sentence. */
export class Tree extends Bus {
  nodes = new Map();
  about = null;
  #after = 0;
  #leave = new AbortController();

  constructor(faceUrl, token, guildId, id) {
    super();
    this.id = id;
    this.headers = { Authorization: token };
    this.guild = `guild_id=${guildId}`;
    this.base = `${faceUrl}/trees/${id}`;
  }

  #address(path, query = "") {
    return `${this.base}${path}?${this.guild}${query}`;
  }

  /** Look at it, and from then on hear what happens. */
  async open() {
    const { signal } = this.#leave;
    try {
      await this.refresh();
      const events = (after) => this.#address("/events", `&after=${after}`);
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
    this.about = shown.tree;
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
  ask(path, query = "") {
    return ask(this.#address(path, query), this.headers, this.#leave.signal);
  }

  /** Look at one node: what happened in it until now, and then, with `hear`, what happens; `signal` ends it. */
  async look(id, hear, signal) {
    const shown = await ask(this.#address(`/nodes/${id}`), this.headers, signal);
    if (this.nodes.has(id)) this.nodes.set(id, shown.node);
    this.emit("change");
    shown.events.forEach(hear);
    const events = (after) => this.#address(`/nodes/${id}/events`, `&after=${after}`);
    follow(events, this.headers, shown.seq, hear, signal).catch(() => {}); // the tree's own stream says why
  }
}

const NEW = { status: "queued", turns: 0, usd: "0", outcome: "", note: "" };

function pick(event, ...names) {
  return Object.fromEntries(names.filter((name) => name in event).map((name) => [name, event[name]]));
}

/** The tree that a thread tells of, or null: only managers are asked for, for nobody else may look into trees. */
export async function treeOf(agents, channel) {
  if (!agents.faceUrl) return null;
  try {
    const headers = { Authorization: agents.token };
    const trees = await ask(`${agents.faceUrl}/trees?guild_id=${channel.guild_id}`, headers);
    const found = trees.find((one) => one.thread_id === channel.id);
    return found ? new Tree(agents.faceUrl, agents.token, channel.guild_id, found.id) : null;
  } catch {
    return null; // the bot is not there just now
  }
}
