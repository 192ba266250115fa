/** The bar above the chat: where we are, and what can be opened from here. */

import { find, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { openPins } from "./pins.js";
import { openThreadList, showForum } from "./threads.js";
import { openChannelMenu } from "../side/channel_menu.js";
import { orSay } from "../widgets/toast.js";

const PANELS = { "Who is here": ["members", "agent"], "Search messages": ["search"] };

function button(label, name, click) {
  const element = h("button.icon-button", { type: "button", "aria-label": label, title: label }, icon(name));
  element.addEventListener("click", () => click(element));
  return element;
}

/** On a phone these stand in the channel's menu. */
function wide(element) {
  element.classList.add("wide");
  return element;
}

function toggle(app, panel) {
  const same = app.panel === panel || (panel === "members" && app.panel === "agent");
  app.showPanel(same ? null : panel);
}

function trail(app, channel) {
  const { world } = app;
  const parent = world.isThread(channel) ? world.channels.get(channel.parent_id) : null;
  const up =
    parent &&
    h("button.trail", { type: "button", on: { click: () => app.open(parent.id) } }, `# ${parent.name}`);
  const sign = channel.guild_id ? (parent ? "thread" : world.isForum(channel) ? "forum" : "hash") : "at";
  return [
    up,
    up ? h("span.trail-step", { "aria-hidden": "true" }, "›") : null,
    icon(sign, 20),
    h("h1", {}, world.channelName(channel)),
  ];
}

function archive(app, channel) {
  const archived = Boolean(channel.thread_metadata?.archived);
  const change = () => orSay(() => app.api.patch(`/channels/${channel.id}`, { archived: !archived }));
  return button(
    archived ? "Open the thread again" : "Archive the thread",
    archived ? "open" : "lock",
    change,
  );
}

function toolsOf(app, channel) {
  const { world } = app;
  const agent = app.agents.inChannel(channel.id);
  return [
    agent ? button(`Look inside ${agent.name}`, "pulse", () => app.showAgent(agent.id)) : null,
    world.isThread(channel) ? archive(app, channel) : null,
    channel.guild_id && !world.isThread(channel)
      ? wide(button("Threads", "thread", (at) => openThreadList(app, channel.id, at)))
      : null,
    world.isForum(channel) ? null : wide(button("Pinned messages", "pin", (at) => openPins(app, channel.id, at))),
    channel.guild_id ? wide(button("Search messages", "search", () => toggle(app, "search"))) : null,
    button("Who is here", "people", () => toggle(app, "members")),
    button("More about this channel", "more", (at) => openChannelMenu(app, channel, at)),
  ].filter(Boolean);
}

/** Keep the bar up to date; a forum's posts stand where the log would. */
export function mountHeader(app, root) {
  const [where, topic, tools] = [find(".where", root), find(".topic", root), find(".chat-tools", root)];
  const forum = find(".forum-frame");
  let drawn = "";
  const draw = () => {
    const channel = app.world.channels.get(app.channelId);
    if (!channel) return;
    const agent = app.agents.inChannel(channel.id);
    const key = [
      channel.id,
      channel.name,
      channel.topic,
      channel.thread_metadata?.archived,
      agent?.name,
      app.panel,
    ].join("|");
    if (key === drawn) return;
    drawn = key;
    where.replaceChildren(...trail(app, channel).filter(Boolean));
    topic.textContent = channel.topic ?? "";
    topic.title = channel.topic ?? "";
    tools.replaceChildren(...toolsOf(app, channel));
    for (const [label, panels] of Object.entries(PANELS))
      find(`[aria-label="${label}"]`, tools)?.setAttribute("aria-pressed", String(panels.includes(app.panel)));
  };
  const enter = (channel) => {
    const isForum = app.world.isForum(channel);
    forum.hidden = !isForum;
    find(".log-frame").hidden = isForum;
    if (isForum) showForum(app, channel, forum);
    draw();
  };
  app.on("open", enter);
  app.on("panel", draw);
  app.world.on("channels", draw);
  app.agents.on("change", draw);
  app.world.on(
    "thread",
    (thread) =>
      thread.parent_id === app.channelId &&
      !forum.hidden &&
      showForum(app, app.world.channels.get(app.channelId), forum),
  );
}
