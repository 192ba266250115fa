/** A scene above its thread: seats, phase, whose turn it is, what is on the table, and the board's own buttons.
 *
 * It is what everybody sees who watches; what one's own seat sees comes as an answer to *My seat*, to nobody else.
 */

import { fromNow } from "../lib/clock.js";
import { findAll, h } from "../lib/dom.js";
import { markdown } from "../text/blocks.js";
import { componentsOf } from "./components.js";

const EVERY = 2000;
const ROOM = 0; // a channel, in which a scene may take place itself
const BOARD = "🎭";

const STATES = { dead: "dead", away: "away", awaited: "is asked now" };

/** A person's name as it stands everywhere else; the bot knows only `@username`. */
function nameOf(app, one) {
  const user = one.user_id && app.world.user(one.user_id);
  return user ? app.world.nameOf(user) : one.name;
}

/** Put people's names into a text that has their `@username`. */
function named(app, scene, text) {
  const people = scene.seats.filter((one) => one.user_id);
  const name = (word) => people.find((one) => one.name === word);
  return text.replace(/@[\w.]*\w/g, (word) => (name(word) ? nameOf(app, name(word)) : word));
}

function seat(app, one) {
  const state = Object.keys(STATES).find((name) => one[name]) ?? "";
  return h(
    "li.seat",
    { data: { state } },
    h("span.seat-number", { "aria-hidden": "true" }, one.seat),
    h("span.seat-name", {}, nameOf(app, one)),
    state ? h("span.seat-state", {}, STATES[state]) : null,
  );
}

function bars(app, scene) {
  const counts = scene.bars;
  const most = Math.max(1, ...counts.map(([, count]) => count));
  const rows = counts.map(([name, count]) =>
    h(
      "li",
      {},
      h("span.bar-name", {}, named(app, scene, name)),
      h("span.bar", { style: { "--share": `${(100 * count) / most}%` } }),
      h("span.bar-value", {}, String(count)),
    ),
  );
  return counts.length ? h("ul.bars", { "aria-label": "Last ballot" }, rows) : null;
}

function stateOf(app, scene) {
  if (scene.status === "paused") return `paused: ${scene.why}`;
  const asked = scene.seats.filter((one) => one.awaited).map((one) => nameOf(app, one));
  const words = [scene.status === "running" ? scene.phase : scene.status];
  if (asked.length) words.push(`${asked.join(", ")} ${asked.length > 1 ? "are" : "is"} asked`);
  if (scene.status === "running" && scene.until) words.push(`time is up ${fromNow(scene.until)}`);
  return words.join(" · ");
}

function draw(app, scene, board) {
  const lines = scene.lines.filter((line) => !(scene.seats.length && /^\d+\. /.test(line))); // the list above tells them
  const told = [
    h("div.scene-head", {}, h("h2", {}, scene.title), h("p.scene-state", {}, stateOf(app, scene))),
    scene.seats.length ? h("ol.seats", { "aria-label": "Seats" }, scene.seats.map((one) => seat(app, one))) : null,
    lines.map((line) => h("div.scene-line", {}, markdown(app, named(app, scene, line)))),
    scene.facts.length
      ? h(
          "dl.facts",
          {},
          scene.facts.map(([name, words]) => [
            h("dt", {}, named(app, scene, name)),
            h("dd", {}, markdown(app, named(app, scene, words))),
          ]),
        )
      : null,
    bars(app, scene),
  ];
  return [
    h("div.scene-told", { tabindex: "0", role: "group", "aria-label": "What everybody sees" }, told),
    board?.components?.length ? componentsOf(app, board) : null,
  ].filter(Boolean);
}

/** Keep it up to date while a scene's thread, or the room in which it takes place, is open. */
export function mountScene(app, root) {
  let shown = "";
  let before = null;

  const boardOf = async (scene) => {
    if (!scene.board_post_id) return null;
    const loaded = app.timeline?.find(scene.board_post_id);
    if (loaded) return loaded;
    const query = { around: scene.board_post_id, limit: 1 };
    const found = await app.api.get(`/channels/${app.channelId}/messages`, query).catch(() => []);
    return found.find((one) => one.id === scene.board_post_id) ?? null;
  };

  const look = async () => {
    const channel = app.world.channels.get(app.channelId);
    if (!channel || !(app.world.isThread(channel) || channel.type === ROOM)) return;
    const scene = await app.agents.scene(channel.id, channel.guild_id);
    const board = scene ? await boardOf(scene) : null;
    if (app.channelId !== channel.id) return;
    const text = scene ? JSON.stringify([scene, board?.components]) : "";
    root.hidden = !scene;
    if (text === shown || root.querySelector(".waiting")) return;
    shown = text;
    if (!scene) return;
    const had = root.contains(document.activeElement) ? document.activeElement : null;
    const at = findAll("button", root).indexOf(had);
    const read = root.querySelector(".scene-told")?.scrollTop ?? 0;
    root.replaceChildren(...draw(app, scene, board));
    if (before === scene.id) root.querySelector(".scene-told").scrollTop = read;
    before = scene.id;
    if (!had) return;
    const buttons = findAll("button:not(:disabled)", root); // what is gone leaves the focus to what stands there now
    ((had.dataset.key && buttons.find((one) => one.dataset.key === had.dataset.key)) ?? buttons[at] ?? buttons.at(-1))?.focus();
  };

  app.on("open", () => {
    root.hidden = true;
    shown = "";
    look();
  });
  app.world.on("message", (message) => {
    if (message.channel_id !== app.channelId) return;
    const inRoom = app.world.channels.get(app.channelId)?.type === ROOM;
    if (!inRoom || shown || message.content.startsWith(BOARD)) look();
  });
  setInterval(() => shown && look(), EVERY);
}
