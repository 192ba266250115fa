/** Lines that the server itself writes: joins, pins, threads, boosts. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

const TALK = new Set([0, 19, 20, 23, 21]);

function jump(app, message, text) {
  const reference = message.message_reference;
  if (!reference) return text;
  const open = () => app.open(reference.channel_id, reference.message_id);
  return h("button.link", { type: "button", on: { click: open } }, text);
}

const LINES = {
  1: ["people", (app, message, who) => [who, " added someone to the group."]],
  2: ["people", (app, message, who) => [who, " removed someone from the group."]],
  4: [
    "edit",
    (app, message, who) => [who, " changed the channel's name to ", h("strong", {}, message.content), "."],
  ],
  6: ["pin", (app, message, who) => [who, " pinned ", jump(app, message, "a message"), " to this channel."]],
  7: ["people", (app, message, who) => [who, " has joined. Say hello!"]],
  18: ["thread", (app, message, who) => [who, " started a thread: ", openThread(app, message), "."]],
};

function openThread(app, message) {
  const id = message.message_reference?.channel_id;
  return h(
    "button.link",
    { type: "button", on: { click: () => app.open(id) } },
    message.content || "a thread",
  );
}

/** Whether a message is the server's line and not somebody's words. */
export function isSystem(message) {
  return !message.body && !TALK.has(message.type ?? 0);
}

/** The line's icon and words. */
export function systemLine(app, message) {
  const who = h("strong", {}, app.world.nameOf(message.author));
  const [picture, words] = LINES[message.type] ?? [
    "bolt",
    () => [who, ` (system message of type ${message.type})`],
  ];
  return { lead: icon(picture, 18), words: words(app, message, who) };
}
