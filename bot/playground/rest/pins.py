"""Pins, by the paged routes and by the old ones."""

from typing import Annotated, TypedDict

from bot.playground.call import Call
from bot.playground.errors import ApiError
from bot.playground.forms import Text, Whole
from bot.playground.kinds import MessageKind
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.message import show_message
from bot.playground.writing import posting

routes = Routes()


class PinsQuery(TypedDict, total=False):
    """A page of pins; `before` is the time of one."""

    limit: Annotated[int, Whole(1, 50)]
    before: Annotated[str, Text(1, 64)]


MOST = 250
PINNABLE = (MessageKind.SAID, MessageKind.REPLY, MessageKind.COMMAND, MessageKind.MENU_COMMAND)


@routes.on("GET", "/channels/{channel_id}/messages/pins")
def paged(call: Call, query: PinsQuery) -> Json:
    """Give a page of pins, the latest first; `before` is the time of a pin."""
    channel = call.channel(Permission.READ_MESSAGE_HISTORY)
    limit, before = query.get("limit", 50), query.get("before")
    if before is not None:
        before = before.replace(" ", "+").replace("Z", "+00:00")
    rows = call.world.messages.pinned(channel["id"], before=before, limit=limit + 1)
    items = [
        {"pinned_at": row["pinned_at"], "message": show_message(call.world, row, viewer=call.me)}
        for row in rows[:limit]
    ]
    return {"items": items, "has_more": len(rows) > limit}


@routes.on("GET", "/channels/{channel_id}/pins")
def old(call: Call) -> list[Json]:
    """Give the latest 50 pins."""
    channel = call.channel(Permission.READ_MESSAGE_HISTORY)
    rows = call.world.messages.pinned(channel["id"], before=None, limit=50)
    return [show_message(call.world, row, viewer=call.me) for row in rows]


def _pinnable(call: Call) -> tuple[Json, Json]:
    channel = call.channel()
    if channel.get("guild_id") is not None:
        call.may(channel, Permission.PIN_MESSAGES)
    return channel, call.message(channel)


@routes.on("PUT", "/channels/{channel_id}/pins/{message_id}")
@routes.on("PUT", "/channels/{channel_id}/messages/pins/{message_id}")
def pin(call: Call) -> None:
    """Pin a message; the channel says so."""
    channel, row = _pinnable(call)
    if row.get("type", 0) not in PINNABLE:
        raise ApiError(403, 50021)
    if "pinned_at" in row:
        return
    if len(call.world.messages.pinned(channel["id"], before=None, limit=MOST)) >= MOST:
        raise ApiError(400, 30003, "Maximum number of pins reached for the channel (250)")
    now = call.world.clock.stamp()
    posting.put_changed(call.world, channel, row | {"pinned_at": now})
    channel["last_pin_timestamp"] = now
    call.world.channels.put(channel["id"], channel)
    posting.tell_pins(call.world, channel)
    reference = {"type": 0, "channel_id": channel["id"], "message_id": row["id"]}
    if channel.get("guild_id"):
        reference["guild_id"] = channel["guild_id"]
    posting.say(
        call.world,
        channel,
        call.me,
        "",
        type=MessageKind.PINNED,
        message_reference=reference,
    )


@routes.on("DELETE", "/channels/{channel_id}/pins/{message_id}")
@routes.on("DELETE", "/channels/{channel_id}/messages/pins/{message_id}")
def unpin(call: Call) -> None:
    """Take a pin away."""
    channel, row = _pinnable(call)
    if "pinned_at" in row:
        row = {key: value for key, value in row.items() if key != "pinned_at"}
        posting.put_changed(call.world, channel, row)
        posting.tell_pins(call.world, channel)
