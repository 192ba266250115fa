/** The list of keys. */

import { h } from "../lib/dom.js";
import { openDialog } from "../widgets/dialog.js";

const KEYS = {
  Anywhere: {
    "Ctrl K": "Go to a channel, an agent or a person",
    "Ctrl Shift F": "Search messages",
    "Alt ↑ / Alt ↓": "The channel above or below",
    "Alt Shift ↑ / ↓": "The unread channel above or below",
    "Ctrl /": "This list",
    Escape: "Close what is open",
  },
  Writing: {
    Enter: "Send",
    "Shift Enter": "A new line",
    "↑ in an empty box": "Change what you said last",
    "/": "Commands",
    "@ # :": "People and agents, channels, emoji",
  },
  "On a message (Shift Tab from the box)": {
    "↑ ↓ Home End": "From message to message",
    "Tab, then ← →": "What can be pressed in it",
    Enter: "Its menu",
    "R E +": "Reply, edit, react",
    Delete: "Delete it",
  },
};

/** Show the list; a Mac has ⌘ for Ctrl. */
export function openShortcuts() {
  if (document.querySelector("dialog[open]")) return;
  const mac = /Mac|iPhone|iPad/.test(navigator.platform);
  const keys = (text) => h("kbd", {}, mac ? text.replace("Ctrl", "⌘").replace("Alt", "⌥") : text);
  const group = ([title, list]) =>
    h(
      "section",
      {},
      h("h3", {}, title),
      h("dl.keys", {}, Object.entries(list).map(([key, words]) => [h("dt", {}, keys(key)), h("dd", {}, words)])),
    );
  openDialog("Keys", () => h("div.dialog-body", {}, Object.entries(KEYS).map(group)));
}
