"""`/guilds/{id}/members` and `/bans`: who is in a server, with which roles and names."""

from typing import Annotated, TypedDict

from bot.playground import people
from bot.playground.call import Call
from bot.playground.errors import Refused, Unknown
from bot.playground.forms import ListOf, Moment, Snowflake, Text, Undone, Whole
from bot.playground.permissions import Permission
from bot.playground.rest.roles import top_position
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.guild import show_member
from bot.playground.shapes.user import show_user
from bot.playground.writing import posting

routes = Routes()


class MembersQuery(TypedDict, total=False):
    """A page of members."""

    limit: Annotated[int, Whole(1, 1000)]
    after: Snowflake


class SearchQuery(TypedDict, total=False):
    """The beginning of a name."""

    query: Annotated[str, Text(0, 100)]
    limit: Annotated[int, Whole(1, 1000)]


class BansQuery(TypedDict, total=False):
    """A page of bans."""

    limit: Annotated[int, Whole(1, 1000)]
    before: Snowflake
    after: Snowflake


class MyMemberForm(TypedDict, total=False):
    """What one can change of one's own membership."""

    nick: Annotated[str | None, Text(0, 32)]
    avatar: Annotated[object, Undone()]
    banner: Annotated[object, Undone()]
    bio: Annotated[object, Undone()]


class MemberForm(TypedDict, total=False):
    """What can be changed of a member."""

    nick: Annotated[str | None, Text(0, 32)]
    communication_disabled_until: Annotated[str | None, Moment()]
    roles: Annotated[list[Snowflake], ListOf(0, 250)]
    channel_id: Annotated[object, Undone()]
    deaf: Annotated[object, Undone()]
    mute: Annotated[object, Undone()]
    flags: Annotated[object, Undone()]


class BanForm(TypedDict, total=False):
    """How much of what somebody said goes with a ban."""

    delete_message_days: Annotated[int, Whole(0, 7)]
    delete_message_seconds: Annotated[int, Whole(0, 604_800)]


BASE = "/guilds/{guild_id}/members"


def _in_order(call: Call) -> list[Json]:
    rows = call.world.members.within(call.guild()["id"]).values()
    return sorted(rows, key=lambda row: int(row["user_id"]))


@routes.on("GET", BASE)
def listed(call: Call, query: MembersQuery) -> list[Json]:
    """Give a page of members by id."""
    rows = [row for row in _in_order(call) if int(row["user_id"]) > int(query.get("after", 0))]
    return [show_member(call.world, row) for row in rows[: query.get("limit", 1)]]


@routes.on("GET", BASE + "/search")
def search(call: Call, query: SearchQuery) -> list[Json]:
    """Give members whose name or nickname begins with the query."""
    begins = query.get("query", "").lower()
    found = []
    for row in _in_order(call):
        user = call.world.users.rows[row["user_id"]]
        names = (user["username"], user.get("global_name"), row.get("nick"))
        if any(name and name.lower().startswith(begins) for name in names):
            found.append(show_member(call.world, row))
    return found[: query.get("limit", 1)]


def _member(call: Call) -> Json:
    row = call.world.member(call.guild()["id"], call.params["user_id"])
    if row is None:
        raise Unknown(10007)
    return row


@routes.on("GET", BASE + "/{user_id}")
def member(call: Call) -> Json:
    """Give one member."""
    return show_member(call.world, _member(call))


@routes.on("PATCH", BASE + "/@me")
def edit_me(call: Call, form: MyMemberForm) -> Json:
    """Change one's own nickname."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.CHANGE_NICKNAME)
    row = call.world.members.rows[f"{guild['id']}:{call.me}"]
    if "nick" in form:
        row = people.change_member(call.world, row, nick=form["nick"] or None)
    return show_member(call.world, row)


def _below_me(call: Call, row: Json) -> None:
    guild = call.guild()
    mine = top_position(call.world, guild, call.me)
    if row["user_id"] != call.me and top_position(call.world, guild, row["user_id"]) >= mine:
        raise Refused(50013)


@routes.on("PATCH", BASE + "/{user_id}")
def edit(call: Call, form: MemberForm) -> Json:
    """Change a member's nickname, roles or timeout."""
    row, guild = _member(call), call.guild()
    changed: Json = {}
    if "nick" in form:
        call.may_in_guild(guild, Permission.MANAGE_NICKNAMES)
        changed["nick"] = form["nick"] or None
    if "communication_disabled_until" in form:
        call.may_in_guild(guild, Permission.MODERATE_MEMBERS)
        changed["communication_disabled_until"] = form["communication_disabled_until"]
    if "roles" in form:
        call.may_in_guild(guild, Permission.MANAGE_ROLES)
        asked, kept = form["roles"], set(row["roles"])
        changed["roles"] = [r if r in kept else _assignable(call, guild, r) for r in asked]
        for role_id in kept - set(asked):
            _assignable(call, guild, role_id)
    if changed.keys() != {"roles"}:  # of roles only their own height counts
        _below_me(call, row)
    return show_member(call.world, people.change_member(call.world, row, **changed))


def _assignable(call: Call, guild: Json, role_id: str) -> str:
    role = call.world.roles.within(guild["id"]).get(role_id)
    if role is None:
        raise Unknown(10011)
    if role.get("managed") or role["position"] >= top_position(call.world, guild, call.me):
        raise Refused(50013)
    return role_id


@routes.on("PUT", BASE + "/{user_id}/roles/{role_id}")
def add_role(call: Call) -> None:
    """Give a member a role."""
    row, guild = _member(call), call.guild()
    call.may_in_guild(guild, Permission.MANAGE_ROLES)
    role_id = _assignable(call, guild, call.params["role_id"])
    if role_id not in row["roles"]:
        people.change_member(call.world, row, roles=[*row["roles"], role_id])


@routes.on("DELETE", BASE + "/{user_id}/roles/{role_id}")
def remove_role(call: Call) -> None:
    """Take a role from a member."""
    row, guild = _member(call), call.guild()
    call.may_in_guild(guild, Permission.MANAGE_ROLES)
    role_id = _assignable(call, guild, call.params["role_id"])
    people.change_member(call.world, row, roles=[kept for kept in row["roles"] if kept != role_id])


@routes.on("DELETE", BASE + "/{user_id}")
def kick(call: Call) -> None:
    """Remove a member from the server."""
    row, guild = _member(call), call.guild()
    call.may_in_guild(guild, Permission.KICK_MEMBERS)
    _below_me(call, row)
    people.leave(call.world, guild["id"], row["user_id"])


@routes.on("PUT", "/guilds/{guild_id}/bans/{user_id}")
def ban(call: Call, form: BanForm) -> None:
    """Remove somebody and keep it out."""
    guild, user = call.guild(), call.world.users.get(call.params["user_id"])
    call.may_in_guild(guild, Permission.BAN_MEMBERS)
    if user is None:
        raise Unknown(10013)
    row = call.world.member(guild["id"], user["id"])
    if row is not None:
        _below_me(call, row)
    bans = guild.get("bans", {}) | {user["id"]: call.reason}
    call.world.guilds.put(guild["id"], guild | {"bans": bans})
    call.world.tell_guild(guild["id"], "GUILD_BAN_ADD", {"guild_id": guild["id"], "user": show_user(user)})
    if row is not None:
        people.leave(call.world, guild["id"], user["id"])
    seconds = form.get("delete_message_seconds", form.get("delete_message_days", 0) * 86_400)
    for channel in call.world.channels.within(guild["id"]).values():
        since = call.world.ids.at(call.world.clock.seconds - seconds)
        if seconds and (said := call.world.messages.by_author(channel["id"], user["id"], after=since)):
            posting.remove(call.world, channel, said, bulk=True)


@routes.on("DELETE", "/guilds/{guild_id}/bans/{user_id}")
def unban(call: Call) -> None:
    """Let somebody in again."""
    guild, user_id = call.guild(), call.params["user_id"]
    call.may_in_guild(guild, Permission.BAN_MEMBERS)
    if user_id not in guild.get("bans", {}):
        raise Unknown(10026)
    bans = {key: value for key, value in guild["bans"].items() if key != user_id}
    call.world.guilds.put(guild["id"], guild | {"bans": bans})
    user = show_user(call.world.users.rows[user_id])
    call.world.tell_guild(guild["id"], "GUILD_BAN_REMOVE", {"guild_id": guild["id"], "user": user})


@routes.on("GET", "/guilds/{guild_id}/bans")
def bans(call: Call, query: BansQuery) -> list[Json]:
    """Give a page of those who are kept out, by id."""
    after, before = int(query.get("after", 0)), int(query.get("before", 1 << 63))
    found = [entry for user, entry in sorted(_bans(call).items()) if after < user < before]
    return found[: query.get("limit", 1000)]


def _bans(call: Call) -> dict[int, Json]:
    guild = call.guild()
    call.may_in_guild(guild, Permission.BAN_MEMBERS)
    users = call.world.users.rows
    return {int(user): {"reason": why, "user": show_user(users[user])} for user, why in guild.get("bans", {}).items()}


@routes.on("GET", "/guilds/{guild_id}/bans/{user_id}")
def one_ban(call: Call) -> Json:
    """Give one who is kept out."""
    found = [entry for user, entry in _bans(call).items() if str(user) == call.params["user_id"]]
    if not found:
        raise Unknown(10026)
    return found[0]
