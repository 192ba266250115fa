/** The pinned messages of a channel. */

import { shortTime } from "../lib/clock.js";
import { h } from "../lib/dom.js";
import { markdown } from "../text/blocks.js";
import { avatar } from "../widgets/avatar.js";
import { closePopover, openPopover } from "../widgets/popover.js";
import { orSay } from "../widgets/toast.js";
import { authorName } from "./message.js";

function wordsOf(app, message) {
  if (message.content) return markdown(app, message.content);
  const title = message.embeds?.[0]?.title ?? message.embeds?.[0]?.description;
  return h("p.quiet", {}, title ?? (message.attachments?.length ? "an attachment" : "a card"));
}

/** A message out of its place, with a button that leads there; `channel` is named when it is given. */
export function foundRow(app, message, jump, channel = null) {
  const name = authorName(app, message);
  const place = channel && ` in ${channel.guild_id ? "#" : ""}${app.world.channelName(channel)}`;
  const head = h(
    "header",
    {},
    avatar(message.author, name, 24),
    h("strong", {}, name),
    place ? h("span.place", {}, place) : null,
    h("time", {}, shortTime(message.timestamp)),
  );
  return h(
    "article.pin-row",
    {},
    head,
    wordsOf(app, message),
    h("button.button.small", { type: "button", "aria-label": `Jump to the message by ${name}`, on: { click: jump } }, "Jump"),
  );
}

/** Show the pinned messages beside their button. */
export async function openPins(app, channelId, anchor) {
  const page = await orSay(() => app.api.get(`/channels/${channelId}/messages/pins`));
  const jump = (message) => {
    closePopover();
    app.open(message.channel_id, message.id);
  };
  const messages = (page?.items ?? []).map((item) => item.message);
  const rows = messages.length
    ? messages.map((one) => foundRow(app, one, () => jump(one)))
    : h("p.quiet", {}, "Nothing is pinned here yet.");
  const head = h("header.popover-head", {}, h("h3", {}, "Pinned messages"));
  openPopover(anchor, [head, h("div.popover-body", {}, rows)], {
    label: "Pinned messages",
    kind: "list-popover",
    side: "end",
  });
}
