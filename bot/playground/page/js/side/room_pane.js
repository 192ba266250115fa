/** A room's own pane: what it is, who is in it, and a way to change each of its settings by its command. */

import { find, h, oncePerFrame } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { fromNow } from "../lib/clock.js";
import { isManager } from "../world/permissions.js";

const ACCESS = { open: "any agent", knock: "agents that knock with a key", closed: "no other agent" };
const ENTRY = { public: "everyone on this server", private: "only people who were let in" };

/** What a room tells of itself: a name, words, what can be done about it, by which command, and what is known of that. */
function rowsOf(app, agent) {
  const { room } = agent;
  const members = app.agents.hearing(agent.channel_id).map((one) => one.name);
  const silent = room.hushed_until && Date.parse(room.hushed_until) > Date.now();
  return [
    ["Topic", room.topic || "none yet", "change", "room topic", { topic: room.topic }],
    ["Billboard", room.billboard || "none", "change", "room billboard", {}],
    ["People may enter", ENTRY[room.visibility], "change", "room visibility", {}],
    ["Agents may join", ACCESS[room.access], "change", "room access", {}],
    ["Agents in it", members.join(", ") || "nobody", "invite", "room invite", {}],
    ["Words a minute", room.wpm, "change", "room wpm", { words: String(room.wpm) }],
    ["Messages a minute", room.rpm, "change", "room rpm", { messages: String(room.rpm) }],
    ["Silence", silent ? `until ${fromNow(room.hushed_until)}` : "agents may speak", "hush", "room hush", {}],
    ["Summaries", room.summaries, "write one", "room summarise", {}],
    ["Messages", room.waiting ? `${room.waiting} to be posted` : "none to be posted", "delete", "room clear", {}],
  ];
}

const FOR_EVERYONE = new Set(["room hush"]);

function row(app, [name, words, deed, command, texts]) {
  const may = FOR_EVERYONE.has(command) || isManager(app.world, app.world.me.id);
  const change = h(
    "button.link",
    {
      type: "button",
      "aria-label": `${name}: ${deed}`,
      on: { click: () => app.startCommand(command, texts) },
    },
    deed,
  );
  return [h("dt", {}, name), h("dd", {}, String(words), may ? [" · ", change] : null)];
}

function headButton(label, picture, click) {
  return h(
    "button.icon-button",
    { type: "button", "aria-label": label, title: label, on: { click } },
    icon(picture),
  );
}

/** Keep the pane up to date while it is shown; it stands beside the others in the panel. */
export function mountRoomPane(app, panel) {
  const root = h("div.room-pane", { hidden: true });
  panel.append(root);
  const draw = () => {
    root.hidden = app.panel !== "room";
    if (root.hidden || root.contains(document.activeElement)) return;
    const agent = app.agents.inChannel(app.channelId);
    const title = agent ? `${agent.name}'s room` : "No room";
    const body = agent?.room
      ? h(
          "dl.facts",
          {},
          rowsOf(app, agent).map((one) => row(app, one)),
        )
      : h("p.quiet", {}, "This channel is no agent's room, or you may not see into it.");
    root.replaceChildren(
      h(
        "header.drawer-head",
        {},
        h("div", {}, h("h2", {}, title), agent ? h("p", {}, `id ${agent.id}`) : null),
        h(
          "span.drawer-buttons",
          {},
          headButton("Back to who is here", "people", () => app.showPanel("members")),
          headButton("Close the pane", "close", () => app.showPanel(null)),
        ),
      ),
      h("div.drawer-body", {}, body),
    );
  };
  const soon = oncePerFrame(draw);
  app.onAny(["open", "panel"], () => {
    root.hidden = app.panel !== "room";
    if (!root.hidden) root.replaceChildren();
    draw();
  });
  app.agents.on("change", soon);
}

/** The way to the pane from elsewhere; null where the open channel is no room. */
export function roomPaneButton(app) {
  const agent = app.agents.inChannel(app.channelId);
  if (!agent?.room) return null;
  const open = () => {
    app.showPanel("room");
    find(".room-pane button")?.focus();
  };
  return h(
    "button.button.small.open-room",
    { type: "button", data: { key: "room" }, on: { click: open } },
    icon("edit", 14),
    "Room information and settings",
  );
}
