/** The menu of a message, the small tools that follow the pointer, and the log's keys. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { spokenEmoji } from "../text/emoji.js";
import { openMenu } from "../widgets/menu.js";
import { copyText } from "../widgets/toast.js";
import { deleteMessage, messageCommand, rights, startThread, togglePin } from "./message_actions.js";
import { editMessage } from "./edit.js";
import { pressable } from "./log.js";
import { pickReaction, toggleReaction } from "./reactions.js";

const QUICK = ["👍", "👎"];
const WALKING = new Set(["Tab", "ArrowUp", "ArrowDown", "Home", "End"]);

function linkTo(app, message) {
  const guild = app.world.channels.get(message.channel_id)?.guild_id ?? "@me";
  return `${location.origin}/#/channels/${guild}/${message.channel_id}/${message.id}`;
}

function own(app, message, element, may) {
  return [
    may.reply && { label: "Reply", icon: "reply", hint: "R", action: () => app.replyTo(message) },
    may.react && {
      label: "Add a reaction",
      icon: "smile",
      hint: "+",
      action: () => pickReaction(app, message, element),
    },
    may.edit && { label: "Edit", icon: "edit", hint: "E", action: () => editMessage(app, message) },
    may.thread && { label: "Start a thread", icon: "thread", action: () => startThread(app, message) },
    may.pin && {
      label: message.pinned ? "Unpin" : "Pin",
      icon: "pin",
      action: () => togglePin(app, message),
    },
    message.content && { label: "Copy text", icon: "copy", action: () => copyText(message.content) },
    { label: "Copy link", icon: "link", action: () => copyText(linkTo(app, message), "Link") },
    { label: "Copy id", icon: "copy", action: () => copyText(message.id, "Id") },
  ];
}

function fromBots(app, message) {
  const commands = app.commands.forMessages();
  if (!commands.length) return [];
  const entries = commands.map((command) => ({
    label: command.label,
    icon: "command",
    action: () => messageCommand(app, command, message),
  }));
  return [{ separator: true }, { heading: "Apps" }, ...entries];
}

/** Open a message's menu at an element or a point. */
export async function openMessageMenu(app, message, element, anchor = element) {
  await app.quietly(app.commands.refresh());
  const may = rights(app, message);
  const remove = {
    label: "Delete message",
    icon: "trash",
    danger: true,
    hint: "Del",
    action: () => deleteMessage(app, message),
  };
  const fleeting = (message.flags ?? 0) & 64;
  const items = [
    ...own(app, message, element, may),
    ...(fleeting ? [] : fromBots(app, message)),
    ...(may.delete ? [{ separator: true }, remove] : []),
  ];
  openMenu(anchor, items, { label: "Message" });
}

function tool(label, picture, action) {
  return h(
    "button.icon-button",
    { type: "button", tabindex: -1, "aria-label": label, title: label, on: { click: action } },
    picture,
  );
}

/** One bar of tools that moves to the message under the pointer or the focus. */
export class MessageTools {
  walking = false;

  constructor(app, log) {
    this.app = app;
    this.log = log;
    this.bar = h("div.message-tools", { role: "toolbar", "aria-label": "Message tools" });
    const follow = (event) => {
      const element = event.target.closest?.(".message");
      if (element) this.moveTo(element);
    };
    log.list.addEventListener("pointerover", follow);
    log.list.addEventListener("focusin", follow);
    log.scroller.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return; // a finger leaves whenever it is lifted, before it has pressed anything
      if (!this.bar.contains(document.activeElement)) this.bar.remove();
    });
    document.addEventListener("focusin", (event) => this.#goWith(event.target));
    log.list.addEventListener("contextmenu", (event) => this.#context(event));
    log.list.addEventListener("keydown", (event) => this.#keys(event));
    log.list.addEventListener("focusin", (event) => this.#stop(event));
    this.#followTheHand();
  }

  /** Letters are shortcuts only for who walks through the log by keys: whoever points or writes means to write. */
  #followTheHand() {
    const walks = (event) => WALKING.has(event.key) && (this.walking = true);
    document.addEventListener("keydown", walks, true);
    document.addEventListener("pointerdown", () => (this.walking = false), true);
    document.addEventListener("input", (event) => event.target.id === "message-box" && (this.walking = false));
  }

  /** Who goes elsewhere by keys leaves no bar behind on the message they came from. */
  #goWith(focused) {
    const stays = this.log.list.contains(focused) || focused.closest(".popover, dialog");
    if (!stays && !this.bar.parentElement?.matches(":hover")) this.bar.remove();
  }

  messageOf(element) {
    return this.app.timeline.find(element.dataset.id);
  }

  moveTo(element) {
    const message = this.messageOf(element);
    if (!message || this.app.editing?.id === message.id) {
      this.bar.remove();
      return;
    }
    if (this.bar.parentElement === element && this.bar.dataset.stamp === String(message.stamp)) return;
    this.bar.dataset.stamp = message.stamp;
    this.bar.replaceChildren(...this.#tools(message, element));
    element.append(this.bar);
    this.#onward(element);
  }

  #tools(message, element) {
    const { app } = this;
    const may = rights(app, message);
    const quick = (char) => {
      const mine = (message.reactions ?? []).some((one) => one.emoji.name === char && one.me);
      return tool(`React with ${spokenEmoji(char)}`, char, () =>
        toggleReaction(app, message, { id: null, name: char }, !mine),
      );
    };
    const more = tool("More", icon("more", 18), () => openMessageMenu(app, message, element, more));
    const react = tool("Add a reaction", icon("smile", 18), () => pickReaction(app, message, react));
    return [
      ...(may.react ? [...QUICK.map(quick), react] : []),
      ...(may.reply ? [tool("Reply", icon("reply", 18), () => app.replyTo(message))] : []),
      ...(may.edit ? [tool("Edit", icon("edit", 18), () => editMessage(app, message))] : []),
      more,
    ];
  }

  #context(event) {
    const element = event.target.closest(".message");
    if (!element || event.target.closest("a, textarea, input") || String(getSelection())) return;
    const message = this.messageOf(element);
    if (!message) return;
    event.preventDefault();
    const byKey = event.clientX === 0 && event.clientY === 0;
    openMessageMenu(this.app, message, element, byKey ? element : { x: event.clientX, y: event.clientY });
  }

  /** The message in focus becomes the log's one stop for Tab, and what was used last in it the second. */
  #stop(event) {
    const element = event.target.closest(".message");
    if (!element) return;
    for (const other of this.log.elements()) {
      if (other !== element && other.tabIndex === 0) pressable(other).forEach((one) => (one.tabIndex = -1));
      other.tabIndex = other === element ? 0 : -1;
    }
    this.#onward(element);
  }

  #onward(element) {
    const inside = pressable(element);
    const focused = inside.find((one) => one === document.activeElement);
    const next = focused ?? inside.find((one) => one.tabIndex === 0) ?? inside[0];
    for (const one of inside) one.tabIndex = one === next && element.tabIndex === 0 ? 0 : -1;
  }

  /** Arrows go through what can be pressed in a message, and back to it. */
  #inside(event, element) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || element.classList.contains("editing")) return;
    const stops = [element, ...pressable(element).filter((one) => one.offsetParent)];
    const next = stops[stops.indexOf(document.activeElement) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  #keys(event) {
    const element = event.target.closest(".message");
    if (!element || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.app.focusComposer();
    this.#inside(event, element);
    if (event.target !== element) return;
    const message = this.messageOf(element);
    const action = this.#move(event.key, element) ?? (message && this.#deed(event, message, element));
    if (!action) return;
    event.preventDefault();
    action();
  }

  #move(key, element) {
    const all = this.log.elements();
    const at = all.indexOf(element);
    const target = { ArrowUp: all[at - 1], ArrowDown: all[at + 1], Home: all[0], End: all.at(-1) }[key];
    return target && (() => this.log.focus(target));
  }

  #deed(event, message, element) {
    if (event.key.length === 1 && !this.walking) return null;
    const may = rights(this.app, message);
    const deeds = {
      Enter: () => openMessageMenu(this.app, message, element),
      r: may.reply && (() => this.app.replyTo(message)),
      e: may.edit && (() => editMessage(this.app, message)),
      "+": may.react && (() => pickReaction(this.app, message, element)),
      Delete: may.delete && (() => deleteMessage(this.app, message, !event.shiftKey)),
    };
    return deeds[event.key];
  }
}
