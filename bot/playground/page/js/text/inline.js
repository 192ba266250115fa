/** Discord's inline markdown, turned into nodes. Nothing a person writes is ever read as HTML. */

import { fullTime, stampText } from "../lib/clock.js";
import { h } from "../lib/dom.js";

const DEEPEST = 12;
const JUMP = /^https?:\/\/[^/]+\/(?:#\/)?channels\/(?:\d+|@me)\/(\d+)(?:\/(\d+))?\/?$/;

function mention(spec, text, open) {
  if (!open) return h(`span.mention.${spec}`, {}, text);
  return h(`button.mention.${spec}`, { type: "button", on: { click: open } }, text);
}

function userMention(app, id) {
  const user = app.world.user(id);
  const mine = id === app.world.me.id ? "me" : "user";
  return mention(mine, `@${user ? app.world.nameOf(user) : "unknown"}`);
}

function roleMention(app, id) {
  const role = app.world.guild?.roles.get(id);
  return mention("role", `@${role?.name ?? "deleted-role"}`);
}

function channelMention(app, id) {
  const channel = app.world.channels.get(id);
  return mention(
    "place",
    channel ? `#${app.world.channelName(channel)}` : "a private or deleted room",
    channel && (() => app.open(id)),
  );
}

function link(url, inner) {
  return h("a.link", { href: url, target: "_blank", rel: "noopener noreferrer" }, inner);
}

function jumpLink(app, url, inner) {
  const [, channelId, messageId] = url.match(JUMP);
  const open = (event) => {
    event.preventDefault();
    app.open(channelId, messageId);
  };
  return h("a.link.jump", { href: location.origin + new URL(url).pathname, on: { click: open } }, inner);
}

function anyLink(app, url, inner) {
  const target = URL.canParse(url) && url.match(JUMP);
  const channel = target && app.world.channels.get(target[1]);
  if (!channel) return link(url, inner ?? url);
  return jumpLink(app, url, inner ?? `#${app.world.channelName(channel)}${target[2] ? " › message" : ""}`);
}

function stamp(unix, style) {
  const date = new Date(Number(unix) * 1000);
  if (Number.isNaN(date.getTime())) return h("span", {}, "Invalid date");
  const element = h("time.stamp", { datetime: date.toISOString(), title: fullTime(date) }, stampText(unix, style));
  if (style === "R") element.classList.add("relative");
  return element;
}

function spoiler(inner) {
  const element = h("span.spoiler", {
    role: "button",
    tabindex: 0,
    "aria-expanded": "false",
    "aria-label": "Spoiler, show it",
  });
  const show = (event) => {
    if (event.key && event.key !== "Enter" && event.key !== " ") return;
    element.classList.add("open");
    element.setAttribute("aria-expanded", "true");
    element.removeAttribute("aria-label");
  };
  element.addEventListener("click", show);
  element.addEventListener("keydown", show);
  element.append(h("span", {}, inner));
  return element;
}

const LOOSE_ENDS = new Set(".,:;\"'!?*_~|");

/** Cut closing brackets and dots that do not belong to an address. */
function tidyUrl(url) {
  let end = url.length;
  while (end > 0 && LOOSE_ENDS.has(url[end - 1])) end -= 1;
  let unopened = 0;
  for (let at = 0; at < end; at += 1) unopened += url[at] === ")" ? 1 : url[at] === "(" ? -1 : 0;
  for (; unopened > 0 && url[end - 1] === ")"; unopened -= 1) end -= 1;
  return url.slice(0, end);
}

const wrap = (tag) => (match, inner) => h(tag, {}, inner(match[1] ?? match[2]));

/**
 * Each rule: a sticky pattern, and what it becomes; the first that fits wins. What looks for its end through all that
 * follows says how it opens, and how often it may be looked for in vain: each time takes as long as the text is.
 */
const IN_VAIN = 40; // where an end may be missed from here and found from further on
const RULES = [
  [/\\([^\w\s])/y, (match) => match[1]],
  [/<@!?(\d+)>/y, (match, inner, app) => userMention(app, match[1])],
  [/<@&(\d+)>/y, (match, inner, app) => roleMention(app, match[1])],
  [/<#(\d+)>/y, (match, inner, app) => channelMention(app, match[1])],
  [
    /<\/([^:>\n]{1,100}):(\d+)>/y,
    (match, inner, app) => mention("command", `/${match[1]}`, () => app.startCommand(match[1])),
  ],
  [/<a?:(\w{2,32}):\d+>/y, (match) => h("span.custom-emoji", {}, `:${match[1]}:`)],
  [/<t:(-?\d{1,15})(?::([tTdDfFRsS]))?>/y, (match) => stamp(match[1], match[2])],
  [/<(https?:\/\/[^>\s]+)>/y, (match, inner, app) => anyLink(app, match[1]), /<http/y, IN_VAIN],
  [/@(everyone|here)\b/y, (match) => mention("role", match[0])],
  [
    /\[((?:\[[^\]\n]*\]|[^[\]\n]){1,500})\]\(<?(https?:\/\/[^\s)>]+)>?(?: "[^"\n]*")?\)/y,
    (match, inner, app) => anyLink(app, match[2], inner(match[1])),
    /\[/y,
    IN_VAIN,
  ],
  [/\|\|([\s\S]+?)\|\|/y, (match, inner) => spoiler(inner(match[1])), /\|\|/y, 1],
  [/\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y, wrap("strong"), /\*\*/y, 1],
  [/__((?:\\[\s\S]|[^\\])+?)__(?!_)/y, wrap("u"), /__/y, 1],
  [/~~([\s\S]+?)~~(?!_)/y, wrap("s"), /~~/y, 1],
  [/\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/y, wrap("em"), /\*(?=\S)/y, IN_VAIN],
  [/\b_((?:__|\\[\s\S]|[^\\_])+?)_\b/y, wrap("em"), /\b_/y, IN_VAIN],
];
const MOST_TICKS = 8;
const TICKS = /`+/y;
const URL_RULE = /https?:\/\/[^\s<]+/y;
const STARTS = /[\\`<@[|*_~h]/g;

function matchAt(pattern, text, index) {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

function urlAt(app, text, index) {
  const match = matchAt(URL_RULE, text, index);
  if (!match) return null;
  const url = tidyUrl(match[0]);
  return { node: anyLink(app, url), length: url.length };
}

/** Where runs of backticks begin, the last first, by their length: found once for a whole text. */
function runsOfTicks(text) {
  const runs = new Map();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    if (!runs.has(run.length)) runs.set(run.length, []);
    runs.get(run.length).push(index);
  }
  for (const begins of runs.values()) begins.reverse();
  return runs;
}

/** Code from one run of backticks to the next one as long, or to one as long as its end; else the run as it stands. */
function codeAt(text, index, runs) {
  const [run] = matchAt(TICKS, text, index);
  for (let ticks = Math.min(run.length, MOST_TICKS); ticks > 0; ticks -= 1) {
    const begins = runs.get(ticks) ?? [];
    while (begins.at(-1) < index + run.length) begins.pop(); // text is read forwards: they are not asked for again
    if (begins.length === 0) continue;
    const code = text.slice(index + ticks, begins.at(-1)).replace(/^ (?=`)|(?<=`) $/g, "");
    return { node: h("code", {}, code), length: begins.at(-1) + ticks - index };
  }
  return { node: run, length: run.length };
}

function ruleAt(app, text, index, depth, runs, vain) {
  if (text[index] === "`") return codeAt(text, index, runs);
  const inner = (part) => inline(app, part, depth + 1);
  for (const [pattern, build, opens, most] of RULES) {
    if (opens && (vain.get(pattern) === most || !matchAt(opens, text, index))) continue;
    const match = matchAt(pattern, text, index);
    if (match) return { node: build(match, inner, app), length: match[0].length };
    if (opens) vain.set(pattern, (vain.get(pattern) ?? 0) + 1);
  }
  return urlAt(app, text, index);
}

function nextStart(text, from) {
  STARTS.lastIndex = from;
  return STARTS.exec(text)?.index ?? text.length;
}

/** Turn one run of text into a list of nodes and strings. */
export function inline(app, text, depth = 0) {
  if (depth > DEEPEST) return [text];
  const parts = [];
  const runs = runsOfTicks(text);
  const vain = new Map();
  let plainFrom = 0;
  let index = nextStart(text, 0);
  while (index < text.length) {
    const found = ruleAt(app, text, index, depth, runs, vain);
    if (found) {
      parts.push(text.slice(plainFrom, index), found.node);
      index += found.length;
      plainFrom = index;
    } else index += 1;
    index = nextStart(text, index);
  }
  parts.push(text.slice(plainFrom));
  return parts.filter((part) => part !== "");
}
