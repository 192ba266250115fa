/** The list of channels: categories, unread marks, threads, and the state of the agent that lives in each. */

import { findAll, h, oncePerFrame } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { kept } from "../lib/keep.js";
import { walk } from "../widgets/menu.js";
import { openChannelMenu } from "./channel_menu.js";
import { stateDot, stateIn } from "./states.js";

const ICONS = { 1: "at", 2: "volume", 3: "people", 5: "bolt", 13: "volume", 15: "forum", 16: "forum" };

function isPrivate(world, channel) {
  const everyone = (channel.permission_overwrites ?? []).find((one) => one.id === channel.guild_id);
  return Boolean(everyone && BigInt(everyone.deny ?? 0) & (1n << 10n));
}

function iconOf(world, channel) {
  if (world.isThread(channel)) return "thread";
  if (ICONS[channel.type]) return ICONS[channel.type];
  return isPrivate(world, channel) ? "lock" : "hash";
}

function labelOf(app, channel, unread, mentions) {
  const agent = app.agents.inChannel(channel.id);
  const notes = [
    unread ? "unread" : "",
    mentions ? `${mentions} mentions` : "",
    agent ? `${agent.name}, ${stateIn(agent, channel.id)}` : "",
    app.unread.isMuted(channel) ? "muted" : "",
    guests(app, channel).length ? `with ${namesOf(guests(app, channel))}` : "",
  ];
  return [app.world.channelName(channel), ...notes.filter(Boolean)].join(", ");
}

/** The agents that are in a room and do not live there. */
function guests(app, channel) {
  const owner = app.agents.inChannel(channel.id);
  return owner ? app.agents.hearing(channel.id).filter((one) => one !== owner) : [];
}

function namesOf(agents) {
  return agents.map((one) => one.name).join(", ");
}

/** A mark on the rooms that agents are in: how many guests, and whether the one that is looked at is here. */
function inside(app, channel) {
  const looked = app.panel === "agent" ? app.agents.byId(app.selectedAgent) : null;
  const isHere = looked && app.agents.hearing(channel.id).includes(looked);
  const visitors = guests(app, channel);
  if (!isHere && !visitors.length) return null;
  const title = visitors.length ? `${namesOf(visitors)} ${visitors.length > 1 ? "are" : "is"} in this room` : "";
  return h(
    "span.inside",
    { title: isHere ? `${looked.name} is in this room` : title, data: { here: String(Boolean(isHere)) } },
    visitors.length ? `+${visitors.length}` : "•",
  );
}

function channelRow(app, channel) {
  const { world, unread } = app;
  const open = channel.id === app.channelId;
  const isNew = !open && unread.calls(channel);
  const mentions = unread.mentions(channel.id);
  const agent = app.agents.inChannel(channel.id);
  return h(
    "button.channel",
    {
      type: "button",
      data: { id: channel.id, unread: String(isNew), thread: String(world.isThread(channel)) },
      class: `channel${unread.isMuted(channel) ? " muted" : ""}`,
      "aria-current": open ? "page" : null,
      "aria-label": labelOf(app, channel, isNew, mentions),
      on: { click: () => app.open(channel.id) },
    },
    h("span.unread-mark", {}),
    icon(iconOf(world, channel), 18),
    h("span.channel-name", {}, world.channelName(channel)),
    inside(app, channel),
    agent ? stateDot(agent, stateIn(agent, channel.id)) : null,
    mentions ? h("span.count", {}, mentions) : null,
  );
}

function withThreads(app, channel) {
  return [
    channelRow(app, channel),
    ...app.world.threadsOf(channel.id).map((thread) => channelRow(app, thread)),
  ];
}

function toggle(id, redraw) {
  const closed = new Set(kept.get("closed", []));
  if (!closed.delete(id)) closed.add(id);
  kept.set("closed", [...closed]);
  redraw();
}

/** A category; closed, it still shows what is unread. */
function category(app, channel, children, redraw) {
  const closed = kept.get("closed", []).includes(channel.id);
  const shown = closed
    ? children.filter((one) => one.id === app.channelId || app.unread.calls(one))
    : children;
  const head = h(
    "button.category",
    {
      type: "button",
      data: { id: channel.id },
      "aria-expanded": String(!closed),
      on: { click: () => toggle(channel.id, redraw) },
    },
    icon("chevron", 14),
    channel.name,
  );
  return h(
    "section.channel-group",
    { "aria-label": `Channels in ${channel.name}` },
    head,
    shown.flatMap((one) => withThreads(app, one)),
  );
}

function groupsOf(app, redraw) {
  const all = app.world.guildChannels();
  const usable = all.filter((one) => one.type !== 4 && app.world.sees(one));
  const loose = usable.filter((one) => !app.world.channels.has(one.parent_id));
  const groups = all
    .filter((one) => one.type === 4)
    .map((one) => [one, usable.filter((child) => child.parent_id === one.id)]);
  return [
    h(
      "section.channel-group",
      {},
      loose.flatMap((one) => withThreads(app, one)),
    ),
    ...groups
      .filter(([, children]) => children.length)
      .map(([one, children]) => category(app, one, children, redraw)),
  ];
}

function directs(app) {
  const list = app.world.directs();
  if (!list.length) return null;
  return h(
    "section.channel-group",
    { "aria-label": "Direct messages" },
    h("div.category", {}, "Direct messages"),
    list.map((one) => channelRow(app, one)),
  );
}

function titleOf(app) {
  const waiting = app.unread.count;
  const channel = app.world.channels.get(app.channelId);
  const name = channel ? app.world.channelName(channel) : app.world.guild?.name;
  return `${waiting ? `(${waiting}) ` : ""}${name ? `${name} · ` : ""}Selfroom playground`;
}

/** Keep the list up to date. */
export function mountChannels(app, root) {
  const draw = () => {
    const active = root.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    root.replaceChildren(...groupsOf(app, draw), directs(app) ?? "");
    if (active) root.querySelector(`[data-id="${active}"]`)?.focus();
    document.title = titleOf(app);
  };
  const soon = oncePerFrame(draw);
  app.world.onAny(["channels", "guilds", "message", "settled"], soon);
  app.unread.on("change", soon);
  app.agents.on("change", soon);
  app.onAny(["open", "panel"], soon);
  root.addEventListener("contextmenu", (event) => {
    const row = event.target.closest(".channel");
    const channel = row && app.world.channels.get(row.dataset.id);
    if (!channel) return;
    event.preventDefault();
    const byKey = event.clientX === 0 && event.clientY === 0;
    openChannelMenu(app, channel, byKey ? row : { x: event.clientX, y: event.clientY });
  });
  root.addEventListener("keydown", (event) => event.key.length > 1 && walk(event, findAll("button", root)));
}
