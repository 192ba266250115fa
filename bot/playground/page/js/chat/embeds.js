/** Embeds: the cards bots post. */

import { shortTime } from "../lib/clock.js";
import { h } from "../lib/dom.js";
import { markdown } from "../text/blocks.js";
import { inline } from "../text/inline.js";
import { isForeign, localUrl, picture } from "./attachments.js";

function colourOf(embed) {
  return embed.color ? { "--accent-bar": `#${embed.color.toString(16).padStart(6, "0")}` } : {};
}

function mediaUrl(message, media) {
  const name = media.url?.match(/^attachment:\/\/(.+)$/)?.[1];
  const own = (message.attachments ?? []).find((one) => one.filename === name);
  return localUrl(own?.url ?? media.url);
}

function linked(url, inner) {
  return url ? h("a.link", { href: url, target: "_blank", rel: "noopener noreferrer" }, inner) : inner;
}

function small(message, source) {
  const src = mediaUrl(message, { url: source ?? "" });
  return src && !isForeign(src) ? h("img.embed-icon", { src, alt: "", width: 20, height: 20 }) : null;
}

function authorOf(message, { author }) {
  if (!author?.name) return null;
  return h("div.embed-author", {}, small(message, author.icon_url), linked(author.url, author.name));
}

function fieldOf(app, field) {
  const kind = field.inline ? ".inline" : "";
  return h(
    `div.embed-field${kind}`,
    {},
    h("div.embed-field-name", {}, inline(app, field.name)),
    markdown(app, field.value),
  );
}

function footerOf(message, embed) {
  const words = [embed.footer?.text, embed.timestamp ? shortTime(embed.timestamp) : null].filter(Boolean);
  if (!words.length) return null;
  return h("div.embed-footer", {}, small(message, embed.footer?.icon_url), words.join(" · "));
}

function embedOf(app, message, embed) {
  const { image, thumbnail } = embed;
  const fields = (embed.fields ?? []).map((field) => fieldOf(app, field));
  const words = [
    authorOf(message, embed),
    embed.title ? h("div.embed-title", {}, linked(embed.url, inline(app, embed.title))) : null,
    embed.description ? markdown(app, embed.description) : null,
    fields.length ? h("div.embed-fields", {}, fields) : null,
  ];
  return h(
    "div.embed",
    { style: colourOf(embed) },
    h(
      "div.embed-main",
      {},
      h("div.embed-words", {}, words),
      thumbnail
        ? h("div.thumbnail", {}, picture(app, { ...thumbnail, url: mediaUrl(message, thumbnail) }))
        : null,
    ),
    image ? picture(app, { ...image, url: mediaUrl(message, image) }) : null,
    footerOf(message, embed),
  );
}

/** All embeds of a message. */
export function embedsOf(app, message) {
  return h(
    "div.embeds",
    {},
    message.embeds.map((embed) => embedOf(app, message, embed)),
  );
}
