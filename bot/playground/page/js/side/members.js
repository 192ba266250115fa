/** Who is here: the agents with their state and tempo, then people and apps. */

import { findAll, h, oncePerFrame } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { channelPermissions, isManager, MAY } from "../world/permissions.js";
import { avatar } from "../widgets/avatar.js";
import { walk } from "../widgets/menu.js";
import { roomPaneButton } from "./room_pane.js";
import { openUserMenu } from "./user_menu.js";
import { atWords, nextBeat, paceWords, playsInSecret, stateDot, stateWord, tempo } from "./states.js";

function agentRow(app, agent) {
  const look = avatar(app.faceOf(agent), agent.name, 34);
  const state = stateWord(agent);
  const at = atWords(app, agent);
  const looks = agent.next_beat_at && at === "idle" ? ` · looks ${nextBeat(agent)}` : "";
  const next = state === "paused" ? ` · ${nextBeat(agent)}` : looks;
  const beat = h(
    "span.beat",
    { style: { "--beat": `${Math.max(1, agent.interval_seconds)}s` }, title: paceWords(agent) },
    icon("pulse", 14),
    tempo(agent),
  );
  return h(
    "button.member.agent",
    {
      type: "button",
      data: { key: `agent-${agent.id}`, state },
      "aria-pressed": String(app.selectedAgent === agent.id),
      on: { click: () => app.showAgent(agent.id) },
    },
    h("span.member-look", {}, look, agent.hidden ? null : stateDot(agent)),
    h(
      "span.member-words",
      {},
      h("span.member-name", {}, agent.name),
      h("small", {}, at, next),
      agent.hidden || playsInSecret(agent) ? null : beat,
    ),
  );
}

function isHere(app, user) {
  return user.id === app.world.me.id || app.world.presences.get(user.id)?.status === "online";
}

function memberRow(app, member) {
  const { user } = member;
  const name = app.world.nameOf(user);
  const here = isHere(app, user);
  const notes = [
    user.id === app.world.me.id ? "you" : "",
    isManager(app.world, user.id) && !user.bot ? "manager, The Architect (0)" : "",
    user.bot ? "app" : "",
  ];
  const who = notes.filter(Boolean).join(" · ") || `@${user.username}`;
  const row = h(
    "button.member",
    {
      type: "button",
      data: { key: `user-${user.id}`, here: String(here) },
      on: { click: () => openUserMenu(app, user, row) },
    },
    h("span.member-look", {}, avatar(user, name, 34), h("span.state", { "aria-hidden": "true" }, h("i"))),
    h(
      "span.member-words",
      {},
      h("span.member-name", {}, name),
      h("small", {}, `${who} · ${here ? "online" : "away"}`),
    ),
  );
  return row;
}

function section(title, rows) {
  return rows.length
    ? h("section.member-group", { "aria-label": title }, h("h3", {}, `${title} · ${rows.length}`), rows)
    : null;
}

function seesChannel(app, member) {
  const channel = app.world.channels.get(app.channelId);
  if (!channel?.guild_id) return true;
  return Boolean(channelPermissions(app.world, channel, member.user.id) & MAY.VIEW);
}

const NO_FACE =
  "The bot did not tell the playground where to ask for its agents, so their states and HUDs are not shown.";
const NO_ANSWER = "The bot does not answer just now; their states will be back when it does.";

function agentSection(app) {
  const { faceUrl, reachable, list } = app.agents;
  const problem = !faceUrl ? NO_FACE : reachable === false ? NO_ANSWER : null;
  if (problem)
    return h(
      "section.member-group",
      { "aria-label": "Agents" },
      h("h3", {}, "Agents"),
      h("p.quiet", {}, problem),
    );
  const here = app.agents.hearing(app.channelId);
  if (!here.length)
    return section(
      "Agents",
      list.map((agent) => agentRow(app, agent)),
    );
  const elsewhere = list.filter((agent) => !here.includes(agent));
  return [
    section(
      "Agents in this room",
      here.map((agent) => agentRow(app, agent)),
    ),
    section(
      "Agents elsewhere",
      elsewhere.map((agent) => agentRow(app, agent)),
    ),
  ];
}

/** Keep the list up to date while it is shown. */
export function mountMembers(app, root) {
  const draw = () => {
    if (app.panel !== "members") return;
    const members = [...(app.world.guild?.members.values() ?? [])].filter((member) =>
      seesChannel(app, member),
    );
    members.sort(
      (a, b) =>
        isHere(app, b.user) - isHere(app, a.user) ||
        app.world.nameOf(a.user).localeCompare(app.world.nameOf(b.user)),
    );
    const key = root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const people = members.filter((one) => !one.user.bot).map((one) => memberRow(app, one));
    const apps = members.filter((one) => one.user.bot).map((one) => memberRow(app, one));
    root.replaceChildren(
      ...[roomPaneButton(app), agentSection(app), section("People who may enter", people), section("Apps", apps)]
        .flat()
        .filter(Boolean),
    );
    if (key) root.querySelector(`[data-key="${key}"]`)?.focus();
  };
  const soon = oncePerFrame(draw);
  app.world.onAny(["members", "guilds", "channels"], soon);
  app.agents.on("change", soon);
  app.onAny(["open", "panel"], soon);
  root.addEventListener(
    "keydown",
    (event) => event.key.length > 1 && walk(event, findAll("button.member", root)),
  );
}
