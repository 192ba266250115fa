"""`/channels/{id}/messages`: reading, writing, changing, deleting; and pins, by the paged routes and the old ones."""

from datetime import timedelta
from typing import Annotated, TypedDict

from bot.playground import places
from bot.playground.call import Call
from bot.playground.errors import ApiError, Refused, Unknown
from bot.playground.forms import Anything, ListOf, Snowflake, Text, Whole
from bot.playground.kinds import DIRECT, THREADS, ChannelKind, MessageKind
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.guild import show_member
from bot.playground.shapes.message import show_message
from bot.playground.snowflakes import time_of
from bot.playground.writing import posting
from bot.playground.writing.draft import needs_for
from bot.playground.writing.message import MessageForm

routes = Routes()


class HistoryQuery(TypedDict, total=False):
    """A page of messages."""

    limit: Annotated[int, Whole(1, 100)]
    around: Snowflake
    before: Snowflake
    after: Snowflake


class BulkForm(TypedDict):
    """The messages that are to go."""

    messages: Annotated[list[Snowflake], ListOf(2, 100)]


class AckForm(TypedDict, total=False):
    """What people's clients say with it."""

    token: Annotated[object, Anything()]
    manual: bool
    mention_count: int
    last_viewed: int
    flags: int


K = ChannelKind
TEXT_CHANNELS = (K.TEXT, K.VOICE, K.NEWS, K.STAGE, *DIRECT, *THREADS)
NONCE_SECONDS = 300
BULK_DAYS = 14


@routes.on("GET", "/channels/{channel_id}/messages")
def history(call: Call, query: HistoryQuery) -> list[Json]:
    """Give a page of a channel's history, newest first."""
    channel = call.channel()
    if not call.world.permissions_in(channel, call.me) & Permission.READ_MESSAGE_HISTORY:
        return []
    return [show_message(call.world, row, viewer=call.me) for row in _page(call, query, channel["id"])]


def _page(call: Call, query: HistoryQuery, channel_id: str) -> list[Json]:
    limit, book = query.get("limit", 50), call.world.messages
    if "around" in query:
        around = int(query["around"])
        older = book.page(channel_id, limit=limit // 2 + 1, before=around + 1)
        newer = book.page(channel_id, limit=limit, after=around)
        newer = newer[len(newer) - min(len(newer), limit - len(older)) :]
        return newer + older
    before = int(query["before"]) if "before" in query else None
    after = int(query["after"]) if "after" in query else None
    return book.page(channel_id, limit=limit, before=before, after=after)


@routes.on("GET", "/channels/{channel_id}/messages/{message_id}")
def message(call: Call) -> Json:
    """Give one message."""
    channel = call.channel(Permission.READ_MESSAGE_HISTORY)
    return show_message(call.world, call.message(channel), viewer=call.me)


@routes.on("POST", "/channels/{channel_id}/messages")
def create(call: Call, form: MessageForm) -> Json:
    """Write a message; with `enforce_nonce` the same nonce gives the same message again."""
    channel = call.channel(Permission.SEND_MESSAGES, *needs_for(form, call.files))
    if channel["type"] not in TEXT_CHANNELS:
        raise ApiError(400, 50008)
    if "message_reference" in form:
        call.may(channel, Permission.READ_MESSAGE_HISTORY)
    row = _sent_already(call, form, channel)
    if row is None:
        open_for_writing(call, channel)
        row = posting.post(call.world, channel, call.me, form, call.files)
    return show_message(call.world, row, viewer=call.me)


def _sent_already(call: Call, form: MessageForm, channel: Json) -> Json | None:
    nonce = form.get("nonce")
    if nonce is None or not form.get("enforce_nonce"):
        return None
    recent = call.world.ids.at(call.world.clock.seconds - NONCE_SECONDS)
    row = call.world.messages.by_nonce(call.me, str(nonce), after=recent)
    return row if row and row["channel_id"] == channel["id"] else None


def open_for_writing(call: Call, channel: Json) -> None:
    """Wake an archived thread, as writing there does; a locked one stays shut but for who manages threads."""
    if channel["type"] not in THREADS:
        return
    if channel["locked"]:
        call.may(channel, Permission.MANAGE_THREADS)
    if channel["archived"]:
        places.change_channel(call.world, channel, {"archived": False})
    if call.me not in channel["thread_members"]:
        places.join_thread(call.world, channel, call.me)


@routes.on("PATCH", "/channels/{channel_id}/messages/{message_id}")
def edit(call: Call, form: MessageForm) -> Json:
    """Change one's own message; who manages messages may hide the embeds of others."""
    channel = call.channel()
    row = call.message(channel)
    if row["author_id"] != call.me:
        if form.keys() - {"flags"}:
            raise Refused(50005)
        call.may(channel, Permission.MANAGE_MESSAGES)
    row = posting.edit(call.world, channel, row, form, call.files)
    return show_message(call.world, row, viewer=call.me)


@routes.on("DELETE", "/channels/{channel_id}/messages/{message_id}")
def delete(call: Call) -> None:
    """Delete one's own message, or anybody's as a manager of messages."""
    channel = call.channel()
    row = call.message(channel)
    if row["author_id"] != call.me:
        call.may(channel, Permission.MANAGE_MESSAGES)
    posting.remove(call.world, channel, [row])


@routes.on("POST", "/channels/{channel_id}/messages/bulk-delete")
def bulk_delete(call: Call, form: BulkForm) -> None:
    """Delete 2 to 100 messages that are younger than two weeks."""
    channel = call.channel(Permission.MANAGE_MESSAGES)
    if channel.get("guild_id") is None:
        raise Refused(50003)
    ids = form["messages"]
    oldest = call.world.clock.now() - timedelta(days=BULK_DAYS)
    if any(time_of(i) < oldest for i in ids):
        raise ApiError(400, 50034)
    found = [row for i in dict.fromkeys(ids) if (row := call.world.messages.get(i))]
    here = [row for row in found if row["channel_id"] == channel["id"] and "only_for" not in row]
    posting.remove(call.world, channel, here, bulk=True)


@routes.on("POST", "/channels/{channel_id}/typing")
def typing(call: Call) -> None:
    """Show the others that one is writing."""
    channel = call.channel(Permission.SEND_MESSAGES)
    data: Json = {
        "channel_id": channel["id"],
        "user_id": call.me,
        "timestamp": int(call.world.clock.seconds),
    }
    if guild_id := channel.get("guild_id"):
        data |= {"guild_id": guild_id}
        member = call.world.member(guild_id, call.me)
        data |= {"member": show_member(call.world, member)} if member else {}
    call.world.tell_channel(channel, "TYPING_START", data)


@routes.on("POST", "/channels/{channel_id}/messages/{message_id}/ack")
def acknowledge(call: Call, form: AckForm) -> Json:
    """Take note that a person has read this far; nothing is kept of it."""
    if call.is_bot:
        raise Unknown(0)
    call.channel()
    return {"token": None}


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
