/** Server-sent events over fetch: unlike the browser's EventSource it can say who asks. */

import { pause } from "./dom.js";

const AGAIN = 1000;

/** The server does not let us look, or there is nothing: `message` says why. */
export class Refused extends Error {}

/** Ask for JSON; throws Refused with the server's sentence, or what `fetch` throws when nobody answers. */
export async function ask(address, headers, signal) {
  const answer = await fetch(address, { cache: "no-store", headers, signal });
  const body = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(body?.message ?? body?.detail ?? `The bot answered ${answer.status}.`);
  return body;
}

/** Cut what has arrived into events; gives what is left of the last one. */
function events(text, hear) {
  const parts = text.split("\n\n");
  for (const part of parts.slice(0, -1)) {
    const data = part.split("\n").find((line) => line.startsWith("data: "));
    if (data) hear(JSON.parse(data.slice(6)));
  }
  return parts.at(-1);
}

async function readOnce(address, headers, hear, signal) {
  const answer = await fetch(address, { cache: "no-store", headers, signal });
  if ([401, 403, 404].includes(answer.status)) {
    const body = await answer.json().catch(() => null);
    throw new Refused(body?.message ?? body?.detail ?? "It is not there any more.");
  }
  if (!answer.ok) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest = events(rest + value, hear);
  }
}

/** Hear every event once, in order, from `after` on, whatever the line does; ends with Refused, or by the signal.
 *
 * `address(after)` gives where to go on. An event that came already is not heard again.
 */
export async function follow(address, headers, after, hear, signal) {
  let last = after;
  const once = (event) => {
    if (event.seq <= last) return;
    last = event.seq;
    hear(event);
  };
  while (!signal.aborted) {
    try {
      await readOnce(address(last), headers, once, signal);
    } catch (error) {
      if (error instanceof Refused) throw error; // anything else is the line: it is tried again
    }
    if (!signal.aborted) await pause(AGAIN);
  }
}
