/** The page's frame: side panels, which are drawers on a phone, the connection's banner, the keys of the whole page. */

import { find } from "./lib/dom.js";
import { keptHere } from "./lib/keep.js";
import { openMenu } from "./widgets/menu.js";

const NARROW = matchMedia("(max-width: 860px)");
const MIDDLE = matchMedia("(max-width: 1180px)");

function mountSide(app) {
  const frame = find(".frame");
  const menu = find(".open-side");
  const show = (open) => {
    frame.classList.toggle("side-open", open);
    menu.setAttribute("aria-expanded", String(open));
    if (open) find(".side [aria-current], .side button").focus();
  };
  menu.addEventListener("click", () => show(!frame.classList.contains("side-open")));
  find(".veil").addEventListener("click", () => {
    if (frame.classList.contains("side-open")) show(false);
    else app.showPanel(null);
  });
  app.on("open", () => show(false));
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (frame.classList.contains("side-open")) show(false);
    else if (app.panel && MIDDLE.matches) app.showPanel(null);
  });
}

/** A panel that covers the chat takes the focus, and gives it back. */
function moveFocus(open) {
  const target = open ? ".panel button:not([tabindex='-1'])" : '.chat-tools [aria-label="Who is here"]';
  const visible = () => document.querySelectorAll(target);
  requestAnimationFrame(() =>
    requestAnimationFrame(() => [...visible()].find((one) => one.offsetParent !== null)?.focus()),
  );
}

function mountPanel(app) {
  const frame = find(".frame");
  const draw = () => {
    frame.dataset.panel = app.panel ?? "none";
    find(".members").hidden = app.panel !== "members";
    find(".drawer").hidden = app.panel !== "agent";
  };
  app.on("panel", (panel) => {
    draw();
    if (MIDDLE.matches && app.channelId) moveFocus(Boolean(panel));
  });
  const first = MIDDLE.matches ? null : keptHere.get("panel", "members");
  app.showPanel(first === "agent" ? "members" : first);
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

function chooseGuild(app, anchor) {
  const guilds = [...app.world.guilds.values()];
  if (guilds.length < 2) return;
  openMenu(
    anchor,
    guilds.map((guild) => ({
      label: guild.name,
      checked: guild.id === app.world.guildId,
      action: () => {
        app.world.guildId = guild.id;
        keptHere.set("guild", guild.id);
        for (const name of ["guilds", "channels", "members"]) app.world.emit(name);
        const channel = app.world.firstChannel();
        if (channel) app.open(channel.id);
      },
    })),
    { label: "Servers" },
  );
}

function mountGuild(app) {
  const button = find(".guild");
  const draw = () => {
    find(".guild-name").textContent = app.world.guild?.name ?? "Playground";
    button.classList.toggle("many", app.world.guilds.size > 1);
    button.disabled = app.world.guilds.size < 2;
  };
  button.addEventListener("click", () => chooseGuild(app, button));
  app.world.on("guilds", draw);
}

const WRITING = "input, textarea, select, [contenteditable]";

/** Letters typed anywhere go to the box, as in every chat; a space presses what has the focus. */
function mountKeys(app) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const typing = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    const busy = event.target.closest?.(WRITING) || document.querySelector("dialog[open], .popover");
    if (typing && !busy && event.key !== " ") app.focusComposer();
  });
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
  mountSide(app);
  mountPanel(app);
  mountConnection(app);
  mountGuild(app);
  mountKeys(app);
  mountLinks(app);
}
