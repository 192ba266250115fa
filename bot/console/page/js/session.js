/** The session: begun with what a link holds, shown with each request, ended when the server says so. */

import { Refused } from "/shared/js/lib/stream.js";
import { t } from "/shared/js/lib/words.js";

const KEPT = "console.proof";
const BASE = "/api/v1";
export const NO_SESSION = t("Use /console open in your server: it gives you a link that opens this page once.");

/** The session has ended, or there was none: nothing more is shown. */
export class Ended extends Error {}

function proof() {
  return localStorage.getItem(KEPT) ?? "";
}

/** What every request says beside the cookie, which no other page can. */
export function headers() {
  return { "X-Console-Proof": proof() };
}

/** Begin a session with the link by which the page was opened, if it was; throws Ended where that opens nothing. */
export async function enter() {
  const found = /^#enter=([\w-]+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", "#/"); // neither the history nor a bookmark keeps it
  const answer = await fetch(`${BASE}/session`, { method: "POST", body: JSON.stringify({ token: found[1] }) });
  const told = await answer.json();
  if (!answer.ok) throw new Ended(told.detail);
  localStorage.setItem(KEPT, told.proof);
}

async function answered(path, asked = {}) {
  if (!proof()) throw new Ended(NO_SESSION);
  const answer = await fetch(BASE + path, { cache: "no-store", headers: headers(), ...asked });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  if (answer.status === 401) throw new Ended(told?.detail ?? NO_SESSION);
  throw new Refused(told?.detail ?? t("The bot answered {status}.", { status: answer.status }));
}

/** Read something; throws Ended without a session, Refused with the server's sentence. */
export async function ask(path) {
  return (await answered(path)).json();
}

/** Change something; `body`: what is said, as JSON, or a file. */
export async function change(method, path, body = null) {
  const said = body === null || body instanceof Blob ? body : JSON.stringify(body);
  return (await answered(path, { method, body: said })).json();
}

/** Save something that the server packs into a file. */
export async function save(path, name) {
  download(await (await answered(path)).blob(), name);
}

/** Save a text as a file. */
export function saveText(text, name) {
  download(new Blob([text], { type: "text/plain" }), name);
}

function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** End the session here and there. */
export async function leave() {
  await fetch(`${BASE}/session`, { method: "DELETE", headers: headers() });
  localStorage.removeItem(KEPT);
}
