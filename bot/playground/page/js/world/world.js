/** All that this person can see: guilds, channels, members, who types. */

import { Bus } from "../lib/bus.js";
import { compareIds, isNewer } from "../lib/snowflake.js";
import { HANDLERS } from "./events.js";
import { channelPermissions, MAY } from "./permissions.js";
import { Unsent } from "./unsent.js";

export const TYPE = {
  TEXT: 0,
  DM: 1,
  VOICE: 2,
  GROUP: 3,
  CATEGORY: 4,
  NEWS: 5,
  STAGE: 13,
  FORUM: 15,
  MEDIA: 16,
};
const THREADS = new Set([10, 11, 12]);
const TALK = new Set([0, 1, 2, 3, 5, 10, 11, 12, 13]);
const TYPING_LASTS = 10000;

export class World extends Bus {
  me = null;
  guildId = null;
  guilds = new Map();
  channels = new Map();
  users = new Map();
  presences = new Map();
  ephemerals = new Map();
  faces = new Map();
  unsent = new Unsent();
  #typing = new Map();

  /** Take in one gateway event. */
  apply(name, data) {
    HANDLERS[name]?.(this, data);
  }

  /** The guild that is shown. */
  get guild() {
    return this.guilds.get(this.guildId) ?? null;
  }

  isThread(channel) {
    return THREADS.has(channel?.type);
  }

  /** The channel whose room hears what is said in a channel: of a thread, the one it is in. */
  roomOf(channelId) {
    const channel = this.channels.get(channelId);
    return this.isThread(channel) ? channel.parent_id : channelId;
  }

  isForum(channel) {
    return channel?.type === TYPE.FORUM || channel?.type === TYPE.MEDIA;
  }

  isTalk(channel) {
    return TALK.has(channel?.type);
  }

  /** Whether this person sees a channel. */
  sees(channel) {
    return Boolean(channelPermissions(this, channel) & MAY.VIEW);
  }

  /** The shown guild's channels, in order, without threads. */
  guildChannels() {
    const here = [...this.channels.values()].filter(
      (one) => one.guild_id === this.guildId && !this.isThread(one),
    );
    return here.sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || compareIds(a.id, b.id));
  }

  /** Threads under a channel that are not archived, oldest first. */
  threadsOf(channelId) {
    const under = [...this.channels.values()].filter(
      (one) => this.isThread(one) && one.parent_id === channelId,
    );
    return under.filter((one) => !one.thread_metadata?.archived).sort((a, b) => compareIds(a.id, b.id));
  }

  /** This person's direct messages. */
  directs() {
    return [...this.channels.values()].filter((one) => one.type === TYPE.DM || one.type === TYPE.GROUP);
  }

  /** The channel to show when none is asked for. */
  firstChannel() {
    const talk = this.guildChannels().filter((one) => this.isTalk(one) && this.sees(one));
    return talk[0] ?? this.directs()[0] ?? null;
  }

  /** A channel's name as shown: a direct message is named after the other side. */
  channelName(channel) {
    if (channel?.name) return channel.name;
    const others = (channel?.recipients ?? []).map((user) => this.nameOf(user));
    return others.join(", ") || "unknown";
  }

  member(userId, guildId = this.guildId) {
    return this.guilds.get(guildId)?.members.get(userId) ?? null;
  }

  user(userId) {
    return this.users.get(userId) ?? this.member(userId)?.user ?? null;
  }

  /** A user's name as shown in this guild. */
  nameOf(user, guildId = this.guildId) {
    if (!user) return "unknown";
    const now = this.users.get(user.id) ?? user; // a message keeps the name that its author had then
    return this.member(user.id, guildId)?.nick || now.global_name || now.username;
  }

  /** Remember users seen in messages and events. */
  meet(user) {
    if (user?.id && !this.users.has(user.id)) this.users.set(user.id, user);
  }

  /** Remember who wrote a message: an account, or the face of a webhook's agent. */
  meetAuthor({ author, webhook_id }) {
    if (!webhook_id) this.meet(author);
    else if (author.avatar && this.faces.get(author.username)?.avatar !== author.avatar) {
      this.faces.set(author.username, author);
      this.emit("members");
    }
  }

  putChannel(channel) {
    const before = this.channels.get(channel.id);
    this.channels.set(channel.id, { ...before, ...channel });
    this.emit("channels");
  }

  /** Note that a message came, so that unread marks know. */
  noteMessage(message) {
    const channel = this.channels.get(message.channel_id);
    if (!channel || !isNewer(message.id, channel.last_message_id)) return;
    channel.last_message_id = message.id;
  }

  /** Somebody started to type. */
  startTyping(channelId, userId) {
    const here = this.#typing.get(channelId) ?? new Map();
    clearTimeout(here.get(userId));
    here.set(
      userId,
      setTimeout(() => this.stopTyping(channelId, userId), TYPING_LASTS),
    );
    this.#typing.set(channelId, here);
    this.emit("typing", channelId);
  }

  stopTyping(channelId, userId) {
    const here = this.#typing.get(channelId);
    if (!here?.has(userId)) return;
    clearTimeout(here.get(userId));
    here.delete(userId);
    this.emit("typing", channelId);
  }

  /** Ids of the others who are typing in a channel. */
  typingIn(channelId) {
    return [...(this.#typing.get(channelId)?.keys() ?? [])].filter((id) => id !== this.me.id);
  }
}
