/** What lies behind a beat: why it came, what was seen and answered, what came of it and what it cost. */

import { fullTime } from "../lib/clock.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { t } from "../lib/words.js";
import { copyText } from "../widgets/toast.js";

export const REASONS = {
  addressed: t("somebody spoke to it"),
  turn: t("it was its turn in a scene"),
  ambient: t("something was said where it listens"),
  access: t("somebody knocked at its door"),
  woken: t("somebody woke it"),
  answer: t("an answer was ready for it"),
  timer: t("its sleep had ended"),
  initiative: t("nothing had happened for long"),
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
  return h("ul.bars", { "aria-label": t("Tokens by section") }, rows);
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
    t("Copy"),
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
    beat.thoughts ? [h("h3", {}, t("Thoughts")), h("p.thoughts", {}, beat.thoughts)] : null,
    h("h3", {}, t("What came of it")),
    outcome.length ? h("ul.outcome", {}, outcome) : h("p.quiet", {}, t("Nothing: it stayed silent.")),
    h("div.drawer-line", {}, h("h3", {}, t("The model's answer")), copyButton(words, t("Answer"))),
    h("pre.hud", { tabindex: 0, "aria-label": t("Answer") }, pretty(words)),
  ];
}

/** A beat sees the public rooms, or one private room. */
function sideName(side) {
  const isPublic = side === null || side === undefined || [0, "0", "public"].includes(side);
  return isPublic ? t("its public rooms") : t("the private room {number}", { number: side });
}

function shareNote(beat) {
  return beat.agents_in_call > 1 ? `, ${t("its share of a call for {number} agents", { number: beat.agents_in_call })}` : "";
}

/** What a beat cost: unknown where the model has no price, and nobody's money where the model is scripted. */
function priceOf(beat) {
  if (beat.cost_usd === null || beat.cost_usd === undefined) return t("unknown");
  return `$${Number(beat.cost_usd).toFixed(6)}${beat.imaginary ? ` (${t("imaginary: what a real model would cost")})` : ""}`;
}

/** What a beat took: tokens, money, time. */
export function costOf(beat) {
  const { input = 0, cached = 0, output = 0 } = beat.tokens ?? {};
  const share = input ? ` (${Math.round((100 * cached) / input)} %)` : "";
  return h(
    "dl.facts.wide",
    {},
    fact(t("Input"), `${t("{number} tokens", { number: input.toLocaleString() })}${shareNote(beat)}`),
    fact(t("of it cached"), `${cached.toLocaleString()}${share}`),
    fact(t("Output"), t("{number} tokens", { number: output.toLocaleString() })),
    fact(t("Cost"), priceOf(beat)),
    fact(t("Took"), `${Number(beat.latency_seconds ?? 0).toFixed(2)} s`),
    fact(t("Model"), beat.model),
    fact(t("Saw"), sideName(beat.side)),
    fact(t("Beat"), `${beat.beat_id}, ${fullTime(beat.at)}`),
  );
}
