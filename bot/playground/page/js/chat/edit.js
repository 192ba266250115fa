/** Editing a message in its place. */

import { h } from "../lib/dom.js";
import { editable, outgoing } from "../text/outgoing.js";
import { orSay } from "../widgets/toast.js";
import { deleteMessage } from "./message_actions.js";

function fit(area) {
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}

async function save(app, message, text) {
  const content = outgoing(app.world, text);
  if (!content && !message.attachments?.length) {
    finish(app, message);
    await deleteMessage(app, message);
    return;
  }
  if (content !== message.content) {
    const path = `/channels/${message.channel_id}/messages/${message.id}`;
    const changed = await orSay(() => app.api.patch(path, { content }));
    if (!changed) return;
  }
  finish(app, message);
}

function finish(app, message) {
  app.editing = null;
  app.timeline.touch(message.id);
  app.focusComposer();
}

function keysOf(app, message, area) {
  return (event) => {
    event.stopPropagation();
    if (event.key === "Escape") finish(app, message);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    save(app, message, area.value);
  };
}

/** Put a box with the message's text in its place. */
export function editMessage(app, message) {
  const element = app.log.element(message.id);
  if (!element || app.editing) return;
  app.editing = message;
  const area = h("textarea.edit-area", {
    "aria-label": "Edit the message",
    rows: 1,
    value: editable(app.world, message.content),
  });
  const link = (text, action) => h("button.link", { type: "button", on: { click: action } }, text);
  const hint = h(
    "p.edit-hint",
    {},
    "Escape to ",
    link("cancel", () => finish(app, message)),
    " · Enter to ",
    link("save", () => save(app, message, area.value)),
  );
  area.addEventListener("keydown", keysOf(app, message, area));
  area.addEventListener("input", () => fit(area));
  app.tools.bar.remove();
  element.classList.add("editing");
  element.querySelector(".message-content").replaceChildren(area, hint);
  fit(area);
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
  element.scrollIntoView({ block: "nearest" });
}

/** Edit this person's newest message, as the up arrow does. */
export function editNewest(app) {
  const mine = app.timeline.messages.filter(
    (one) => one.author.id === app.world.me.id && !(one.flags & 64) && !one.body,
  );
  const last = mine.filter((one) => [0, 19].includes(one.type ?? 0)).at(-1);
  if (last) editMessage(app, last);
}
