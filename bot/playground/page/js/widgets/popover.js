/** A panel that floats beside what opened it, and goes with Escape, a click elsewhere, or when it is done. */

import { covered } from "../lib/back.js";
import { focusable, h } from "../lib/dom.js";

const EDGE = 8;
let current = null;

function clamp(value, low, high) {
  return Math.max(low, Math.min(value, high));
}

/** The rectangle to stand beside: an element's, or a point's. */
function rectOf(anchor) {
  if (anchor instanceof Element) return anchor.getBoundingClientRect();
  return { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y, width: 0, height: 0 };
}

function place(panel, anchor, side) {
  const rect = rectOf(anchor);
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = rect.bottom + 6;
  const above = rect.top - height - 6;
  const wantsAbove = side === "above" ? above >= EDGE : below + height > innerHeight - EDGE && above >= EDGE;
  const left = side === "end" || side === "above-end" ? rect.right - width : rect.left;
  panel.style.left = `${clamp(left, EDGE, Math.max(EDGE, innerWidth - width - EDGE))}px`;
  panel.style.top = `${clamp(wantsAbove ? above : below, EDGE, Math.max(EDGE, innerHeight - height - EDGE))}px`;
}

/** Close the popover that is open, if any. */
export function closePopover() {
  current?.close();
}

/** Tab goes round in a panel; where only arrows lead through it, Tab leaves it for what comes after its opener. */
function keepInside(event, panel, close) {
  if (event.key !== "Tab") return;
  const stops = focusable(panel);
  if (!stops.length) {
    close();
    return;
  }
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  if (document.activeElement !== edge) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0]).focus();
}

/** Open one; resolves the panel's `close()`. Only one is open at a time. */
export function openPopover(anchor, content, { label, side = "below", kind = "", onClose = null } = {}) {
  closePopover();
  const before = document.activeElement;
  const panel = h("div.popover", { role: "dialog", "aria-label": label, tabindex: -1 }, content);
  if (kind) panel.classList.add(kind);
  const outside = (event) => panel.contains(event.target) || close(false);
  const keys = (event) => {
    if (event.key !== "Escape") return keepInside(event, panel, close);
    event.stopPropagation();
    event.preventDefault();
    return close();
  };
  const again = () => place(panel, anchor, side);
  const close = (restore = true) => {
    if (current?.panel !== panel) return;
    current = null;
    uncover();
    document.removeEventListener("pointerdown", outside, true);
    removeEventListener("resize", again);
    panel.remove();
    onClose?.();
    if (restore && before?.isConnected) before.focus();
  };
  const uncover = covered(close);
  const host = (anchor instanceof Element && anchor.closest("dialog")) || document.body;
  host.append(panel);
  current = { panel, close };
  again();
  document.addEventListener("pointerdown", outside, true);
  addEventListener("resize", again);
  panel.addEventListener("keydown", keys);
  (panel.querySelector("[autofocus]") ?? focusable(panel)[0] ?? panel).focus();
  return { panel, close, again };
}
