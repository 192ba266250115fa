"""Channels, direct conversations and threads as Discord shows them."""

from bot.playground.kinds import DIRECT, FORUMS, THREADS, ChannelKind
from bot.playground.rows import Json
from bot.playground.shapes.user import show_user
from bot.playground.world import World


def show_any(world: World, row: Json, *, viewer: str) -> Json:
    """Show a channel of any kind to one user."""
    if row["type"] in DIRECT:
        return show_direct(world, row, viewer)
    return show_thread(row, viewer=viewer) if row["type"] in THREADS else show_channel(world, row)


def show_channel(world: World, row: Json) -> Json:
    """Show a channel of a server."""
    shown: Json = {
        "id": row["id"],
        "type": row["type"],
        "guild_id": row["guild_id"],
        "name": row["name"],
        "position": row["position"],
        "parent_id": row.get("parent_id"),
        "permission_overwrites": row["permission_overwrites"],
        "flags": row.get("flags", 0),
    }
    if row["type"] == ChannelKind.CATEGORY:
        return shown
    shown |= {"nsfw": row.get("nsfw", False), "rate_limit_per_user": row.get("rate_limit_per_user", 0)}
    if row["type"] == ChannelKind.VOICE:
        shown |= {"bitrate": 64_000, "user_limit": 0, "rtc_region": None}
    else:
        shown |= {"topic": row.get("topic")} | _archive(row)
    if row["type"] in FORUMS:
        shown |= _forum(row)
    return shown | {"last_message_id": world.last_message_id(row), **_pins(row)}


def _archive(row: Json) -> Json:
    given = row.get("default_auto_archive_duration")
    return {} if given is None else {"default_auto_archive_duration": given}


def _pins(row: Json) -> Json:
    return {"last_pin_timestamp": row["last_pin_timestamp"]} if row.get("last_pin_timestamp") else {}


def _forum(row: Json) -> Json:
    return {
        "available_tags": row.get("available_tags", []),
        "default_reaction_emoji": row.get("default_reaction_emoji"),
        "default_sort_order": row.get("default_sort_order"),
        "default_forum_layout": row.get("default_forum_layout", 0),
        "default_thread_rate_limit_per_user": row.get("default_thread_rate_limit_per_user", 0),
    }


def show_direct(world: World, row: Json, viewer: str) -> Json:
    """Show a direct conversation to one of those in it."""
    others = [world.users.rows[user_id] for user_id in row["recipients"] if user_id != viewer]
    return {
        "id": row["id"],
        "type": row["type"],
        "last_message_id": world.last_message_id(row),
        "flags": 0,
        "recipients": [show_user(user) for user in others],
        **_pins(row),
    }


def show_thread(row: Json, *, viewer: str | None = None) -> Json:
    """Show a thread; to a member of it with its own membership."""
    members = row["thread_members"]
    shown: Json = {
        "id": row["id"],
        "type": row["type"],
        "guild_id": row["guild_id"],
        "parent_id": row["parent_id"],
        "owner_id": row["owner_id"],
        "name": row["name"],
        "last_message_id": row.get("last_message_id"),
        "rate_limit_per_user": row.get("rate_limit_per_user", 0),
        "flags": row.get("flags", 0),
        "message_count": row["message_count"],
        "total_message_sent": row["total_message_sent"],
        "member_count": min(len(members), 50),
        "thread_metadata": _thread_metadata(row),
        **_pins(row),
    }
    if "applied_tags" in row:
        shown["applied_tags"] = row["applied_tags"]
    if viewer is not None and viewer in members:
        shown["member"] = show_thread_member(row, viewer)
    return shown


def _thread_metadata(row: Json) -> Json:
    shown: Json = {
        "archived": row["archived"],
        "auto_archive_duration": row["auto_archive_duration"],
        "archive_timestamp": row["archive_timestamp"],
        "locked": row["locked"],
        "create_timestamp": row["created_at"],
    }
    return shown | ({"invitable": row.get("invitable", True)} if row["type"] == ChannelKind.PRIVATE_THREAD else {})


def show_thread_member(row: Json, user_id: str) -> Json:
    """Show who is in a thread since when."""
    return {
        "id": row["id"],
        "user_id": user_id,
        "join_timestamp": row["thread_members"][user_id],
        "flags": 0,
    }
