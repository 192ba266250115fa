/** Go to a channel, an agent's room or a person by a few letters of their name. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { people } from "../chat/entities.js";
import { asCombobox, Suggestions } from "../compose/suggestions.js";
import { best } from "../compose/triggers.js";
import { openDialog } from "../widgets/dialog.js";
import { writeTo } from "./user_menu.js";

const MOST = 12;

function placeOf(app, channel) {
  const agent = app.agents.inChannel(channel.id);
  if (agent) return `${agent.name} lives here`;
  return app.world.guilds.get(channel.guild_id)?.name ?? "Direct message";
}

function channelItems(app) {
  const { world, unread } = app;
  const seen = [...world.channels.values()].filter((one) => world.isTalk(one) || world.isForum(one));
  const here = seen.filter((one) => world.sees(one) && !one.thread_metadata?.archived);
  const when = (one) => Number(unread.calls(one));
  return here
    .sort((a, b) => when(b) - when(a) || world.channelName(a).localeCompare(world.channelName(b)))
    .map((one) => ({
      label: world.channelName(one),
      detail: placeOf(app, one),
      side: unread.calls(one) ? "unread" : "",
      lead: icon(world.isThread(one) ? "thread" : one.guild_id ? "hash" : "at", 18),
      go: () => app.open(one.id),
    }));
}

function personItems(app) {
  const others = people(app.world).filter((one) => one.value !== app.world.me.id);
  return others.map((one) => ({ ...one, go: () => writeTo(app, app.world.user(one.value)) }));
}

/** Ask where to go. */
export function openFinder(app) {
  if (document.querySelector("dialog[open]")) return;
  const build = (close) => {
    const found = h("div.suggestions");
    const input = h("input.field", { type: "text", placeholder: "A channel, an agent, a person", autofocus: true });
    input.setAttribute("aria-label", "Where to go");
    const suggestions = new Suggestions(found);
    asCombobox(input, suggestions);
    const all = [...channelItems(app), ...personItems(app)];
    const show = () => {
      const items = best(all, input.value.trim(), (one) => `${one.label} ${one.detail}`, MOST).map((one) => ({
        ...one,
        pick: () => {
          close();
          one.go();
        },
      }));
      suggestions.show(input, items, { title: items.length ? "" : "Nothing has that name." });
    };
    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => event.key !== "Escape" && suggestions.keys(event));
    show();
    return h("div.dialog-body.finder", {}, input, found);
  };
  openDialog("Go to", build, { kind: "small" });
}
