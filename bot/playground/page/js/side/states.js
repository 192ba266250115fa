/** How an agent's state looks and reads. */

import { h } from "../lib/dom.js";
import { t, word } from "../lib/words.js";

const WORDS = {
  idle: word("idle"),
  thinking: word("thinking"),
  typing: word("typing"),
  sleeping: word("asleep"),
  asleep: word("asleep"),
  paused: word("paused"),
  retired: word("retired"),
};
const SCENE = "the scene that it sits in"; // what is waited for by all who sit in one that keeps secrets
const MARKS = { sleeping: "💤", asleep: "💤", paused: "⏸", retired: "🚪" };

/** Whether an agent sits in a scene that keeps secrets: how it beats is told to nobody until that is over. */
export function playsInSecret(agent) {
  return agent.waits_for === SCENE;
}

/** A state in an English word; of who plays in secret no more is told than that. */
export function stateOf(agent) {
  if (agent.hidden) return word("in a room that you do not see");
  return playsInSecret(agent) ? word("in a scene") : (WORDS[agent.state] ?? agent.state);
}

/** A state in a word. */
export function stateWord(agent) {
  return t(stateOf(agent));
}

const AWAKE = ["idle", "thinking", "typing"];

/** An agent's state in the room of a channel: who thinks or types in other rooms only is idle in this one. */
export function stateIn(agent, channelId) {
  const doing = agent.doing ?? {};
  const state = stateOf(agent);
  if (!AWAKE.includes(state) || !Object.keys(doing).length) return state;
  return doing[channelId] ?? "idle";
}

/** What an agent is at, in words: in the room that is open, or else in which others. */
export function atWords(app, agent) {
  const here = stateIn(agent, app.world.roomOf(app.channelId));
  if (here !== "idle") return here;
  const others = Object.entries(agent.doing ?? {}).map(([id, what]) => [what, app.world.channels.get(id)]);
  const told = others.filter(([, channel]) => channel).map(([what, { name }]) => `${what} in #${name}`);
  return told.join(", ") || stateWord(agent);
}

/** A small sign of a state: a dot that moves while the agent is busy. */
export function stateDot(agent, state = stateOf(agent)) {
  const mark = MARKS[agent.state];
  return h(
    "span.state",
    { data: { state }, title: `${agent.name}: ${t(state)}`, "aria-hidden": "true" },
    mark ? h("span.state-mark", {}, mark) : h("i"),
  );
}

/** Seconds until a moment, never below zero. */
export function secondsUntil(when, now = Date.now()) {
  return Math.max(0, (Date.parse(when) - now) / 1000);
}

function waitsFor(what) {
  return t("waits for {what}", { what });
}

/** When the agent looks next, in words. */
export function nextBeat(agent, now = Date.now()) {
  if (agent.state === "paused") return waitsFor(agent.waits_for ?? t("someone to resume it"));
  if (agent.state === "retired") return t("retired");
  if (agent.state === "thinking" || agent.state === "typing") return t("now");
  if (!agent.next_beat_at)
    return agent.waits_for ? waitsFor(agent.waits_for) : t("when there is something new");
  const seconds = secondsUntil(agent.next_beat_at, now);
  if (seconds < 1) return t("now");
  const span = seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
  return t("in {span}", { span });
}

/** How quick an agent is, in a word. */
function paceWord(every) {
  return every <= 2.5 ? t("very quick") : every < 4.95 ? t("quick") : every <= 7 ? t("unhurried") : t("slow");
}

/** What an agent's tempo means, in words. */
export function paceWords(agent) {
  const every = Number(agent.interval_seconds);
  const looks = `It is ${paceWord(every)}: every ${every.toFixed(1)} s at the soonest it looks at what is not for it`;
  return `${looks}, and it answers and types as quickly. 👍 makes it quicker, 👎 slower; with time it calms down.`;
}

/** An agent's tempo: "unhurried, every 5.0 s". */
export function tempo(agent) {
  if (playsInSecret(agent)) return t("not told until its scene is over");
  const every = Number(agent.interval_seconds);
  return `${paceWord(every)}, ${t("every {seconds} s", { seconds: every.toFixed(1) })}`;
}
