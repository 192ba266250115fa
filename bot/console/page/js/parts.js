/** What several pages of the console share. */

import { fromNow, fullTime, shortTime } from "/shared/js/lib/clock.js";
import { h } from "/shared/js/lib/dom.js";
import { orSay } from "/shared/js/widgets/toast.js";
import { t } from "/shared/js/lib/words.js";

/** A heading for a part of a page. */
export function part(title, ...inner) {
  return h("section.part", { "aria-label": title }, h("h2", {}, title), inner);
}

/** When, as seen from now, with the exact time behind it. */
export function ago(when) {
  if (!when) return h("span.quiet", {}, t("never"));
  return h("time.relative", { datetime: when, title: fullTime(when) }, fromNow(when));
}

/** When, exactly. */
export function exactly(when) {
  return h("time", { datetime: when, title: fullTime(when) }, shortTime(when));
}

/** A room's name, leading to it. */
export function roomLink(room) {
  return h("a", { href: `#/rooms/${room.id}` }, room.private ? "🔒 " : "", room.name);
}

/** An agent's name, leading to it. */
export function agentLink(id, name) {
  return h("a", { href: `#/agents/${id}` }, name);
}

/** Where a beat can be looked into; `message`: as what lies behind that. */
export function beatAddress(beat, message) {
  return `#/agents/${beat.agent}/beats/${beat.id}${message ? `?message=${message}` : ""}`;
}

/** Money as it is told: unknown where the model has no price. */
export function price(usd, coin = "USD") {
  return usd === null || usd === undefined ? t("cost unknown") : `${Number(usd).toFixed(5)} ${t(coin)}`;
}

/** How a message came, or comes, to Discord. */
export function deliveryWords(delivery) {
  if (!delivery) return "";
  const tries = delivery.attempts > 1 ? `, ${t("after {number} tries", { number: delivery.attempts })}` : "";
  const parts = delivery.parts > 1 ? ` (${t("{number} parts", { number: delivery.parts })})` : "";
  return {
    waiting: `${t("waits to be posted")}${tries}`,
    sending: `${t("is being posted")}${tries}`,
    sent: `${t("posted")}${parts}${tries}`,
    held: t("held by moderation"),
    failed: `${t("was not posted")}${tries}`,
  }[delivery.state];
}

/** A table with a caption for who hears it read. */
export function table(caption, heads, rows) {
  return h(
    "div.scroll",
    { tabindex: 0, role: "group", "aria-label": t("{name}, a table", { name: caption }) },
    h(
      "table",
      {},
      h("caption.unseen", {}, caption),
      h("thead", {}, h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell))))),
    ),
  );
}

/** Something with nothing in it. */
export function nothing(words) {
  return h("p.quiet", {}, words);
}

/** A button that does something; what keeps it from that is told below, and `done` follows. */
export function deed(words, act, done, kind = "") {
  const button = h(`button.button${kind}`, { type: "button" }, words);
  button.addEventListener("click", async () => {
    button.disabled = true;
    const gave = await orSay(act);
    button.disabled = false;
    if (gave !== null && gave !== undefined && gave !== false) done?.(gave);
  });
  return button;
}

/** A field with its name above it. */
export function field(words, input) {
  input.classList.add("field");
  return h("label.named", {}, h("span", {}, words), input);
}
