/** What a node tells: what happened in it, what was said since the fork, what its agents carry, what one of them saw.
 *
 * `host.name(id)` is what an agent is called.
 */

import { clockTime } from "../lib/clock.js";
import { h } from "../lib/dom.js";
import { t } from "../lib/words.js";
import { hudLines } from "../side/beat.js";
import { openDialog } from "../widgets/dialog.js";
import { orSay } from "../widgets/toast.js";

function short(value) {
  if (value === null || value === undefined) return t("nothing");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Show what an agent saw at a beat: the node is run again from its record for it. */
async function showSeen(host, tree, nodeId, event) {
  const path = `/nodes/${nodeId}/agents/${event.agent}/beats/${event.id}`;
  const beat = await orSay(() => tree.ask(path));
  if (!beat) return;
  const name = host.name(event.agent);
  const hud = h("pre.hud", { tabindex: 0, "aria-label": t("HUD") }, hudLines(beat.hud));
  const answer = h("pre.hud.answer", { tabindex: 0, "aria-label": t("Answer") }, beat.answer);
  const thoughts = beat.thoughts ? h("p.thoughts", {}, beat.thoughts) : null;
  const body = h("div.dialog-body.tree-seen", {}, thoughts, hud, h("h3", {}, t("What it answered")), answer);
  openDialog(t("What {agent} saw in node {number}", { agent: name, number: nodeId }), () => body, { kind: "wide" });
}

const LINES = {
  message: (host, event) => {
    const who = /^\d+$/.test(event.by) ? host.name(event.by) : event.by;
    return [h("b", {}, who), ` ${t("in {owner}'s room", { owner: host.name(event.room) })}: ${event.text}`];
  },
  move: (host, event) => [`${t("Seat {seat} in scene {scene}", { seat: event.seat, scene: event.scene })}: ${event.move}`],
  knowledge: (host, event) => [
    h("b", {}, host.name(event.agent)),
    ` ${t("knows {path}", { path: event.path })}: ${short(event.before)} → ${short(event.after)}`,
  ],
  beat: (host, event, tree, nodeId) => {
    const did = event.failed || (event.did.length ? event.did.join(" ") : t("stayed silent"));
    const name = host.name(event.agent);
    const click = () => showSeen(host, tree, nodeId, event);
    const label = t("What {agent} saw", { agent: name });
    return [
      h("b", {}, name),
      ` ${t("looked ({reason})", { reason: event.reason })}: ${did} `,
      h("button.link", { type: "button", "aria-label": label, on: { click } }, t("what it saw")),
    ];
  },
};

/** A line for something that happened in a node. */
export function lineOf(host, tree, nodeId, event) {
  const time = event.at ? h("time", { datetime: event.at }, clockTime(event.at)) : null;
  return h("li", { data: { kind: event.kind } }, time, h("span", {}, LINES[event.kind]?.(host, event, tree, nodeId)));
}

/** What was said since the fork. */
export async function transcriptOf(tree, nodeId) {
  const { lines } = await tree.ask(`/nodes/${nodeId}/transcript`);
  if (!lines.length) return h("p.quiet", {}, t("Nothing was said since the fork."));
  return h(
    "ol.tree-lines",
    {},
    lines.map((line) => h("li", {}, line)),
  );
}

function paths(values) {
  return Object.entries(values).map(([path, value]) => [h("dt", {}, path), h("dd", {}, short(value))]);
}

/** What the agents carry, of those into whose heads this person may look. */
export async function mindsOf(host, tree, nodeId) {
  const { minds } = await tree.ask(`/nodes/${nodeId}/minds`);
  const told = minds.filter((one) => Object.keys(one.knowledge).length || Object.keys(one.focus).length);
  if (!told.length) return h("p.quiet", {}, t("Nobody carries anything here."));
  return told.map((one) => [
    h("h4", {}, one.side ? `${one.name}, ${t("beside {owner}'s room", { owner: host.name(one.side) })}` : one.name),
    h("dl.facts", {}, paths(one.knowledge), paths(one.focus)),
  ]);
}

/** Two nodes side by side, or all children of one. */
export async function comparisonOf(tree, one, two) {
  const { header, lines } = await tree.ask("/compare", two === null ? { one } : { one, two });
  const row = (line) => (line.startsWith("## ") ? h("li.tree-part", {}, line.slice(3)) : h("li", {}, line));
  return [h("p", {}, header), h("ol.tree-lines", {}, lines.map(row))];
}
