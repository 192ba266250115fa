/** The bots' commands that this person may use in the open channel. */

import { kept } from "../lib/keep.js";
import { isManager } from "./permissions.js";

export const OPTION = {
  SUB: 1,
  GROUP: 2,
  STRING: 3,
  INTEGER: 4,
  BOOLEAN: 5,
  USER: 6,
  CHANNEL: 7,
  ROLE: 8,
  MENTIONABLE: 9,
  NUMBER: 10,
  FILE: 11,
};
const MENU = { SLASH: 1, USER: 2, MESSAGE: 3 };
const FRESH_FOR = 4000;

const LOCKED = "🔒";
const ENGLISH = "en-US";

/** What a command, option or choice is called in a language. */
function named(part, locale) {
  return part.name_localizations?.[locale] ?? part.name;
}

/** An option as it is read in a language: `name` is what the bot knows it by, `label` what people do. */
function worded(option, locale) {
  const description = option.description_localizations?.[locale] ?? option.description;
  const choices = option.choices?.map((one) => ({ ...one, name: named(one, locale) }));
  return { ...option, label: named(option, locale), description, choices };
}

function isBranch(option) {
  return option.type === OPTION.SUB || option.type === OPTION.GROUP;
}

/** Required options first, otherwise in the bot's order. */
function ordered(options, locale) {
  const all = (options ?? []).filter((one) => !isBranch(one)).map((one) => worded(one, locale));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/** The commands that can be called: `/agent create` is one, `/agent` is none. `label` is what it reads as. */
function leaves(command, locale, node = command, path = [command.name], read = [named(command, locale)]) {
  const branches = (node.options ?? []).filter(isBranch);
  if (!branches.length) {
    const { description } = worded(node, locale);
    const options = ordered(node.options, locale);
    return [{ command, path, name: path.join(" "), label: read.join(" "), description, options }];
  }
  return branches.flatMap((branch) =>
    leaves(command, locale, branch, [...path, branch.name], [...read, named(branch, locale)]),
  );
}

export class Commands {
  #all = [];
  #bots = new Map();
  #fetched = { channelId: null, at: 0 };
  #running = null;

  constructor(app) {
    this.app = app;
    app.on("open", () => {
      this.#fetched = { channelId: null, at: 0 };
    });
  }

  /** Read what may be used in the open channel, unless that was done a moment ago. */
  refresh() {
    const { channelId } = this.app;
    const fresh = this.#fetched.channelId === channelId && Date.now() - this.#fetched.at < FRESH_FOR;
    if (this.#running || fresh || !channelId) return this.#running ?? Promise.resolve();
    this.#running = this.#read(channelId).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #read(channelId) {
    const index = await this.app.api.get(`/channels/${channelId}/application-command-index`);
    this.#all = index.application_commands;
    this.#bots = new Map(index.applications.map((one) => [one.id, one]));
    this.#fetched = { channelId, at: Date.now() };
  }

  #ofType(type) {
    return this.#all.filter((one) => (one.type ?? 1) === type);
  }

  /** Several people may use one browser. */
  get #usedKey() {
    return `used.${this.app.world.me.id}`;
  }

  get #locale() {
    return this.app.world.me?.locale ?? ENGLISH;
  }

  /** What a command that somebody used is called for who reads; its own name where it is not known here. */
  label(name) {
    return this.slash().find((one) => one.name === name)?.label ?? this.#menu(name);
  }

  #menu(name) {
    const entry = this.#all.find((one) => one.name === name && one.type > MENU.SLASH);
    return entry ? named(entry, this.#locale) : name;
  }

  /** The languages in which commands can be read here, English first. */
  locales() {
    const others = this.#all.flatMap((one) => Object.keys(one.name_localizations ?? {}));
    return [...new Set([ENGLISH, this.#locale, ...others])];
  }

  /** Slash commands: first those that are used here, the most used first, then the others as the bot orders them.
   *
   * What is marked as for managers alone stands last for who is none: Discord offers a group whole. */
  slash() {
    const used = kept.get(this.#usedKey, {});
    const shut = (leaf) => leaf.description.startsWith(LOCKED) && !isManager(this.app.world);
    const times = (leaf) => (shut(leaf) ? -1 : (used[leaf.name] ?? 0));
    return this.#ofType(MENU.SLASH)
      .flatMap((command) => leaves(command, this.#locale))
      .sort((a, b) => times(b) - times(a));
  }

  /** Note that a command was used. */
  note(name) {
    const used = kept.get(this.#usedKey, {});
    kept.set(this.#usedKey, { ...used, [name]: (used[name] ?? 0) + 1 });
  }

  forMessages() {
    return this.#entries(MENU.MESSAGE);
  }

  forUsers() {
    return this.#entries(MENU.USER);
  }

  #entries(type) {
    return this.#ofType(type).map((one) => ({ ...one, label: named(one, this.#locale) }));
  }

  /** The name of the bot behind a command. */
  botName(command) {
    return this.#bots.get(command.application_id)?.name ?? "";
  }
}

/** The body of a slash command's interaction: options nested in their groups. */
export function commandData(leaf, options, attachments = []) {
  const { command, path } = leaf;
  const kinds = path.length === 3 ? [OPTION.GROUP, OPTION.SUB] : [OPTION.SUB];
  const nested = path
    .slice(1)
    .reduceRight((inner, name, index) => [{ type: kinds[index], name, options: inner }], options);
  const { id, version, name, type = 1, guild_id } = command;
  return { id, version, name, type, guild_id, options: nested, attachments };
}

/** The body of a message's or a user's menu command. */
export function menuData(command, targetId) {
  const { id, version, name, type, guild_id } = command;
  return { id, version, name, type, guild_id, target_id: targetId, options: [], attachments: [] };
}
