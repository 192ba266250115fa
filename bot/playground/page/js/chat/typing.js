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

/** Keep the line up to date for the channel that is open. */
export function mountTyping(app, line) {
  const show = () => {
    const ids = app.channelId ? app.world.typingIn(app.channelId) : [];
    const names = [...new Set(ids.flatMap((id) => namesOf(app, id)))];
    line.replaceChildren();
    if (names.length) add(line, [h("span.dots", {}, h("i"), h("i"), h("i")), h("span", {}, words(names))]);
  };
  app.world.on("typing", show);
  app.agents.on("change", show);
  app.on("open", show);
}
