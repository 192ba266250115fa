/** One message as it stands in the log. */

import { clockTime, fullTime, shortTime } from "../lib/clock.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { timeOfId } from "../lib/snowflake.js";
import { markdown, preview } from "../text/blocks.js";
import { avatar } from "../widgets/avatar.js";
import { attachmentsOf } from "./attachments.js";
import { componentsOf } from "./components.js";
import { embedsOf } from "./embeds.js";
import { reactionsOf } from "./reactions.js";
import { isSystem, systemLine } from "./system.js";

const STARTER = 21;
const FROM_MENU = 23;
export const FLAG = { EPHEMERAL: 64, LOADING: 128, COMPONENTS_V2: 32768 };

/** The name a message is shown under: a webhook's own, a member's nick. */
export function authorName(app, message) {
  return message.webhook_id ? message.author.username : app.world.nameOf(message.author);
}

function timeOf(message) {
  return message.timestamp ?? timeOfId(message.id);
}

function badge(app, message) {
  if (!message.author.bot) return null;
  return h("span.badge", {}, app.agents.authorOf(message) ? "AGENT" : "APP");
}

function authorButton(app, message) {
  const open = (event) => app.showAuthor(message, event.currentTarget);
  return h("button.author", { type: "button", on: { click: open } }, authorName(app, message));
}

function timeElement(message, text) {
  const when = new Date(timeOf(message));
  return h("time", { datetime: when.toISOString(), title: fullTime(when) }, text);
}

function head(app, message) {
  return h(
    "header.message-head",
    {},
    authorButton(app, message),
    badge(app, message),
    timeElement(message, shortTime(timeOf(message))),
  );
}

function replyLine(app, message) {
  if (!message.message_reference || isSystem(message)) return null;
  const target = message.referenced_message;
  if (!target)
    return h("div.reply-line", {}, h("span.preview", {}, "The message answered here was deleted."));
  const open = () => app.open(target.channel_id ?? message.channel_id, target.id);
  const name = authorName(app, target);
  const words = target.content ? preview(app, target.content) : h("span.preview", {}, "an attachment");
  return h(
    "div.reply-line",
    {},
    avatar(target.author, name, 18),
    h("strong", {}, name),
    h(
      "button.reply-target",
      { type: "button", "aria-label": `Go to the message by ${name}`, on: { click: open } },
      words,
    ),
  );
}

function commandLine(app, message) {
  const used = message.interaction_metadata ?? message.interaction;
  if (!used?.user || (used.type ?? 2) !== 2) return null;
  const plain = app.commands.label(used.name ?? message.interaction?.name);
  const name = plain && (message.type === FROM_MENU ? plain : `/${plain}`);
  const who = app.world.nameOf(used.user);
  return h(
    "div.reply-line",
    {},
    avatar(used.user, who, 18),
    h("strong", {}, who),
    name ? [" used ", h("span.command-name", {}, name)] : " used a command",
  );
}

function edited(message) {
  if (!message.edited_timestamp) return null;
  return h("small.edited", { title: fullTime(message.edited_timestamp) }, "(edited)");
}

function wordsOf(app, message) {
  if (message.flags & FLAG.LOADING && !message.content)
    return h("p.thinking", {}, h("span.dots", {}, h("i"), h("i"), h("i")), " is thinking …");
  if (!message.content) return null;
  const text = markdown(app, message.content);
  const mark = edited(message);
  if (mark) (text.lastElementChild?.matches(".text") ? text.lastElementChild : text).append(" ", mark);
  return text;
}

function threadLink(app, message) {
  const { thread } = message;
  if (!thread) return null;
  const open = () => app.openThread(thread);
  return h(
    "button.thread-link",
    { type: "button", on: { click: open } },
    icon("thread", 16),
    h("strong", {}, thread.name),
    h("small", {}, "Open the thread"),
  );
}

function ephemeralNote(app, message) {
  if (!(message.flags & FLAG.EPHEMERAL)) return null;
  const dismiss = h("button.link", { type: "button", on: { click: () => app.dismiss(message) } }, "Dismiss");
  return h("p.ephemeral-note", {}, icon("eye", 14), "Only you can see this · ", dismiss);
}

function failure(app, message) {
  if (!message.failed) return null;
  const again = h(
    "button.link",
    { type: "button", on: { click: () => app.timeline.retry(message) } },
    "Try again",
  );
  const drop = h(
    "button.link",
    { type: "button", on: { click: () => app.timeline.drop(message) } },
    "Delete",
  );
  return h("p.component-note", { role: "alert" }, `Not sent: ${message.failed} `, again, " · ", drop);
}

/** The parts below the head; a message with components v2 has nothing but those. */
function parts(app, message) {
  const own = message.flags & FLAG.COMPONENTS_V2;
  const some = (list) => Boolean(list?.length);
  return [
    wordsOf(app, message),
    !own && some(message.attachments) ? attachmentsOf(app, message) : null,
    !own && some(message.embeds) ? embedsOf(app, message) : null,
    some(message.components) ? componentsOf(app, message) : null,
    some(message.reactions) ? reactionsOf(app, message) : null,
    threadLink(app, message),
    ephemeralNote(app, message),
    failure(app, message),
  ];
}

function draftOf(message) {
  const names = message.files.map((file) => file.name).join(", ");
  return {
    ...message,
    content: message.body.content || names,
    type: message.body.message_reference ? 19 : 0,
  };
}

function mentionsMe(app, message) {
  return (message.mentions ?? []).some((user) => user.id === app.world.me.id) || message.mention_everyone;
}

function shell(app, message, classes) {
  const label = `${authorName(app, message)}, ${shortTime(timeOf(message))}`;
  const element = h("article.message", { tabindex: -1, "aria-label": label, data: { id: message.id } });
  for (const [name, on] of Object.entries(classes)) element.classList.toggle(name, Boolean(on));
  return element;
}

function systemMessage(app, message) {
  const { lead, words } = systemLine(app, message);
  const line = h(
    "div.message-body",
    {},
    h("p.system-words", {}, words, " ", timeElement(message, shortTime(timeOf(message)))),
  );
  const reactions = message.reactions?.length ? reactionsOf(app, message) : null;
  if (reactions) line.append(reactions);
  const element = shell(app, message, { system: true });
  element.append(h("div.message-side", {}, lead), line);
  return element;
}

function sideOf(app, message, grouped) {
  if (grouped) return timeElement(message, clockTime(timeOf(message)));
  const open = (event) => app.showAuthor(message, event.currentTarget);
  const name = authorName(app, message);
  return h(
    "button.avatar-button",
    { type: "button", tabindex: -1, "aria-label": `About ${name}`, on: { click: open } },
    avatar(message.author, name, 40),
  );
}

/** A thread begins with the message it grew from, as if that stood here. */
function starter(message) {
  const origin = message.referenced_message;
  return origin
    ? {
        ...origin,
        id: message.id,
        stamp: message.stamp,
        thread: null,
        reactions: [],
        message_reference: null,
      }
    : message;
}

/** Build a message; `grouped` leaves out who speaks, because the line above says it. */
export function messageElement(app, given, grouped) {
  const message = given.body ? draftOf(given) : given.type === STARTER ? starter(given) : given;
  if (isSystem(message)) return systemMessage(app, message);
  const element = shell(app, message, {
    grouped,
    mentioned: mentionsMe(app, message),
    ephemeral: message.flags & FLAG.EPHEMERAL,
    pending: given.body && !given.failed,
    failed: given.failed,
  });
  element.append(
    ...[commandLine(app, message) ?? replyLine(app, message)].filter(Boolean),
    h("div.message-side", {}, sideOf(app, message, grouped)),
    h(
      "div.message-body",
      {},
      grouped ? null : head(app, message),
      h("div.message-content", {}, parts(app, message)),
    ),
  );
  return element;
}
