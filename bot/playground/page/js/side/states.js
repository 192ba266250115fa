/** How an agent's state looks and reads. */

import { h } from "../lib/dom.js";

const WORDS = {
  idle: "idle",
  thinking: "thinking",
  typing: "typing",
  sleeping: "asleep",
  asleep: "asleep",
  paused: "paused",
  retired: "retired",
};
const SCENE = "the scene that it sits in"; // what is waited for by all who sit in one that keeps secrets
const MARKS = { sleeping: "💤", asleep: "💤", paused: "⏸", retired: "🚪" };

/** Whether an agent sits in a scene that keeps secrets: how it beats is told to nobody until that is over. */
export function playsInSecret(agent) {
  return agent.waits_for === SCENE;
}

/** A state in a word; of who plays in secret no more is told than that. */
export function stateWord(agent) {
  if (agent.hidden) return "in a room that you do not see";
  return playsInSecret(agent) ? "in a scene" : (WORDS[agent.state] ?? agent.state);
}

const AWAKE = ["idle", "thinking", "typing"];

/** An agent's state in the room of a channel: who thinks or types in other rooms only is idle in this one. */
export function stateIn(agent, channelId) {
  const doing = agent.doing ?? {};
  const state = stateWord(agent);
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
export function stateDot(agent, word = stateWord(agent)) {
  const mark = MARKS[agent.state];
  return h(
    "span.state",
    { data: { state: word }, title: `${agent.name} is ${word}`, "aria-hidden": "true" },
    mark ? h("span.state-mark", {}, mark) : h("i"),
  );
}

/** Seconds until a moment, never below zero. */
export function secondsUntil(when, now = Date.now()) {
  return Math.max(0, (Date.parse(when) - now) / 1000);
}

/** When the agent looks next, in words. */
export function nextBeat(agent, now = Date.now()) {
  if (agent.state === "paused") return `waits for ${agent.waits_for ?? "someone to resume it"}`;
  if (agent.state === "retired") return "retired";
  if (agent.state === "thinking" || agent.state === "typing") return "now";
  if (!agent.next_beat_at)
    return agent.waits_for ? `waits for ${agent.waits_for}` : "when there is something new";
  const seconds = secondsUntil(agent.next_beat_at, now);
  return seconds < 1
    ? "now"
    : `in ${seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`}`;
}

/** How quick an agent is, in a word. */
function paceWord(every) {
  return every <= 2.5 ? "very quick" : every < 4.95 ? "quick" : every <= 7 ? "unhurried" : "slow";
}

/** What an agent's tempo means, in words. */
export function paceWords(agent) {
  const every = Number(agent.interval_seconds);
  const looks = `It is ${paceWord(every)}: every ${every.toFixed(1)} s at the soonest it looks at what is not for it`;
  return `${looks}, and it answers and types as quickly. 👍 makes it quicker, 👎 slower; with time it calms down.`;
}

/** An agent's tempo: "unhurried, every 5.0 s". */
export function tempo(agent) {
  if (playsInSecret(agent)) return "not told until its scene is over";
  const every = Number(agent.interval_seconds);
  return `${paceWord(every)}, every ${every.toFixed(1)} s`;
}
