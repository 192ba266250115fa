/** A run: the tree of its worlds, and what came of one of them. */

import { h } from "/shared/js/lib/dom.js";
import { Picture, wordsOf } from "/shared/js/tree/picture.js";
import { money } from "/shared/js/tree/runs.js";
import { fact } from "/shared/js/side/beat.js";
import { knownTree } from "./agent.js";
import { deed, exactly, field, nothing, part, price, table } from "./parts.js";
import { asFile, deeds, underWay } from "./runs.js";
import { change } from "./session.js";
import { counted, t } from "/shared/js/lib/words.js";

const PAGE = 200;

/** Which snapshot is shown: the one that is asked for, else the newest that stands. */
export function shownAt({ nodes }, query) {
  const done = nodes.filter((one) => one.status === "done");
  const wanted = Number(query.get("at") ?? NaN);
  return (done.find((one) => one.id === wanted) ?? done.at(-1)).id;
}

function picture(told, at) {
  const nodes = new Map(told.nodes.map((one) => [one.id, one]));
  const stands = (id) => nodes.get(id)?.status === "done";
  const drawn = new Picture((id) => stands(id) && (location.hash = `#/runs/${told.run}?at=${id}`));
  requestAnimationFrame(() => drawn.draw(nodes, [at]));
  return h("div.run-tree", {}, drawn.frame);
}

function line(one) {
  const heard = one.heard_by ? ` (${t("only to {names}", { names: one.heard_by.join(", ") || t("nobody") })})` : "";
  const by = one.by ?? t("System");
  return h(
    "li.line",
    { data: { kind: one.type === "message" || one.kind === "say" ? "agent" : "system" } },
    h("p.said-by", {}, h("strong", {}, by), " ", exactly(one.at), heard),
    h("p.words", {}, one.text || nothing(t("(no words)"))),
  );
}

function pages(run, at, { from, of }) {
  if (of <= PAGE) return null;
  const to = (start, words) => h("a", { href: `#/runs/${run}?at=${at}&from=${start}` }, words);
  return h(
    "nav.row",
    { "aria-label": t("Parts of the transcript") },
    from > 0 ? to(Math.max(0, from - PAGE), t("Earlier")) : null,
    from + PAGE < of ? to(from + PAGE, t("Later")) : null,
  );
}

function agents({ knowledge, usage }, coin) {
  const names = Object.keys(usage.agents);
  const used = (name) => usage.agents[name];
  const rows = names.map((name) => [
    name,
    counted(used(name).beats, "beat"),
    (used(name).input_tokens + used(name).output_tokens).toLocaleString(),
    price(used(name).usd, coin),
  ]);
  const minds = Object.entries(knowledge).map(([name, sides]) => h("ul.knows", {}, knownTree(name, sides)));
  return [table(t("Agents"), [t("Agent"), t("Beats"), t("Tokens"), t("Cost")], rows), h("h3", {}, t("What they know")), minds];
}

function outcome({ outcome: came, snapshot }, told) {
  const node = told.nodes.find((one) => one.id === snapshot);
  const ended = came.scenes.map((one) => `${one.kind}: ${one.outcome || one.status}`);
  return h(
    "dl.facts",
    {},
    fact(t("Snapshot"), `${snapshot}${node.note ? ` (${node.note})` : ""}`),
    fact(t("Played"), counted(came.turns, "turn")),
    fact(t("Scenes"), ended.join(" · ") || t("none")),
    fact(t("Digest"), h("code", {}, came.digest.slice(0, 16))),
  );
}

/** What so many turns more are thought to cost: as much as those did that were played. */
function thought({ usage, outcome: came }, turns) {
  const spent = Object.values(usage.agents).reduce((sum, one) => sum + Number(one.usd), 0);
  return came.turns ? (spent / came.turns) * turns : null;
}

function goOn(told, shown) {
  const at = shown.snapshot;
  const number = (name, value, least) => h("input", { name, type: "number", min: least, value, inputmode: "numeric" });
  const turns = number("turns", 10, 1);
  const seed = number("seed", told.spec.seed, 0);
  const said = h("textarea", { rows: 2, maxlength: 2000 });
  const name = h("input", { maxlength: 60 });
  const further = () => ({ at: String(at), turns: Number(turns.value), seed: Number(seed.value), said: said.value.trim() });
  const cost = h("span.price");
  const tell = () => {
    const usd = thought(shown, Number(turns.value));
    cost.textContent = usd === null ? "" : ` ${money(usd, t(told.coin))}`;
  };
  turns.addEventListener("input", tell);
  tell();
  return part(
    t("Go on from snapshot {number}", { number: at }),
    h("div.fields", {}, field(t("Turns"), turns), field(t("Seed"), seed), field(t("What happens first"), said)),
    deed([t("Go on"), cost], () => change("POST", `/runs/${told.run}/advance`, further()), () => {}, ".primary"),
    h("div.fields", {}, field(t("A name for this snapshot"), name)),
    deed(t("Give it the name"), () => change("POST", `/runs/${told.run}/snapshots/${at}/name`, { name: name.value }), () =>
      window.dispatchEvent(new HashChangeEvent("hashchange")),
    ),
  );
}

/** The page; `shown`: what came of it until a snapshot. */
export function runPage(told, shown, show) {
  const at = shown.snapshot;
  const { spec } = told;
  const scene = spec.scene ? spec.scene.kind : t("free talk");
  const after = (made) => (location.hash = made ? `#/runs/${made}` : "#/runs");
  const plays = told.under_way?.run === told.run;
  return [
    h("p", {}, h("a", { href: "#/runs" }, t("All runs"))),
    h("h1", {}, `${t("Run {number}", { number: told.run })}: ${spec.title}`),
    h("p.quiet", {}, `${scene}, ${counted(spec.agents.length, "agent")}, ${t("{model}, seed {seed}", { model: spec.model, seed: spec.seed })}, ${t("at most {money}", { money: `${spec.budget} ${t(told.coin)}` })}`),
    told.under_way ? underWay(told.under_way) : told.ended ? h("p", { role: "status" }, t("It ended: {why}.", { why: told.ended })) : null,
    h("div.row", {}, deeds(told.run, at, after), asFile(() => spec)),
    part(
      t("Worlds"),
      picture(told, at),
      h("ul.unseen", {}, told.nodes.map((one) => h("li", {}, wordsOf(one)))),
    ),
    outcome(shown, told),
    plays ? null : goOn(told, shown),
    part(t("Agents"), agents(shown, told.coin)),
    part(
      t("Transcript"),
      pages(told.run, at, shown),
      shown.lines.length ? h("ol.lines", { "aria-label": t("Transcript") }, shown.lines.map(line)) : nothing(t("Nothing was said until then.")),
    ),
  ];
}
