/** What a person can do to a message, and whether this one may. */

import { h } from "../lib/dom.js";
import { channelPermissions, MAY, maySend } from "../world/permissions.js";
import { KIND } from "../world/interactions.js";
import { menuData } from "../world/commands.js";
import { confirmed } from "../widgets/dialog.js";
import { orSay, toast } from "../widgets/toast.js";
import { authorName } from "./message.js";
import { isSystem } from "./system.js";
import { newThread } from "./threads.js";

function path(message) {
  return `/channels/${message.channel_id}/messages/${message.id}`;
}

/** What this person may do to a message. */
export function rights(app, message) {
  const channel = app.world.channels.get(message.channel_id);
  const bits = channelPermissions(app.world, channel);
  const mine = message.author?.id === app.world.me.id;
  const fleeting = Boolean((message.flags ?? 0) & 64) || Boolean(message.body);
  const words = !isSystem(message);
  return {
    reply: !fleeting && maySend(app.world, channel),
    react: !fleeting && Boolean(bits & MAY.ADD_REACTIONS),
    edit: mine && !fleeting && words,
    delete: !fleeting && (mine || Boolean(bits & MAY.MANAGE_MESSAGES)),
    pin: !fleeting && words && Boolean(bits & (MAY.PIN | MAY.MANAGE_MESSAGES)),
    thread:
      !fleeting &&
      words &&
      !message.thread &&
      !app.world.isThread(channel) &&
      Boolean(channel?.guild_id) &&
      Boolean(bits & MAY.CREATE_THREADS),
  };
}

export async function deleteMessage(app, message, ask = true) {
  const quote = h(
    "blockquote.quoted",
    {},
    h("strong", {}, authorName(app, message)),
    " ",
    message.content?.slice(0, 300) || "(no text)",
  );
  if (ask && !(await confirmed("Delete this message?", quote, { yes: "Delete" }))) return;
  await orSay(() => app.api.delete(path(message)));
}

export function togglePin(app, message) {
  const route = `/channels/${message.channel_id}/messages/pins/${message.id}`;
  return orSay(() => (message.pinned ? app.api.delete(route) : app.api.put(route)));
}

export function startThread(app, message) {
  const name = (message.content ?? "").replace(/\s+/g, " ").trim().slice(0, 40) || "New thread";
  return newThread(app, message.channel_id, { name, message });
}

/** Call a bot's message command on a message. */
export async function messageCommand(app, command, message) {
  const context = { channelId: message.channel_id };
  const outcome = await app.interactions.send(
    KIND.COMMAND,
    command.application_id,
    menuData(command, message.id),
    context,
  );
  if (!outcome.ok) toast(`${command.label} failed. ${outcome.reason}`, "error");
}
