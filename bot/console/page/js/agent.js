/** An agent: what it is at, its beats, what it carries, where it looks, and what it costs. */

import { h } from "/shared/js/lib/dom.js";
import { fact } from "/shared/js/side/beat.js";
import { nextBeat, playsInSecret, stateDot, stateWord, tempo } from "/shared/js/side/states.js";
import { knowing } from "./knowing.js";
import { ago, beatAddress, exactly, nothing, part, price, table } from "./parts.js";
import { counted, t } from "/shared/js/lib/words.js";

const SVG = "http://www.w3.org/2000/svg";
const ROUND = 100; // a circle of this length: shares in percent are lengths
const FEEDBACK = { thumbs_up: "👍", thumbs_down: "👎", brain: "🧠", heart: "❤️" };

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function donut(rows) {
  const svg = shape("svg", { viewBox: "0 0 42 42", class: "donut", "aria-hidden": "true" });
  let at = 25; // a quarter back: it begins at the top
  rows.forEach(({ share }, index) => {
    svg.append(
      shape("circle", {
        cx: 21,
        cy: 21,
        r: ROUND / (2 * Math.PI),
        class: `ring ring-${index % 6}`,
        "stroke-dasharray": `${share} ${ROUND - share}`,
        "stroke-dashoffset": at,
      }),
    );
    at -= share;
  });
  return svg;
}

function attention(rows) {
  const bySide = Map.groupBy ? Map.groupBy(rows, (one) => one.side) : new Map([[0, rows]]);
  return [...bySide.values()].map((some) =>
    h(
      "div.attention",
      {},
      donut(some),
      h(
        "ul",
        {},
        some.map(({ room, share }, index) =>
          h("li", {}, h(`i.dot.ring-${index % 6}`), h("a", { href: `#/rooms/${room.id}` }, room.name), ` ${share.toFixed(0)} %`),
        ),
      ),
    ),
  );
}

/** A value as a tree that opens. */
export function knownTree(name, value) {
  if (value === null || typeof value !== "object") return h("li", {}, h("b", {}, `${name}: `), String(value));
  const inner = Object.entries(value);
  if (!inner.length) return h("li", {}, h("b", {}, `${name}: `), h("span.quiet", {}, t("empty")));
  return h(
    "li",
    {},
    h("details", { open: inner.length < 12 }, h("summary", {}, h("b", {}, name)), h("ul.knows", {}, inner.map((one) => knownTree(...one)))),
  );
}

function plan({ goals, milestones, strategy, current }) {
  const items = (list) =>
    h("ul", {}, list.map((one) => h("li", {}, `${one.done ? "☑" : "☐"} ${one.text}${one.id === current ? ` (${t("now")})` : ""}`)));
  if (!goals.length && !milestones.length && !strategy) return nothing(t("It has no plan."));
  return [
    goals.length ? [h("h4", {}, t("Goals")), items(goals)] : null,
    milestones.length ? [h("h4", {}, t("Milestones")), items(milestones)] : null,
    strategy ? [h("h4", {}, t("Strategy")), h("p", {}, strategy)] : null,
  ];
}

function mind(one, agent, show) {
  const focus = Object.entries(one.focus).filter(([, value]) => value.length);
  return part(
    one.side ? t("What it carries in {where}", { where: one.where }) : t("What it carries in public"),
    h("h3", {}, t("Knowledge")),
    one.side < 0 ? h("ul.knows", {}, knownTree(t("what it knows"), one.knowledge)) : knowing(agent, one.side, one.knowledge, () => show(true)),
    one.side < 0 ? null : h("p", {}, h("a", { href: `#/agents/${agent}/hud${one.side ? `?room=${one.side}` : ""}` }, t("What it would see now"))),
    h("h3", {}, t("Focus")),
    focus.length
      ? h("dl.facts", {}, focus.map(([name, value]) => fact(name.replaceAll("_", " "), [value].flat().join(" · "))))
      : nothing(t("Nothing is in its focus.")),
    h("h3", {}, t("Plan")),
    plan(one.plan),
    one.feelings.length
      ? [h("h3", {}, t("Feelings")), h("ul", {}, one.feelings.map((felt) => h("li", {}, `${felt.emotion}: ${felt.why}`)))]
      : null,
  );
}

function days(rows, coin) {
  const most = Math.max(...rows.map((one) => one.usd || one.tokens), 0) || 1;
  const bars = rows.map((one) =>
    h(
      "li",
      {},
      h("span.bar-name", {}, one.day),
      h("span.bar", { style: { "--share": `${(100 * (one.usd || one.tokens)) / most}%` } }),
      h("span.bar-value.wide", {}, `${price(one.usd, coin)}, ${counted(one.beats, "beat")}`),
    ),
  );
  return bars.length ? h("ul.bars.days", { "aria-label": t("Cost by day") }, bars) : nothing(t("It has cost nothing in 30 days."));
}

function beatRow(beat) {
  const said = beat.failed || beat.outcome.join(" ") || t("It stayed silent.");
  const address = h("a", { href: beatAddress(beat) }, t("beat {number}", { number: beat.id }));
  return [address, exactly(beat.at), beat.because, said.slice(0, 200), price(beat.cost_usd, beat.imaginary ? t("imaginary USD") : "USD")];
}

function beatList(agent, { beats, earlier }, before) {
  const rows = beats.map(beatRow);
  const newest = before && h("a", { href: `#/agents/${agent}` }, t("The newest"));
  const more = earlier && h("a", { href: `#/agents/${agent}?before=${earlier}` }, t("Earlier"));
  const none = before ? t("It has no earlier ones that are kept.") : t("It has not beaten yet.");
  return [
    rows.length ? table(t("Beats"), [t("Beat"), t("When"), t("Because"), t("What came of it"), t("Cost")], rows) : nothing(none),
    newest || more ? h("nav.row", { "aria-label": t("More beats") }, newest, more) : null,
  ];
}

/** The page; `past`: the beats that are shown, the newest or those `before` one. */
export function agentPage(told, past, before, show) {
  const { agent, coin, feedback } = told;
  const marks = Object.entries(feedback).map(([name, count]) => `${FEEDBACK[name] ?? name} ${count}`);
  return [
    h("h1", {}, agent.name, " ", stateDot(agent)),
    h(
      "dl.facts",
      {},
      fact(t("State"), stateWord(agent)),
      fact(t("Heartbeat"), tempo(agent)),
      fact(t("Last beat"), playsInSecret(agent) ? t("not told until its scene is over") : ago(agent.last_beat_at)),
      fact(t("Next beat"), nextBeat(agent)),
      fact(t("Model"), [agent.model, ...agent.spare_models].join(`, ${t("else")} `)),
      fact(t("Today"), `${counted(agent.beats_today, "beat")}, ${price(agent.usd_today, coin)}`),
      fact(t("Feedback in 7 days"), marks.join(" ") || t("none")),
      fact(t("Its room"), h("a", { href: `#/rooms/${agent.id}` }, t("transcript"))),
    ),
    h("details.part", {}, h("summary", {}, t("Its prompt")), h("pre.hud", { tabindex: 0 }, told.prompt)),
    part(t("Beats"), beatList(agent.id, past, before)),
    told.minds.map((one) => mind(one, agent.id, show)),
    told.more_minds
      ? nothing(t("It carries more beside {rooms}: /knowledge show tells it room by room.", { rooms: counted(told.more_minds, "private room") }))
      : null,
    part(t("Attention"), told.attention.length ? attention(told.attention) : nothing(t("It is in no room."))),
    part(t("Cost by day"), days(told.days, coin)),
  ];
}
