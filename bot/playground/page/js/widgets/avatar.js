/** Pictures of people and agents; without a picture, the initial on a colour of their own. */

import { h } from "../lib/dom.js";

/** A hue for a name, the same everywhere. */
function hueOf(text) {
  let sum = 7;
  for (const char of text) sum = (sum * 31 + char.codePointAt(0)) % 3600;
  return sum % 360;
}

function drawn(name) {
  const initial = [...name.trim()][0]?.toUpperCase() ?? "?";
  return h("span.initial", { style: { "--hue": hueOf(name) } }, initial);
}

/** The address of a user's picture on this server's CDN, or null. */
export function pictureOf(user) {
  return user?.avatar ? `/cdn/avatars/${user.id}/${user.avatar}.png` : null;
}

/** A picture with a name's initial as its stand-in. `round` for people, squared for bots and agents. */
export function avatar(user, name, size = 40) {
  const shape = user?.bot ? ".squared" : ".round";
  const holder = h(`span.avatar${shape}`, { "aria-hidden": "true", style: { "--size": `${size}px` } });
  const picture = pictureOf(user);
  if (!picture) holder.append(drawn(name));
  else {
    const image = h("img", { src: picture, alt: "", loading: "lazy", width: size, height: size });
    image.addEventListener("error", () => image.replaceWith(drawn(name)));
    holder.append(image);
  }
  return holder;
}
