/** What can be done with a channel, and with the whole server: read, mute, make, rename, delete. */

import { h } from "../lib/dom.js";
import { openPins } from "../chat/pins.js";
import { openThreadList } from "../chat/threads.js";
import { channelPermissions, guildPermissions, MAY } from "../world/permissions.js";
import { LEVELS } from "../world/notices.js";
import { choiceBox } from "../widgets/choice.js";
import { confirmed, openDialog } from "../widgets/dialog.js";
import { openMenu } from "../widgets/menu.js";
import { copyText, orSay } from "../widgets/toast.js";

const TEXT = 0;
const CATEGORY = 4;

/** The name under which a channel is known from what a person types, as Discord writes it. */
function plainName(text) {
  return text.trim().toLowerCase().replace(/\s+/g, "-");
}

function askForName(title, fields, yes, done) {
  const build = (close) => {
    const submit = async (event) => {
      event.preventDefault();
      if (await orSay(() => done(event.target.elements))) close();
    };
    const cancel = h("button.button", { type: "button", on: { click: close } }, "Cancel");
    const ok = h("button.button.primary", { type: "submit" }, yes);
    return h("form.dialog-body", { on: { submit } }, fields, h("div.dialog-actions", {}, cancel, ok));
  };
  openDialog(title, build, { kind: "small" });
}

function field(label, name, value, more = {}) {
  const input = h("input.field", { name, value, autocomplete: "off", maxlength: 100, ...more });
  return h("label.form-field", {}, h("span.form-label", {}, label), input);
}

function newChannel(app, parentId) {
  const groups = app.world.guildChannels().filter((one) => one.type === CATEGORY);
  const options = [{ value: "", label: "No group" }, ...groups.map((one) => ({ value: one.id, label: one.name }))];
  const group = choiceBox({
    label: "Group",
    options: () => options,
    chosen: options.filter((one) => one.value === (parentId ?? "")),
    min: 1,
    max: 1,
  });
  const make = async ({ name, topic }) => {
    const parent_id = group.values()[0]?.value || null;
    const body = { name: plainName(name.value), type: TEXT, topic: topic.value.trim() || null, parent_id };
    const channel = await app.api.post(`/guilds/${app.world.guildId}/channels`, body);
    app.world.putChannel(channel);
    app.open(channel.id);
    return channel;
  };
  const fields = [
    field("Name", "name", "", { required: true, autofocus: true }),
    field("What it is about", "topic", "", { maxlength: 1024 }),
    groups.length ? h("div.form-field", {}, h("span.form-label", { "aria-hidden": "true" }, "Group"), group.box) : null,
  ];
  askForName("A new channel", fields, "Make it", make);
}

function rename(app, channel) {
  const change = ({ name }) => {
    const wanted = app.world.isThread(channel) ? name.value.trim() : plainName(name.value);
    return app.api.patch(`/channels/${channel.id}`, { name: wanted });
  };
  const name = field("Name", "name", channel.name, { required: true, autofocus: true });
  askForName(`Rename ${channel.name}`, [name], "Rename", change);
}

async function remove(app, channel) {
  const agent = app.agents.inChannel(channel.id);
  const words = agent
    ? `${agent.name} lives here. What was said here goes for good, from every memory too, and ${agent.name} has no room any more.`
    : "What was said here goes for good, and its threads with it.";
  if (await confirmed(`Delete ${channel.name}?`, h("p", {}, words), { yes: "Delete" }))
    await orSay(() => app.api.delete(`/channels/${channel.id}`));
}

function forManagers(app, channel) {
  const needed = app.world.isThread(channel) ? MAY.MANAGE_THREADS : MAY.MANAGE_CHANNELS;
  if (!channel.guild_id || !(channelPermissions(app.world, channel) & needed)) return [];
  return [
    { separator: true },
    { label: "Rename …", icon: "edit", action: () => rename(app, channel) },
    { label: "New channel …", icon: "plus", action: () => newChannel(app, channel.parent_id) },
    { label: "Delete …", icon: "trash", danger: true, action: () => remove(app, channel) },
  ];
}

/** What the bar above has no room for on a phone. */
function looks(app, channel, anchor) {
  if (channel.id !== app.channelId || !matchMedia("(max-width: 860px)").matches) return [];
  const threads = channel.guild_id && !app.world.isThread(channel);
  return [
    { label: "Search messages", icon: "search", action: () => app.showPanel("search") },
    threads && { label: "Threads", icon: "thread", action: () => openThreadList(app, channel.id, anchor) },
    { label: "Pinned messages", icon: "pin", action: () => openPins(app, channel.id, anchor) },
    { separator: true },
  ];
}

/** Open the menu of a channel beside what was pressed, or at a point. */
export function openChannelMenu(app, channel, anchor) {
  const { unread } = app;
  const muted = unread.isMuted(channel);
  const address = `${location.origin}/#/channels/${channel.guild_id ?? "@me"}/${channel.id}`;
  openMenu(
    anchor,
    [
      ...looks(app, channel, anchor),
      {
        label: "Mark as read",
        icon: "check",
        disabled: !unread.isUnread(channel),
        action: () => unread.read(channel.id),
      },
      { label: muted ? "Unmute" : "Mute", icon: "bell", action: () => unread.mute(channel, !muted) },
      { label: "Copy link", icon: "link", action: () => copyText(address, "Link") },
      ...forManagers(app, channel),
    ],
    { label: `Channel ${app.world.channelName(channel)}` },
  );
}

/** What can be done with the whole server, for its menu. */
export function serverItems(app) {
  const rights = guildPermissions(app.world.guild, app.world.me.id);
  const everything = [...app.world.channels.values()];
  return [
    rights & MAY.MANAGE_CHANNELS && { label: "New channel …", icon: "plus", action: () => newChannel(app, null) },
    {
      label: "Mark everything as read",
      icon: "check",
      disabled: !everything.some((one) => app.unread.isUnread(one)),
      action: () => everything.forEach((one) => app.unread.read(one.id)),
    },
    { separator: true },
    { heading: "Notify me" },
    ...Object.entries(LEVELS).map(([level, label]) => ({
      label,
      checked: app.notices.level === level,
      action: () => app.notices.choose(level),
    })),
  ];
}
