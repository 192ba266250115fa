/** People, roles and channels as options to choose from. */

import { compareIds } from "../lib/snowflake.js";
import { avatar } from "../widgets/avatar.js";
import { h } from "../lib/dom.js";
import { icon } from "../lib/icons.js";

export function personOption(world, user) {
  const name = world.nameOf(user);
  return {
    value: user.id,
    label: name,
    detail: `@${user.username}`,
    lead: avatar(user, name, 22),
    entity: "user",
  };
}

export function roleOption(role) {
  return { value: role.id, label: role.name, lead: h("span.role-dot", {}, icon("at", 16)), entity: "role" };
}

export function channelOption(world, channel) {
  const kind = world.isThread(channel) ? "thread" : "hash";
  return { value: channel.id, label: world.channelName(channel), lead: icon(kind, 16), entity: "channel" };
}

export function people(world) {
  const users = [...(world.guild?.members.values() ?? [])].map((member) => member.user);
  const options = (users.length ? users : [...world.users.values()]).map((user) => personOption(world, user));
  return options.sort((a, b) => a.label.localeCompare(b.label));
}

export function roles(world) {
  const all = [...(world.guild?.roles.values() ?? [])].filter((role) => role.id !== world.guildId);
  return all.sort((a, b) => b.position - a.position || compareIds(a.id, b.id)).map(roleOption);
}

/** Channels that can be seen, of the types asked for (all when none is named). */
export function channels(world, types = []) {
  const all = [...world.channels.values()].filter((one) => one.guild_id === world.guildId && world.sees(one));
  const fit = types.length ? all.filter((one) => types.includes(one.type)) : all;
  return fit.sort((a, b) => (a.position ?? 0) - (b.position ?? 0)).map((one) => channelOption(world, one));
}
