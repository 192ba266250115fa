/** The messages of one channel that are loaded: a window that grows at both ends and stays small. */

import { Bus } from "../lib/bus.js";
import { compareIds, freshId, isNewer } from "../lib/snowflake.js";

const PAGE = 50;
const LIVE_LIMIT = 200;
const WINDOW_LIMIT = 400;
let stamps = 0;

/** The name under which a reaction is counted. */
export function emojiKey(emoji) {
  return emoji.id ? `${emoji.name}:${emoji.id}` : emoji.name;
}

function stamped(message) {
  message.stamp = stamps += 1;
  return message;
}

/** Emits `change`, and `arrived` with a message that came while we looked. */
export class Timeline extends Bus {
  messages = [];
  moreBefore = false;
  moreAfter = false;
  loaded = false;
  #stops = [];
  #busy = null;

  constructor(world, api, channelId) {
    super();
    this.world = world;
    this.api = api;
    this.channelId = channelId;
    this.#listen();
  }

  #listen() {
    const here =
      (work) =>
      (data, ...more) =>
        data.channel_id === this.channelId && work(data, ...more);
    this.#stops = [
      this.world.on(
        "message",
        here((data) => this.#arrive(data)),
      ),
      this.world.on(
        "messageUpdate",
        here((data) => this.#change(data)),
      ),
      this.world.on(
        "reaction",
        here((data, step) => this.#react(data, step)),
      ),
      this.world.on(
        "reactionsCleared",
        here((data, emoji) => this.#clear(data, emoji)),
      ),
      this.world.on("messageDelete", (channelId, ids) => channelId === this.channelId && this.#remove(ids)),
      this.world.unsent.on("change", (channelId) => channelId === this.channelId && this.emit("change")),
      this.world.on("thread", (thread) => thread.parent_id === this.channelId && this.#thread(thread)),
    ];
  }

  close() {
    this.#stops.forEach((stop) => stop());
  }

  #fetch(query) {
    return this.api.get(`/channels/${this.channelId}/messages`, { limit: PAGE, ...query });
  }

  async #alone(work) {
    if (this.#busy) return this.#busy;
    this.#busy = work().finally(() => {
      this.#busy = null;
    });
    return this.#busy;
  }

  /** Show the newest messages. */
  newest() {
    return this.#alone(async () => {
      const page = await this.#fetch({});
      this.#replace(page, page.length === PAGE, false);
    });
  }

  /** Show the messages around one. */
  around(id) {
    return this.#alone(async () => {
      const page = await this.#fetch({ around: id });
      const older = page.filter((one) => compareIds(one.id, id) < 0).length;
      const newer = page.filter((one) => compareIds(one.id, id) > 0).length;
      this.#replace(page, older >= PAGE / 2 - 1, newer >= PAGE / 2 - 1);
    });
  }

  /** Load a page of older messages. */
  older() {
    if (!this.moreBefore) return Promise.resolve();
    return this.#alone(async () => {
      const page = await this.#fetch({ before: this.messages[0].id });
      this.moreBefore = page.length === PAGE;
      this.#merge(page);
      if (this.messages.length > WINDOW_LIMIT) this.#cutEnd();
      this.emit("change");
    });
  }

  /** Load a page of newer messages, after a jump into the past. */
  newer() {
    if (!this.moreAfter) return Promise.resolve();
    return this.#alone(async () => {
      const page = await this.#fetch({ after: this.messages.at(-1).id });
      this.moreAfter = page.length === PAGE;
      this.#merge(page);
      if (this.messages.length > WINDOW_LIMIT) this.#cutStart(WINDOW_LIMIT / 2);
      this.emit("change");
    });
  }

  /** Drop what is far above, when the reader is at the end. */
  trim() {
    if (this.messages.length > LIVE_LIMIT) this.#cutStart(LIVE_LIMIT / 2);
  }

  #cutStart(keep) {
    this.messages = this.messages.slice(-keep);
    this.moreBefore = true;
  }

  #cutEnd() {
    this.messages = this.messages.slice(0, WINDOW_LIMIT / 2);
    this.moreAfter = true;
  }

  #replace(page, moreBefore, moreAfter) {
    this.messages = [];
    this.moreBefore = moreBefore;
    this.moreAfter = moreAfter;
    this.#merge(page);
    const oldest = moreBefore ? this.messages[0]?.id : null;
    if (!moreAfter) this.#merge(this.#ephemerals().filter((one) => !oldest || isNewer(one.id, oldest)));
    this.loaded = true;
    this.emit("change");
  }

  #ephemerals() {
    return this.world.ephemerals.get(this.channelId) ?? [];
  }

  #merge(page) {
    const known = new Set(this.messages.map((one) => one.id));
    const fresh = page.filter((one) => !known.has(one.id)).map(stamped);
    fresh.forEach((one) => this.world.meetAuthor(one));
    this.messages = [...this.messages, ...fresh].sort((a, b) => compareIds(a.id, b.id));
  }

  #arrive(message) {
    this.drop({ nonce: String(message.nonce ?? "") });
    if (!this.loaded) return;
    if (!this.moreAfter) this.#merge([message]);
    this.emit("change");
    this.emit("arrived", message);
  }

  find(id) {
    return this.messages.find((one) => one.id === id);
  }

  #change(data) {
    for (const one of this.messages) {
      if (one.referenced_message?.id === data.id) {
        one.referenced_message = { ...one.referenced_message, ...data };
        stamped(one);
      }
    }
    const message = this.find(data.id);
    if (message) stamped(Object.assign(message, data));
    this.emit("change");
  }

  #remove(ids) {
    for (const one of this.messages) {
      if (ids.includes(one.referenced_message?.id)) stamped(Object.assign(one, { referenced_message: null }));
    }
    this.messages = this.messages.filter((one) => !ids.includes(one.id));
    this.emit("change");
  }

  #thread(thread) {
    const message = this.find(thread.id);
    if (!message) return;
    stamped(Object.assign(message, { thread }));
    this.emit("change");
  }

  #react(data, step) {
    const message = this.find(data.message_id);
    if (!message) return;
    const key = emojiKey(data.emoji);
    const list = message.reactions ?? [];
    const old = list.find((one) => emojiKey(one.emoji) === key) ?? { emoji: data.emoji, count: 0, me: false };
    const mine = data.user_id === this.world.me.id;
    const next = { ...old, count: old.count + step, me: mine ? step > 0 : old.me };
    const rest = list.includes(old) ? list.map((one) => (one === old ? next : one)) : [...list, next];
    this.#setReactions(
      message,
      rest.filter((one) => one.count > 0),
    );
  }

  #clear(data, emoji) {
    const message = this.find(data.message_id);
    if (!message) return;
    const list = message.reactions ?? [];
    this.#setReactions(message, emoji ? list.filter((one) => emojiKey(one.emoji) !== emojiKey(emoji)) : []);
  }

  #setReactions(message, reactions) {
    stamped(Object.assign(message, { reactions }));
    this.emit("change");
  }

  /** Let a message be drawn again. */
  touch(id) {
    const message = this.find(id);
    if (message) stamped(message);
    this.emit("change");
  }

  /** What was written and is not known to be sent. */
  get pending() {
    return this.world.unsent.in(this.channelId);
  }

  /** Send a message; it is shown at once and marked when it fails. */
  async send(body, files = []) {
    const nonce = freshId();
    const { unsent, me: author } = this.world;
    const draft = stamped({ id: nonce, nonce, author, body, files, failed: "" });
    unsent.put(this.channelId, draft);
    try {
      const post = () => this.api.post(`/channels/${this.channelId}/messages`, { ...body, nonce }, files);
      const message = await unsent.inTurn(this.channelId, post);
      this.#sent(draft, message);
    } catch (error) {
      unsent.put(this.channelId, stamped({ ...draft, failed: error.message }));
    }
  }

  #sent(draft, message) {
    if (!this.moreAfter) this.#merge([message]);
    this.drop(draft);
    this.emit("change");
  }

  /** Try a message again that could not be sent, or drop it. */
  retry(draft) {
    this.drop(draft);
    return this.send(draft.body, draft.files);
  }

  drop(draft) {
    this.world.unsent.drop(this.channelId, draft.nonce);
  }
}
