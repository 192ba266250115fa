"""Application commands: what a bot offers, globally and per server, and who may use it."""

from typing import Annotated, TypedDict

from bot.playground.call import Call, Reply
from bot.playground.errors import ApiError, Refused, Unknown, invalid
from bot.playground.forms import Choice, ListOf, Snowflake
from bot.playground.kinds import CommandKind
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.user import show_user
from bot.playground.world import World
from bot.playground.writing.commands import CommandChange, CommandForm, named_alike, read_command

routes = Routes()

MOST = {CommandKind.SLASH: 100, CommandKind.USER_MENU: 15, CommandKind.MESSAGE_MENU: 15}
MOST_ANY = 200


class LocalizedQuery(TypedDict, total=False):
    """Whether the words of all languages are wanted."""

    with_localizations: bool


class PermissionForm(TypedDict):
    """Whether a role (1), a user (2) or everyone in a channel (3) may use a command."""

    id: Snowflake
    type: Annotated[int, Choice(1, 2, 3)]
    permission: bool


class PermissionsForm(TypedDict):
    """Who may use a command in one server."""

    permissions: Annotated[list[PermissionForm], ListOf(0, 100)]


GLOBAL = "/applications/{application_id}/commands"
LOCAL = "/applications/{application_id}/guilds/{guild_id}/commands"


def _application(call: Call) -> str:
    if not call.is_bot or call.params["application_id"] != call.me:
        raise ApiError(403, 20012, "You are not authorized to perform this action on this application")
    if "guild_id" in call.params:
        call.guild()
    return call.me


def _mine(call: Call) -> list[Json]:
    return _of(call, _application(call))


def _of(call: Call, application_id: str) -> list[Json]:
    rows = call.world.commands.within(application_id).values()
    return [row for row in rows if row.get("guild_id") == call.params.get("guild_id")]


def _readable(call: Call) -> str:
    """Give the application of the path: a bot's own, or one a person meets in a server (Discord refuses people)."""
    if call.is_bot:
        return _application(call)
    bot = call.params["application_id"]
    places = [call.guild()["id"]] if "guild_id" in call.params else call.world.guilds.rows
    if not any(call.world.member(place, bot) and call.world.member(place, call.me) for place in places):
        raise ApiError(403, 20012, "You are not authorized to perform this action on this application")
    return bot


@routes.on("GET", GLOBAL)
@routes.on("GET", LOCAL)
def listed(call: Call, query: LocalizedQuery) -> list[Json]:
    """Give the commands of an application."""
    return [show_command(row) for row in _of(call, _readable(call))]


@routes.on("PUT", GLOBAL)
@routes.on("PUT", LOCAL)
def overwrite(call: Call, form: Annotated[list[CommandForm], ListOf(0, MOST_ANY)]) -> list[Json]:
    """Replace all commands; those with the same name and type keep their ids."""
    old = {(row["type"], row["name"]): row for row in _mine(call)}
    rows = [_build(call, given, old, f"{index}") for index, given in enumerate(form)]
    if any(named_alike([row for row in rows if row["type"] == kind]) for kind in CommandKind):
        raise invalid("0.name", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
    if any(sum(row["type"] == kind for row in rows) > most for kind, most in MOST.items()):
        raise ApiError(400, 30032)
    for row in old.values():
        call.world.commands.drop(row["id"])
    for row in rows:
        call.world.commands.put(row["id"], row)
    _tell(call)
    return [show_command(row) for row in rows]


def _build(call: Call, given: CommandForm, old: dict[tuple[int, str], Json], path: str = "") -> Json:
    row = read_command(given, path)
    before = old.get((row["type"], row["name"]))
    if before is not None and before["said"] == row["said"]:
        return before
    marks: Json = {
        "id": before["id"] if before else call.world.ids.next(),
        "application_id": call.me,
        "version": call.world.ids.next(),
    }
    if "guild_id" in call.params:
        marks["guild_id"] = call.params["guild_id"]
    return row | marks


@routes.on("POST", GLOBAL)
@routes.on("POST", LOCAL)
def create(call: Call, form: CommandForm) -> Reply:
    """Add a command, or replace the one of the same name and type."""
    old = {(row["type"], row["name"]): row for row in _mine(call)}
    row = _build(call, form, old)
    is_new = (row["type"], row["name"]) not in old
    if is_new and sum(kind == row["type"] for kind, _ in old) >= MOST[row["type"]]:
        raise ApiError(400, 30032)
    call.world.commands.put(row["id"], row)
    _tell(call)
    return Reply(201 if is_new else 200, show_command(row))


def _one(call: Call, application_id: str | None = None) -> Json:
    rows = _of(call, application_id or _application(call))
    found = [row for row in rows if row["id"] == call.params["command_id"]]
    if not found:
        raise Unknown(10063)
    return found[0]


@routes.on("GET", GLOBAL + "/{command_id}")
@routes.on("GET", LOCAL + "/{command_id}")
def command(call: Call) -> Json:
    """Give one command."""
    return show_command(_one(call, _readable(call)))


@routes.on("PATCH", GLOBAL + "/{command_id}")
@routes.on("PATCH", LOCAL + "/{command_id}")
def edit(call: Call, form: CommandChange) -> Json:
    """Change a command."""
    row = _one(call)
    row |= read_command(row["said"] | form, "")
    row = row | {"version": call.world.ids.next()}
    call.world.commands.put(row["id"], row)
    _tell(call)
    return show_command(row)


@routes.on("DELETE", GLOBAL + "/{command_id}")
@routes.on("DELETE", LOCAL + "/{command_id}")
def delete(call: Call) -> None:
    """Remove a command."""
    call.world.commands.drop(_one(call)["id"])
    _tell(call)


def _tell(call: Call) -> None:
    """Tell people's clients that the list has changed (bots get no such event)."""
    people = [row["id"] for row in call.world.users.rows.values() if not row.get("bot")]
    call.world.tell_users(people, "GUILD_APPLICATION_COMMAND_INDEX_UPDATE", {"application_id": call.me})


# Permissions per server


def _permissions(call: Call, command_id: str) -> Json | None:
    return call.world.command_permissions.get(f"{call.params['guild_id']}:{command_id}")


@routes.on("GET", LOCAL + "/permissions")
def all_permissions(call: Call) -> list[Json]:
    """Give the permissions of every command that has any here."""
    _application(call)
    rows = call.world.command_permissions.within(call.params["guild_id"]).values()
    return [row for row in rows if row["application_id"] == call.params["application_id"]]


@routes.on("GET", LOCAL + "/{command_id}/permissions")
def permissions(call: Call) -> Json:
    """Give the permissions of one command."""
    _application(call)
    row = _permissions(call, call.params["command_id"])
    if row is None:
        raise Unknown(10066)
    return row


@routes.on("PUT", LOCAL + "/{command_id}/permissions")
def edit_permissions(call: Call, form: PermissionsForm) -> Json:
    """Say who may use a command here; bots can't, a person who manages server and roles can."""
    guild = call.guild()
    if call.is_bot:
        raise ApiError(403, 20001, "Bots cannot use this endpoint")
    call.may_in_guild(guild, Permission.MANAGE_GUILD, Permission.MANAGE_ROLES)
    row: Json = {
        "id": call.params["command_id"],
        "application_id": call.params["application_id"],
        "guild_id": guild["id"],
        "permissions": form["permissions"],
    }
    call.world.command_permissions.put(f"{guild['id']}:{row['id']}", row)
    call.world.tell_guild(guild["id"], "APPLICATION_COMMAND_PERMISSIONS_UPDATE", row)
    return row


# What people see


def usable_commands(world: World, guild_id: str) -> list[Json]:
    """Give every command of the bots in a server; a local one hides the global one of its name."""
    bots = [row["user_id"] for row in world.members.within(guild_id).values()]
    found: dict[tuple[str, int, str], Json] = {}
    for bot_id in bots:
        rows = sorted(world.commands.within(bot_id).values(), key=lambda row: row.get("guild_id") is not None)
        for row in rows:
            if row.get("guild_id") in (None, guild_id):
                found[(bot_id, row["type"], row["name"])] = row
    return list(found.values())


def may_use(world: World, command: Json, channel: Json, user_id: str) -> bool:
    """Whether default permissions, or those set for this server, let a person use a command here."""
    has = world.permissions_in(channel, user_id)
    if not has & Permission.USE_APPLICATION_COMMANDS:
        return False
    if has & Permission.ADMINISTRATOR:
        return True
    guild_id = channel.get("guild_id")
    told = _told(world, command, channel, user_id) if guild_id else None
    if told is not None:
        return told
    wanted = command.get("default_member_permissions")
    return wanted is None or (int(wanted) != 0 and has & int(wanted) == int(wanted))


def _told(world: World, command: Json, channel: Json, user_id: str) -> bool | None:
    guild_id = channel["guild_id"]
    row = world.command_permissions.get(f"{guild_id}:{command['id']}")
    rules = {rule["id"]: rule["permission"] for rule in (row or {}).get("permissions", ())}
    if channel["id"] in rules and not rules[channel["id"]]:
        return False
    if user_id in rules:
        return bool(rules[user_id])
    member = world.members.rows[f"{guild_id}:{user_id}"]
    by_role = [bool(rules[role]) for role in member["roles"] if role in rules]
    if by_role:
        return any(by_role)
    return bool(rules[guild_id]) if guild_id in rules else None


@routes.on("GET", "/channels/{channel_id}/application-command-index")
def index_for_channel(call: Call) -> Json:
    """Give a person the commands it may use in a channel, with the bots behind them."""
    channel = call.channel()
    if call.is_bot:
        raise Refused
    rows = usable_commands(call.world, str(channel.get("guild_id")))
    rows = [row for row in rows if may_use(call.world, row, channel, call.me)]
    bots = {row["application_id"] for row in rows}
    applications = [
        {"id": bot, "name": call.world.applications.rows[bot]["name"], "bot": show_user(call.world.users.rows[bot])}
        for bot in sorted(bots)
    ]
    return {"applications": applications, "application_commands": [show_command(row) for row in rows]}


OPTIONAL = ("guild_id", "options", "contexts", "integration_types", "handler")


def show_command(row: Json) -> Json:
    """Show a slash command or a menu entry."""
    shown: Json = {
        "id": row["id"],
        "application_id": row["application_id"],
        "version": row["version"],
        "default_member_permissions": row.get("default_member_permissions"),
        "type": row["type"],
        "name": row["name"],
        "name_localizations": row.get("name_localizations"),
        "description": row.get("description", ""),
        "description_localizations": row.get("description_localizations"),
        "dm_permission": row.get("dm_permission", True),
        "contexts": None,
        "integration_types": [0],
        "nsfw": row.get("nsfw", False),
    }
    return shown | {key: row[key] for key in OPTIONAL if row.get(key) is not None}
