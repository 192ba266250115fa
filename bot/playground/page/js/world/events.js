/** What each gateway event does to the world. */

function ready(world, data) {
  world.guilds.clear();
  world.channels.clear();
  world.presences.clear();
  world.me = data.user;
  world.users.set(data.user.id, data.user);
  world.unsent.begin(data.user);
  for (const channel of data.private_channels ?? []) world.channels.set(channel.id, channel);
  world.awaited = new Set((data.guilds ?? []).map((guild) => guild.id));
  world.emit("ready", data);
  if (world.awaited.size === 0) world.emit("settled");
}

function putGuild(world, data) {
  const before = world.guilds.get(data.id);
  const guild = { ...before, ...data };
  if (data.roles) guild.roles = new Map(data.roles.map((role) => [role.id, role]));
  if (data.members) guild.members = new Map(data.members.map((member) => [member.user.id, member]));
  guild.members ??= new Map();
  guild.roles ??= new Map();
  world.guilds.set(data.id, guild);
  return guild;
}

function guildCreate(world, data) {
  if (data.unavailable) return;
  const guild = putGuild(world, data);
  for (const member of guild.members.values()) world.users.set(member.user.id, member.user);
  for (const channel of [...(data.channels ?? []), ...(data.threads ?? [])]) {
    world.channels.set(channel.id, { ...channel, guild_id: data.id });
  }
  for (const presence of data.presences ?? []) world.presences.set(presence.user.id, presence);
  if (!world.guildId) world.guildId = data.id;
  world.emit("guilds");
  world.emit("channels");
  world.emit("members");
  settle(world, data.id);
}

function settle(world, guildId) {
  if (!world.awaited?.delete(guildId) || world.awaited.size) return;
  if (!world.guilds.has(world.guildId)) world.guildId = world.guilds.keys().next().value ?? null;
  world.emit("settled");
}

function guildUpdate(world, data) {
  const { members, ...rest } = data;
  putGuild(world, rest);
  world.emit("guilds");
  world.emit("channels");
}

function guildDelete(world, data) {
  world.guilds.delete(data.id);
  for (const channel of [...world.channels.values()]) {
    if (channel.guild_id === data.id) world.channels.delete(channel.id);
  }
  if (world.guildId === data.id) world.guildId = world.guilds.keys().next().value ?? null;
  world.emit("guilds");
  world.emit("channels");
  settle(world, data.id);
}

function channelDelete(world, data) {
  world.channels.delete(data.id);
  for (const thread of world.threadsOf(data.id)) world.channels.delete(thread.id);
  world.emit("channels");
}

function memberPut(world, data) {
  const guild = world.guilds.get(data.guild_id);
  if (!guild || !data.user) return;
  guild.members.set(data.user.id, { ...guild.members.get(data.user.id), ...data });
  world.users.set(data.user.id, data.user);
  if (data.user.id === world.me.id) userUpdate(world, data.user);
  world.emit("members");
  if (data.user.id === world.me.id) world.emit("channels");
}

function userUpdate(world, user) {
  world.me = { ...world.me, ...user };
  world.users.set(user.id, world.me);
  world.emit("members");
}

function memberRemove(world, data) {
  world.guilds.get(data.guild_id)?.members.delete(data.user.id);
  world.emit("members");
}

function rolePut(world, data) {
  world.guilds.get(data.guild_id)?.roles.set(data.role.id, data.role);
  world.emit("members");
  world.emit("channels");
}

function roleDelete(world, data) {
  world.guilds.get(data.guild_id)?.roles.delete(data.role_id);
  world.emit("members");
  world.emit("channels");
}

function message(world, data) {
  world.meetAuthor(data);
  world.stopTyping(data.channel_id, data.author?.id);
  if (data.webhook_id && data.application_id) world.stopTyping(data.channel_id, data.application_id);
  world.noteMessage(data);
  if (data.flags & 64) keepEphemeral(world, data);
  world.emit("message", data);
}

function keepEphemeral(world, data) {
  const here = world.ephemerals.get(data.channel_id) ?? [];
  world.ephemerals.set(data.channel_id, [...here, data]);
}

function messageUpdate(world, data) {
  const here = world.ephemerals.get(data.channel_id) ?? [];
  const old = here.find((one) => one.id === data.id);
  if (old) Object.assign(old, data);
  world.emit("messageUpdate", data);
}

function forget(world, channelId, ids) {
  const here = world.ephemerals.get(channelId);
  if (here)
    world.ephemerals.set(
      channelId,
      here.filter((one) => !ids.includes(one.id)),
    );
  world.emit("messageDelete", channelId, ids);
}

function threadPut(world, data) {
  world.putChannel(data);
  world.emit("thread", data);
}

function threadSync(world, data) {
  for (const thread of data.threads ?? []) world.putChannel({ ...thread, guild_id: data.guild_id });
}

function emojis(world, data) {
  const guild = world.guilds.get(data.guild_id);
  if (guild) guild.emojis = data.emojis;
}

function presence(world, data) {
  world.presences.set(data.user.id, data);
  world.emit("members");
}

export const HANDLERS = {
  READY: ready,
  GUILD_CREATE: guildCreate,
  GUILD_UPDATE: guildUpdate,
  GUILD_DELETE: guildDelete,
  GUILD_MEMBER_ADD: memberPut,
  GUILD_MEMBER_UPDATE: memberPut,
  GUILD_MEMBER_REMOVE: memberRemove,
  GUILD_ROLE_CREATE: rolePut,
  GUILD_ROLE_UPDATE: rolePut,
  GUILD_ROLE_DELETE: roleDelete,
  GUILD_EMOJIS_UPDATE: emojis,
  CHANNEL_CREATE: (world, data) => world.putChannel(data),
  CHANNEL_UPDATE: (world, data) => world.putChannel(data),
  CHANNEL_DELETE: channelDelete,
  CHANNEL_PINS_UPDATE: (world, data) => world.emit("pins", data.channel_id),
  THREAD_CREATE: threadPut,
  THREAD_UPDATE: threadPut,
  THREAD_DELETE: channelDelete,
  THREAD_LIST_SYNC: threadSync,
  MESSAGE_CREATE: message,
  MESSAGE_UPDATE: messageUpdate,
  MESSAGE_DELETE: (world, data) => forget(world, data.channel_id, [data.id]),
  MESSAGE_DELETE_BULK: (world, data) => forget(world, data.channel_id, data.ids),
  MESSAGE_REACTION_ADD: (world, data) => world.emit("reaction", data, 1),
  MESSAGE_REACTION_REMOVE: (world, data) => world.emit("reaction", data, -1),
  MESSAGE_REACTION_REMOVE_ALL: (world, data) => world.emit("reactionsCleared", data, null),
  MESSAGE_REACTION_REMOVE_EMOJI: (world, data) => world.emit("reactionsCleared", data, data.emoji),
  USER_UPDATE: userUpdate,
  TYPING_START: (world, data) => world.startTyping(data.channel_id, data.user_id),
  PRESENCE_UPDATE: presence,
};
