/** The agents as the bot itself tells of them, at its own address beside the playground. */

import { Bus } from "../lib/bus.js";

const EVERY = 2000;

/** Emits `change` when something about the agents is different. */
export class Agents extends Bus {
  list = [];
  reachable = null;
  #text = "";

  constructor(faceUrl, token) {
    super();
    this.token = token;
    this.faceUrl = faceUrl?.replace(/\/$/, "") ?? null;
  }

  /** Begin to ask, as long as the page is visible. */
  start() {
    if (!this.faceUrl) return;
    const ask = () => document.visibilityState === "visible" && this.refresh();
    ask();
    setInterval(ask, EVERY);
    document.addEventListener("visibilitychange", ask);
  }

  async refresh() {
    const { answer } = await this.#get("/agents");
    const reachable = answer !== null;
    const text = JSON.stringify(answer ?? this.list);
    if (text === this.#text && reachable === this.reachable) return;
    this.#text = text;
    this.reachable = reachable;
    if (answer) this.list = answer;
    this.emit("change");
  }

  /** Ask as the person whose page this is: `answer` null with `refused` in words, or with nobody there to answer. */
  async #get(path) {
    try {
      const headers = { Authorization: this.token };
      const answer = await fetch(this.faceUrl + path, { cache: "no-store", headers });
      const body = answer.ok || answer.status === 403 ? await answer.json() : null;
      return answer.ok ? { answer: body } : { answer: null, refused: body?.message };
    } catch {
      return { answer: null }; // the bot is not there just now: the drawer says so
    }
  }

  /** The agent that lives in a channel, or null. */
  inChannel(channelId) {
    return this.list.find((agent) => String(agent.channel_id) === channelId) ?? null;
  }

  /** The agents that are members of the room in a channel. */
  hearing(channelId) {
    return this.list.filter((agent) => (agent.hears ?? [agent.channel_id]).includes(channelId));
  }

  byId(id) {
    return this.list.find((agent) => agent.id === id) ?? null;
  }

  /** The agent that a message is by, or null: any webhook may bear its name, but one of a person's is no bot's. */
  authorOf({ webhook_id, application_id, author }) {
    if (!webhook_id || !application_id) return null;
    return this.list.find((agent) => agent.name === author.username) ?? null;
  }

  /** The scene that takes place in a thread, as who watches it sees it; null where there is none. */
  async scene(threadId, guildId) {
    if (!this.faceUrl) return null;
    const query = guildId ? `?guild_id=${guildId}` : "";
    return (await this.#get(`/scenes/${threadId}${query}`)).answer;
  }

  /** An agent's last beat as `answer` (null when there was none), or why this person may not see it as `refused`. */
  beat(id) {
    return this.byId(id)?.last_beat_at ? this.#get(`/agents/${id}/beat`) : Promise.resolve({ answer: null });
  }
}
