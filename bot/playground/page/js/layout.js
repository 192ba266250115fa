/** The page's frame: side panels, which are drawers on a phone, the connection's banner, the keys of the whole page. */

import { arrivedAt, covered, returnsTo } from "./lib/back.js";
import { find, findAll } from "./lib/dom.js";
import { keptHere } from "./lib/keep.js";
import { serverItems } from "./side/channel_menu.js";
import { openFinder } from "./side/finder.js";
import { openShortcuts } from "./side/shortcuts.js";
import { openMenu } from "./widgets/menu.js";

const NARROW = matchMedia("(max-width: 860px)");
const MIDDLE = matchMedia("(max-width: 1180px)");

function mountSide(app) {
  const frame = find(".frame");
  const menu = find(".open-side");
  let uncover = () => {};
  const show = (open) => {
    uncover();
    if (open) uncover = covered(() => show(false));
    frame.classList.toggle("side-open", open);
    menu.setAttribute("aria-expanded", String(open));
    if (open) find(".side [aria-current], .side button").focus();
  };
  menu.addEventListener("click", () => show(!frame.classList.contains("side-open")));
  find(".veil").addEventListener("click", () => {
    if (frame.classList.contains("side-open")) show(false);
    else app.showPanel(null);
  });
  let arrived = false; // the first channel opens by itself: who has the list open by then keeps it
  app.on("open", () => {
    if (arrived) show(false);
    arrived = true;
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (frame.classList.contains("side-open")) show(false);
    else if (app.panel && MIDDLE.matches) app.showPanel(null);
  });
}

/** A panel that covers the chat takes the focus, and gives it back when nothing else has it. */
function moveFocus(open) {
  const target = open ? ".panel button:not([tabindex='-1'])" : '.chat-tools [aria-label="Who is here"]';
  const move = () => {
    const has = document.activeElement; // until a hidden panel is laid out anew, what was in it still has the focus
    if (open || has === document.body || has?.closest(".panel"))
      findAll(target).find((one) => one.offsetParent !== null)?.focus();
  };
  requestAnimationFrame(() => requestAnimationFrame(move));
}

function mountPanel(app) {
  const frame = find(".frame");
  const draw = () => {
    frame.dataset.panel = app.panel ?? "none";
    find(".members").hidden = app.panel !== "members";
    find(".drawer").hidden = app.panel !== "agent";
    find(".found").hidden = app.panel !== "search";
  };
  let uncover = () => {};
  app.on("panel", (panel) => {
    uncover();
    if (panel) uncover = covered(() => app.showPanel(null));
    draw();
    if (MIDDLE.matches && app.channelId && panel !== "search") moveFocus(Boolean(panel));
  });
  const first = MIDDLE.matches ? null : keptHere.get("panel", "members");
  app.showPanel(first && "members");
  app.on("open", (channel) => {
    const agent = app.agents.inChannel(channel.id);
    if (NARROW.matches && app.panel) app.showPanel(null);
    else if (app.panel === "agent" && agent && agent.id !== app.selectedAgent) app.showAgent(agent.id);
  });
}

const WORDS = { connecting: "Connecting …", lost: "The connection is lost. Trying again …" };

function mountConnection(app) {
  const banner = find(".connection");
  let timer = 0;
  app.gateway.on("status", (status) => {
    clearTimeout(timer);
    banner.textContent = WORDS[status] ?? "";
    banner.hidden = true;
    if (WORDS[status]) timer = setTimeout(() => (banner.hidden = false), 600);
  });
}

function guildItems(app) {
  const guilds = [...app.world.guilds.values()];
  if (guilds.length < 2) return [];
  const items = guilds.map((guild) => ({
    label: guild.name,
    checked: guild.id === app.world.guildId,
    action: () => {
      app.world.guildId = guild.id;
      keptHere.set("guild", guild.id);
      for (const name of ["guilds", "channels", "members"]) app.world.emit(name);
      const channel = app.world.firstChannel();
      if (channel) app.open(channel.id);
    },
  }));
  return [...items, { separator: true }];
}

function openServer(app, anchor) {
  const keys = { label: "Keys", icon: "command", hint: "Ctrl /", action: openShortcuts };
  openMenu(anchor, [...guildItems(app), ...serverItems(app), { separator: true }, keys], { label: "Server" });
}

function mountGuild(app) {
  const button = find(".guild");
  const draw = () => {
    find(".guild-name").textContent = app.world.guild?.name ?? "Playground";
    button.disabled = !app.world.guild;
  };
  button.addEventListener("click", () => openServer(app, button));
  app.world.on("guilds", draw);
}

const WRITING = "input, textarea, select, [contenteditable]";

/** Go to the channel above or below, or the next one that is unread. */
function step(app, by, unreadOnly) {
  const rows = findAll(".channels .channel");
  const at = rows.findIndex((row) => row.hasAttribute("aria-current"));
  const order = rows.map((_, index) => rows[(at + by * (index + 1) + rows.length * 2) % rows.length]);
  const next = order.find((row) => !unreadOnly || row.dataset.unread === "true");
  if (next) app.open(next.dataset.id);
}

/** What a whole-page shortcut does, or nothing. */
function shortcut(app, event) {
  const ctrl = event.ctrlKey || event.metaKey;
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.altKey && !ctrl && by) return () => step(app, by, event.shiftKey);
  if (!ctrl || event.altKey) return null;
  if (event.shiftKey) return event.key.toLowerCase() === "f" ? () => app.showPanel("search") : null;
  return { k: () => openFinder(app), "/": openShortcuts }[event.key];
}

/** The way past all else leads to the box, and leaves no mark in the address: Back would lead to it. */
function mountSkip(app) {
  find(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    app.focusComposer();
  });
}

/** Letters typed anywhere go to the box, as in every chat; a space presses what has the focus. */
function mountKeys(app) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const asked = app.world.me && shortcut(app, event);
    if (asked) {
      event.preventDefault();
      asked();
      return;
    }
    const typing = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    const busy = event.target.closest?.(WRITING) || document.querySelector("dialog[open], .popover");
    if (typing && !busy && event.key !== " ") app.focusComposer();
  });
}

/** Back and Forward go through the channels that were open. */
function mountHistory(app) {
  returnsTo((id) => {
    const channel = app.world.channels.get(id);
    if (!channel || !app.world.sees(channel)) return false;
    app.open(id);
    return true;
  });
  app.on("open", (channel) => arrivedAt(channel.id)); // once what it covers is closed, so after all others
}

/** A link to a message (`#/channels/guild/channel/message`) opens it. */
function mountLinks(app) {
  const follow = () => {
    const [, channelId, messageId] = location.hash.match(/^#\/channels\/[^/]+\/(\d+)(?:\/(\d+))?$/) ?? [];
    if (!channelId) return;
    history.replaceState(null, "", location.pathname);
    app.open(channelId, messageId);
  };
  app.world.on("settled", follow);
  addEventListener("hashchange", follow);
}

export function mountLayout(app) {
  find(".open-finder").addEventListener("click", () => openFinder(app));
  mountSide(app);
  mountPanel(app);
  mountConnection(app);
  mountGuild(app);
  mountKeys(app);
  mountSkip(app);
  mountLinks(app);
  mountHistory(app);
}
