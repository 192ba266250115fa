/** The log: rows kept in step with the timeline, the place kept while reading, history loaded at both ends. */

import { find, findAll, h, oncePerFrame } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { rowsOf } from "./rows.js";

/** What can be pressed inside a message. */
export function pressable(element) {
  return findAll("a[href], button, [role='button']", element).filter((one) => !one.disabled);
}

const PRESS = 3; // an interaction that is no command: a button or a select was used
const NEAR_END = 60;
const NEAR_EDGE = 600;
const NEW_FOR = 5000; // milliseconds for which the mark of what is new stays once all below it was in view

export class Log {
  #rows = new Map();
  #following = true;
  #newAfter = null;
  #newWasSeen = false; // the mark itself, not only what stands below it
  #newGoes = 0;
  #newest = null; // message there is
  #stops = [];
  #timeline = null;
  #answer = null; // to me, and not looked at yet

  constructor(app, frame) {
    this.app = app;
    this.list = h("div.log-rows");
    this.scroller = h(
      "div.log",
      { role: "log", "aria-label": "Messages", "aria-live": "polite", "aria-relevant": "additions" },
      this.list,
    );
    this.jump = h("button.to-present", {
      type: "button",
      hidden: true,
      on: { click: () => this.#toPresent() },
    });
    frame.append(this.scroller, this.jump);
    this.draw = oncePerFrame(() => this.#draw());
    this.scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#following && this.#toEnd()).observe(this.list);
    new ResizeObserver(() => this.#following && this.#toEnd()).observe(this.scroller);
    document.addEventListener("visibilitychange", () => this.#turned());
    app.agents.on("change", () => this.draw());
    app.world.onAny(["members", "channels"], () => this.draw());
  }

  /** Show a channel's timeline; `messageId` is where to look. */
  async show(timeline, messageId = null) {
    this.#stops.forEach((stop) => stop());
    this.#timeline = timeline;
    this.#rows.clear();
    this.list.replaceChildren();
    this.#following = !messageId;
    this.#markNew(this.#unreadMark(timeline));
    this.#stops = [
      timeline.on("change", () => this.draw()),
      timeline.on("arrived", (message) => this.#arrived(message)),
    ];
    await (messageId ? timeline.around(messageId) : timeline.newest());
    if (this.#timeline !== timeline) return;
    this.#draw();
    if (messageId) this.flash(messageId);
  }

  #unreadMark(timeline) {
    const channel = this.app.world.channels.get(timeline.channelId);
    return channel && this.app.unread.isUnread(channel) ? (this.app.unread.mark(channel.id) ?? "0") : null;
  }

  /** Go to a message that may not be loaded. */
  async goTo(messageId) {
    if (!this.#timeline.find(messageId)) {
      this.#following = false;
      await this.#timeline.around(messageId);
      this.#draw();
    }
    this.flash(messageId);
  }

  /** Bring a message into view and let it glow. */
  flash(messageId) {
    const element = this.element(messageId);
    if (!element) return;
    this.#following = false;
    element.scrollIntoView({ block: "center" });
    element.classList.remove("flash");
    requestAnimationFrame(() => element.classList.add("flash"));
    this.focus(element);
  }

  element(messageId) {
    return find(`.message[data-id="${messageId}"]`, this.list);
  }

  /** Every message element, oldest first. */
  elements() {
    return findAll(".message", this.list);
  }

  focus(element) {
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  #arrived(message) {
    const cause = message.interaction_metadata?.user ?? message.author;
    if (cause?.id === this.app.world.me.id) {
      this.#following = true;
      this.#markNew(null); // who says something has read what was said
      const isMine = message.author.id === cause.id;
      this.#answer = isMine ? null : { id: message.id, isPress: message.interaction_metadata?.type === PRESS };
    }
    if (document.visibilityState !== "visible" && this.#newAfter === null) {
      this.#markNew(this.app.unread.mark(message.channel_id));
    }
  }

  /** Set the mark of what is new after a message, or take it away. */
  #markNew(after) {
    clearTimeout(this.#newGoes);
    this.#newGoes = 0;
    this.#newWasSeen = false;
    if (this.#newAfter === after) return;
    this.#newAfter = after;
    this.draw();
  }

  /** Take the mark of what is new away, a moment after it and all below it were in view. */
  #letNewGo() {
    const line = this.#newAfter === null || this.#newGoes ? null : find(".new-line", this.list);
    if (!line) return;
    const { top, bottom } = this.scroller.getBoundingClientRect();
    const at = line.getBoundingClientRect();
    this.#newWasSeen ||= at.bottom > top && at.top < bottom;
    if (this.#newWasSeen && this.#following) this.#newGoes = setTimeout(() => this.#markNew(null), NEW_FOR);
  }

  /** The message in the middle and where it stands: those at the edges may change their height. */
  #anchor() {
    const { top, height } = this.scroller.getBoundingClientRect();
    const all = this.elements();
    const element = all.find((one) => one.getBoundingClientRect().top > top + height / 2) ?? all.at(-1);
    return element ? { id: element.dataset.id, offset: element.getBoundingClientRect().top } : null;
  }

  #restore(anchor) {
    const element = anchor && this.element(anchor.id);
    if (element) this.scroller.scrollTop += element.getBoundingClientRect().top - anchor.offset;
  }

  #draw() {
    const timeline = this.#timeline;
    if (!timeline?.loaded) return;
    if (this.#following && !timeline.moreAfter) timeline.trim();
    const anchor = this.#following ? null : this.#anchor();
    const held = this.list.contains(document.activeElement);
    this.#sync(rowsOf(this.app, timeline, this.#newAfter));
    if (this.#following) this.#toEnd();
    else this.#restore(anchor);
    this.#reachable();
    if (held && !this.list.contains(document.activeElement)) find(".message[tabindex='0']", this.list)?.focus();
    this.#showJump();
    this.#markRead();
    this.#fillScreen();
  }

  /** A window that is not full cannot be scrolled: load until it is. */
  #fillScreen() {
    const full = this.scroller.scrollHeight > this.scroller.clientHeight;
    if (!full && this.#timeline.moreBefore) this.app.quietly(this.#timeline.older());
  }

  /** Make the elements fit the rows: build what is new or changed, move what moved, drop what went. */
  #sync(rows) {
    const wanted = new Set(rows.map((row) => row.id));
    for (const [id, known] of this.#rows) {
      if (!wanted.has(id)) {
        known.element.remove();
        this.#rows.delete(id);
      }
    }
    let at = this.list.firstChild;
    for (const row of rows) {
      const before = this.#rows.get(row.id)?.element;
      const element = this.#elementFor(row);
      if (before === at) at = element;
      if (element === at) at = at.nextSibling;
      else this.list.insertBefore(element, at);
    }
  }

  #elementFor(row) {
    const known = this.#rows.get(row.id);
    if (known?.key === row.key || (known && this.app.editing?.id === row.id)) return known.element;
    const element = row.build();
    for (const one of pressable(element)) one.tabIndex = -1; // Tab comes to them by their message: `MessageTools`
    if (known) this.#swap(known.element, element);
    this.#rows.set(row.id, { key: row.key, element });
    return element;
  }

  /** Replace an element without losing the focus that is inside. */
  #swap(old, fresh) {
    const inside = old.contains(document.activeElement) ? document.activeElement : null;
    fresh.tabIndex = old.tabIndex;
    if (inside === old || inside?.closest(".message-tools")) this.app.tools.moveTo(fresh);
    old.replaceWith(fresh);
    if (!inside) return;
    const key = inside.dataset.key;
    const twin = key ? findAll("[data-key]", fresh).find((one) => one.dataset.key === key) : null;
    (twin && !twin.disabled ? twin : fresh).focus({ preventScroll: true });
  }

  /** One message at a time is a stop for Tab: the one last used, or the newest once something came after that. */
  #reachable() {
    const all = this.elements();
    const newest = all.at(-1)?.dataset.id;
    const isLeft = newest !== this.#newest && !this.list.contains(document.activeElement);
    this.#newest = newest;
    const stop = all.find((one) => one.tabIndex === 0);
    if (stop && !isLeft) return;
    if (stop) for (const one of [stop, ...pressable(stop)]) one.tabIndex = -1;
    if (newest) all.at(-1).tabIndex = 0;
  }

  /** Show the newest; of an answer to me that is longer than the screen, its beginning, or what is to be pressed next. */
  #toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    const answer = this.#answer && this.element(this.#answer.id);
    if (!answer || answer.offsetHeight <= this.scroller.clientHeight) return;
    if (this.#answer.isPress && find(".components", answer)) return;
    this.#answer = null;
    this.#following = false;
    answer.scrollIntoView({ block: "start" });
  }

  #fromEnd() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight;
  }

  #scrolled() {
    const timeline = this.#timeline;
    if (!timeline?.loaded) return;
    this.#following = this.#fromEnd() < NEAR_END && !timeline.moreAfter;
    if (this.scroller.scrollTop < NEAR_EDGE && timeline.moreBefore) this.app.quietly(timeline.older());
    else if (this.#fromEnd() < NEAR_EDGE && timeline.moreAfter) this.app.quietly(timeline.newer());
    this.#showJump();
    this.#markRead();
  }

  #showJump() {
    const hidden = this.#fromEnd() < NEAR_EDGE && !this.#timeline.moreAfter;
    if (this.jump.hidden === hidden) return;
    this.jump.hidden = hidden;
    this.jump.replaceChildren("To the newest", icon("arrowDown", 16));
  }

  async #toPresent() {
    this.#following = true;
    this.#answer = null;
    if (this.#timeline.moreAfter) await this.app.quietly(this.#timeline.newest());
    this.#toEnd();
  }

  /** The page came into view, or went out of it: what is said from then on is new. */
  #turned() {
    if (document.visibilityState !== "visible" && this.#newGoes) this.#markNew(null);
    this.#markRead();
  }

  #markRead() {
    const newest = this.#timeline?.messages.at(-1);
    if (!newest || document.visibilityState !== "visible") return;
    this.#letNewGo();
    if (!this.#following) return;
    this.app.unread.read(this.#timeline.channelId, newest.id);
  }
}
