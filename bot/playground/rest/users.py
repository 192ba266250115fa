"""`/users`, `/applications/@me`, `/gateway`: who one is and where to connect."""

from typing import Any

from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.rest.call import Call
from bot.playground.rest.form import Form
from bot.playground.rest.routes import Routes
from bot.playground.shapes.channel import show_direct
from bot.playground.shapes.guild import show_guild, show_member
from bot.playground.shapes.user import show_application, show_me, show_user
from bot.playground.world import World

Json = dict[str, Any]

routes = Routes()


@routes.on("GET", "/users/@me")
def me(call: Call) -> Json:
    """Give whoever asks."""
    return show_me(call.world.users.rows[call.me])


@routes.on("PATCH", "/users/@me")
def edit_me(call: Call) -> Json:
    """Change one's own name."""
    form = Form(call.form)
    name = form.text("username", low=2, high=32)
    form.check()
    row = call.world.users.rows[call.me]
    if name is not None:
        row = call.world.rename(row, name)
        call.world.tell_users([row["id"]], "USER_UPDATE", show_me(row))
    return show_me(row)


@routes.on("GET", "/users/@me/guilds")
def my_guilds(call: Call) -> list[Json]:
    """Give the servers one is in, shortly."""
    limit = call.number("limit", 200, low=1, high=200)
    rows = sorted(call.world.guilds_of(call.me), key=lambda row: int(row["id"]))
    if (after := call.id_of("after")) is not None:
        rows = [row for row in rows if int(row["id"]) > after]
    if (before := call.id_of("before")) is not None:
        rows = [row for row in rows if int(row["id"]) < before]
    return [_short(call, row) for row in rows[:limit]]


def _short(call: Call, row: Json) -> Json:
    shown = {key: show_guild(call.world, row)[key] for key in ("id", "name", "icon", "banner", "features")}
    return shown | {
        "owner": row["owner_id"] == call.me,
        "permissions": str(call.world.guild_permissions(row["id"], call.me)),
    }


@routes.on("GET", "/users/@me/guilds/{guild_id}/member")
def my_member(call: Call) -> Json:
    """Give one's own membership."""
    return show_member(call.world, call.world.members.rows[f"{call.guild()['id']}:{call.me}"])


@routes.on("POST", "/users/@me/channels")
def open_direct(call: Call) -> Json:
    """Open a direct conversation, or find the one that is there."""
    form = Form(call.form)
    other = form.snowflake("recipient_id") or next(iter(form.snowflakes("recipients", high=1) or ()), "")
    form.check()
    if call.world.users.get(other) is None:
        raise invalid("recipient_id", "CANNOT_DM_SELF" if other == call.me else "USER_INVALID", "Unknown user")
    if other == call.me:
        raise ApiError(400, 50007)
    return show_direct(call.world, direct_between(call.world, call.me, other), call.me)


@routes.on("GET", "/users/@me/channels")
def my_directs(call: Call) -> list[Json]:
    """Give one's direct conversations."""
    found = [row for row in call.world.channels.within(None).values() if call.me in row["recipients"]]
    return [show_direct(call.world, row, call.me) for row in found]


def direct_between(world: World, one: str, other: str) -> Json:
    """Give the conversation of two users, made when there is none."""
    for row in world.channels.within(None).values():
        if set(row["recipients"]) == {one, other}:
            return row
    row = {"id": world.ids.next(), "type": 1, "recipients": [one, other]}
    world.channels.put(row["id"], row)
    for user_id in (one, other):
        world.tell_users([user_id], "CHANNEL_CREATE", show_direct(world, row, user_id))
    return row


@routes.on("GET", "/users/{user_id}")
def user(call: Call) -> Json:
    """Give any user."""
    row = call.world.users.get(call.params["user_id"])
    if row is None:
        raise Unknown(10013)
    return show_user(row)


def _application(call: Call) -> Json:
    row = call.world.applications.get(call.me)
    if row is None:
        raise ApiError(403, 20002, "Only bots can use this endpoint")
    return row


def _show_application(call: Call, row: Json) -> Json:
    world = call.world
    owner = world.users.rows[row["owner_id"]]
    return show_application(row, bot=world.users.rows[row["id"]], owner=owner, guilds=len(world.guilds_of(row["id"])))


@routes.on("GET", "/applications/@me")
@routes.on("GET", "/oauth2/applications/@me")
def application(call: Call) -> Json:
    """Give the application whose bot asks."""
    return _show_application(call, _application(call))


@routes.on("PATCH", "/applications/@me")
def edit_application(call: Call) -> Json:
    """Change the application's description or its limited intents."""
    form = Form(call.form)
    changed = {"description": form.text("description", high=400), "flags": form.number("flags", high=1 << 30)}
    form.check()
    row = _application(call) | {key: value for key, value in changed.items() if value is not None}
    return _show_application(call, call.world.applications.put(row["id"], row))


@routes.on("GET", "/gateway", door="open")
def gateway(call: Call) -> Json:
    """Say where the gateway is."""
    return {"url": call.world.gateway_url}


@routes.on("GET", "/gateway/bot")
def gateway_for_bots(call: Call) -> Json:
    """Say where the gateway is and how many shards to use."""
    limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
    return {"url": call.world.gateway_url, "shards": 1, "session_start_limit": limit}
