"""`/guilds/{id}/roles`: making, changing, ordering and removing them."""

from typing import Annotated, TypedDict

from bot.playground import people
from bot.playground.call import Call
from bot.playground.errors import ApiError, Refused, Unknown
from bot.playground.forms import Bits, ListOf, Snowflake, Text, Undone, Whole
from bot.playground.permissions import EVERYONE, Permission
from bot.playground.places import watching
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.guild import show_role
from bot.playground.world import World

routes = Routes()

MOST = 250
BASE = "/guilds/{guild_id}/roles"


def top_position(world: World, guild: Json, user_id: str) -> int:
    """Give the position of a member's highest role; the owner stands above all."""
    if guild["owner_id"] == user_id:
        return MOST + 1
    member = world.member(guild["id"], user_id)
    roles = world.roles.within(guild["id"])
    return max((roles[r]["position"] for r in (member or {"roles": ()})["roles"] if r in roles), default=0)


@routes.on("GET", BASE)
def listed(call: Call) -> list[Json]:
    """Give a server's roles."""
    rows = call.world.roles.within(call.guild()["id"]).values()
    return [show_role(row) for row in sorted(rows, key=lambda row: row["position"])]


@routes.on("GET", BASE + "/member-counts")
def counts(call: Call) -> Json:
    """Give how many members have each role."""
    guild = call.guild()
    members = call.world.members.within(guild["id"]).values()
    roles = call.world.roles.within(guild["id"])
    return {role: sum(role in member["roles"] for member in members) for role in roles if role != guild["id"]}


def _role(call: Call) -> Json:
    row = call.world.roles.within(call.guild()["id"]).get(call.params["role_id"])
    if row is None:
        raise Unknown(10011)
    return row


@routes.on("GET", BASE + "/{role_id}")
def role(call: Call) -> Json:
    """Give one role."""
    return show_role(_role(call))


class Colors(TypedDict, total=False):
    """A role's colours; only one is kept."""

    primary_color: Annotated[int, Whole(0, 0xFFFFFF)]
    secondary_color: Annotated[object, Undone()]
    tertiary_color: Annotated[object, Undone()]


class RoleForm(TypedDict, total=False):
    """What can be said of a role."""

    name: Annotated[str, Text(1, 100)]
    color: Annotated[int, Whole(0, 0xFFFFFF)]
    colors: Colors
    hoist: bool
    mentionable: bool
    unicode_emoji: Annotated[str, Text(0, 100)]
    permissions: Annotated[str, Bits()]
    icon: Annotated[object, Undone()]


class RoleMove(TypedDict, total=False):
    """Where a role is to stand."""

    id: Snowflake
    position: Annotated[int, Whole(0, MOST)]


def _read(form: RoleForm) -> Json:
    given: Json = {**form}
    colors = given.pop("colors", {})
    return ({"color": colors["primary_color"]} if "primary_color" in colors else {}) | given


@routes.on("POST", BASE)
def create(call: Call, form: RoleForm) -> Json:
    """Make a role right above @everyone."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.MANAGE_ROLES)
    if len(call.world.roles.within(guild["id"])) >= MOST:
        raise ApiError(400, 30005)
    changed = _read(form)
    rights = int(changed.pop("permissions", EVERYONE))
    _refuse_more_than_own(call, guild, rights)
    name = changed.pop("name", "new role")
    return show_role(people.make_role(call.world, guild["id"], name, rights=rights, **changed))


def _refuse_more_than_own(call: Call, guild: Json, rights: int) -> None:
    if rights & ~call.world.guild_permissions(guild["id"], call.me):
        raise Refused(50013)


def _manageable(call: Call) -> tuple[Json, Json]:
    """Give server and role, if the role is below one's own highest."""
    guild, row = call.guild(), _role(call)
    call.may_in_guild(guild, Permission.MANAGE_ROLES)
    if row["position"] >= top_position(call.world, guild, call.me):
        raise Refused(50013)
    return guild, row


@routes.on("PATCH", BASE + "/{role_id}")
def edit(call: Call, form: RoleForm) -> Json:
    """Change a role."""
    guild, row = _manageable(call)
    changed = _read(form)
    if "permissions" in changed:
        _refuse_more_than_own(call, guild, int(changed["permissions"]) ^ int(row["permissions"]))
    with watching(call.world, guild["id"]):
        row = call.world.roles.put(row["id"], row | changed)
    _tell(call, row)
    return show_role(row)


def _tell(call: Call, row: Json) -> None:
    data = {"guild_id": row["guild_id"], "role": show_role(row)}
    call.world.tell_guild(row["guild_id"], "GUILD_ROLE_UPDATE", data)


@routes.on("PATCH", BASE)
def reorder(call: Call, form: Annotated[list[RoleMove], ListOf(0, MOST)]) -> list[Json]:
    """Move roles; none at or above one's own highest."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.MANAGE_ROLES)
    top = top_position(call.world, guild, call.me)
    rows = call.world.roles.within(guild["id"])
    moves = [(rows.get(move.get("id", "")), move.get("position")) for move in form]
    if any(row is None or row["position"] >= top or (at or 0) >= top for row, at in moves):
        raise Refused(50013)
    for row, position in moves:
        if row is not None and position is not None and row["id"] != guild["id"]:
            _tell(call, call.world.roles.put(row["id"], row | {"position": position}))
    return listed(call)


@routes.on("DELETE", BASE + "/{role_id}")
def delete(call: Call) -> None:
    """Remove a role from the server and from everyone who has it."""
    guild, row = _manageable(call)
    if row.get("managed") or row["id"] == guild["id"]:
        raise ApiError(400, 50028)
    with watching(call.world, guild["id"]):
        for member in list(call.world.members.within(guild["id"]).values()):
            if row["id"] in member["roles"]:
                left = [kept for kept in member["roles"] if kept != row["id"]]
                call.world.members.put(f"{guild['id']}:{member['user_id']}", member | {"roles": left})
        call.world.roles.drop(row["id"])
    call.world.tell_guild(guild["id"], "GUILD_ROLE_DELETE", {"guild_id": guild["id"], "role_id": row["id"]})
