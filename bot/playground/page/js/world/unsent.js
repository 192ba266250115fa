/** What a person wrote and nobody has yet: messages on their way or failed, and what stands in the box, by channel. */

import { Bus } from "../lib/bus.js";
import { keptHere } from "../lib/keep.js";

/** Emits `change` with a channel's id. */
export class Unsent extends Bus {
  #channels = new Map();
  #turns = new Map(); // by channel, the last message on its way
  #person = "";

  /** Take up what this person left behind in this tab. */
  begin(me) {
    if (this.#person === me.id) return;
    this.#person = me.id;
    for (const [channelId, kept] of Object.entries(keptHere.get(`unsent.${me.id}`, {}))) {
      this.#channels.set(
        channelId,
        kept.map((one) => ({ ...one, author: me, files: [], stamp: `kept ${one.id}` })),
      );
    }
  }

  /** Send once what was written before is sent: while a limit is waited out, a later message would come first. */
  inTurn(channelId, send) {
    const turn = (this.#turns.get(channelId) ?? Promise.resolve()).then(send);
    this.#turns.set(
      channelId,
      turn.catch(() => {}), // who wrote it is told; the next goes on
    );
    return turn;
  }

  in(channelId) {
    return this.#channels.get(channelId) ?? [];
  }

  /** Keep a message, in place of the one with its nonce. */
  put(channelId, draft) {
    const others = this.in(channelId).filter((one) => one.nonce !== draft.nonce);
    this.#set(channelId, [...others, draft]);
  }

  drop(channelId, nonce) {
    const others = this.in(channelId).filter((one) => one.nonce !== nonce);
    if (others.length < this.in(channelId).length) this.#set(channelId, others);
  }

  #set(channelId, drafts) {
    this.#channels.set(channelId, drafts);
    this.#save();
    this.emit("change", channelId);
  }

  /** Files cannot be kept over a reload: a message that is nothing else is not. */
  #save() {
    const kept = {};
    for (const [channelId, drafts] of this.#channels) {
      const failed = drafts.filter((one) => one.failed && one.body.content);
      if (failed.length)
        kept[channelId] = failed.map(({ id, nonce, body, failed: why }) => ({ id, nonce, body, failed: why }));
    }
    keptHere.set(`unsent.${this.#person}`, kept);
  }

  get #words() {
    return keptHere.get(`drafts.${this.#person}`, {});
  }

  /** What stands in the box of a channel, unsent. */
  words(channelId) {
    return this.#words[channelId] ?? "";
  }

  keepWords(channelId, text) {
    const { [channelId]: _, ...others } = this.#words;
    keptHere.set(`drafts.${this.#person}`, text ? { ...others, [channelId]: text } : others);
  }
}
