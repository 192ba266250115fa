/** From what a person types to what goes over the wire: @names, #channels and :emoji: become what they mean. */

import { byName } from "./emoji.js";

function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Replace the longest name first, so that `@Ann Lee` is not read as `@Ann`. */
function replaceNames(text, sign, names) {
  const sorted = Object.keys(names).sort((a, b) => b.length - a.length);
  if (!sorted.length) return text;
  const pattern = new RegExp(`(^|[^\\w<])${sign}(${sorted.map(escapeRegExp).join("|")})(?![\\w])`, "g");
  return text.replace(pattern, (all, before, name) => before + names[name]);
}

/** Whom each name means: who bears it as a username, which is theirs alone, before who only took it. */
function peopleNames(world) {
  const names = Object.create(null);
  const members = [...(world.guild?.members.values() ?? [])];
  for (const nameOf of [({ user }) => user.username, ({ user }) => user.global_name, ({ nick }) => nick])
    for (const one of members) if (nameOf(one)) names[nameOf(one)] ??= `<@${one.user.id}>`;
  for (const role of world.guild?.roles.values() ?? []) {
    if (role.id !== world.guildId) names[role.name] ??= `<@&${role.id}>`;
  }
  return names;
}

function channelNames(world) {
  const names = Object.create(null);
  for (const channel of world.channels.values()) {
    if (channel.guild_id === world.guildId && channel.name) names[channel.name] ??= `<#${channel.id}>`;
  }
  return names;
}

function emojiText(world, text) {
  const custom = new Map((world.guild?.emojis ?? []).map((emoji) => [emoji.name, emoji]));
  return text.replace(/(?<![<\w]|<a):(\w[\w+-]{1,31}):/g, (all, name) => {
    const own = custom.get(name);
    if (own) return `<${own.animated ? "a" : ""}:${own.name}:${own.id}>`;
    return byName(name) ?? all;
  });
}

function prose(world, text) {
  return replaceNames(
    replaceNames(emojiText(world, text), "@", peopleNames(world)),
    "#",
    channelNames(world),
  );
}

/** Code is left as it was typed. */
export function outgoing(world, text) {
  const parts = text.split(/(```[\s\S]*?```|`[^`\n]+`)/);
  return parts
    .map((part, index) => (index % 2 ? part : prose(world, part)))
    .join("")
    .trim();
}

/** The way back, for editing. */
export function editable(world, text) {
  return text
    .replace(/<@!?(\d+)>/g, (all, id) => (world.user(id) ? `@${world.nameOf(world.user(id))}` : all))
    .replace(/<@&(\d+)>/g, (all, id) =>
      world.guild?.roles.has(id) ? `@${world.guild.roles.get(id).name}` : all,
    )
    .replace(/<#(\d+)>/g, (all, id) => (world.channels.has(id) ? `#${world.channels.get(id).name}` : all))
    .replace(/<a?:(\w+):\d+>/g, ":$1:");
}
