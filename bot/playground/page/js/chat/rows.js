/** What stands in the log, row by row: its beginning, days, the mark of what is new, messages, drafts. */

import { dayName, sameDay } from "../lib/clock.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { isNewer, timeOfId } from "../lib/snowflake.js";
import { authorName, messageElement } from "./message.js";
import { isSystem } from "./system.js";

const TOGETHER = 7 * 60 * 1000;

function timeOf(message) {
  return message.timestamp ? Date.parse(message.timestamp) : timeOfId(message.id);
}

function begins(app, message, before) {
  if (!before || message.type === 21 || before.type === 21 || isSystem(before) || isSystem(message))
    return true;
  if (message.message_reference || message.interaction_metadata || message.interaction) return true;
  if (message.body?.message_reference) return true;
  if ((message.flags ?? 0) & 64 || (before.flags ?? 0) & 64) return true;
  const same = message.author.id === before.author.id && authorName(app, message) === authorName(app, before);
  return !same || timeOf(message) - timeOf(before) > TOGETHER;
}

function hero(app, channel) {
  const { world } = app;
  const name = world.channelName(channel);
  const kind = world.isThread(channel) ? "thread" : channel.guild_id ? "hash" : "at";
  const words = channel.topic
    ? channel.topic
    : channel.guild_id
      ? "This is where it begins."
      : `Between you and ${name}.`;
  return h(
    "div.log-start",
    {},
    h("span.log-start-icon", {}, icon(kind, 28)),
    h("h2", {}, name),
    h("p", {}, words),
  );
}

function loader() {
  const line = () => h("div.skeleton", {}, h("i"), h("b"), h("b"));
  return h("div.log-loader", { "aria-label": "Older messages are loading" }, line(), line(), line());
}

function dayRow(message) {
  const when = timeOf(message);
  const name = dayName(when);
  return {
    id: `day ${name}`,
    key: name,
    build: () => h("div.day-line", { role: "separator" }, h("span", {}, name)),
  };
}

function newRow() {
  return {
    id: "new",
    key: "new",
    build: () => h("div.new-line", { role: "separator", "aria-label": "New messages" }, h("span", {}, "New")),
  };
}

/** One message that cannot be drawn leaves all others where they are. */
function drawn(app, message, grouped) {
  try {
    return messageElement(app, message, grouped);
  } catch (error) {
    console.warn("a message cannot be shown", message.id, error);
    const words = h("div.message-body", {}, h("p.system-words", {}, "This message cannot be shown."));
    return h("article.message.system", { tabindex: -1, data: { id: message.id } }, h("div.message-side"), words);
  }
}

function messageRow(app, message, grouped) {
  const agent = Boolean(app.agents.authorOf(message));
  const key = `${message.stamp} ${grouped} ${agent} ${authorName(app, message)}`;
  return { id: message.id, key, message, build: () => drawn(app, message, grouped) };
}

function firstRow(app, timeline) {
  const channel = app.world.channels.get(timeline.channelId);
  if (timeline.moreBefore) return [{ id: "loader", key: "loader", build: loader }];
  if (!channel) return [];
  const key = `start ${app.world.channelName(channel)} ${channel.topic ?? ""}`;
  return [{ id: "start", key, build: () => hero(app, channel) }];
}

/** All rows: each has an `id`, a `key` that changes with its looks, and `build()`. */
export function rowsOf(app, timeline, newAfter) {
  const rows = firstRow(app, timeline);
  let before = null;
  let marked = newAfter === null;
  for (const message of [...timeline.messages, ...timeline.pending]) {
    const newDay = !before || !sameDay(timeOf(before), timeOf(message));
    if (newDay) rows.push(dayRow(message));
    const first = !marked && !message.body && isNewer(message.id, newAfter);
    if (first) rows.push(newRow());
    marked ||= first;
    rows.push(messageRow(app, message, !newDay && !first && !begins(app, message, before)));
    before = message;
  }
  return rows;
}
