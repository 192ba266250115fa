"""`/playground`: what no Discord has. Making people, servers and bots, and moving the clock."""

from typing import Annotated, Required, TypedDict

from bot.playground import people, permissions
from bot.playground.call import Call
from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.faults import GATEWAY_KINDS, FaultForm
from bot.playground.forms import Bits, Choice, Number, Snowflake, Text, Whole
from bot.playground.interacting.asking import fail_silent
from bot.playground.kinds import LOCALES, THREADS
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json, Shown
from bot.playground.session import Link
from bot.playground.shapes.channel import show_channel
from bot.playground.shapes.guild import show_guild, show_member
from bot.playground.shapes.user import show_user
from bot.playground.world import World

routes = Routes(limited=False)

FARTHEST = 20 * 365 * 86_400
MANAGER = int(Permission.MANAGE_GUILD)


class PersonForm(TypedDict, total=False):
    """A person, and the server it comes into (the first one, unless it is named).

    `again`: who came so before under that name, where there is one.
    """

    name: Required[Annotated[str, Text(1, 32)]]
    guild_id: Snowflake
    manager: bool
    again: bool


class ProfileForm(TypedDict, total=False):
    """How a person wants to be called, and what language they read."""

    name: Annotated[str, Text(1, 32)]
    locale: Annotated[str, Choice(*LOCALES)]


class NewGuildForm(TypedDict, total=False):
    """A server; its owner is the first one's, unless it is named."""

    name: Required[Annotated[str, Text(1, 100)]]
    owner_id: Snowflake


class BotForm(TypedDict, total=False):
    """An application with its bot, and what it may do where."""

    name: Required[Annotated[str, Text(1, 32)]]
    guild_id: Snowflake
    permissions: Annotated[str, Bits()]
    flags: Annotated[int, Whole(0, 1 << 30)]


class JoinForm(TypedDict, total=False):
    """What somebody may do in the server that it comes into."""

    permissions: Annotated[str, Bits()]


class ClockForm(TypedDict):
    """How many seconds to go forward."""

    advance: Annotated[float, Number(0, FARTHEST)]


def _guild(call: Call, guild_id: object) -> Json:
    if guild_id is None:
        guild_id = next(iter(call.world.guilds.rows))
    guild = call.world.guilds.get(guild_id)
    if guild is None:
        raise Unknown(10004)
    return guild


@routes.on("POST", "/people", door="open")
def make_person(call: Call, form: PersonForm) -> Json:
    """Make a person and bring it into a server."""
    guild = _guild(call, form.get("guild_id"))
    make = people.come_again if form.get("again") else people.make_person
    row = make(call.world, form["name"].strip())
    roles = (_manager_role(call, guild),) if form.get("manager") else ()
    people.join(call.world, guild["id"], row["id"], role_ids=roles)
    return {"user": show_user(row), "token": row["token"]}


@routes.on("PATCH", "/people/{user_id}", door="open")
def change_person(call: Call, form: ProfileForm) -> Json:
    """Give a person the name and the language that they choose."""
    row = _person(call)
    if "name" in form:
        row = people.rename_person(call.world, row, form["name"].strip())
    if "locale" in form:
        row = people.set_locale(call.world, row, form["locale"])
    return {"user": show_user(row), "token": row["token"]}


@routes.on("DELETE", "/people/{user_id}", door="open")
def remove_person(call: Call) -> None:
    """Let a person go who owns no server; what they said stays."""
    row = _person(call)
    if any(guild["owner_id"] == row["id"] for guild in call.world.guilds.rows.values()):
        raise ApiError(400, 50055, "Who owns a server cannot be removed.")
    people.remove_person(call.world, row)


def _person(call: Call) -> Json:
    row = call.world.users.get(call.params["user_id"])
    if row is None or row.get("bot") or "token" not in row:
        raise Unknown(10013)
    return row


def _manager_role(call: Call, guild: Json) -> str:
    for row in call.world.roles.within(guild["id"]).values():
        if row["name"] == "Managers":
            return str(row["id"])
    return str(people.make_role(call.world, guild["id"], "Managers", rights=MANAGER, hoist=True)["id"])


@routes.on("GET", "/people", door="open")
def listed(call: Call) -> list[Json]:
    """Give every person with its token, so that a page can switch between them."""
    rows = [row for row in call.world.users.rows.values() if not row.get("bot") and "token" in row]
    return [{"user": show_user(row), "token": row["token"]} for row in rows]


@routes.on("POST", "/guilds", door="open")
def make_guild(call: Call, form: NewGuildForm) -> Json:
    """Make a server with one text channel, `general`."""
    owner = form.get("owner_id") or next(iter(call.world.guilds.rows.values()))["owner_id"]
    if call.world.users.get(owner) is None:
        raise Unknown(10013)
    row = people.make_guild(call.world, form["name"].strip(), owner_id=owner)
    channels = call.world.channels.within(row["id"]).values()
    shown = [show_channel(call.world, channel) for channel in channels if channel["type"] not in THREADS]
    return show_guild(call.world, row) | {"channels": shown}


@routes.on("POST", "/bots", door="open")
def make_bot(call: Call, form: BotForm) -> Json:
    """Make an application with its bot and invite it with these permissions."""
    guild = _guild(call, form.get("guild_id"))
    row = people.make_bot(call.world, form["name"].strip(), owner_id=guild["owner_id"])
    if "flags" in form:
        application = call.world.applications.rows[row["id"]]
        call.world.applications.put(row["id"], application | {"flags": form["flags"]})
    people.invite_bot(call.world, guild["id"], row, rights=int(form.get("permissions", permissions.BOT)))
    return {"application_id": row["id"], "user": show_user(row), "token": row["token"]}


@routes.on("PUT", "/guilds/{guild_id}/members/{user_id}", door="open")
def bring_in(call: Call, form: JoinForm) -> Json:
    """Bring a person into a server, or invite a bot."""
    guild = _guild(call, call.params["guild_id"])
    row = call.world.users.get(call.params["user_id"])
    if row is None:
        raise Unknown(10013)
    if row.get("bot"):
        rights = int(form.get("permissions", permissions.BOT))
        member = people.invite_bot(call.world, guild["id"], row, rights=rights)
    else:
        rights = int(form.get("permissions", 0))
        roles: tuple[str, ...] = ()
        if rights:
            name = f"{row['username']} may"
            roles = (people.make_role(call.world, guild["id"], name, rights=rights)["id"],)
        member = people.join(call.world, guild["id"], row["id"], role_ids=roles)
    return show_member(call.world, member)


@routes.on("POST", "/faults", door="open")
def add_fault(call: Call, form: FaultForm) -> Shown:
    """Ask for trouble; the gateway's own kinds strike at once."""
    if form["kind"] in GATEWAY_KINDS:
        return {"kind": form["kind"], "hits": make_trouble(call.world, form)}
    return call.world.faults.add(form).shown()


@routes.on("GET", "/faults", door="open")
def faults(call: Call) -> list[Shown]:
    """Give the faults asked for and how often each has struck."""
    return call.world.faults.shown()


@routes.on("DELETE", "/faults", door="open")
def clear_faults(call: Call) -> None:
    """End all trouble."""
    call.world.faults.clear()


@routes.on("POST", "/clock", door="open")
def move_clock(call: Call, form: ClockForm) -> Json:
    """Push the clock forward: tokens age, unanswered interactions fail."""
    seconds = form["advance"]
    if not call.world.clock.offset_seconds + seconds < FARTHEST:
        raise invalid("advance", "NUMBER_TYPE_MAX", "The clock can be at most twenty years ahead.")
    call.world.clock.advance(seconds)
    call.world.meta.put("clock", {"offset_seconds": call.world.clock.offset_seconds})
    fail_silent(call.world)
    return {"now": call.world.clock.stamp(), "offset_seconds": call.world.clock.offset_seconds}


def make_trouble(world: World, form: FaultForm) -> int:
    """Close, invalidate or send away the connections of one user, or of all; gives how many it hits."""
    user_id, code = form.get("user_id"), form.get("code", 4000)
    if not (code == 1000 or code >= 3000 or code in (1001, 1011, 1012)):
        raise invalid("code", "BASE_TYPE_CHOICES", "Use 1000, 1001, 1011, 1012, or a code from 3000 to 4999.")
    hit = [session for session in world.hub.sessions() if user_id in (None, session.user_id)]
    links = [session.connection for session in hit if session.connection is not None]
    for link in links:
        world.hub.run(_strike(link, form, code))
    return len(links)


async def _strike(link: Link, form: FaultForm, code: int) -> None:
    match form["kind"]:
        case "close":
            await link.close(code, "Closed on request.")
        case "reconnect":
            await link.ask_to_reconnect()
        case "invalid_session":
            await link.invalidate(resumable=form.get("resumable", False))
