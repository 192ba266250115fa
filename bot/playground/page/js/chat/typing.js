/** The line that tells who is typing. */

import { add, h } from "../lib/dom.js";

const MOST = 3;

function words(names) {
  if (names.length > MOST) return [h("strong", {}, "Several people"), " are typing …"];
  const parts = names.flatMap((name, index) => [
    index === 0 ? null : index === names.length - 1 ? " and " : ", ",
    h("strong", {}, name),
  ]);
  return [parts, names.length === 1 ? " is typing …" : " are typing …"];
}

/** A bot types for its agents: those that are at it in this room, or else the one that lives here. */
function namesOf(app, id) {
  const user = app.world.user(id);
  const busy = app.agents.list.filter((agent) => ["thinking", "typing"].includes(agent.doing?.[app.channelId]));
  const resident = app.agents.inChannel(app.channelId);
  if (!user?.bot || !resident) return [app.world.nameOf(user)];
  return (busy.length ? busy : [resident]).map((agent) => agent.name);
}

function way(app, id) {
  const name = `#${app.world.channelName(app.world.channels.get(id))}`;
  return h("button.mention.place", { type: "button", on: { click: () => app.open(id) } }, name);
}

/** What there is to say where no agent hears: where they live, as far as one sees it. */
function whereTheyAre(app) {
  const channel = app.world.channels.get(app.channelId);
  if (!channel?.guild_id) return null;
  if (app.tree) return h("span.quiet", {}, "No agent hears this thread: ask one in a node of the tree, with Ask …");
  if (app.agents.hearing(app.world.roomOf(app.channelId)).length) return null;
  const homes = app.agents.list.filter((agent) => app.world.channels.has(agent.channel_id) && agent.state !== "retired");
  if (!homes.length) return null;
  const named = homes.slice(0, MOST).flatMap((agent, index) => [index ? ", " : null, way(app, agent.channel_id)]);
  const more = homes.length > MOST ? ` and ${homes.length - MOST} more` : "";
  return h("span.quiet", {}, "No agent hears this channel. Talk to them in ", named, `${more}.`);
}

/** Keep the line up to date for the channel that is open. */
export function mountTyping(app, line) {
  const show = () => {
    const ids = app.channelId ? app.world.typingIn(app.channelId) : [];
    const names = [...new Set(ids.flatMap((id) => namesOf(app, id)))];
    const quiet = names.length ? null : whereTheyAre(app);
    if (quiet && line.textContent === quiet.textContent) return;
    line.replaceChildren();
    if (quiet) add(line, [quiet]);
    if (names.length) add(line, [h("span.dots", {}, h("i"), h("i"), h("i")), h("span", {}, words(names))]);
  };
  app.world.on("typing", show);
  app.agents.on("change", show);
  app.on("open", show);
  app.on("tree", show);
}
