/** Who may do what, counted the way Discord counts it. */

export const MAY = {
  ADMINISTER: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_GUILD: 1n << 5n,
  ADD_REACTIONS: 1n << 6n,
  VIEW: 1n << 10n,
  SEND: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  ATTACH: 1n << 15n,
  READ_HISTORY: 1n << 16n,
  USE_COMMANDS: 1n << 31n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_THREADS: 1n << 35n,
  SEND_IN_THREADS: 1n << 38n,
  PIN: 1n << 51n,
};
const ALL = (1n << 64n) - 1n;

/** What a member may do in the whole guild. */
export function guildPermissions(guild, userId) {
  if (!guild) return 0n;
  if (guild.owner_id === userId) return ALL;
  const everyone = BigInt(guild.roles.get(guild.id)?.permissions ?? 0);
  const roles = guild.members.get(userId)?.roles ?? [];
  const sum = roles.reduce((bits, id) => bits | BigInt(guild.roles.get(id)?.permissions ?? 0), everyone);
  return sum & MAY.ADMINISTER ? ALL : sum;
}

function overwritesOf(channel, guild, userId) {
  const all = channel.permission_overwrites ?? [];
  const roles = new Set(guild.members.get(userId)?.roles ?? []);
  return {
    everyone: all.filter((one) => one.id === guild.id),
    roles: all.filter((one) => roles.has(one.id)),
    member: all.filter((one) => one.id === userId),
  };
}

function overwritten(bits, overwrites) {
  const deny = overwrites.reduce((sum, one) => sum | BigInt(one.deny ?? 0), 0n);
  const allow = overwrites.reduce((sum, one) => sum | BigInt(one.allow ?? 0), 0n);
  return (bits & ~deny) | allow;
}

/** What a person may do in a channel; a thread asks its parent, a direct message allows what talk needs. */
export function channelPermissions(world, channel, userId = world.me.id) {
  if (!channel) return 0n;
  const guild = world.guilds.get(channel.guild_id);
  if (!guild)
    return (
      MAY.VIEW | MAY.SEND | MAY.ATTACH | MAY.ADD_REACTIONS | MAY.READ_HISTORY | MAY.PIN | MAY.USE_COMMANDS
    );
  const base = guildPermissions(guild, userId);
  if (base === ALL) return ALL;
  const home = world.isThread(channel) ? world.channels.get(channel.parent_id) : channel;
  if (!home) return 0n;
  const { everyone, roles, member } = overwritesOf(home, guild, userId);
  const bits = overwritten(overwritten(overwritten(base, everyone), roles), member);
  return bits & MAY.VIEW ? bits : 0n;
}

/** Whether a person may write in a channel. */
export function maySend(world, channel) {
  const bits = channelPermissions(world, channel);
  const needed = world.isThread(channel) ? MAY.SEND_IN_THREADS : MAY.SEND;
  return Boolean(bits & needed) && !channel?.thread_metadata?.locked;
}

/** Whether this person manages the guild. */
export function isManager(world, userId = world.me.id) {
  return Boolean(guildPermissions(world.guild, userId) & MAY.MANAGE_GUILD);
}
