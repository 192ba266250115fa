"""`/users`, `/applications/@me`, `/gateway`: who one is and where to connect."""

from typing import Annotated, TypedDict

from bot.playground.call import Call
from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.forms import ListOf, Snowflake, Text, Undone, Whole
from bot.playground.people import taken_names
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.channel import show_direct
from bot.playground.shapes.guild import show_guild, show_member
from bot.playground.shapes.user import show_application, show_me, show_user
from bot.playground.world import World

routes = Routes()


class MeForm(TypedDict, total=False):
    """What can be changed of oneself."""

    username: Annotated[str, Text(2, 32)]
    avatar: Annotated[object, Undone()]
    banner: Annotated[object, Undone()]


class GuildsQuery(TypedDict, total=False):
    """A page of one's servers."""

    limit: Annotated[int, Whole(1, 200)]
    before: Snowflake
    after: Snowflake
    with_counts: bool


class DirectForm(TypedDict, total=False):
    """Whom to talk to."""

    recipient_id: Snowflake
    recipients: Annotated[list[Snowflake], ListOf(0, 1)]
    access_tokens: Annotated[object, Undone()]
    nicks: Annotated[object, Undone()]


class ApplicationForm(TypedDict, total=False):
    """What can be changed of an application."""

    description: Annotated[str, Text(0, 400)]
    flags: Annotated[int, Whole(0, 1 << 30)]
    icon: Annotated[object, Undone()]
    cover_image: Annotated[object, Undone()]
    tags: Annotated[object, Undone()]
    interactions_endpoint_url: Annotated[object, Undone()]
    role_connections_verification_url: Annotated[object, Undone()]
    custom_install_url: Annotated[object, Undone()]
    install_params: Annotated[object, Undone()]
    integration_types_config: Annotated[object, Undone()]


@routes.on("GET", "/users/@me")
def me(call: Call) -> Json:
    """Give whoever asks."""
    return show_me(call.world.users.rows[call.me])


@routes.on("PATCH", "/users/@me")
def edit_me(call: Call, form: MeForm) -> Json:
    """Change one's own name."""
    row = call.world.users.rows[call.me]
    if (name := form.get("username")) is not None:
        if name.casefold() in taken_names(call.world, but_of=row["id"]):
            raise invalid("username", "USERNAME_ALREADY_TAKEN", "Username is unavailable: try another one.")
        row = call.world.rename(row, name)
        call.world.tell_users([row["id"]], "USER_UPDATE", show_me(row))
    return show_me(row)


@routes.on("GET", "/users/@me/guilds")
def my_guilds(call: Call, query: GuildsQuery) -> list[Json]:
    """Give the servers one is in, shortly."""
    rows = sorted(call.world.guilds_of(call.me), key=lambda row: int(row["id"]))
    after, before = int(query.get("after", 0)), int(query.get("before", 1 << 63))
    rows = [row for row in rows if after < int(row["id"]) < before]
    return [_short(call, row) for row in rows[: query.get("limit", 200)]]


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
def open_direct(call: Call, form: DirectForm) -> Json:
    """Open a direct conversation, or find the one that is there."""
    other = form.get("recipient_id") or next(iter(form.get("recipients", ())), "")
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
def edit_application(call: Call, form: ApplicationForm) -> Json:
    """Change the application's description or its limited intents."""
    row = _application(call)
    row["description"] = form.get("description", row["description"])
    row["flags"] = form.get("flags", row["flags"])
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
