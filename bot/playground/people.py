"""People, bots and servers: being made, joining, changing and leaving."""

import json
import re

from bot.playground import permissions
from bot.playground.events import PRIVILEGED
from bot.playground.places import watching
from bot.playground.rows import Json
from bot.playground.shapes.guild import show_member, show_role, show_whole_guild
from bot.playground.shapes.user import show_me, show_user
from bot.playground.world import World

UNKNOWN_TOKEN = 4004  # as the gateway refuses a token


def make_person(world: World, name: str) -> Json:
    """Make a person's account; the name as given is shown, a plain form of it is the username."""
    row: Json = {"id": world.ids.next(), "username": _free_name(world, name), "global_name": name[:32]}
    return world.add_user(row)


def come_again(world: World, name: str) -> Json:
    """Give the person who came so before under a name, else a new one."""
    for row in world.users.rows.values():
        if row.get("comes_again") and row["global_name"] == name[:32] and "token" in row:
            return row
    return world.change_user(make_person(world, name), comes_again=True)


def rename_person(world: World, row: Json, name: str) -> Json:
    """Give a person another name; whoever shares a server with them hears of it."""
    row = world.rename(row | {"global_name": name[:32]}, _free_name(world, name, but_of=row["id"]))
    world.tell_users([row["id"]], "USER_UPDATE", show_me(row))
    for guild in world.guilds_of(row["id"]):
        member = world.member(guild["id"], row["id"])
        if member is not None:
            world.tell_guild(guild["id"], "GUILD_MEMBER_UPDATE", show_new_member(world, member))
    return row


def set_locale(world: World, row: Json, locale: str) -> Json:
    """Let a person read in another language; only they hear of it, and bots when they use a command."""
    row = world.change_user(row, locale=locale)
    world.tell_users([row["id"]], "USER_UPDATE", show_me(row))
    return row


def remove_person(world: World, row: Json) -> None:
    """Let a person go for good: what they said stays under their name, their token opens nothing any more."""
    for guild in world.guilds_of(row["id"]):
        leave(world, guild["id"], row["id"])
    world.lock_out(row)
    for session in world.hub.sessions():
        if session.user_id == row["id"] and session.connection is not None:
            world.hub.run(session.connection.close(UNKNOWN_TOKEN, "This person was removed."))


def make_bot(world: World, name: str, *, owner_id: str) -> Json:
    """Make an application and its bot's account, which share their id."""
    row = world.add_user({"id": world.ids.next(), "username": name[:32], "global_name": None, "bot": True})
    world.applications.put(
        row["id"],
        {
            "id": row["id"],
            "name": name[:32],
            "description": "",
            "owner_id": owner_id,
            "flags": sum(PRIVILEGED.values()),
        },
    )
    return row


def _free_name(world: World, name: str, *, but_of: str | None = None) -> str:
    plain = re.sub(r"[^a-z0-9_.]+", "_", name.lower()).strip("_.")[:28]
    plain = plain if len(plain) >= 2 else f"user_{plain}".rstrip("_")
    taken = taken_names(world, but_of=but_of)
    return next(free for n in range(len(taken) + 1) if (free := f"{plain}{n + 1 if n else ''}") not in taken)


def taken_names(world: World, *, but_of: str | None) -> set[str]:
    """Give the usernames that others bear, in small letters: each is one person's alone; who was removed needs none."""
    others = [row for row in world.users.rows.values() if row["id"] != but_of]
    return {row["username"].casefold() for row in others if row.get("bot") or "token" in row}


def make_guild(world: World, name: str, *, owner_id: str, channel: str = "general") -> Json:
    """Make a server with one text channel."""
    guild_id, channel_id = world.ids.next(), world.ids.next()
    guild = {"id": guild_id, "name": name, "owner_id": owner_id, "system_channel_id": None}
    world.guilds.put(guild_id, guild)
    everyone = {"name": "@everyone", "permissions": str(permissions.EVERYONE), "position": 0}
    world.roles.put(guild_id, {"id": guild_id, "guild_id": guild_id} | everyone)
    world.channels.put(
        channel_id,
        {
            "id": channel_id,
            "type": 0,
            "guild_id": guild_id,
            "name": channel,
            "position": 0,
            "parent_id": None,
            "permission_overwrites": [],
        },
    )
    join(world, guild_id, owner_id)
    return guild


def make_role(world: World, guild_id: str, name: str, *, rights: int, **more: object) -> Json:
    """Make a role right above @everyone."""
    roles = world.roles.within(guild_id)
    for row in list(roles.values()):
        if row["position"] >= 1:
            world.roles.put(row["id"], row | {"position": row["position"] + 1})
    row = {"id": world.ids.next(), "guild_id": guild_id, "name": name, "permissions": str(rights)}
    row |= {"position": 1} | more
    world.roles.put(row["id"], row)
    world.tell_guild(guild_id, "GUILD_ROLE_CREATE", {"guild_id": guild_id, "role": show_role(row)})
    return row


def join(world: World, guild_id: str, user_id: str, *, role_ids: tuple[str, ...] = ()) -> Json:
    """Make somebody a member: it gets the server, the others hear of it."""
    found = world.member(guild_id, user_id)
    if found is not None:
        return change_member(world, found, roles=list(dict.fromkeys([*found["roles"], *role_ids])))
    row: Json = {
        "guild_id": guild_id,
        "user_id": user_id,
        "roles": list(role_ids),
        "nick": None,
        "joined_at": world.clock.stamp(),
    }
    world.tell_guild(guild_id, "GUILD_MEMBER_ADD", show_new_member(world, row))
    world.members.put(f"{guild_id}:{user_id}", row)
    world.forget_permissions()
    for session in world.hub.sessions():
        if session.user_id == user_id and session.serves(guild_id) and session.hears_guilds:
            guild = show_whole_guild(world, world.guilds.rows[guild_id], session)
            session.put("GUILD_CREATE", json.dumps(guild))
    return row


def show_new_member(world: World, row: Json) -> Json:
    """Show a member as events do: with its server."""
    return show_member(world, row) | {"guild_id": row["guild_id"]}


def change_member(world: World, row: Json, **changes: object) -> Json:
    """Change roles, nickname or timeout of a member."""
    guild_id, user_id = row["guild_id"], row["user_id"]
    with watching(world, guild_id):
        row = world.members.put(f"{guild_id}:{user_id}", row | changes)
    data = show_new_member(world, row)
    world.tell_guild(guild_id, "GUILD_MEMBER_UPDATE", data)
    for session in world.hub.sessions():  # of itself everyone hears, with or without the intent
        if session.user_id == user_id and session.hears_guilds and not session.sees_members:
            session.put("GUILD_MEMBER_UPDATE", json.dumps(data))
    return row


def leave(world: World, guild_id: str, user_id: str) -> None:
    """End a membership: the server vanishes for who left, the others hear of it."""
    world.members.drop(f"{guild_id}:{user_id}")
    world.forget_permissions()
    world.tell_users([user_id], "GUILD_DELETE", {"id": guild_id}, guild_id=guild_id)
    data = {"guild_id": guild_id, "user": show_user(world.users.rows[user_id])}
    world.tell_guild(guild_id, "GUILD_MEMBER_REMOVE", data)


def invite_bot(world: World, guild_id: str, bot: Json, *, rights: int) -> Json:
    """Bring a bot into a server with a role of its own, as an invitation does."""
    tags = {"bot_id": bot["id"], "integration_id": bot["id"]}
    role = make_role(world, guild_id, bot["username"], rights=rights, managed=True, tags=tags)
    return join(world, guild_id, bot["id"], role_ids=(role["id"],))
