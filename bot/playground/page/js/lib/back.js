/**
 * The browser's Back: on narrow screens it first puts away what covers the chat; then it goes to the place before, and
 * from the first one it leaves the page.
 *
 * Each place that is opened is an entry of the history. One more entry stands for all that is open above it; it stays
 * when things are closed in another way, and a Back that finds nothing open goes on by itself, so that nobody presses
 * twice.
 */

const COVERING = matchMedia("(max-width: 1180px)");
const open = [];
let guarded = Boolean(history.state?.covered);
let onReturn = () => {};

function guard() {
  if (guarded) return;
  guarded = true;
  history.pushState({ ...history.state, covered: true }, "");
}

/** Let Back call `close`; gives what to call once it is closed in any way. */
export function covered(close) {
  if (!COVERING.matches) return () => {};
  open.push(close);
  guard();
  return () => {
    const at = open.indexOf(close);
    if (at >= 0) open.splice(at, 1);
  };
}

/** A place is shown now: Back leads from it to the one before. */
export function arrivedAt(place) {
  const state = history.state;
  if (state?.place === place) return;
  if (guarded || !state?.place) history.replaceState({ place }, "");
  else history.pushState({ place }, "");
  guarded = false;
  if (open.length) guard();
}

/** Let Back and Forward call `goTo` with a place; it gives whether the place is there still, else they go on. */
export function returnsTo(goTo) {
  onReturn = goTo;
}

addEventListener("popstate", () => {
  if (location.hash) return; // a link within the page
  const left = guarded;
  guarded = Boolean(history.state?.covered);
  if (left && !guarded) {
    const close = open.pop();
    close?.();
    if (!close) history.back();
    else if (open.length) guard();
    return;
  }
  if (history.state?.place && !onReturn(history.state.place)) history.back();
});
