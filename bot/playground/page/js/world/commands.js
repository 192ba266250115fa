/** The bots' commands that this person may use in the open channel. */

import { kept } from "../lib/keep.js";

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

function isBranch(option) {
  return option.type === OPTION.SUB || option.type === OPTION.GROUP;
}

/** Required options first, otherwise in the bot's order. */
function ordered(options) {
  const all = (options ?? []).filter((one) => !isBranch(one));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/** The commands that can be called: `/agent create` is one, `/agent` is none. */
function leaves(command, node = command, path = [command.name]) {
  const branches = (node.options ?? []).filter(isBranch);
  if (!branches.length) {
    return [
      { command, path, name: path.join(" "), description: node.description, options: ordered(node.options) },
    ];
  }
  return branches.flatMap((branch) => leaves(command, branch, [...path, branch.name]));
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

  /** Slash commands: first those that are used here, the most used first, then the others as the bot orders them. */
  slash() {
    const used = kept.get(this.#usedKey, {});
    const times = (leaf) => used[leaf.name] ?? 0;
    return this.#ofType(MENU.SLASH)
      .flatMap((command) => leaves(command))
      .sort((a, b) => times(b) - times(a));
  }

  /** Note that a command was used. */
  note(name) {
    const used = kept.get(this.#usedKey, {});
    kept.set(this.#usedKey, { ...used, [name]: (used[name] ?? 0) + 1 });
  }

  forMessages() {
    return this.#ofType(MENU.MESSAGE);
  }

  forUsers() {
    return this.#ofType(MENU.USER);
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
