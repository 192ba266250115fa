/** The menu of a person or an app. */

import { menuData } from "../world/commands.js";
import { KIND } from "../world/interactions.js";
import { openMenu } from "../widgets/menu.js";
import { copyText, orSay, toast } from "../widgets/toast.js";

async function userCommand(app, command, user) {
  const context = { channelId: app.channelId };
  const outcome = await app.interactions.send(
    KIND.COMMAND,
    command.application_id,
    menuData(command, user.id),
    context,
  );
  if (!outcome.ok) toast(`${command.label} failed. ${outcome.reason}`, "error");
}

/** Open the direct message with somebody. */
export async function writeTo(app, user) {
  const channel = await orSay(() => app.api.post("/users/@me/channels", { recipient_id: user.id }));
  if (!channel) return;
  app.world.putChannel(channel);
  app.open(channel.id);
}

/** Open it beside what was clicked. */
export async function openUserMenu(app, user, anchor) {
  await app.quietly(app.commands.refresh());
  const name = app.world.nameOf(user);
  const commands = app.commands.forUsers().map((command) => ({
    label: command.label,
    icon: "command",
    action: () => userCommand(app, command, user),
  }));
  const mine = user.id === app.world.me.id;
  openMenu(
    anchor,
    [
      { heading: `${name} · @${user.username}` },
      { label: "Mention", icon: "at", action: () => app.composer.insert(`@${name} `) },
      mine ? null : { label: "Send a direct message", icon: "send", action: () => writeTo(app, user) },
      { label: "Copy id", icon: "copy", action: () => copyText(user.id, "Id") },
      ...(commands.length ? [{ separator: true }, { heading: "Apps" }, ...commands] : []),
    ],
    { label: name },
  );
}
