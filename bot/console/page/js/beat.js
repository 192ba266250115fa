/** One beat: why it came, what was seen and what of that was new, what was answered, and what came of it. */

import { fullTime } from "/shared/js/lib/clock.js";
import { h } from "/shared/js/lib/dom.js";
import { answerOf, copyButton, costOf, fact } from "/shared/js/side/beat.js";
import { agentLink, nothing, part, roomLink } from "./parts.js";
import { line } from "./room.js";
import { t } from "/shared/js/lib/words.js";

function sectionRow({ name, tokens, before }, most) {
  const grown = before === null || before === undefined ? "" : tokens - before;
  return h(
    "li",
    {},
    h("span.bar-name", {}, name.replaceAll("_", " ")),
    h("span.bar", { style: { "--share": `${(100 * Math.max(0, tokens)) / most}%` } }),
    h("span.bar-value", {}, tokens.toLocaleString()),
    h("span.bar-grown", {}, grown === "" ? t("new") : grown ? `${grown > 0 ? "+" : "−"}${Math.abs(grown)}` : "="),
  );
}

function sections(rows, before) {
  const most = rows.reduce((sum, one) => sum + Math.max(0, one.tokens), 0) || 1;
  const note = before ? t("Beside each: how it grew since beat {number}.", { number: before.id }) : t("It is the first beat that is kept.");
  return [
    h("ul.bars.grown", { "aria-label": t("Tokens by section") }, rows.map((one) => sectionRow(one, most))),
    h("p.quiet", {}, note),
  ];
}

function hud({ stretches, before, beat, gone }) {
  if (!beat.hud) return nothing(t("This HUD is not kept any more."));
  const marks = stretches.map(([text, isNew]) => (isNew && before ? h("mark", {}, text) : text));
  const pre = h("pre.hud", { tabindex: 0, "aria-label": t("HUD") }, marks);
  const only = h("input", { type: "checkbox", on: { change: () => pre.classList.toggle("only-new", only.checked) } });
  for (const node of [...pre.childNodes]) if (node.nodeType === Node.TEXT_NODE) node.replaceWith(h("span", {}, node.data));
  const since = before ? t("Marked: what was new since beat {number}.", { number: before.id }) : "";
  return [
    h(
      "div.drawer-line",
      {},
      h("p.quiet", {}, `${t("As it was sent, in the format {format}.", { format: beat.format })} ${since}`),
      before ? h("label.tick", {}, only, ` ${t("Only what was new")}`) : null,
      copyButton(beat.hud, t("HUD")),
    ),
    pre,
    gone.length
      ? h("details", {}, h("summary", {}, t("What was there before and went ({lines})", { lines: gone.length })), h("pre.hud", {}, gone.join("\n")))
      : null,
  ];
}

/** What an agent would see now. */
export function hudPage(told) {
  return [
    h("p", {}, agentLink(told.agent.id, t("About {agent}", { agent: told.agent.name }))),
    h("h1", {}, t("What {agent} would see now", { agent: told.agent.name })),
    part(t("Tokens"), sections(told.sections, told.before)),
    part(t("HUD"), hud({ ...told, beat: { hud: told.hud, format: t("of its own") } })),
  ];
}

/** The page; `said`: the message that one asks about. */
export function beatPage(told, said) {
  const { agent, beat, before, where } = told;
  const about = said ? t("Why {agent} said that", { agent: agent.name }) : t("Beat {number} of {agent}", { number: beat.id, agent: agent.name });
  const because = told.by ? h("span", {}, `${beat.because} (${told.by})`) : beat.because;
  return [
    h("h1", {}, about),
    said ? h("ol.lines", { "aria-label": t("What was said") }, line(said)) : null,
    h(
      "dl.facts",
      {},
      fact(t("Because"), because),
      fact(t("Agent"), agentLink(agent.id, agent.name)),
      where ? fact(t("In"), roomLink(where)) : null,
      fact(t("When"), fullTime(beat.at)),
      before ? fact(t("Before"), h("a", { href: `#/agents/${agent.id}/beats/${before.id}` }, t("beat {number}", { number: before.id }))) : null,
    ),
    part(t("What it answered"), answerOf(beat, (words) => words)),
    part(t("What it saw"), sections(told.sections, before), hud(told)),
    part(t("What it cost"), costOf(beat)),
  ];
}
