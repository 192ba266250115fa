"""Posting, changing and removing messages, and telling everyone who sees the channel."""

from collections.abc import Iterable

from bot.playground.kinds import THREADS, Flag, MessageKind, Reference
from bot.playground.rows import Json
from bot.playground.shapes.message import show_message_event
from bot.playground.world import World
from bot.playground.writing.attachments import Upload
from bot.playground.writing.draft import read_draft
from bot.playground.writing.message import MessageForm


def post(
    world: World,
    channel: Json,
    author_id: str,
    form: MessageForm,
    files: tuple[Upload, ...] = (),
    *,
    more: Json | None = None,
    message_id: str | None = None,
) -> Json:
    """Write a message from a form; `more` are fields that no form may set (webhook, interaction, only_for)."""
    row: Json = {"id": message_id or world.ids.next(), "channel_id": channel["id"], "author_id": author_id}
    row |= read_draft(world, channel, row, form, files, more=more or {})
    row |= more or {}
    if "message_reference" in row and row["message_reference"]["type"] == Reference.REPLY:
        row["type"] = MessageKind.REPLY
    return put_new(world, channel, row)


def put_new(world: World, channel: Json, row: Json) -> Json:
    """Keep a finished new message and tell who sees it."""
    if channel["type"] in THREADS and "only_for" not in row:
        _count_in_thread(world, channel, row)
    world.messages.put(row)
    tell(world, channel, "MESSAGE_CREATE", row)
    return row


def say(world: World, channel: Json, author_id: str, content: str, **more: object) -> Json:
    """Write a message that needs no checking: the playground's own and Discord's system messages."""
    row = {"id": world.ids.next(), "channel_id": channel["id"], "author_id": author_id, "content": content}
    return put_new(world, channel, row | more)


def _count_in_thread(world: World, thread: Json, row: Json) -> None:
    thread["last_message_id"] = row["id"]
    thread["message_count"] += 1
    thread["total_message_sent"] += 1
    row["position"] = thread["total_message_sent"]
    world.channels.put(thread["id"], thread)


def edit(world: World, channel: Json, row: Json, form: MessageForm, files: tuple[Upload, ...] = ()) -> Json:
    """Change what a message says; a placeholder for an answer becomes that answer."""
    was_loading = row.get("flags", 0) & Flag.LOADING
    changed = read_draft(world, channel, row, form, files, before=row)
    row = {key: value for key, value in (row | changed).items() if value is not None}
    row["flags"] = row.get("flags", 0) & ~Flag.LOADING
    if not was_loading:
        row["edited_at"] = world.clock.stamp()
    return put_changed(world, channel, row)


def put_changed(world: World, channel: Json, row: Json) -> Json:
    """Keep a changed message and tell who sees it."""
    world.messages.put(row)
    tell(world, channel, "MESSAGE_UPDATE", row)
    return row


def tell(world: World, channel: Json, name: str, row: Json) -> None:
    """Send a message event: to everyone who sees the channel, an ephemeral one to its one reader."""
    data = show_message_event(world, row, channel)
    if "only_for" in row:
        world.tell_users([row["only_for"]], name, data, guild_id=channel.get("guild_id"))
    else:
        world.tell_channel(channel, name, data)


def remove(world: World, channel: Json, rows: Iterable[Json], *, bulk: bool = False) -> None:
    """Delete messages and tell who saw them."""
    gone = list(rows)
    world.messages.drop(row["id"] for row in gone)
    place = {"channel_id": channel["id"]}
    if channel.get("guild_id"):
        place["guild_id"] = channel["guild_id"]
    if bulk:
        ids: Json = {"ids": [row["id"] for row in gone]}
        world.tell_channel(channel, "MESSAGE_DELETE_BULK", ids | place)
    else:
        for row in gone:
            _tell_removed(world, channel, row, {"id": row["id"]} | place)
    if channel["type"] in THREADS:
        channel["message_count"] = max(0, channel["message_count"] - len(gone))
        world.channels.put(channel["id"], channel)


def _tell_removed(world: World, channel: Json, row: Json, data: Json) -> None:
    if "only_for" in row:
        world.tell_users([row["only_for"]], "MESSAGE_DELETE", data)
    else:
        world.tell_channel(channel, "MESSAGE_DELETE", data)


def tell_pins(world: World, channel: Json) -> None:
    """Tell that the pins of a channel have changed."""
    data: Json = {"channel_id": channel["id"], "last_pin_timestamp": channel.get("last_pin_timestamp")}
    if channel.get("guild_id"):
        data["guild_id"] = channel["guild_id"]
    world.tell_channel(channel, "CHANNEL_PINS_UPDATE", data)
