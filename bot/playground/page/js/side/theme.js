/** Light, dark, or as the system says. */

import { icon } from "../lib/icons.js";
import { kept } from "../lib/keep.js";

const ORDER = ["auto", "light", "dark"];
const ICONS = { auto: "contrast", light: "sun", dark: "moon" };
const NAMES = { auto: "as the system", light: "light", dark: "dark" };

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** A button that goes through the three. */
export function mountTheme(button) {
  const show = (theme) => {
    apply(theme);
    button.replaceChildren(icon(ICONS[theme]));
    button.title = `Colours: ${NAMES[theme]}`;
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const next = ORDER[(ORDER.indexOf(kept.get("theme", "auto")) + 1) % ORDER.length];
    kept.set("theme", next);
    show(next);
  });
  show(kept.get("theme", "auto"));
}
