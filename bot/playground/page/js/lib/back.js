/**
 * The browser's Back on narrow screens: first it puts away what covers the chat, then it leaves the page.
 *
 * One entry of the history stands for all that is open. It stays when things are closed in another way, and a Back that
 * finds nothing open goes on by itself, so that nobody presses twice.
 */

const COVERING = matchMedia("(max-width: 1180px)");
const open = [];
let guarded = Boolean(history.state?.covered);

function guard() {
  if (guarded) return;
  guarded = true;
  history.pushState({ covered: true }, "");
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

addEventListener("popstate", () => {
  const left = guarded;
  guarded = Boolean(history.state?.covered);
  if (!left || guarded || location.hash) return; // forward, or a link within the page
  const close = open.pop();
  if (!close) {
    history.back();
    return;
  }
  close();
  if (open.length) guard();
});
