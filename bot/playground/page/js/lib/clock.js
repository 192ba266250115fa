/** Times as people read them, in the browser's own language and zone. */

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const shortDay = new Intl.DateTimeFormat(undefined, { dateStyle: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

const STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
  s: { dateStyle: "short", timeStyle: "short" },
  S: { dateStyle: "short", timeStyle: "medium" },
};
const SPANS = [
  ["year", 31557600],
  ["month", 2629800],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** 14:05 */
export const clockTime = (when) => clock.format(new Date(when));

/** 20 November 2026 */
export const dayName = (when) => day.format(new Date(when));

/** The whole date and time, for tooltips. */
export const fullTime = (when) => full.format(new Date(when));

/** Whether two times are on the same day here. */
export function sameDay(a, b) {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/** 14:05 for today, the date before it otherwise. */
export function shortTime(when) {
  const date = new Date(when);
  return sameDay(date, Date.now()) ? clock.format(date) : `${shortDay.format(date)} ${clock.format(date)}`;
}

/** "3 minutes ago", "in 2 hours". */
export function fromNow(when, now = Date.now()) {
  const seconds = Math.round((new Date(when) - now) / 1000);
  const [unit, length] = SPANS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

/** Discord's `<t:unix:style>` as text. */
export function stampText(unix, style = "f") {
  const date = new Date(Number(unix) * 1000);
  if (Number.isNaN(date.getTime())) return "Invalid date";
  if (style === "R") return fromNow(date);
  return stamps(STYLES[style] ? style : "f").format(date);
}

const made = new Map(); // to make one takes far longer than to use it

function stamps(style) {
  if (!made.has(style)) made.set(style, new Intl.DateTimeFormat(undefined, STYLES[style]));
  return made.get(style);
}

/** Keep every time that is shown as seen from now at what it is. */
export function keepRelativeTimes() {
  setInterval(() => {
    if (document.visibilityState !== "visible") return;
    for (const element of document.querySelectorAll("time.relative")) {
      const text = fromNow(element.dateTime);
      if (element.textContent !== text) element.textContent = text;
    }
  }, 1000);
}
