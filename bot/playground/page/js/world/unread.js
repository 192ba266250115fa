/** What this person has read, kept in the browser per person. */

import { Bus } from "../lib/bus.js";
import { kept } from "../lib/keep.js";
import { isNewer } from "../lib/snowflake.js";

/** Emits `change`. */
export class Unread extends Bus {
  #marks = {};
  #mentions = {};
  #news = {};
  #muted = new Set();

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
    this.#news = kept.get(`news.${this.world.me.id}`, {});
    this.#mentions = kept.get(`mentions.${this.world.me.id}`, {});
    this.#muted = new Set(kept.get(`muted.${this.world.me.id}`, []));
    for (const channel of this.world.channels.values()) {
      if (channel.last_message_id) this.#marks[channel.id] ??= channel.last_message_id;
    }
    this.#save();
  }

  #save() {
    kept.set(this.#key, this.#marks);
    kept.set(`news.${this.world.me.id}`, this.#news);
    kept.set(`mentions.${this.world.me.id}`, this.#mentions);
    this.emit("change");
  }

  #count(message) {
    if (message.author?.id === this.world.me.id) {
      this.read(message.channel_id, message.id);
      return;
    }
    this.#marks[message.channel_id] ??= message.channel_id; // older than anything said there
    this.#news[message.channel_id] = (this.#news[message.channel_id] ?? 0) + 1;
    if (this.isForMe(message)) this.#mentions[message.channel_id] = this.mentions(message.channel_id) + 1;
    this.#save();
  }

  /** Whether a message names this person, or is said to them alone. */
  isForMe(message) {
    const me = this.world.me.id;
    const roles = this.world.member(me)?.roles ?? [];
    return (
      !this.world.channels.get(message.channel_id)?.guild_id ||
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
    return this.#mentions[channelId] ?? 0;
  }

  isUnread(channel) {
    return isNewer(channel?.last_message_id, this.mark(channel.id));
  }

  /** Whether a channel is unread, and not muted. */
  calls(channel) {
    return !this.isMuted(channel) && this.isUnread(channel);
  }

  /** How many messages came to channels that are not muted since they were read. */
  get count() {
    const waiting = [...this.world.channels.values()].filter((one) => this.calls(one) && this.world.sees(one));
    return waiting.reduce((sum, one) => sum + Math.max(1, this.#news[one.id] ?? 0), 0);
  }

  /** Whether this person wants to hear nothing of a channel, or of the one that a thread is in. */
  isMuted(channel) {
    return this.#muted.has(channel.id) || this.#muted.has(channel.parent_id);
  }

  mute(channel, muted) {
    if (muted) this.#muted.add(channel.id);
    else this.#muted.delete(channel.id);
    kept.set(`muted.${this.world.me.id}`, [...this.#muted]);
    this.emit("change");
  }

  /** Everything up to this message is read; without one, everything. */
  read(channelId, messageId = this.world.channels.get(channelId)?.last_message_id) {
    const had = channelId in this.#mentions || channelId in this.#news;
    delete this.#mentions[channelId];
    delete this.#news[channelId];
    if (isNewer(messageId, this.mark(channelId))) this.#marks[channelId] = messageId;
    else if (!had) return;
    this.#save();
  }
}
