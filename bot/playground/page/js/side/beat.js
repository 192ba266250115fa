/** What lies behind a beat: why it came, what was seen and answered, what came of it and what it cost. */

import { fullTime } from "../lib/clock.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { copyText } from "../widgets/toast.js";

export const REASONS = {
  addressed: "somebody spoke to it",
  turn: "it was its turn in a scene",
  ambient: "something was said where it listens",
  access: "somebody knocked at its door",
  woken: "somebody woke it",
  answer: "an answer was ready for it",
  timer: "its sleep had ended",
  initiative: "nothing had happened for long",
};
/** One line of a list of facts. */
export function fact(name, value) {
  return [h("dt", {}, name), h("dd", {}, value)];
}

/** Bars of tokens by section. */
export function bars(sections) {
  const total = sections.reduce((sum, one) => sum + one.tokens, 0);
  const most = sections.reduce((sum, one) => sum + Math.max(0, one.tokens), 0) || 1;
  const rows = [...sections, { name: "input", tokens: total }].map((one) => {
    const share = (100 * Math.max(0, one.tokens)) / most;
    return h(
      "li",
      {},
      h("span.bar-name", {}, one.name.replaceAll("_", " ")),
      h("span.bar", { style: { "--share": `${share}%` } }),
      h("span.bar-value", {}, one.tokens.toLocaleString()),
    );
  });
  return h("ul.bars", { "aria-label": "Tokens by section" }, rows);
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A button that copies a text. */
export function copyButton(text, what) {
  return h(
    "button.button.small",
    { type: "button", on: { click: () => copyText(text, what) } },
    icon("copy", 14),
    "Copy",
  );
}

const RULE = /^([=-])\1{19,}$/;
const MARK = /^(?:>>> .* <<<|--- .* ---|-- .* --|AGENT \d+: .*|---- .*|==== .*)$/;

/** A text HUD line by line, so that its rules do not wrap and its headers stand out. */
export function hudLines(text) {
  return text
    .split("\n")
    .map((line) =>
      h(RULE.test(line) ? "span.rule" : MARK.test(line) ? "span.mark" : "span", {}, `${line}\n`),
    );
}

/** What an agent thought, what came of its answer (`deed` words a line of that), and the very answer. */
export function answerOf(beat, deed) {
  const outcome = (beat.outcome ?? []).map((line) => h("li", {}, deed(line)));
  const words = typeof beat.answer === "string" ? beat.answer : JSON.stringify(beat.answer);
  return [
    beat.thoughts ? [h("h3", {}, "Thoughts"), h("p.thoughts", {}, beat.thoughts)] : null,
    h("h3", {}, "What came of it"),
    outcome.length ? h("ul.outcome", {}, outcome) : h("p.quiet", {}, "Nothing: it stayed silent."),
    h("div.drawer-line", {}, h("h3", {}, "The model's answer"), copyButton(words, "Answer")),
    h("pre.hud", { tabindex: 0, "aria-label": "Answer" }, pretty(words)),
  ];
}

/** A beat sees the public rooms, or one private room. */
function sideName(side) {
  const isPublic = side === null || side === undefined || [0, "0", "public"].includes(side);
  return isPublic ? "its public rooms" : `the private room ${side}`;
}

function shareNote(beat) {
  return beat.agents_in_call > 1 ? `, its share of a call for ${beat.agents_in_call} agents` : "";
}

/** What a beat cost: unknown where the model has no price, and nobody's money where the model is scripted. */
function priceOf(beat) {
  if (beat.cost_usd === null || beat.cost_usd === undefined) return "unknown";
  return `$${Number(beat.cost_usd).toFixed(6)}${beat.imaginary ? " (imaginary: what a real model would cost)" : ""}`;
}

/** What a beat took: tokens, money, time. */
export function costOf(beat) {
  const { input = 0, cached = 0, output = 0 } = beat.tokens ?? {};
  const share = input ? ` (${Math.round((100 * cached) / input)} %)` : "";
  return h(
    "dl.facts.wide",
    {},
    fact("Input", `${input.toLocaleString()} tokens${shareNote(beat)}`),
    fact("of it cached", `${cached.toLocaleString()}${share}`),
    fact("Output", `${output.toLocaleString()} tokens`),
    fact("Cost", priceOf(beat)),
    fact("Took", `${Number(beat.latency_seconds ?? 0).toFixed(2)} s`),
    fact("Model", beat.model),
    fact("Saw", sideName(beat.side)),
    fact("Beat", `${beat.beat_id}, ${fullTime(beat.at)}`),
  );
}
