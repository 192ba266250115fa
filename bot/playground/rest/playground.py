"""`/playground`: what no Discord has. Making people, servers and bots, and moving the clock."""

from typing import Any

from bot.playground import people, permissions
from bot.playground.errors import Unknown, invalid
from bot.playground.faults import GATEWAY_KINDS
from bot.playground.gateway.trouble import make_trouble
from bot.playground.interacting.asking import fail_silent
from bot.playground.permissions import Permission
from bot.playground.rest.call import Call
from bot.playground.rest.form import Form
from bot.playground.rest.routes import Routes
from bot.playground.shapes.channel import show_channel
from bot.playground.shapes.guild import show_guild, show_member
from bot.playground.shapes.user import show_user
from bot.playground.world import THREADS

Json = dict[str, Any]

routes = Routes(limited=False)

FARTHEST = 20 * 365 * 86_400
MANAGER = int(Permission.MANAGE_GUILD)


def _name(call: Call, *, high: int) -> str:
    form = Form(call.form)
    name = form.text("name", low=1, high=high, required=True)
    form.check()
    return str(name).strip() or "nobody"


def _guild(call: Call, guild_id: object) -> Json:
    if guild_id is None:
        guild_id = next(iter(call.world.guilds.rows))
    guild = call.world.guilds.get(guild_id)
    if guild is None:
        raise Unknown(10004)
    return guild


def _rights(call: Call, default: int) -> int:
    given = call.form.get("permissions", default)
    if not str(given).isdecimal():
        raise invalid("permissions", "NUMBER_TYPE_COERCE", "Give the permission bits as a number.")
    return int(given)


@routes.on("POST", "/people", door="open")
def make_person(call: Call) -> Json:
    """Make a person and bring it into a server (the first one, unless `guild_id` names another)."""
    name = _name(call, high=32)
    guild = _guild(call, call.form.get("guild_id"))
    row = people.make_person(call.world, name)
    roles = (_manager_role(call, guild),) if call.form.get("manager") else ()
    people.join(call.world, guild["id"], row["id"], role_ids=roles)
    return {"user": show_user(row), "token": row["token"]}


def _manager_role(call: Call, guild: Json) -> str:
    for row in call.world.roles.within(guild["id"]).values():
        if row["name"] == "Managers":
            return str(row["id"])
    return str(people.make_role(call.world, guild["id"], "Managers", rights=MANAGER, hoist=True)["id"])


@routes.on("GET", "/people", door="open")
def listed(call: Call) -> list[Json]:
    """Give every person with its token, so that a page can switch between them."""
    rows = [row for row in call.world.users.rows.values() if not row.get("bot")]
    return [{"user": show_user(row), "token": row["token"]} for row in rows]


@routes.on("POST", "/guilds", door="open")
def make_guild(call: Call) -> Json:
    """Make a server with one text channel, `general`."""
    name = _name(call, high=100)
    owner = call.form.get("owner_id") or next(iter(call.world.guilds.rows.values()))["owner_id"]
    if call.world.users.get(owner) is None:
        raise Unknown(10013)
    row = people.make_guild(call.world, name, owner_id=str(owner))
    channels = call.world.channels.within(row["id"]).values()
    shown = [show_channel(call.world, channel) for channel in channels if channel["type"] not in THREADS]
    return show_guild(call.world, row) | {"channels": shown}


@routes.on("POST", "/bots", door="open")
def make_bot(call: Call) -> Json:
    """Make an application with its bot and invite it with these permissions."""
    name = _name(call, high=32)
    guild = _guild(call, call.form.get("guild_id"))
    rights = _rights(call, permissions.BOT)
    form = Form(call.form)
    flags = form.number("flags", high=1 << 30)
    form.check()
    row = people.make_bot(call.world, name, owner_id=guild["owner_id"])
    if flags is not None:
        application = call.world.applications.rows[row["id"]]
        call.world.applications.put(row["id"], application | {"flags": flags})
    people.invite_bot(call.world, guild["id"], row, rights=rights)
    return {"application_id": row["id"], "user": show_user(row), "token": row["token"]}


@routes.on("PUT", "/guilds/{guild_id}/members/{user_id}", door="open")
def bring_in(call: Call) -> Json:
    """Bring a person into a server, or invite a bot."""
    guild = _guild(call, call.params["guild_id"])
    row = call.world.users.get(call.params["user_id"])
    if row is None:
        raise Unknown(10013)
    if row.get("bot"):
        rights = _rights(call, permissions.BOT)
        member = people.invite_bot(call.world, guild["id"], row, rights=rights)
    else:
        rights = _rights(call, 0)
        roles: tuple[str, ...] = ()
        if rights:
            name = f"{row['username']} may"
            roles = (people.make_role(call.world, guild["id"], name, rights=rights)["id"],)
        member = people.join(call.world, guild["id"], row["id"], role_ids=roles)
    return show_member(call.world, member)


@routes.on("POST", "/faults", door="open")
def add_fault(call: Call) -> Json:
    """Ask for trouble; the gateway's own kinds strike at once."""
    if call.form.get("kind") in GATEWAY_KINDS:
        return {"kind": call.form["kind"], "hits": make_trouble(call.world, call.form)}
    return call.world.faults.add(call.form).shown()


@routes.on("GET", "/faults", door="open")
def faults(call: Call) -> list[Json]:
    """Give the faults asked for and how often each has struck."""
    return call.world.faults.shown()


@routes.on("DELETE", "/faults", door="open")
def clear_faults(call: Call) -> None:
    """End all trouble."""
    call.world.faults.clear()


@routes.on("POST", "/clock", door="open")
def move_clock(call: Call) -> Json:
    """Push the clock forward by `advance` seconds: tokens age, unanswered interactions fail."""
    seconds = call.form.get("advance", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        raise invalid("advance", "NUMBER_TYPE_MIN", "Give the seconds to go forward; time never runs backwards.")
    if not call.world.clock.offset_seconds + seconds < FARTHEST:
        raise invalid("advance", "NUMBER_TYPE_MAX", "The clock can be at most twenty years ahead.")
    call.world.clock.advance(seconds)
    call.world.meta.put("clock", {"offset_seconds": call.world.clock.offset_seconds})
    fail_silent(call.world)
    return {"now": call.world.clock.stamp(), "offset_seconds": call.world.clock.offset_seconds}
