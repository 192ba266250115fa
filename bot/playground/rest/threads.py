"""Threads: from a message, without one, posts of a forum; their members; the archive."""

from typing import Annotated, Required, TypedDict

from bot.playground import places
from bot.playground.call import Call, Reply
from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.forms import Choice, ListOf, Snowflake, Text, Whole
from bot.playground.kinds import FORUMS, THREADS, ChannelKind, Flag, MessageKind
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.channel import show_thread, show_thread_member
from bot.playground.shapes.guild import show_member
from bot.playground.shapes.message import show_message
from bot.playground.world import World
from bot.playground.writing import posting
from bot.playground.writing.message import MessageForm

routes = Routes()

NEWS_THREAD, PUBLIC, PRIVATE = THREADS
DAYS = (60, 1440, 4320, 10080)


class ThreadForm(TypedDict, total=False):
    """What is said of a new thread."""

    name: Required[Annotated[str, Text(1, 100)]]
    auto_archive_duration: Annotated[int, Choice(*DAYS)]
    rate_limit_per_user: Annotated[int, Whole(0, 21_600)]


class AnyThreadForm(ThreadForm, total=False):
    """What is said of a thread that begins with no message; a forum's post brings its first one."""

    type: Annotated[int, Choice(*THREADS)]
    invitable: bool
    applied_tags: Annotated[list[Snowflake], ListOf(0, 5)]
    message: MessageForm


class PostQuery(TypedDict, total=False):
    """What bots say when they open a forum's post."""

    use_nested_fields: bool


class ThreadMembersQuery(TypedDict, total=False):
    """A page of a thread's members."""

    with_member: bool
    limit: Annotated[int, Whole(1, 100)]
    after: Snowflake


class ArchiveQuery(TypedDict, total=False):
    """A page of the archive; `before` is a time, or of one's own private threads an id."""

    before: Annotated[str, Text(1, 64)]
    limit: Annotated[int, Whole(1, 100)]


def new_thread(world: World, parent: Json, thread_id: str, owner_id: str, form: ThreadForm, **more: object) -> Json:
    """Keep a new thread with its owner as first member, and tell who sees it."""
    now = world.clock.stamp()
    row: Json = {
        "id": thread_id,
        "guild_id": parent["guild_id"],
        "parent_id": parent["id"],
        "owner_id": owner_id,
        "name": form["name"],
        "rate_limit_per_user": form.get("rate_limit_per_user", 0),
        "auto_archive_duration": form.get("auto_archive_duration")
        or parent.get("default_auto_archive_duration")
        or 4320,
        "archived": False,
        "locked": False,
        "archive_timestamp": now,
        "created_at": now,
        "message_count": 0,
        "total_message_sent": 0,
        "last_message_id": None,
        "thread_members": {owner_id: now} if world.users.get(owner_id) else {},
    }
    row |= more
    world.channels.put(thread_id, row)
    world.tell_channel(row, "THREAD_CREATE", show_thread(row) | {"newly_created": True})
    return row


@routes.on("POST", "/channels/{channel_id}/messages/{message_id}/threads")
def from_message(call: Call, form: ThreadForm) -> Reply:
    """Start a thread from a message; it has the message's id."""
    channel = call.channel(Permission.CREATE_PUBLIC_THREADS)
    row = call.message(channel)
    if channel["type"] not in (0, 5):
        raise ApiError(400, 50024)
    if call.world.channels.get(row["id"]) is not None:
        raise ApiError(400, 160004)
    kind = NEWS_THREAD if channel["type"] == 5 else PUBLIC
    thread = new_thread(call.world, channel, row["id"], call.me, form, type=kind)
    flags = row.get("flags", 0) | Flag.HAS_THREAD
    posting.put_changed(call.world, channel, row | {"flags": flags})
    reference = {
        "type": 0,
        "guild_id": channel["guild_id"],
        "channel_id": channel["id"],
        "message_id": row["id"],
    }
    posting.say(
        call.world, thread, row["author_id"], "", type=MessageKind.THREAD_STARTER, message_reference=reference
    ) if ("webhook" not in row) else None
    return Reply(201, show_thread(thread, viewer=call.me))


@routes.on("POST", "/channels/{channel_id}/threads")
def without_message(call: Call, form: AnyThreadForm, query: PostQuery) -> Reply:
    """Start a thread on its own, or a post in a forum."""
    channel = call.channel()
    if channel["type"] in FORUMS:
        return _forum_post(call, form, channel)
    if channel["type"] not in (0, 5):
        raise ApiError(400, 50024)
    kind = form.get("type", ChannelKind.PRIVATE_THREAD)
    private = kind == ChannelKind.PRIVATE_THREAD
    call.may(channel, Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS)
    more: Json = {"type": kind} | ({"invitable": form.get("invitable", True)} if private else {})
    thread = new_thread(call.world, channel, call.world.ids.next(), call.me, form, **more)
    if not private:
        reference = {"type": 0, "guild_id": channel["guild_id"], "channel_id": thread["id"]}
        posting.say(
            call.world, channel, call.me, thread["name"], type=MessageKind.THREAD_CREATED, message_reference=reference
        )
    return Reply(201, show_thread(thread, viewer=call.me))


def _forum_post(call: Call, form: AnyThreadForm, channel: Json) -> Reply:
    call.may(channel, Permission.SEND_MESSAGES)
    said = form.get("message")
    if said is None:
        raise invalid("message", "BASE_TYPE_REQUIRED", "This field is required")
    thread_id = call.world.ids.next()
    tags = _tags(channel, form.get("applied_tags", []))
    thread = new_thread(call.world, channel, thread_id, call.me, form, type=PUBLIC, applied_tags=tags)
    row = posting.post(call.world, thread, call.me, said, call.files, message_id=thread_id)
    shown = show_thread(thread, viewer=call.me) | {"message": show_message(call.world, row, viewer=call.me)}
    return Reply(201, shown)


def open_post(call: Call, channel: Json, name: str, tags: list[str], *, owner_id: str) -> Json:
    """Open a post of a forum for a webhook."""
    tags, form = _tags(channel, tags), ThreadForm(name=name)
    return new_thread(call.world, channel, call.world.ids.next(), owner_id, form, type=PUBLIC, applied_tags=tags)


def _tags(channel: Json, tags: list[str]) -> list[str]:
    if not set(tags) <= {tag["id"] for tag in channel.get("available_tags", ())}:
        raise invalid("applied_tags", "TAG_UNKNOWN", "Unknown tag.")
    return tags


def _thread(call: Call) -> Json:
    row = call.channel()
    if row["type"] not in THREADS:
        raise ApiError(400, 50024)
    return row


def _open_thread(call: Call) -> Json:
    row = _thread(call)
    if row["archived"]:
        raise ApiError(400, 50083)
    return row


@routes.on("PUT", "/channels/{channel_id}/thread-members/@me")
def join(call: Call) -> None:
    """Join a thread."""
    places.join_thread(call.world, _open_thread(call), call.me)


@routes.on("DELETE", "/channels/{channel_id}/thread-members/@me")
def leave(call: Call) -> None:
    """Leave a thread."""
    places.leave_thread(call.world, _open_thread(call), call.me)


@routes.on("PUT", "/channels/{channel_id}/thread-members/{user_id}")
def add(call: Call) -> None:
    """Bring somebody into a thread."""
    row = _open_thread(call)
    call.may(row, Permission.SEND_MESSAGES)
    if not row.get("invitable", True) and row["owner_id"] != call.me:
        call.may(row, Permission.MANAGE_THREADS)
    if call.world.member(row["guild_id"], call.params["user_id"]) is None:
        raise Unknown(10007)
    places.join_thread(call.world, row, call.params["user_id"])


@routes.on("DELETE", "/channels/{channel_id}/thread-members/{user_id}")
def remove(call: Call) -> None:
    """Take somebody out of a thread."""
    row = _open_thread(call)
    if not (row["type"] == PRIVATE and row["owner_id"] == call.me):
        call.may(row, Permission.MANAGE_THREADS)
    places.leave_thread(call.world, row, call.params["user_id"])


@routes.on("GET", "/channels/{channel_id}/thread-members")
def members(call: Call, query: ThreadMembersQuery) -> list[Json]:
    """Give a page of those who are in a thread, by id."""
    row = _thread(call)
    ids = [user for user in sorted(row["thread_members"], key=int) if int(user) > int(query.get("after", 0))]
    return [_member(call, query, row, user_id) for user_id in ids[: query.get("limit", 100)]]


@routes.on("GET", "/channels/{channel_id}/thread-members/{user_id}")
def member(call: Call, query: ThreadMembersQuery) -> Json:
    """Give one member of a thread."""
    row = _thread(call)
    user_id = call.me if call.params["user_id"] == "@me" else call.params["user_id"]
    if user_id not in row["thread_members"]:
        raise Unknown(10007)
    return _member(call, query, row, user_id)


def _member(call: Call, query: ThreadMembersQuery, row: Json, user_id: str) -> Json:
    shown = show_thread_member(row, user_id)
    found = call.world.member(row["guild_id"], user_id)
    wanted = query.get("with_member", False)
    return shown | ({"member": show_member(call.world, found)} if wanted and found else {})


def _archived(call: Call, query: ArchiveQuery, *kinds: int, mine: bool = False) -> Json:
    channel = call.channel(Permission.READ_MESSAGE_HISTORY)
    rows = [
        row
        for row in call.world.channels.within(channel["guild_id"]).values()
        if row.get("parent_id") == channel["id"] and row["type"] in kinds and row["archived"]
    ]
    if mine:
        rows = [row for row in rows if call.me in row["thread_members"]]
    before = query.get("before")
    key = "id" if mine else "archive_timestamp"
    rows = sorted((r for r in rows if before is None or r[key] < before), key=lambda r: r[key], reverse=True)
    limit = query.get("limit", 50)
    page = rows[:limit]
    joined = [show_thread_member(row, call.me) for row in page if call.me in row["thread_members"]]
    shown = [show_thread(row, viewer=call.me) for row in page]
    return {"threads": shown, "members": joined, "has_more": len(rows) > limit}


@routes.on("GET", "/channels/{channel_id}/threads/archived/public")
def archived_public(call: Call, query: ArchiveQuery) -> Json:
    """Give archived public threads, the latest first."""
    return _archived(call, query, NEWS_THREAD, PUBLIC)


@routes.on("GET", "/channels/{channel_id}/threads/archived/private")
def archived_private(call: Call, query: ArchiveQuery) -> Json:
    """Give archived private threads to who manages threads."""
    call.channel(Permission.MANAGE_THREADS)
    return _archived(call, query, PRIVATE)


@routes.on("GET", "/channels/{channel_id}/users/@me/threads/archived/private")
def archived_mine(call: Call, query: ArchiveQuery) -> Json:
    """Give the archived private threads one is in."""
    return _archived(call, query, PRIVATE, mine=True)
