/** What typing `@`, `#`, `:` or `/` offers. */

import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";
import { channels, people } from "../chat/entities.js";
import { searchEmoji } from "../text/emoji.js";
import { avatar } from "../widgets/avatar.js";

const MOST = 12;
const MOST_ALIKE = 4;
const ALIKE = 0.4; // of the pairs of letters that two names have

/** A text as it is compared: small letters, without the marks above and below them. */
function plain(text) {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}

/** Those that begin with the text first, then those that hold it. */
export function best(items, text, labelOf, most = MOST) {
  const needle = plain(text);
  const found = items.filter((item) => plain(labelOf(item)).includes(needle));
  const rank = (item) => (plain(labelOf(item)).startsWith(needle) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, most);
}

/** Agents that hear what is said in the open channel; a thread is heard as its channel is. */
function agentOptions(app) {
  return app.agents.hearing(app.world.roomOf(app.channelId)).map((agent) => ({
    label: agent.name,
    detail: `agent ${agent.id}`,
    lead: avatar(app.faceOf(agent), agent.name, 22),
  }));
}

function names(app, text) {
  const all = [...agentOptions(app), ...people(app.world)];
  return best(all, text, (one) => `${one.label} ${one.detail}`).map((one) => ({
    ...one,
    insert: `@${one.label} `,
  }));
}

function places(app, text) {
  const all = channels(app.world).filter((one) => app.world.channels.get(one.value).type !== 4);
  return best(all, text, (one) => one.label).map((one) => ({ ...one, insert: `#${one.label} ` }));
}

function emoji(app, text) {
  const custom = (app.world.guild?.emojis ?? []).filter((one) =>
    one.name.toLowerCase().includes(text.toLowerCase()),
  );
  const own = custom.map((one) => ({ label: `:${one.name}:`, insert: `:${one.name}: ` }));
  const rest = searchEmoji(text, MOST).map((one) => ({
    label: `:${one.names[0]}:`,
    lead: h("span.option-emoji", {}, one.char),
    insert: `${one.char} `,
  }));
  return [...own, ...rest].slice(0, MOST);
}

const TRIGGERS = [
  [/(?:^|\s)@(\S{0,32})$/, "People and agents", names],
  [/(?:^|\s)#([\w-]{0,100})$/, "Channels", places],
  [/(?:^|\s):([\w+-]{2,32})$/, "Emoji", emoji],
];

/** What the text before the caret asks for: `{title, items, length}` with the length to replace, or null. */
export function triggered(app, before) {
  for (const [pattern, title, offer] of TRIGGERS) {
    const match = before.match(pattern);
    const items = match && offer(app, match[1]);
    if (items?.length) return { title, items, length: match[1].length + 1 };
  }
  return null;
}

/** A command can be typed as it reads, and by the name that every language knows. */
const bothNames = (leaf) => `${leaf.label}\n${leaf.name}`;

function commandItem(app, leaf) {
  const side = app.commands.botName(leaf.command);
  return { leaf, label: `/${leaf.label}`, detail: leaf.description, lead: icon("command", 18), side };
}

/** Commands that fit what stands after the slash: all of them when nothing does. */
export function commandItems(app, text) {
  const leaves = best(app.commands.slash(), text.trim(), bothNames, Infinity);
  return leaves.map((leaf) => commandItem(app, leaf));
}

function pairs(text) {
  return new Set([...text].slice(1).map((letter, index) => text[index] + letter));
}

function likeness(one, other) {
  const [mine, theirs] = [pairs(one), pairs(other)];
  const shared = [...mine].filter((pair) => theirs.has(pair)).length;
  return (2 * shared) / (mine.size + theirs.size || 1);
}

/** Commands whose names are most like one that nobody knows, and more like it than chance. */
export function alikeCommands(app, text) {
  const words = text.trim().toLowerCase().split(/\s+/);
  const meant = (leaf) => words.slice(0, leaf.path.length).join(" "); // what follows are its options
  const how = (leaf) => Math.max(likeness(meant(leaf), leaf.label), likeness(meant(leaf), leaf.name));
  const leaves = app.commands.slash().map((leaf) => [how(leaf), leaf]);
  const alike = leaves.filter(([how]) => how >= ALIKE).sort(([one], [other]) => other - one);
  return alike.slice(0, MOST_ALIKE).map(([, leaf]) => commandItem(app, leaf));
}

/** The command that a text is a call of, and the rest: `/room wpm value:50`. */
export function calledCommand(app, text) {
  const called = app.commands.slash().flatMap((leaf) => [leaf.label, leaf.name].map((name) => ({ leaf, name })));
  const fits = called.filter(({ name }) => text.startsWith(`/${name} `));
  const [best] = fits.sort((a, b) => b.name.length - a.name.length);
  return best ? { leaf: best.leaf, rest: text.slice(best.name.length + 2) } : null;
}

/** Read `name:value other:more` by the option names of a command, in the reader's language or the bot's own. */
export function parseOptions(leaf, rest) {
  const byName = new Map(leaf.options.flatMap(({ name, label }) => [[name, name], [label, name]]));
  const known = [...byName.keys()].join("|");
  const texts = {};
  if (!known || !rest.trim()) return texts;
  const pattern = new RegExp(`(?:^|\\s)(${known}):\\s*([\\s\\S]*?)(?=\\s(?:${known}):|$)`, "g");
  for (const [, name, value] of rest.matchAll(pattern)) texts[byName.get(name)] = value.trim();
  if (!Object.keys(texts).length) texts[leaf.options[0].name] = rest.trim();
  return texts;
}
