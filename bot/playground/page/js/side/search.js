/** Find what was said: words, who, where, with what, since when; each hit leads to its place. */

import { afterPause, h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { channels, people } from "../chat/entities.js";
import { foundRow } from "../chat/pins.js";
import { choiceBox } from "../widgets/choice.js";
import { orSay } from "../widgets/toast.js";
import { idOfTime } from "../lib/snowflake.js";

const WAIT = 250;
const KINDS = { link: "a link", file: "a file", picture: "a picture", code: "code" };

function whoever(app) {
  const agents = app.agents.list.map((agent) => ({ value: agent.name, label: agent.name, detail: "agent" }));
  const persons = people(app.world).map((one) => ({ ...one, value: one.label }));
  return [{ value: "", label: "From anyone" }, ...agents, ...persons];
}

function wherever(app) {
  const talk = channels(app.world).filter((one) => app.world.isTalk(app.world.channels.get(one.value)));
  return [{ value: "", label: "In any channel" }, ...talk];
}

function whatever() {
  const kinds = Object.entries(KINDS).map(([value, name]) => ({ value, label: `With ${name}` }));
  return [{ value: "", label: "With anything" }, ...kinds];
}

/** The panel that searches; it keeps what was found while one looks at a hit. */
export function mountSearch(app, root) {
  let turn = 0;
  let asked = {};
  const words = h("input.field", { type: "search", placeholder: "Search messages", maxlength: 200, autofocus: true });
  words.setAttribute("aria-label", "Words to find");
  const since = h("input.field", { type: "date" });
  const filter = (label, options) =>
    choiceBox({ label, placeholder: options()[0].label, options, chosen: [options()[0]], min: 1, max: 1 });
  const filters = {
    by: filter("From whom", () => whoever(app)),
    channel_id: filter("Where", () => wherever(app)),
    has: filter("With what", whatever),
  };
  const state = h("p.quiet", { role: "status" });
  const list = h("div.found-list");
  const more = h("button.button", { type: "button", hidden: true, on: { click: () => turnPage() } }, "Older ones");

  const query = () => {
    const chosen = Object.entries(filters).map(([name, { values }]) => [name, values()[0]?.value]);
    const after = since.value && idOfTime(Date.parse(`${since.value}T00:00`));
    const all = [["words", words.value.trim()], ["after", after], ...chosen];
    return Object.fromEntries(all.filter(([, value]) => value));
  };
  const read = (more) => {
    const path = `/guilds/${app.world.guildId}/search`;
    return orSay(() => app.api.own("GET", path, { query: { ...asked, ...more } }));
  };
  const put = (page) => {
    const rows = page.messages.map((one) =>
      foundRow(app, one, () => app.lookAt(one.channel_id, one.id), app.world.channels.get(one.channel_id)),
    );
    list.append(...rows);
    more.hidden = !page.has_more;
    more.dataset.before = page.messages.at(-1)?.id ?? "";
  };
  const turnPage = async () => {
    const page = await read({ before: more.dataset.before });
    if (page) put(page);
  };
  const look = async () => {
    asked = query();
    const mine = (turn += 1);
    const nothing = !Object.keys(asked).length;
    const page = nothing ? { messages: [], has_more: false } : await read({});
    if (!page || mine !== turn) return;
    list.replaceChildren();
    put(page);
    const count = page.has_more ? "The newest hits" : page.messages.length === 1 ? "1 hit" : `${page.messages.length} hits`;
    state.textContent = nothing ? "Type words, or choose a filter." : page.messages.length ? count : "Nothing was found.";
  };
  const soon = afterPause(WAIT, look);
  words.addEventListener("input", soon);
  since.addEventListener("change", look);
  root.addEventListener("chosen", look);
  const leave = h(
    "button.icon-button",
    { type: "button", "aria-label": "Close the search", on: { click: () => app.showPanel("members") } },
    icon("close"),
  );
  const boxes = Object.values(filters).map(({ box }) => box);
  root.replaceChildren(
    h("header.found-head", {}, h("h2", {}, "Search"), leave),
    h("div.found-form", { role: "search" }, words, ...boxes, h("label.since", {}, "Since", since)),
    state,
    list,
    more,
  );
  app.on("panel", (panel) => {
    if (panel !== "search") return;
    look();
    requestAnimationFrame(() => words.focus());
  });
}
