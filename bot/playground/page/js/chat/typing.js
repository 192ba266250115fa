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

/** Keep the line up to date for the channel that is open. */
export function mountTyping(app, line) {
  const show = () => {
    const ids = app.channelId ? app.world.typingIn(app.channelId) : [];
    const names = ids.map((id) => app.world.nameOf(app.world.user(id)));
    line.replaceChildren();
    if (names.length) add(line, [h("span.dots", {}, h("i"), h("i"), h("i")), h("span", {}, words(names))]);
  };
  app.world.on("typing", show);
  app.on("open", show);
}
