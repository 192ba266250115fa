"""`/guilds/{id}`: the server itself and the list and order of its channels."""

from typing import Annotated, TypedDict

from bot.playground import people, places
from bot.playground.call import Call
from bot.playground.errors import ApiError
from bot.playground.forms import Choice, ListOf, Snowflake, Text, Undone, Whole, changed
from bot.playground.kinds import THREADS
from bot.playground.permissions import Permission
from bot.playground.rest.channels import moved
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.channel import show_channel, show_thread, show_thread_member
from bot.playground.shapes.guild import show_guild

routes = Routes()


class CountsQuery(TypedDict, total=False):
    """Whether members are to be counted."""

    with_counts: bool


class GuildForm(TypedDict, total=False):
    """What can be changed of a server."""

    name: Annotated[str, Text(2, 100)]
    description: Annotated[str | None, Text(0, 300)]
    verification_level: Annotated[int, Choice(0, 1, 2, 3, 4)]
    default_message_notifications: Annotated[int, Choice(0, 1)]
    explicit_content_filter: Annotated[int, Choice(0, 1, 2)]
    preferred_locale: Annotated[str, Text(0, 10)]
    system_channel_id: Snowflake | None
    afk_timeout: Annotated[int, Choice(60, 300, 900, 1800, 3600)]
    afk_channel_id: Annotated[object, Undone()]
    system_channel_flags: Annotated[object, Undone()]
    rules_channel_id: Annotated[object, Undone()]
    public_updates_channel_id: Annotated[object, Undone()]
    safety_alerts_channel_id: Annotated[object, Undone()]
    premium_progress_bar_enabled: Annotated[object, Undone()]
    features: Annotated[object, Undone()]
    icon: Annotated[object, Undone()]
    banner: Annotated[object, Undone()]
    splash: Annotated[object, Undone()]
    discovery_splash: Annotated[object, Undone()]
    home_header: Annotated[object, Undone()]


class Move(TypedDict, total=False):
    """Where a channel is to stand."""

    id: Snowflake
    position: Annotated[int, Whole(0, 10_000)]
    parent_id: Snowflake | None
    lock_permissions: bool


@routes.on("GET", "/guilds/{guild_id}")
def guild(call: Call, query: CountsQuery) -> Json:
    """Give a server."""
    row = call.guild()
    shown = show_guild(call.world, row)
    if query.get("with_counts"):
        count = len(call.world.members.within(row["id"]))
        shown |= {"approximate_member_count": count, "approximate_presence_count": count}
    return shown


@routes.on("GET", "/guilds/{guild_id}/preview")
def preview(call: Call) -> Json:
    """Give what a server shows to who is not in it."""
    row = call.guild()
    count = len(call.world.members.within(row["id"]))
    keys = ["id", "name", "icon", "description", "home_header", "splash", "discovery_splash"]
    keys += ["features", "emojis", "stickers"]
    shown = show_guild(call.world, row)
    counts = {"approximate_member_count": count, "approximate_presence_count": count}
    return {key: shown[key] for key in keys} | counts


@routes.on("PATCH", "/guilds/{guild_id}")
def edit_guild(call: Call, form: GuildForm) -> Json:
    """Change a server's name and settings."""
    row = call.guild()
    call.may_in_guild(row, Permission.MANAGE_GUILD)
    row = call.world.guilds.put(row["id"], changed(row, form))
    shown = show_guild(call.world, row)
    call.world.tell_guild(row["id"], "GUILD_UPDATE", shown)
    return shown


@routes.on("DELETE", "/users/@me/guilds/{guild_id}")
def leave(call: Call) -> None:
    """Leave a server."""
    guild = call.guild()
    if guild["owner_id"] == call.me:
        raise ApiError(400, 50055, "Invalid Guild")
    people.leave(call.world, guild["id"], call.me)


@routes.on("GET", "/guilds/{guild_id}/channels")
def channels(call: Call) -> list[Json]:
    """Give the channels one sees, without threads."""
    rows = call.world.channels.within(call.guild()["id"]).values()
    return [
        show_channel(call.world, row) for row in rows if row["type"] not in THREADS and call.world.sees(call.me, row)
    ]


@routes.on("PATCH", "/guilds/{guild_id}/channels")
def reorder(call: Call, form: Annotated[list[Move], ListOf(0, 500)]) -> None:
    """Move channels: their positions and categories."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.MANAGE_CHANNELS)
    rows = call.world.channels.within(guild["id"])
    for move in form:
        row = rows.get(move.get("id", ""))
        if row is None:
            continue
        changes: Json = {"position": move["position"]} if "position" in move else {}
        if "parent_id" in move and row["type"] not in THREADS:
            changes |= moved(call, row, move["parent_id"], lock=move.get("lock_permissions", False))
        places.change_channel(call.world, row, changes)


@routes.on("GET", "/guilds/{guild_id}/threads/active")
def active_threads(call: Call) -> Json:
    """Give the threads that are not archived and that one sees."""
    rows = call.world.channels.within(call.guild()["id"]).values()
    threads = [row for row in rows if row["type"] in THREADS and not row["archived"] and call.world.sees(call.me, row)]
    mine = [show_thread_member(row, call.me) for row in threads if call.me in row["thread_members"]]
    shown = [show_thread(row, viewer=call.me) for row in sorted(threads, key=lambda r: -int(r["id"]))]
    return {"threads": shown, "members": mine, "has_more": False}
