/** Everything at a glance: rooms with their heat, agents, money, what waits, models and letters. */

import { fill, h } from "/shared/js/lib/dom.js";
import { nextBeat, playsInSecret, stateDot, stateOf, stateWord, tempo } from "/shared/js/side/states.js";
import { agentLink, ago, nothing, part, price, roomLink, table } from "./parts.js";
import { counted, t } from "/shared/js/lib/words.js";

const AWAKE = ["thinking", "typing"]; // in some room: what it is at in this one is told beside it
const HOT = [
  [15, "hot"],
  [5, "warm"],
  [1, "mild"],
];

/** How warm a room is, by what was said in it lately. */
export function heatOf(room) {
  return HOT.find(([least]) => room.lately >= least)?.[1] ?? "cold";
}

function tile(name, ...inner) {
  return h("div.tile", {}, h("h2", {}, name), inner);
}

function budgetTile({ share, usd, usd_limit, tokens, tokens_limit, coin, unknown }) {
  const may = usd_limit === null ? "" : ` / ${usd_limit.toFixed(2)}`;
  const tokensMay = tokens_limit === null ? "" : ` / ${tokens_limit.toLocaleString()}`;
  const bar = h("progress", { max: 1, value: Math.min(1, share), "aria-label": t("Budget used") });
  return tile(
    t("Today's budget"),
    h("p", {}, `${usd.toFixed(4)}${may} ${t(coin)}`),
    bar,
    h("p.quiet", {}, t("{number} tokens", { number: `${tokens.toLocaleString()}${tokensMay}` })),
    unknown.map((name) => h("p.quiet", {}, t("What {model} costs is unknown.", { model: name }))),
  );
}

function waitsTile(waits) {
  const rows = waits.map((one) =>
    h("li", {}, h("a", { href: `#/rooms/${one.room}` }, one.text), " ", ago(one.at)),
  );
  return tile(t("Waits for a manager"), rows.length ? h("ul", {}, rows) : nothing(t("Nothing.")));
}

function modelsTile(models) {
  const rows = models.map((one) => {
    const state = one.failing ? t("✗ fails") : one.failures ? t("✗ failed {times}", { times: counted(one.failures, "time") }) : t("✓ answers");
    const spare = one.spare_for ? `, ${t("spare for {number}", { number: one.spare_for })}` : "";
    return h("li", {}, `${one.name}: ${state} (${counted(one.agents, "agent")}${spare})`);
  });
  return tile(t("Models"), h("ul", {}, rows));
}

function lettersTile(letters) {
  const rows = letters.map((one) =>
    h("li", {}, `${one.letters} × ${one.kind}, ${one.state}, ${t("the first since")} `, ago(one.since)),
  );
  return tile(t("Letters to Discord"), rows.length ? h("ul", {}, rows) : nothing(t("All are sent.")));
}

const MOST_SHOWN = 8; // of who is in a room

/** Who is in a room and at what there: a dot, its words at hand for who hears them; seen where it is more than idle. */
function inside(agent, room) {
  const here = agent.at_work_in[room.id];
  const word = here ?? stateOf({ ...agent, state: AWAKE.includes(agent.state) ? "idle" : agent.state });
  const isQuiet = word === "idle";
  const words = isQuiet ? `: ${t("idle, next beat {when}", { when: nextBeat({ ...agent, state: "idle" }) })}` : ` ${t(word)}`;
  return h(
    "li",
    { data: { agent: String(agent.id) } },
    stateDot(agent, word),
    agent.name,
    h(isQuiet ? "span.unseen" : "span.quiet", {}, words),
  );
}

function roomCard(room, agents) {
  const said = room.closed ? t("closed to you on Discord") : room.lately ? t("{lines} in 10 minutes", { lines: counted(room.lately, "line") }) : t("quiet");
  const there = room.members.map((id) => agents.get(id)).filter(Boolean);
  const atWork = (one) => (one.at_work_in[room.id] ? 0 : 1);
  const shown = [...there].sort((one, two) => atWork(one) - atWork(two)).slice(0, MOST_SHOWN);
  const rest = there.length - shown.length;
  const held = [
    room.hushed_until ? t("hushed") : "",
    room.unposted ? t("{number} to be posted", { number: room.unposted }) : "",
    room.fault_at ? t("its model fails") : "",
  ].filter(Boolean);
  return h(
    `li.room-card`,
    { data: { heat: heatOf(room), room: String(room.id) } },
    h("strong", {}, roomLink(room)),
    h("span", {}, said),
    h("span.quiet", {}, `${counted(room.members.length, "agent")} · `, ago(room.last_message_at)),
    held.length ? h("span.held", {}, held.join(", ")) : null,
    shown.length ? h("ul.busy", { "aria-label": t("Who is in {owner}'s room", { owner: room.name }) }, shown.map((one) => inside(one, room))) : null,
    rest ? h("span.quiet", {}, t("and {others}", { others: counted(rest, "other") })) : null,
  );
}

function agentRow(agent, coin) {
  return [
    h("span", { data: { agent: String(agent.id) } }, stateDot(agent), agentLink(agent.id, agent.name)),
    [stateWord(agent), agent.rests ? `, ${t("rests after faults")}` : ""],
    tempo(agent),
    playsInSecret(agent) ? "" : ago(agent.last_beat_at),
    nextBeat(agent),
    `${counted(agent.beats_today, "beat")}, ${price(agent.usd_today, coin)}`,
  ];
}

/** The page, from what the server tells; `atOnce`: with its long table, which else comes after the first paint. */
export function overview(told, atOnce = true) {
  const rooms = [...told.rooms].sort((one, two) => two.lately - one.lately || one.id - two.id);
  const byId = new Map(told.agents.map((one) => [one.id, one]));
  const agents = h("div");
  const list = () => fill(agents, table(t("Agents"), heads, told.agents.map((one) => agentRow(one, coin))));
  const heads = [t("Agent"), t("State"), t("Interval"), t("Last beat"), t("Next beat"), t("Today")];
  const { coin } = told.budget;
  if (atOnce) list();
  else requestAnimationFrame(() => setTimeout(list));
  return [
    h("h1", {}, told.paused ? t("Overview: everyone is paused") : t("Overview")),
    h(
      "div.tiles",
      {},
      budgetTile(told.budget),
      waitsTile(told.waits),
      modelsTile(told.models),
      lettersTile(told.letters),
    ),
    part(t("Rooms"), h("ul.rooms", {}, rooms.map((room) => roomCard(room, byId)))),
    part(t("Agents"), agents),
    part(t("What happens"), h("div.row.feed-ticks", { role: "group", "aria-label": t("What is told") }), h("div.feed", { role: "log", "aria-label": t("The newest first"), "aria-live": "off", tabindex: 0 })),
  ];
}
