/** The drawer of an agent: what it saw at its last beat, what it answered, what that cost, and when it looks again. */

import { fromNow } from "../lib/clock.js";
import { find, findAll, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { inline } from "../text/inline.js";
import { avatar } from "../widgets/avatar.js";
import { REASONS, answerOf, bars, copyButton, costOf, fact, hudLines } from "./beat.js";
import { atWords, nextBeat, paceWords, playsInSecret, stateDot, tempo } from "./states.js";

const TABS = { hud: "HUD", answer: "Answer", cost: "Cost" };

function headButton(label, picture, click) {
  return h(
    "button.icon-button",
    { type: "button", "aria-label": label, title: label, on: { click } },
    icon(picture),
  );
}

function headOf(app, agent) {
  const look = avatar(app.faceOf(agent), agent.name, 52);
  const back = headButton("Back to who is here", "people", () => app.showPanel("members"));
  const leave = headButton("Close the drawer", "close", () => app.showPanel(null));
  const room = h(
    "button.link",
    { type: "button", on: { click: () => app.open(String(agent.channel_id)) } },
    "open its room",
  );
  return h(
    "header.drawer-head",
    {},
    look,
    h(
      "div",
      {},
      h("h2", {}, agent.name),
      h("p", {}, `${agent.type} · id ${agent.id}`, agent.hidden ? null : [" · ", room]),
      h("p.drawer-state", {}, stateDot(agent), atWords(app, agent)),
    ),
    h("span.drawer-buttons", {}, back, leave),
  );
}

function ticking(agent) {
  if (agent.hidden) return h("p.quiet", {}, "How it beats is told to those who see its room.");
  if (playsInSecret(agent)) return h("p.quiet", {}, "It sits in a scene: how it beats is told once that is over.");
  const when = agent.last_beat_at
    ? `${fromNow(agent.last_beat_at)}${agent.last_reason ? `, because ${REASONS[agent.last_reason] ?? "something happened"}` : ""}`
    : "none yet";
  return h(
    "dl.facts",
    {},
    fact("Heartbeat", `${tempo(agent)}, resting at ${Number(agent.resting_interval_seconds).toFixed(1)} s`),
    fact("Last beat", when),
    fact("Next beat", nextBeat(agent)),
    fact("Pace", paceWords(agent)),
    fact("Model", agent.model),
  );
}

function hudPage(beat) {
  const note = `As it was sent, in the format ${beat.format}.`;
  return [
    h("div.drawer-line", {}, h("p.quiet", {}, note), copyButton(beat.hud, "HUD")),
    bars(beat.sections ?? []),
    h("pre.hud", { tabindex: 0, "aria-label": "HUD" }, hudLines(beat.hud)),
  ];
}

/** What an agent was told of a deed, with a link for each room that it names by number. */
function deed(app, line) {
  const parts = line.split(/\b[Rr]oom (\d+)\b/); // every other one is a number
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const channelId = app.agents.byId(Number(part))?.channel_id;
    return channelId ? inline(app, `<#${channelId}>`) : `room ${part}`;
  });
}

function answerPage(beat, app) {
  return answerOf(beat, (line) => deed(app, line));
}

const PAGES = { hud: hudPage, answer: answerPage, cost: costOf };

export class Drawer {
  #beat = null;
  #refused = "";
  #seen = "";
  #tab = "hud";

  constructor(app, root) {
    this.app = app;
    this.root = root;
    app.on("panel", () => this.#show());
    app.agents.on("change", () => this.#follow());
    setInterval(() => this.#tick(), 1000);
  }

  get #open() {
    return this.app.panel === "agent";
  }

  get #agent() {
    return this.app.agents.byId(this.app.selectedAgent);
  }

  #show() {
    if (!this.#open) return;
    this.#beat = null;
    this.#refused = "";
    this.#seen = "";
    this.#draw();
    this.#follow();
  }

  /** Read the last beat again when there is a newer one. */
  async #follow() {
    const agent = this.#open && this.#agent;
    if (!agent) return;
    this.#refreshHead();
    const stamp = `${agent.id} ${agent.last_beat_at}`;
    if (stamp === this.#seen) return;
    this.#seen = stamp;
    const { answer, refused } = await this.app.agents.beat(agent.id);
    if (this.#agent?.id !== agent.id) return;
    this.#beat = answer;
    this.#refused = refused ?? "";
    this.#drawBody();
  }

  #tick() {
    if (this.#open && this.#agent) find(".drawer-facts", this.root)?.replaceChildren(ticking(this.#agent));
  }

  #refreshHead() {
    const head = find(".drawer-head", this.root);
    if (head && !head.contains(document.activeElement)) head.replaceWith(headOf(this.app, this.#agent));
    this.#tick();
  }

  #draw() {
    const agent = this.#agent;
    if (!agent) {
      this.root.replaceChildren(this.#nothing());
      return;
    }
    this.body = h("div.drawer-body", { role: "tabpanel", "aria-label": TABS[this.#tab] });
    this.root.replaceChildren(
      headOf(this.app, agent),
      h("div.drawer-facts", {}, ticking(agent)),
      this.#tabs(),
      this.body,
    );
    this.#drawBody();
  }

  #nothing() {
    const { faceUrl, list } = this.app.agents;
    const words = !faceUrl
      ? "The bot did not tell the playground where to ask, so there is nothing to show of its agents' minds. Start it with `selfroom run` to see them here."
      : list.length
        ? "Choose an agent to see its mind."
        : "There are no agents yet. Make one with /agent create.";
    const back = h(
      "button.button",
      { type: "button", on: { click: () => this.app.showPanel("members") } },
      "Who is here",
    );
    return h("div.drawer-empty", {}, icon("pulse", 36), h("p", {}, words), back);
  }

  #tabs() {
    const buttons = Object.entries(TABS).map(([key, name]) => {
      const pick = () => {
        this.#tab = key;
        this.#mark();
        this.#drawBody();
      };
      return h("button.tab", { type: "button", role: "tab", data: { tab: key }, on: { click: pick } }, name);
    });
    const list = h("div.tabs", { role: "tablist", "aria-label": "Last beat" }, buttons);
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = buttons.indexOf(document.activeElement);
      if (!step || at < 0) return;
      const next = buttons[(at + step + buttons.length) % buttons.length];
      next.click();
      next.focus();
    });
    queueMicrotask(() => this.#mark());
    return list;
  }

  #mark() {
    for (const tab of findAll(".tab", this.root)) {
      const on = tab.dataset.tab === this.#tab;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
    }
  }

  #drawBody() {
    if (!this.body?.isConnected) {
      if (this.#agent) this.#draw();
      return;
    }
    const beat = this.#beat;
    const empty = h(
      "p.quiet",
      {},
      this.#refused
        ? `${this.#refused} It is what the agent saw and thought, in private rooms too.`
        : this.#agent?.hidden
        ? "What it saw is shown to those who see its room."
        : this.#agent && playsInSecret(this.#agent)
        ? "What it saw is shown once its scene is over."
        : this.#agent?.last_beat_at
        ? "Its last beat is being read …"
        : "It has not looked at anything yet. Say something in its room.",
    );
    this.body.setAttribute("aria-label", TABS[this.#tab]);
    const page = beat ? [PAGES[this.#tab](beat, this.app)].flat(Infinity).filter(Boolean) : [empty];
    this.body.replaceChildren(...page);
  }
}
