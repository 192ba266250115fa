/** What this person has read, kept in the browser per person. */

import { Bus } from "../lib/bus.js";
import { kept } from "../lib/keep.js";
import { isNewer } from "../lib/snowflake.js";

/** Emits `change`. */
export class Unread extends Bus {
  #marks = {};
  #mentions = new Map();

  constructor(world) {
    super();
    this.world = world;
    world.on("settled", () => this.#begin());
    world.on("message", (message) => this.#count(message));
  }

  get #key() {
    return `read.${this.world.me.id}`;
  }

  #begin() {
    this.#marks = kept.get(this.#key, {});
    for (const channel of this.world.channels.values()) {
      if (channel.last_message_id) this.#marks[channel.id] ??= channel.last_message_id;
    }
    this.#save();
  }

  #save() {
    kept.set(this.#key, this.#marks);
    this.emit("change");
  }

  #count(message) {
    if (message.author?.id === this.world.me.id) this.read(message.channel_id, message.id);
    else if (this.#isForMe(message)) {
      this.#mentions.set(message.channel_id, this.mentions(message.channel_id) + 1);
    }
    this.emit("change");
  }

  #isForMe(message) {
    const me = this.world.me.id;
    const roles = this.world.member(me)?.roles ?? [];
    return (
      message.mention_everyone ||
      (message.mentions ?? []).some((user) => user.id === me) ||
      (message.mention_roles ?? []).some((role) => roles.includes(role))
    );
  }

  /** The newest message read in a channel. */
  mark(channelId) {
    return this.#marks[channelId] ?? null;
  }

  mentions(channelId) {
    return this.#mentions.get(channelId) ?? 0;
  }

  isUnread(channel) {
    return isNewer(channel?.last_message_id, this.mark(channel.id));
  }

  /** Everything up to this message is read. */
  read(channelId, messageId) {
    const had = this.#mentions.delete(channelId);
    if (!isNewer(messageId, this.mark(channelId))) {
      if (had) this.emit("change");
      return;
    }
    this.#marks[channelId] = messageId;
    this.#save();
  }
}
