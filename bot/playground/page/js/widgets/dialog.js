/** Dialogs: the browser's own, which keep the focus and close with Escape. */

import { covered } from "../lib/back.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

let count = 0;

/** Chromium gives a box the focus back without a place for letters: what is typed into it then vanishes. */
function focusAnew(element) {
  element.blur();
  element.focus({ preventScroll: true });
}

/** Open a dialog; `build(close)` gives its content. It is gone from the page once closed. */
export function openDialog(title, build, { kind = "", onClose = null, note = null } = {}) {
  const id = `dialog-${(count += 1)}`;
  const dialog = h("dialog.dialog", { "aria-labelledby": id });
  if (kind) dialog.classList.add(kind);
  const before = document.activeElement;
  const close = () => dialog.close();
  const leave = h(
    "button.icon-button",
    { type: "button", "aria-label": "Close", on: { click: close } },
    icon("close"),
  );
  const head = h("header.dialog-head", {}, h("h2", { id }, title), leave);
  dialog.append(head, note ?? "", build(close), h("div.toasts", { "aria-live": "polite" }));
  const uncover = covered(close);
  dialog.addEventListener("close", () => {
    uncover();
    dialog.remove();
    if (document.activeElement === before) focusAnew(before);
    onClose?.();
  });
  // what was written into a form is not lost to a slip of the hand
  if (kind !== "form")
    dialog.addEventListener("pointerdown", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector("[autofocus]") ?? dialog.querySelector("input, textarea, select"))?.focus();
  return dialog;
}

/** Ask before something is done that cannot be undone. Resolves to true or false. */
export function confirmed(title, body, { yes = "Yes", danger = true } = {}) {
  return new Promise((resolve) => {
    let answer = false;
    const build = (close) => {
      const agree = () => {
        answer = true;
        close();
      };
      const no = h("button.button", { type: "button", on: { click: close } }, "Cancel");
      const kind = danger ? "danger" : "primary";
      const ok = h(`button.button.${kind}`, { type: "button", autofocus: true, on: { click: agree } }, yes);
      return h("div.dialog-body", {}, body, h("div.dialog-actions", {}, no, ok));
    };
    openDialog(title, build, { kind: "small", onClose: () => resolve(answer) });
  });
}
