/** The commands of the guild's bots, as this person may use them. */

import { guildPermissions } from "./permissions.js";

export const OPTION = {
  SUB: 1, GROUP: 2, STRING: 3, INTEGER: 4, BOOLEAN: 5, USER: 6, CHANNEL: 7, ROLE: 8, MENTIONABLE: 9, NUMBER: 10, FILE: 11,
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
    return [{ command, path, name: path.join(" "), description: node.description, options: ordered(node.options) }];
  }
  return branches.flatMap((branch) => leaves(command, branch, [...path, branch.name]));
}

export class Commands {
  #all = [];
  #fetched = 0;
  #running = null;

  constructor(app) {
    this.app = app;
    app.world.on("guilds", () => {
      this.#fetched = 0;
    });
  }

  #applications() {
    const members = [...(this.app.world.guild?.members.values() ?? [])];
    const bots = members.filter((member) => member.user.bot).map((member) => member.user.application_id ?? member.user.id);
    return [...new Set(bots)];
  }

  async #fetchOne(application) {
    const { api, world } = this.app;
    const [globals, own] = await Promise.all([
      api.get(`/applications/${application}/commands`),
      api.get(`/applications/${application}/guilds/${world.guildId}/commands`),
    ]);
    const named = new Set(own.map((one) => `${one.type}:${one.name}`));
    return [...own, ...globals.filter((one) => !named.has(`${one.type}:${one.name}`))];
  }

  /** Read the list again unless it was read a moment ago. */
  refresh() {
    if (this.#running || Date.now() - this.#fetched < FRESH_FOR) return this.#running ?? Promise.resolve();
    this.#running = this.#read().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #read() {
    const lists = await Promise.all(this.#applications().map((application) => this.#fetchOne(application)));
    this.#all = lists.flat();
    this.#fetched = Date.now();
  }

  #allowed(command) {
    const needed = command.default_member_permissions;
    if (needed === null || needed === undefined) return true;
    const mine = guildPermissions(this.app.world.guild, this.app.world.me.id);
    const bits = BigInt(needed);
    return bits === 0n ? Boolean(mine & 8n) : (mine & bits) === bits;
  }

  #ofType(type) {
    return this.#all.filter((one) => (one.type ?? 1) === type && this.#allowed(one));
  }

  /** Slash commands by name. */
  slash() {
    return this.#ofType(MENU.SLASH).flatMap((command) => leaves(command)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  forMessages() {
    return this.#ofType(MENU.MESSAGE);
  }

  forUsers() {
    return this.#ofType(MENU.USER);
  }

  botOf(command) {
    const world = this.app.world;
    const users = [...world.users.values()];
    return world.user(command.application_id) ?? users.find((one) => one.application_id === command.application_id);
  }
}

/** The body of a slash command's interaction: options nested in their groups. */
export function commandData(leaf, options, attachments = []) {
  const { command, path } = leaf;
  const kinds = path.length === 3 ? [OPTION.GROUP, OPTION.SUB] : [OPTION.SUB];
  const nested = path.slice(1).reduceRight(
    (inner, name, index) => [{ type: kinds[index], name, options: inner }],
    options,
  );
  const { id, version, name, type = 1, guild_id } = command;
  return { id, version, name, type, guild_id, options: nested, attachments };
}

/** The body of a message's or a user's menu command. */
export function menuData(command, targetId) {
  const { id, version, name, type, guild_id } = command;
  return { id, version, name, type, guild_id, target_id: targetId, options: [], attachments: [] };
}
