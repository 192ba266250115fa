/** Components v2: containers, sections, texts, pictures, files, separators. */

import { h } from "../lib/dom.js";
import { markdown } from "../text/blocks.js";
import { fileCard, localUrl, picture } from "./attachments.js";

/** The file behind a media item; `attachment://name` names one of the message's own. */
function mediaOf(message, media) {
  const name = media.url?.match(/^attachment:\/\/(.+)$/)?.[1];
  const own = (message.attachments ?? []).find(
    (one) => one.filename === name || one.id === media.attachment_id,
  );
  return {
    ...media,
    url: localUrl(own?.url ?? media.url),
    filename: own?.filename ?? media.name,
    size: own?.size ?? media.size,
  };
}

function text({ app }, part) {
  return markdown(app, part.content);
}

function thumbnail({ app, message }, part) {
  return h(
    "div.thumbnail",
    {},
    picture(app, { ...mediaOf(message, part.media), description: part.description, spoiler: part.spoiler }),
  );
}

function section(context, part, component) {
  const texts = part.components.map((one) => component(context, one));
  const side = part.accessory ? component(context, part.accessory) : null;
  return h("div.section", {}, h("div.section-text", {}, texts), h("div.section-side", {}, side));
}

function gallery({ app, message }, part) {
  const items = (part.items ?? []).map((item) =>
    picture(app, { ...mediaOf(message, item.media), description: item.description, spoiler: item.spoiler }),
  );
  return h("div.gallery", { data: { count: Math.min(items.length, 3) } }, items);
}

function file({ app, message }, part) {
  const media = mediaOf(message, part.file);
  return fileCard(app, {
    ...media,
    filename: media.filename ?? part.name ?? "file",
    size: media.size ?? part.size,
  });
}

function separator(context, part) {
  const kind = part.divider === false ? "space" : "line";
  return h("div.separator", {
    role: part.divider === false ? null : "separator",
    data: { kind, spacing: part.spacing ?? 1 },
  });
}

function container(context, part, component) {
  const colour = part.accent_color;
  const accent =
    colour === null || colour === undefined
      ? {}
      : { "--accent-bar": `#${colour.toString(16).padStart(6, "0")}` };
  const parts = part.components.map((one) => component(context, one));
  if (!part.spoiler) return h("div.container", { style: accent }, parts);
  const summary = h("summary", {}, "Spoiler");
  return h("div.container", { style: accent }, h("details", {}, summary, parts));
}

export const LAYOUTS = {
  9: section,
  10: text,
  11: thumbnail,
  12: gallery,
  13: file,
  14: separator,
  17: container,
};
