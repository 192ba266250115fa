/** The console: lets itself in, and shows the page that the address names. */

import { fill, find, findAll, h } from "/shared/js/lib/dom.js";
import { keepRelativeTimes } from "/shared/js/lib/clock.js";
import { Refused } from "/shared/js/lib/stream.js";
import { mountTheme } from "/shared/js/side/theme.js";
import { toast } from "/shared/js/widgets/toast.js";
import { agentPage } from "./agent.js";
import { beatPage, hudPage } from "./beat.js";
import { Live } from "./live.js";
import { overview } from "./overview.js";
import { beatAddress } from "./parts.js";
import { line, room } from "./room.js";
import { Ended, ask, enter, leave } from "./session.js";
import { language, t } from "/shared/js/lib/words.js";

const view = find("#view");
const live = new Live({
  show: (quietly) => show(quietly),
  refused: (sentence) => over(sentence),
  get address() {
    return shown;
  },
});
let shown = "";
let asking = 0; // numbers each reading of a page, for they do not end in the order in which they began
let drawn = 0;
let leaving = null; // what is done when one goes from the page that is shown

const PAGES = [
  [/^#\/(?:\?|$)/, async (found, query, quietly) => atAGlance(await ask("/overview"), quietly)],
  [/^#\/rooms\/(\d+)\/settings/, async ([, id]) =>
    (await import("./settings.js")).settingsPage(await ask(`/rooms/${id}/settings`), show)],
  [/^#\/rooms\/(\d+)\/search/, async ([, id], query) => {
    const { foundPage } = await import("./settings.js");
    return foundPage(await ask(`/rooms/${id}/search${asked(query)}`), id, query.get("words") ?? "", line);
  }],
  [/^#\/rooms\/(\d+)/, async ([, id], query) => room(await ask(`/rooms/${id}${asked(query)}`), Number(query.get("at")))],
  [/^#\/agents\/(\d+)\/beats\/(\d+)/, async ([, agent, beat], query) => {
    const message = query.get("message");
    return beatPage(await ask(`/agents/${agent}/beats/${beat}`), message && (await ask(`/messages/${message}`)));
  }],
  [/^#\/runs\/new$/, async () => (await import("./wizard.js")).wizard(await ask("/runs/setup"))],
  [/^#\/runs\/(\d+)/, async ([, id], query) => {
    const told = await ask(`/runs/${id}`);
    const { runPage, shownAt } = await import("./run.js");
    const at = shownAt(told, query);
    const from = query.get("from");
    return runPage(told, await ask(`/runs/${id}/snapshots/${at}${from === null ? "" : `?from=${from}`}`), show);
  }],
  [/^#\/runs$/, async () => (await import("./runs.js")).runs(await ask("/runs"), show)],
  [/^#\/trees\/(\d+)/, async ([, id], query) => {
    const [told, { agents }] = [await ask(`/trees/${id}`), await ask("/overview")];
    return (await import("./trees.js")).treePage(told, Number(query.get("at")), agents);
  }],
  [/^#\/trees$/, async () => (await import("./trees.js")).trees(await ask("/trees"))],
  [/^#\/agents\/(\d+)\/hud/, async ([, id], query) => hudPage(await ask(`/agents/${id}/hud${asked(query)}`))],
  [/^#\/agents\/(\d+)/, async ([, id], query) =>
    agentPage(await ask(`/agents/${id}`), await ask(`/agents/${id}/beats${asked(query)}`), query.get("before"), show)],
];

function asked(query) {
  return query.size ? `?${query}` : "";
}

function atAGlance(told, quietly) {
  find(".server").textContent = told.server || "Selfroom";
  live.know(told);
  return overview(told, quietly);
}

async function content(address, quietly) {
  const query = new URLSearchParams(address.split("?")[1] ?? "");
  for (const [pattern, page] of PAGES) {
    const found = pattern.exec(address);
    if (found) return page(found, query, quietly);
  }
  throw new Refused(t("There is no such page: go back to the overview."));
}

function over(sentence) {
  live.end();
  leaving?.();
  leaving = null;
  document.body.dataset.ended = "true";
  fill(view, h("h1", {}, t("Nothing is shown here")), h("p", { role: "alert" }, sentence));
}

/** Show what the address names; `quietly`: the same page once more, where one is. */
export async function show(quietly = false) {
  const address = location.hash || "#/";
  const mine = ++asking;
  shown = address;
  try {
    const page = await content(address, quietly);
    const { nodes = page, open = null, close = null } = page;
    if (shown !== address || mine < drawn) return; // somebody went on meanwhile, or it was read anew
    drawn = mine;
    const at = view.scrollTop;
    const focused = quietly && view.contains(document.activeElement) ? named(document.activeElement) : null;
    leaving?.();
    leaving = close;
    fill(view, nodes);
    open?.();
    live.draw();
    if (focused) find(focused, view)?.focus({ preventScroll: true });
    document.title = `${find("h1", view)?.textContent ?? t("Console")} · Selfroom`;
    if (quietly) view.scrollTop = at;
    else land();
  } catch (error) {
    if (error instanceof Ended) over(error.message);
    else if (!quietly) fill(view, h("h1", {}, t("That cannot be shown")), h("p", { role: "alert" }, error.message));
  }
}

/** By what a link, or a field, is found again once the page was drawn anew; null for anything else. */
function named(node) {
  const [name, value] = ["href", "name"].map((one) => [one, node.getAttribute(one)]).find((one) => one[1]) ?? [];
  return name ? `[${name}="${CSS.escape(value)}"]` : null;
}

/** Go to the top of a new page, or to the message that was looked for; who hears it read begins there. */
function land() {
  const marked = find(".marked", view);
  view.focus({ preventScroll: true });
  view.scrollTop = 0;
  marked?.scrollIntoView({ block: "center" });
}

async function look(text) {
  const number = text.trim().match(/(\d+)\/?$/)?.[1];
  if (!number) throw new Refused(t("Paste a message's link, or its number."));
  const message = await ask(`/messages/${number}`);
  location.hash = message.beat ? beatAddress(message.beat, message.id) : `#/rooms/${message.room}?at=${message.id}`;
}

find(".finder").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await look(event.target.elements.what.value);
  } catch (error) {
    if (error instanceof Ended) over(error.message);
    else toast(error.message, "error");
  }
});
find(".leave").addEventListener("click", async () => {
  await leave();
  over(t("You have left. Use /console open in your server to come back."));
});
for (const node of findAll("[data-say]")) {
  if (node.placeholder) {
    node.placeholder = t(node.placeholder);
    node.setAttribute("aria-label", node.placeholder);
  } else node.textContent = t(node.textContent);
}
document.documentElement.lang = language.replace("_", "-");
mountTheme(find(".theme"));
keepRelativeTimes();
window.addEventListener("hashchange", () => begin());

async function begin() {
  try {
    await enter();
  } catch (error) {
    over(error.message);
    return;
  }
  delete document.body.dataset.ended;
  await show();
  if (!document.body.dataset.ended && shown !== "#/") ask("/overview").then((told) => live.know(told), () => {});
}

begin();
