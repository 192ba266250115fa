/** Short notes where one looks: above the box, or in the dialog that is open. They push up what they would cover. */

import { find, findAll, h } from "../lib/dom.js";

const STAYS = 6000;

/** Show a sentence for a few seconds; `kind` is "info" or "error". */
export function toast(text, kind = "info") {
  for (const same of findAll(".toast")) if (same.textContent === text) same.remove();
  const note = h(`div.toast.${kind}`, { role: kind === "error" ? "alert" : "status" }, text);
  const places = findAll("dialog[open] .toasts");
  (places.at(-1) ?? find(".chat .toasts")).append(note);
  setTimeout(() => note.remove(), STAYS);
}

/** Run something that may be refused, and say why in a note. Gives undefined when it was. */
export async function orSay(work) {
  try {
    return await work();
  } catch (error) {
    toast(error.message, "error");
    return undefined;
  }
}

/** Copy a text, and say so. */
export async function copyText(text, what = "Text") {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast("The browser did not let the page copy.", "error");
  }
}
