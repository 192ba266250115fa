"""Replies and forwards: what a message points at."""

from typing import Any

from bot.playground.errors import invalid
from bot.playground.shapes.message import show_message
from bot.playground.world import World
from bot.playground.writing.spec import Choice

Json = dict[str, Any]

REPLY, FORWARD = 0, 1
SNAPSHOT = [
    "type",
    "content",
    "mentions",
    "mention_roles",
    "attachments",
    "embeds",
    "timestamp",
    "edited_timestamp",
    "flags",
    "components",
]


def read_reference(world: World, channel: Json, given: object) -> Json | None:
    """Give the reference of a reply; None when it points nowhere and the sender does not mind."""
    if not isinstance(given, dict):
        raise invalid("message_reference", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    found = world.messages.get(given.get("message_id"))
    kind = Choice((REPLY, FORWARD)).read(given.get("type") or REPLY, "message_reference.type")
    if found is None or (kind == 0 and found["channel_id"] != channel["id"]):
        if given.get("fail_if_not_exists", True):
            raise invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        return None
    shown: Json = {"type": kind, "channel_id": found["channel_id"], "message_id": found["id"]}
    if channel.get("guild_id"):
        shown["guild_id"] = channel["guild_id"]
    return shown


def take_snapshot(world: World, reference: Json) -> list[Json]:
    """Give what a forward keeps of the message it forwards."""
    found = world.messages.get(reference["message_id"])
    if found is None:
        return []
    shown = show_message(world, found, viewer=None, nested=True)
    return [{"message": {key: shown[key] for key in SNAPSHOT}}]
