/** Threads: start one, list them, and the posts of a forum. */

import { clear, h } from "../lib/dom.js";
import { fromNow } from "../lib/clock.js";
import { icon } from "../lib/icons.js";
import { timeOfId } from "../lib/snowflake.js";
import { openDialog } from "../widgets/dialog.js";
import { closePopover, openPopover } from "../widgets/popover.js";
import { orSay } from "../widgets/toast.js";

const DAY = 1440;
const PUBLIC = 11;

function routeOf(channelId, message) {
  return message ? `/channels/${channelId}/messages/${message.id}/threads` : `/channels/${channelId}/threads`;
}

function bodyOf(app, channelId, message, name, words) {
  const body = { name, auto_archive_duration: DAY };
  if (app.world.isForum(app.world.channels.get(channelId))) return { ...body, message: { content: words } };
  return message ? body : { ...body, type: PUBLIC };
}

function firstWords(forum) {
  return forum
    ? h(
        "label.form-field",
        {},
        h("span.form-label", {}, "First message"),
        h("textarea.field", { name: "words", rows: 4, required: true }),
      )
    : null;
}

/** Ask for a name and start a thread, from a message or without one. */
export function newThread(app, channelId, { name = "", message = null } = {}) {
  const forum = app.world.isForum(app.world.channels.get(channelId));
  const build = (close) => {
    const field = h("input.field", {
      name: "name",
      value: name,
      required: true,
      maxlength: 100,
      autofocus: true,
    });
    const submit = async (event) => {
      event.preventDefault();
      const words = event.target.elements.words?.value;
      const body = bodyOf(app, channelId, message, field.value.trim(), words);
      const thread = await orSay(() => app.api.post(routeOf(channelId, message), body));
      if (!thread) return;
      close();
      app.openThread(thread);
    };
    const actions = h(
      "div.dialog-actions",
      {},
      h("button.button", { type: "button", on: { click: close } }, "Cancel"),
      h("button.button.primary", { type: "submit" }, forum ? "Post" : "Start thread"),
    );
    return h(
      "form.dialog-body",
      { on: { submit } },
      h("label.form-field", {}, h("span.form-label", {}, forum ? "Title" : "Name"), field),
      firstWords(forum),
      actions,
    );
  };
  openDialog(forum ? "New post" : "Start a thread", build, { kind: "small" });
}

function threadRow(app, thread) {
  const open = () => {
    closePopover();
    app.openThread(thread);
  };
  const when = timeOfId(thread.last_message_id ?? thread.id);
  const detail = `${thread.thread_metadata?.archived ? "archived · " : ""}${fromNow(when)}`;
  return h(
    "button.thread-row",
    { type: "button", on: { click: open } },
    icon("thread", 18),
    h("span", {}, thread.name, h("small", {}, detail)),
  );
}

async function allThreads(app, channelId) {
  const active = app.world.threadsOf(channelId);
  const old = await orSay(() => app.api.get(`/channels/${channelId}/threads/archived/public`));
  return [...active.reverse(), ...(old?.threads ?? [])];
}

/** Show a channel's threads beside its button. */
export async function openThreadList(app, channelId, anchor) {
  const threads = await allThreads(app, channelId);
  const rows = threads.length
    ? threads.map((one) => threadRow(app, one))
    : h("p.quiet", {}, "No threads here yet.");
  const start = h("button.button.primary", { type: "button" }, "New thread");
  start.addEventListener("click", () => {
    closePopover();
    newThread(app, channelId);
  });
  const head = h("header.popover-head", {}, h("h3", {}, "Threads"), start);
  openPopover(anchor, [head, h("div.popover-body", {}, rows)], {
    label: "Threads",
    kind: "list-popover",
    side: "end",
  });
}

/** A forum instead of a log: its posts, newest first. */
export async function showForum(app, channel, root) {
  const post = h(
    "button.button.primary",
    { type: "button", on: { click: () => newThread(app, channel.id) } },
    "New post",
  );
  const list = h("div.forum-posts", {}, h("p.quiet", {}, "Loading …"));
  clear(root).append(h("div.forum", {}, h("header", {}, h("h2", {}, channel.name), post), list));
  const threads = await allThreads(app, channel.id);
  const rows = threads.length
    ? threads.map((one) => threadRow(app, one))
    : [h("p.quiet", {}, "No posts yet.")];
  list.replaceChildren(...rows);
}
