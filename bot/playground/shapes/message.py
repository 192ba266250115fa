"""Messages as Discord shows them."""

from collections.abc import Iterable

from bot.playground.events import MESSAGE_CONTENT, PRIVILEGED, REDACTED
from bot.playground.kinds import DIRECT, Asked, MessageKind
from bot.playground.rows import Json
from bot.playground.shapes.channel import show_thread
from bot.playground.shapes.guild import show_bare_member
from bot.playground.shapes.user import show_user
from bot.playground.snowflakes import stamp_of
from bot.playground.world import World

OPTIONAL = ("nonce", "application_id", "webhook_id", "message_reference", "message_snapshots", "position")


def show_author(world: World, row: Json) -> Json:
    """Show who wrote a message: a user, or the name and face a webhook was given for it."""
    webhook = row.get("webhook")
    if webhook is None:
        return show_user(world.users.rows[row["author_id"]])
    shown = show_user({"id": row["author_id"], "username": webhook["name"], "avatar": webhook["avatar"]})
    return shown | {"bot": True, "discriminator": "0000"}


def show_message(world: World, row: Json, *, viewer: str | None, nested: bool = False) -> Json:
    """Show a message to one user; `nested` is how it looks inside another one."""
    shown: Json = {
        "type": row.get("type", 0),
        "content": row["content"],
        "mentions": [show_user(world.users.rows[user_id]) for user_id in row.get("mentions", ())],
        "mention_roles": row.get("mention_roles", []),
        "attachments": row.get("attachments", []),
        "embeds": row.get("embeds", []),
        "timestamp": stamp_of(row["id"]),
        "edited_timestamp": row.get("edited_at"),
        "flags": row.get("flags", 0),
        "components": row.get("components", []),
        "id": row["id"],
        "channel_id": row["channel_id"],
        "author": show_author(world, row),
        "pinned": "pinned_at" in row,
        "mention_everyone": row.get("mention_everyone", False),
        "tts": row.get("tts", False),
    }
    shown |= {key: row[key] for key in OPTIONAL if key in row}
    shown |= _interaction(world, row)
    if thread := world.channels.get(row["id"]):
        shown["thread"] = show_thread(thread, viewer=viewer)
    if row.get("reactions"):
        shown["reactions"] = [show_reaction(reaction, viewer) for reaction in row["reactions"]]
    if (
        not nested
        and "message_reference" in row
        and row.get("type", 0) in (MessageKind.REPLY, MessageKind.THREAD_STARTER)
    ):
        shown["referenced_message"] = _referenced(world, row, viewer)
    return shown | (REDACTED if _is_hidden(world, row, viewer) else {})


def _is_hidden(world: World, row: Json, viewer: str | None) -> bool:
    """Tell whether a bot may not read a message's content: the intent is off in its application."""
    application = world.applications.get(viewer) if viewer else None
    if application is None or application["flags"] & PRIVILEGED[MESSAGE_CONTENT]:
        return False
    is_direct = world.channels.rows[row["channel_id"]]["type"] in DIRECT
    return not (is_direct or row["author_id"] == viewer or viewer in row.get("mentions", ()))


def _referenced(world: World, row: Json, viewer: str | None) -> Json | None:
    found = world.messages.get(row["message_reference"]["message_id"])
    return None if found is None else show_message(world, found, viewer=viewer, nested=True)


def _interaction(world: World, row: Json) -> Json:
    """What caused a message that answers an interaction, in both forms that Discord sends."""
    cause = row.get("interaction")
    if cause is None:
        return {}
    metadata = _metadata(world, cause)
    shown: Json = {"interaction_metadata": metadata}
    if cause["type"] == Asked.COMMAND:
        about = {"id": cause["id"], "type": Asked.COMMAND, "name": cause["name"]}
        shown["interaction"] = about | {"user": metadata["user"]}
    return shown


def _metadata(world: World, cause: Json) -> Json:
    shown: Json = {
        "id": cause["id"],
        "type": cause["type"],
        "user": show_user(world.users.rows[cause["user_id"]]),
        "authorizing_integration_owners": {"0": cause["guild_id"] or "0"},
    }
    if "opener" in cause:
        shown["triggering_interaction_metadata"] = _metadata(world, cause["opener"])
    more: Json = cause.get("more", {})
    return shown | more


def show_reaction(reaction: Json, viewer: str | None) -> Json:
    """Show one emoji under a message and how many gave it."""
    count = len(reaction["users"])
    return {
        "emoji": show_emoji(reaction["emoji"]),
        "count": count,
        "count_details": {"burst": 0, "normal": count},
        "burst_colors": [],
        "me_burst": False,
        "burst_me": False,
        "burst_count": 0,
        "me": viewer in reaction["users"],
    }


def show_emoji(emoji: str) -> Json:
    """Show an emoji given as in a URL: the character itself, or `name:id`."""
    name, _, emoji_id = emoji.partition(":")
    return {"id": emoji_id or None, "name": name}


def show_message_event(world: World, row: Json, channel: Json) -> Json:
    """Show a message as the gateway does: with the server and the author's membership, to nobody in particular."""
    shown = show_message(world, row, viewer=None)
    shown["channel_type"] = channel["type"]
    guild_id = channel.get("guild_id")
    if guild_id is None:
        return shown
    shown["guild_id"] = guild_id
    if "webhook" not in row and (member := world.member(guild_id, row["author_id"])):
        shown["member"] = show_bare_member(member)
    shown["mentions"] = list(_with_members(world, shown["mentions"], guild_id))
    return shown


def _with_members(world: World, users: Iterable[Json], guild_id: str) -> Iterable[Json]:
    for user in users:
        member = world.member(guild_id, user["id"])
        yield user | {"member": show_bare_member(member)} if member else user
