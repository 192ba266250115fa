/** Code with colours, where its language is known, and a button that copies it. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { copyText } from "../widgets/toast.js";

const LONGEST = 4000;
const REMEMBERED = 200;
const known = new Map();

/** The pieces of some code, each with its kind of word; asked for once. */
function piecesOf(app, language, code) {
  const key = `${language} ${code}`;
  if (!known.has(key)) known.set(key, app.api.own("POST", "/colours", { body: { language, code } }));
  if (known.size > REMEMBERED) known.delete(known.keys().next().value);
  return known.get(key);
}

async function colour(app, language, code, element) {
  try {
    const pieces = await piecesOf(app, language, code);
    element.replaceChildren(...pieces.map(([kind, text]) => (kind ? h(`span.code-${kind}`, {}, text) : text)));
  } catch {
    // without colours it reads as well
  }
}

/** A block of code, as long as it is. */
export function codeBlock(app, language, code) {
  const words = h("code", {}, code);
  if (language && code.length <= LONGEST) colour(app, language, code, words);
  const copy = h(
    "button.code-copy",
    { type: "button", "aria-label": "Copy the code", on: { click: () => copyText(code, "Code") } },
    icon("copy", 14),
    "Copy",
  );
  const head = h("div.code-head", {}, h("span", {}, language ?? ""), copy);
  return h("div.fence", {}, head, h("pre", {}, words));
}
