/** Reactions under a message. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { spokenEmoji } from "../text/emoji.js";
import { emojiRoute, openEmojiPicker } from "../widgets/emoji_picker.js";
import { orSay } from "../widgets/toast.js";

/** Add this person's reaction, or take it back. */
export function toggleReaction(app, message, emoji, on) {
  const path = `/channels/${message.channel_id}/messages/${message.id}/reactions/${emojiRoute(emoji)}/@me`;
  return orSay(() => (on ? app.api.put(path) : app.api.delete(path)));
}

/** Let this person choose a reaction. */
export function pickReaction(app, message, anchor) {
  openEmojiPicker(app.world, anchor, (emoji) => toggleReaction(app, message, emoji, true));
}

async function nameReactors(app, message, reaction, chip) {
  if (chip.dataset.named) return;
  chip.dataset.named = "yes";
  const path = `/channels/${message.channel_id}/messages/${message.id}/reactions/${emojiRoute(reaction.emoji)}`;
  const users = await orSay(() => app.api.get(path, { limit: 20 }));
  const names = (users ?? []).map((user) => app.world.nameOf(user));
  chip.title = `${spokenEmoji(reaction.emoji.name)}: ${names.join(", ")}`;
}

function chipOf(app, message, reaction) {
  const { emoji, count, me } = reaction;
  const name = spokenEmoji(emoji.name);
  const chip = h(
    "button.reaction",
    {
      type: "button",
      "aria-pressed": String(Boolean(me)),
      "aria-label": `${name}, ${count}`,
      data: { key: `reaction-${name}` },
      on: {
        click: () => toggleReaction(app, message, emoji, !me),
        mouseenter: () => nameReactors(app, message, reaction, chip),
      },
    },
    h("span.reaction-emoji", {}, emoji.id ? `:${emoji.name}:` : emoji.name),
    h("span.reaction-count", {}, count),
  );
  return chip;
}

/** What thumbs changed: "4.7 s → 4.2 s". */
function paceOf(app, message) {
  const pace = app.paces.of(message.id);
  if (!pace) return null;
  const [from, to] = [pace.from, pace.to].map((seconds) => `${Number(seconds).toFixed(1)} s`);
  const word = pace.to < pace.from ? "faster" : "slower";
  const title = `${message.author.username} is ${word} now: it looks every ${to}, before it was every ${from}.`;
  return h("span.pace", { title, role: "note", "aria-label": title }, icon("pulse", 14), `${from} → ${to}`);
}

/** The row of reactions, with a button to add another. */
export function reactionsOf(app, message) {
  const add = h(
    "button.reaction.add",
    {
      type: "button",
      "aria-label": "Add a reaction",
      title: "Add a reaction",
      data: { key: "reaction-add" },
    },
    icon("smile", 16),
  );
  add.addEventListener("click", () => pickReaction(app, message, add));
  return h(
    "div.reactions",
    {},
    message.reactions.map((one) => chipOf(app, message, one)),
    add,
    paceOf(app, message),
  );
}
