/** What thumbs did to an agent's tempo, message by message, as this browser saw it. */

import { Bus } from "../lib/bus.js";
import { kept } from "../lib/keep.js";

const THUMBS = /^(?:👍|👎)/u;
const LOOKS = [150, 500, 1200, 2500]; // milliseconds: the bot needs a moment to take a reaction in
const REMEMBERED = 200;
const FELT = 0.2; // seconds: less is what a beat drifts by

/** Emits `change` with a message's id. */
export class Paces extends Bus {
  #moved = new Map(kept.get("paces", []));

  constructor(app) {
    super();
    this.app = app;
    app.world.on("reaction", (data) => THUMBS.test(data.emoji.name ?? "") && this.#felt(data.message_id));
  }

  /** From how many seconds to how many the thumbs on a message moved its author, or null. */
  of(messageId) {
    return this.#moved.get(messageId) ?? null;
  }

  async #felt(messageId) {
    const message = this.app.timeline?.find(messageId);
    const agent = message && this.app.agents.authorOf(message);
    if (!agent) return;
    const from = agent.interval_seconds;
    const first = this.of(messageId)?.from ?? from; // before the first of the thumbs that stand there
    let seen = from;
    for (const wait of LOOKS) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      await this.app.agents.refresh();
      const to = this.app.agents.byId(agent.id)?.interval_seconds ?? from;
      if (Math.abs(to - seen) < FELT) continue;
      seen = to;
      this.#keep(messageId, first, to);
    }
  }

  #keep(messageId, first, to) {
    this.#moved.delete(messageId);
    if (Math.abs(first - to) >= FELT) this.#moved.set(messageId, { from: first, to });
    kept.set("paces", [...this.#moved].slice(-REMEMBERED));
    this.app.timeline?.touch(messageId);
  }
}
