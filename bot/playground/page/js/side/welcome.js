/** The first words: what this is, what to try, and who answers here. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { kept } from "../lib/keep.js";
import { isManager } from "../world/permissions.js";
import { chooseName } from "./switcher.js";

function tip(picture, title, words) {
  return h(
    "li",
    {},
    h("span.tip-mark", {}, picture),
    h("div", {}, h("strong", {}, title), h("p", {}, words)),
  );
}

function firstRoom(app) {
  const agent = app.agents.list[0];
  const channel = agent && app.world.channels.get(String(agent.channel_id));
  if (!channel) return "Say something in a channel; every agent lives in one of its own.";
  const open = h(
    "button.mention.place",
    { type: "button", on: { click: () => app.open(channel.id) } },
    `#${channel.name}`,
  );
  return ["Go to ", open, ` and say hello: ${agent.name} lives there. Every agent has a channel of its own.`];
}

/** The name to be seen under, and why agents speak of The Architect. */
function whoYouAre(app) {
  const choose = h(
    "button.mention.command",
    { type: "button", on: { click: () => chooseName(app) } },
    "Choose your name",
  );
  const name = app.world.me ? app.world.nameOf(app.world.me) : "";
  const manages = isManager(app.world)
    ? " You manage this server: agents call people like you The Architect."
    : "";
  return [`You are ${name} here. `, choose, `.${manages}`];
}

function start(app, name) {
  return h(
    "button.mention.command",
    { type: "button", on: { click: () => app.startCommand(name) } },
    `/${name}`,
  );
}

function opens(app, name) {
  return h("button.mention.command", { type: "button", on: { click: () => app.showPanel("members") } }, name);
}

function manages(app) {
  return ["Manage", ["Type / to see every command. ", start(app, "agent create"), " makes another agent."]];
}

function uses(app) {
  return ["Ask", ["Type / to see every command. ", start(app, "agent list"), " tells who lives here."]];
}

function tips(app) {
  return h(
    "ul.tips",
    {},
    tip("👤", "Be somebody", whoYouAre(app)),
    tip("💬", "Talk", firstRoom(app)),
    tip(
      "👍",
      "Set the pace",
      "React with 👍 to an agent's message and it looks more often; 👎 slows it down.",
    ),
    tip("/", ...(isManager(app.world) ? manages(app) : uses(app))),
    tip(
      icon("pulse", 18),
      "Look inside",
      [opens(app, "Who is here"), " lists the agents: choose one for its HUD, its answer, tokens and cost of its last beat."],
    ),
    tip(
      icon("swap", 18),
      "Be several people",
      "Press your name, below the channels, and become somebody else, in this tab or in another.",
    ),
  );
}

const ONLY_FOR_ME = 1 << 6;
const HONEST =
  "Unless you gave it a model of your own, the minds in this playground are a scripted, rule-based model, " +
  "not a language model: it recognises simple things and answers from fixed rules. " +
  "Everything around it is the real bot.";

function honest() {
  return h("p.honest", {}, h("strong", {}, "Who answers here? "), HONEST);
}

/** Show the panel unless this browser has seen it; `app.showWelcome()` brings it back. */
export function mountWelcome(app, root) {
  const close = () => {
    kept.set("welcomed", true);
    root.hidden = true;
    app.focusComposer();
  };
  const draw = () => {
    const leave = h(
      "button.icon-button",
      { type: "button", "aria-label": "Close the welcome", on: { click: close } },
      icon("close"),
    );
    const head = h(
      "header",
      {},
      h(
        "div",
        {},
        h("h2", {}, "Welcome to the playground"),
        h("p", {}, "A small Discord of your own, on this machine, with AI agents as residents."),
      ),
      leave,
    );
    root.replaceChildren(head, tips(app), honest());
  };
  const show = () => {
    draw();
    root.hidden = false;
  };
  // It stands in the first channel only, so that it never covers a talk.
  const fits = (id) => !id || id === app.world.firstChannel()?.id;
  const greet = (id) => (fits(id) && !kept.get("welcomed") ? show() : (root.hidden = true));
  app.world.on("settled", () => greet(app.channelId));
  app.on("open", (channel) => greet(channel.id));
  // Who has begun to talk, or has used a command, needs the room below it more.
  app.world.on("message", (message) => {
    const isMine = message.author.id === app.world.me.id || Boolean(message.flags & ONLY_FOR_ME);
    if (isMine && !root.hidden && message.channel_id === app.channelId) {
      kept.set("welcomed", true);
      root.hidden = true;
    }
  });
  app.agents.on("change", () => root.hidden || draw());
  app.world.on("members", () => root.hidden || draw());
  root.addEventListener("keydown", (event) => event.key === "Escape" && close());
  return () => (root.hidden ? show() : close());
}
