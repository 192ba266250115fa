"""Replies and forwards: what a message points at."""

from bot.playground.errors import invalid
from bot.playground.kinds import Reference
from bot.playground.rows import Json
from bot.playground.shapes.message import show_message
from bot.playground.world import World
from bot.playground.writing.message import ReferenceForm

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


def read_reference(world: World, channel: Json, given: ReferenceForm) -> Json | None:
    """Give the reference of a reply; None when it points nowhere and the sender does not mind."""
    found = world.messages.get(given["message_id"])
    kind = given.get("type", Reference.REPLY)
    if found is None or (kind == Reference.REPLY and found["channel_id"] != channel["id"]):
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
