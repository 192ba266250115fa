"""`/guilds/{id}`: the server itself and the list and order of its channels."""

from typing import Any

from bot.playground import people, places
from bot.playground.errors import ApiError
from bot.playground.permissions import Permission
from bot.playground.rest.call import Call
from bot.playground.rest.form import Form
from bot.playground.rest.routes import Routes
from bot.playground.shapes.channel import show_channel, show_thread, show_thread_member
from bot.playground.shapes.guild import show_guild
from bot.playground.world import THREADS
from bot.playground.writing.spec import Id, Thing, Whole

Json = dict[str, Any]

routes = Routes()

MOVE = Thing({"position": Whole(), "parent_id": Id()})


@routes.on("GET", "/guilds/{guild_id}")
def guild(call: Call) -> Json:
    """Give a server."""
    row = call.guild()
    shown = show_guild(call.world, row)
    if call.flag("with_counts"):
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
def edit_guild(call: Call) -> Json:
    """Change a server's name and settings."""
    row = call.guild()
    call.may_in_guild(row, Permission.MANAGE_GUILD)
    form = Form(call.form)
    changed: Json = {
        "name": form.text("name", low=2, high=100),
        "description": form.text("description", high=300),
        "verification_level": form.choice("verification_level", 0, 1, 2, 3, 4),
        "default_message_notifications": form.choice("default_message_notifications", 0, 1),
        "explicit_content_filter": form.choice("explicit_content_filter", 0, 1, 2),
        "preferred_locale": form.text("preferred_locale", high=10),
        "system_channel_id": form.snowflake("system_channel_id"),
        "afk_timeout": form.choice("afk_timeout", 60, 300, 900, 1800, 3600),
    }
    form.check()
    nullable = {"description", "system_channel_id"}
    kept = {k: v for k, v in changed.items() if v is not None or (k in nullable and form.has(k))}
    row = call.world.guilds.put(row["id"], row | kept)
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
def reorder(call: Call) -> None:
    """Move channels: their positions and categories."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.MANAGE_CHANNELS)
    rows = call.world.channels.within(guild["id"])
    form = Form({"moves": call.body})
    moves = form.objects("moves", high=500) or []
    form.check()
    for move in moves:
        row = rows.get(str(move.get("id")))
        if row is None:
            continue
        changed: Json = MOVE.read(move, "moves")
        if "parent_id" in move and move["parent_id"] is None:
            changed["parent_id"] = None
        if move.get("lock_permissions") and (parent := rows.get(str(changed.get("parent_id")))):
            changed["permission_overwrites"] = parent["permission_overwrites"]
        places.change_channel(call.world, row, changed)


@routes.on("GET", "/guilds/{guild_id}/threads/active")
def active_threads(call: Call) -> Json:
    """Give the threads that are not archived and that one sees."""
    rows = call.world.channels.within(call.guild()["id"]).values()
    threads = [row for row in rows if row["type"] in THREADS and not row["archived"] and call.world.sees(call.me, row)]
    mine = [show_thread_member(row, call.me) for row in threads if call.me in row["thread_members"]]
    shown = [show_thread(row, viewer=call.me) for row in sorted(threads, key=lambda r: -int(r["id"]))]
    return {"threads": shown, "members": mine, "has_more": False}
