/** What happens, as it happens: told below the overview, and in what is shown. */

import { exactly } from "./parts.js";
import { fill, find, findAll, h } from "/shared/js/lib/dom.js";
import { kept } from "/shared/js/lib/keep.js";
import { follow } from "/shared/js/lib/stream.js";
import { heatOf } from "./overview.js";
import { headers } from "./session.js";
import { t } from "/shared/js/lib/words.js";

const MOST = 40; // lines that are shown
const KEPT = 400; // of all kinds: who ticks one again sees what came meanwhile
const SOON = 200; // what comes at once is read at once
const SELDOM = 3000; // so often the whole overview is read again, while something happens
const APART = 0.4; // sooner by up to so much of it: all who look hear the same, and would ask together
const ROOM = /^#\/rooms\/(\d+)$/;
const RUNS = /^#\/runs(\/\d+(\?.*)?)?$/;
const WORDS = {
  begun: t("begins to think"),
  called: t("asks its model"),
  answered: t("has an answer from its model"),
  applied: t("has done what it answered"),
  let_go: t("waits a little longer"),
  said: t("said something"),
  knowledge: t("keeps something in mind"),
  focus: t("looks at something else"),
  plan: t("changes its plan"),
  reacted: t("reacted to a message"),
  moved: t("made a move"),
};
const GROUPS = [
  [t("Beats"), ["begun", "called", "answered", "applied", "let_go"]],
  [t("What is said"), ["heard", "said", "reacted"]],
  [t("Letters"), ["letter"]],
  [t("Minds"), ["knowledge", "focus", "plan"]],
  [t("Moves"), ["moved"]],
  [t("Rooms and settings"), ["came", "went", "knocked", "changed"]],
];
const STATES = { begun: "thinking", called: "thinking", answered: "thinking", applied: "idle", let_go: "idle" };

/** Hears what happens from `start` on; `app.show` reads the page again, `app.address` is the one that is shown. */
export class Live {
  #app;
  #lines = [];
  #names = new Map();
  #lately = new Map();
  #waiting = 0;
  #stop = null;
  #left = new Set(kept.get("console.left-out", [])); // kinds that are not ticked
  #ticks = GROUPS.map(([words, kinds]) => this.#tick(words, kinds));

  constructor(app) {
    this.#app = app;
  }

  /** A tick that shows some kinds of what happens, or leaves them out. */
  #tick(words, kinds) {
    const box = h("input", { type: "checkbox", name: `told-${kinds[0]}`, checked: !this.#left.has(kinds[0]) });
    box.addEventListener("change", () => {
      for (const kind of kinds) box.checked ? this.#left.delete(kind) : this.#left.add(kind);
      kept.set("console.left-out", [...this.#left]);
      this.draw();
    });
    return h("label.tick", {}, box, ` ${words}`);
  }

  /** Know what the overview told, and begin behind it; what is shown may be older, and is read again then. */
  know(told) {
    this.#names = new Map([...told.rooms, ...told.agents].map((one) => [one.id, one.name]));
    this.#lately = new Map(told.rooms.map((one) => [one.id, one.lately]));
    if (this.#stop) return;
    this.#start(told.seq);
    if (ROOM.test(this.#app.address) || RUNS.test(this.#app.address)) this.#later(0);
  }

  async #start(after) {
    this.#stop = new AbortController();
    this.#tell(t("live"));
    try {
      const address = (last) => `/api/v1/events?after=${last}`;
      await follow(address, headers(), after, (event) => this.#hear(event), this.#stop.signal);
    } catch (error) {
      this.#tell("");
      this.#app.refused(error.message);
    }
  }

  #tell(words) {
    find(".live").textContent = words;
  }

  /** Hear no more. */
  end() {
    this.#stop?.abort();
    this.#stop = null;
    this.#tell("");
  }

  #name(id) {
    return this.#names.get(id) ?? t("agent {number}", { number: id });
  }

  #words({ kind, agent, room, what }) {
    const where = room ? ` ${t("in {owner}'s room", { owner: this.#name(room) })}` : "";
    if (kind === "gap") return t("Much happened meanwhile: it is read anew.");
    if (kind === "heard") return `${t("Somebody said something")}${where}`;
    if (kind === "letter") return `${what.replace(" ", ": ")}${where}`;
    if (kind === "came") return t("{agent} came into {owner}'s room", { agent: this.#name(agent), owner: this.#name(room) });
    if (kind === "went") return t("{agent} left {owner}'s room", { agent: this.#name(agent), owner: this.#name(room) });
    if (kind === "knocked") return t("Somebody knocks at {owner}'s room", { owner: this.#name(room) });
    if (kind === "changed") {
      const whose = agent ?? room;
      const told = t("{what} changed", { what: what.replaceAll("_", " ") });
      return whose ? `${this.#name(whose)}: ${told}` : told;
    }
    const by = agent ? this.#name(agent) : t("System");
    return `${by} ${WORDS[kind] ?? kind}${where}${what ? ` (${what})` : ""}`;
  }

  #hear(event) {
    this.#lines = [...this.#lines, { event, words: this.#words(event) }].slice(-KEPT);
    this.draw();
    this.#touch(event);
    const room = ROOM.exec(this.#app.address)?.[1];
    const isOfRuns = event.what === "runs" && RUNS.test(this.#app.address);
    if (isOfRuns) this.#later(SOON);
    else if (this.#app.address === "#/") this.#later(event.kind === "gap" ? 0 : SELDOM * (1 - APART * Math.random()));
    else if (room && Number(room) === event.room) this.#later(SOON);
  }

  /** Change what is shown at once: a dot that thinks, a room that warms up. */
  #touch({ kind, agent, room }) {
    const state = STATES[kind];
    if (state && agent)
      for (const dot of findAll(`[data-agent="${agent}"] .state`)) {
        const card = dot.closest(".room-card");
        if (!card || card.dataset.room === String(room)) dot.dataset.state = state;
      }
    if (!room || !["heard", "said"].includes(kind)) return;
    const lately = (this.#lately.get(room) ?? 0) + 1;
    this.#lately.set(room, lately);
    const card = find(`.room-card[data-room="${room}"]`);
    if (card) card.dataset.heat = heatOf({ lately });
  }

  /** Read the page again after a while, once for all that happens until then. */
  #later(wait) {
    if (this.#waiting) return;
    this.#waiting = setTimeout(() => {
      this.#waiting = 0;
      if (this.#stop) this.#app.show(true);
    }, wait);
  }

  /** Show the last lines where the overview has a place for them. */
  draw() {
    const place = find(".feed");
    if (!place) return;
    const row = find(".feed-ticks");
    if (!row.contains(this.#ticks[0])) fill(row, this.#ticks);
    const shown = this.#lines.filter(({ event }) => !this.#left.has(event.kind)).slice(-MOST);
    const lines = shown.map(({ event, words }) =>
      h("li", { data: { kind: event.kind } }, event.at ? exactly(event.at) : null, " ", words),
    );
    fill(place, h("ul", {}, lines.reverse()));
  }
}
