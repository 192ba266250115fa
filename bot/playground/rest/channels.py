"""`/channels/{id}` and the making of channels: names, topics, categories, overwrites."""

from collections.abc import Iterable
from typing import Annotated, Required, TypedDict

from bot.playground import places
from bot.playground.call import Call, Reply
from bot.playground.errors import ApiError, Refused, Unknown, invalid
from bot.playground.forms import Bits, Choice, ListOf, Snowflake, Text, Undone, Whole
from bot.playground.kinds import DIRECT, FORUMS, THREADS, ChannelKind
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json, Overwrite
from bot.playground.shapes.channel import show_any, show_channel, show_direct
from bot.playground.snowflakes import is_snowflake

routes = Routes()

MOST = 500
MOST_IN_CATEGORY = 50
KINDS = (0, 2, 4, 5, 13, 15, 16)
SHORT_TOPIC = 1024
NO_OVERWRITE: Json = {"allow": "0", "deny": "0"}
ARCHIVE = (60, 1440, 4320, 10080)


class TagForm(TypedDict, total=False):
    """A tag of a forum."""

    id: Snowflake
    name: Required[Annotated[str, Text(1, 20)]]
    moderated: bool
    emoji_id: Snowflake
    emoji_name: Annotated[str, Text(1, 100)]


class Emoji(TypedDict, total=False):
    """The emoji that a forum's posts are answered with."""

    emoji_id: Snowflake
    emoji_name: Annotated[str, Text(1, 100)]


class OverwriteForm(TypedDict, total=False):
    """What a role (type 0) or a member (1) may do; nobody can give or take what it does not have."""

    id: Snowflake
    type: Annotated[int, Choice(0, 1)]
    allow: Annotated[str, Bits()]
    deny: Annotated[str, Bits()]


class ChannelForm(TypedDict, total=False):
    """What can be said of a channel; from `archived` on of a thread."""

    name: Annotated[str, Text(1, 100)]
    type: Annotated[int, Choice(*KINDS)]
    topic: Annotated[str | None, Text(0, 4096)]
    position: Annotated[int, Whole(0, 10_000)]
    nsfw: bool
    rate_limit_per_user: Annotated[int, Whole(0, 21_600)]
    parent_id: Snowflake | None
    permission_overwrites: Annotated[list[OverwriteForm], ListOf(0, 100)]
    lock_permissions: bool
    default_auto_archive_duration: Annotated[int, Choice(*ARCHIVE)]
    default_thread_rate_limit_per_user: Annotated[int, Whole(0, 21_600)]
    available_tags: Annotated[list[TagForm], ListOf(0, 20)]
    default_reaction_emoji: Emoji
    default_sort_order: Annotated[int, Choice(0, 1)]
    default_forum_layout: Annotated[int, Choice(0, 1, 2)]
    flags: Annotated[int, Whole()]
    archived: bool
    locked: bool
    invitable: bool
    auto_archive_duration: Annotated[int, Choice(*ARCHIVE)]
    applied_tags: Annotated[list[Snowflake], ListOf(0, 5)]
    bitrate: Annotated[object, Undone()]
    user_limit: Annotated[object, Undone()]
    rtc_region: Annotated[object, Undone()]
    video_quality_mode: Annotated[object, Undone()]
    default_tag_setting: Annotated[object, Undone()]
    icon: Annotated[object, Undone()]


THREAD = (
    "name",
    "archived",
    "locked",
    "invitable",
    "auto_archive_duration",
    "rate_limit_per_user",
    "flags",
    "applied_tags",
)
FORUM_ONLY = ("default_reaction_emoji", "default_sort_order", "default_forum_layout", "flags", "available_tags")
PLAIN = (
    *("topic", "position", "nsfw", "rate_limit_per_user", "parent_id", "default_auto_archive_duration"),
    "default_thread_rate_limit_per_user",
)


@routes.on("GET", "/channels/{channel_id}")
def channel(call: Call) -> Json:
    """Give a channel, a thread or a direct conversation."""
    return show_any(call.world, call.channel(), viewer=call.me)


@routes.on("POST", "/guilds/{guild_id}/channels")
def create(call: Call, form: ChannelForm) -> Reply:
    """Make a channel or a category."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.MANAGE_CHANNELS)
    siblings = [r for r in call.world.channels.within(guild["id"]).values() if r["type"] not in THREADS]
    if len(siblings) >= MOST:
        raise ApiError(400, 30013)
    if "name" not in form:
        raise invalid("name", "BASE_TYPE_REQUIRED", "This field is required")
    kind = form.get("type", ChannelKind.TEXT)
    changed = _read(call, form, kind)
    has = call.world.guild_permissions(guild["id"], call.me)
    _refuse_more_than_own(has, [], changed.get("permission_overwrites", []))
    if not changed.get("permission_overwrites"):  # none at all are taken for the category's, as Discord does
        changed.pop("permission_overwrites", None)
    changed["parent_id"] = _parent(call, guild["id"], kind, changed.get("parent_id"))
    last = max((r["position"] for r in siblings), default=-1)
    row: Json = {
        "id": call.world.ids.next(),
        "type": kind,
        "guild_id": guild["id"],
        "position": last + 1,
        "permission_overwrites": _inherited(call, changed["parent_id"]),
    }
    row |= changed
    return Reply(201, show_channel(call.world, places.add_channel(call.world, row)))


def _inherited(call: Call, parent_id: object) -> list[Json]:
    parent = call.world.channels.get(parent_id)
    return list(parent["permission_overwrites"]) if parent else []


def _parent(call: Call, guild_id: str, kind: int, parent_id: str | None) -> str | None:
    """Give the category that a channel is put into, which has to be one and have room."""
    if parent_id is None:
        return None
    rows = call.world.channels.within(guild_id)
    parent = rows.get(parent_id)
    if parent is None or parent["type"] != ChannelKind.CATEGORY or kind == ChannelKind.CATEGORY:
        raise invalid("parent_id", "CHANNEL_PARENT_INVALID_TYPE", "Not a category")
    inside = [row for row in rows.values() if row.get("parent_id") == parent_id]
    if len(inside) >= MOST_IN_CATEGORY:
        message = f"Maximum number of channels in category reached ({MOST_IN_CATEGORY})"
        raise invalid("parent_id", "CHANNEL_PARENT_MAX_CHANNELS", message)
    return parent_id


def tidy_name(name: str, kind: int) -> str:
    """Give a channel's name as Discord keeps it: text channels are lower case without spaces."""
    if kind in (ChannelKind.TEXT, ChannelKind.NEWS, *FORUMS):
        return "-".join(name.lower().split())
    return " ".join(name.split())


def _read(call: Call, form: ChannelForm, kind: int) -> Json:
    """Give the fields of a channel of this kind that were sent."""
    names = PLAIN + (FORUM_ONLY if kind in FORUMS else ())
    sent: Json = {**form}
    read: Json = {name: sent[name] for name in names if name in sent}
    if len(form.get("topic") or "") > SHORT_TOPIC and kind not in FORUMS:
        raise invalid("topic", "BASE_TYPE_BAD_LENGTH", f"Must be {SHORT_TOPIC} or fewer in length.")
    if "topic" in form:
        read["topic"] = form["topic"] or None
    if "name" in form:
        read["name"] = tidy_name(form["name"], kind)
    if "available_tags" in read:
        blank = {"moderated": False, "emoji_id": None, "emoji_name": None}
        read["available_tags"] = [{"id": call.world.ids.next()} | blank | tag for tag in form["available_tags"]]
    if "permission_overwrites" in form:
        read["permission_overwrites"] = [_overwrite(one) for one in form["permission_overwrites"]]
    return read


def _overwrite(form: OverwriteForm, target_id: str = "") -> Overwrite:
    target_id = target_id or form.get("id", "")
    if not is_snowflake(target_id):
        raise invalid("permission_overwrites", "OVERWRITE_INVALID", "An overwrite needs an id.")
    return {
        "id": target_id,
        "type": form.get("type", 0),
        "allow": form.get("allow", "0"),
        "deny": form.get("deny", "0"),
    }


def _refuse_more_than_own(has: int, before: Iterable[Json], after: Iterable[Json]) -> None:
    """Refuse overwrites that change permissions which whoever asks does not have; to remove one is a change too."""
    old = {entry["id"]: entry for entry in before}
    new = {entry["id"]: entry for entry in after}
    for target_id in old | new:
        was, entry = old.get(target_id, NO_OVERWRITE), new.get(target_id, NO_OVERWRITE)
        touched = (int(entry["allow"]) ^ int(was["allow"])) | (int(entry["deny"]) ^ int(was["deny"]))
        if touched & ~has:
            raise Refused(50013)


def _may_set(call: Call, row: Json, after: Iterable[Json]) -> None:
    """Raise Refused unless whoever asks may give a channel these overwrites."""
    call.may(row, Permission.MANAGE_ROLES)
    _refuse_more_than_own(call.world.permissions_in(row, call.me), row["permission_overwrites"], after)


def moved(call: Call, row: Json, parent_id: str | None, *, lock: bool) -> Json:
    """Give what changes of a channel that is put into a category, or on top, with the overwrites of that if wished."""
    call.may(row, Permission.MANAGE_CHANNELS)
    if parent_id != row.get("parent_id"):
        parent_id = _parent(call, row["guild_id"], row["type"], parent_id)
    changed: Json = {"parent_id": parent_id}
    if lock and parent_id is not None:
        changed["permission_overwrites"] = _inherited(call, parent_id)
        _may_set(call, row, changed["permission_overwrites"])
    return changed


@routes.on("PATCH", "/channels/{channel_id}")
def edit(call: Call, form: ChannelForm) -> Json:
    """Change a channel or a thread."""
    row = call.channel()
    if row["type"] in DIRECT:
        raise Refused(50003)
    if row["type"] in THREADS:
        return _edit_thread(call, form, row)
    call.may(row, Permission.MANAGE_CHANNELS)
    kind = form.get("type", int(row["type"]))
    if kind != row["type"] and {kind, row["type"]} != {ChannelKind.TEXT, ChannelKind.NEWS}:
        raise invalid("type", "BASE_TYPE_CHOICES", "Value must be one of (0, 5).")
    changed = _read(call, form, kind) | {"type": kind}
    if changed.get("parent_id") not in (None, row.get("parent_id")):
        changed["parent_id"] = _parent(call, row["guild_id"], kind, changed["parent_id"])
    if form.get("lock_permissions"):
        changed["permission_overwrites"] = _inherited(call, changed.get("parent_id", row.get("parent_id")))
    if "permission_overwrites" in changed:
        _may_set(call, row, changed["permission_overwrites"])
    if any(key in changed and changed[key] != row.get(key) for key in ("name", "topic")):
        call.world.limits.take_rename(row["id"])
    row = places.change_channel(call.world, row, changed)
    return show_any(call.world, row, viewer=call.me)


def _edit_thread(call: Call, form: ChannelForm, row: Json) -> Json:
    sent: Json = {**form}
    changed: Json = {name: sent[name] for name in THREAD if name in sent}
    only_opens = changed == {"archived": False} and not row["locked"]
    if (row["owner_id"] != call.me and not only_opens) or row["locked"] or "locked" in changed:
        call.may(row, Permission.MANAGE_THREADS)
    if row["archived"] and changed.get("archived") is not False:
        raise ApiError(400, 50083)
    if "archived" in changed:
        changed["archive_timestamp"] = call.world.clock.stamp()
    row = places.change_channel(call.world, row, changed)
    return show_any(call.world, row, viewer=call.me)


@routes.on("DELETE", "/channels/{channel_id}")
def delete(call: Call) -> Json:
    """Delete a channel or thread; a direct conversation is only closed."""
    row = call.channel()
    if row["type"] in DIRECT:
        return show_direct(call.world, row, call.me)
    call.may(row, Permission.MANAGE_THREADS if row["type"] in THREADS else Permission.MANAGE_CHANNELS)
    shown = show_any(call.world, row, viewer=call.me)
    places.drop_channel(call.world, row)
    return shown


@routes.on("PUT", "/channels/{channel_id}/permissions/{overwrite_id}")
def put_overwrite(call: Call, form: OverwriteForm) -> None:
    """Set what a role or a member may do in a channel."""
    row = _with_overwrites(call)
    target_id = call.params["overwrite_id"]
    entry = _overwrite(form, target_id)
    known = call.world.roles.within(row["guild_id"]) if entry["type"] == 0 else call.world.users.rows
    if target_id not in known:
        raise Unknown(10009)
    before = row["permission_overwrites"]
    after = [kept for kept in before if kept["id"] != target_id] + [entry]
    _may_set(call, row, after)
    places.change_channel(call.world, row, {"permission_overwrites": after})


@routes.on("DELETE", "/channels/{channel_id}/permissions/{overwrite_id}")
def delete_overwrite(call: Call) -> None:
    """Remove what was set for a role or a member."""
    row = _with_overwrites(call)
    before = row["permission_overwrites"]
    after = [kept for kept in before if kept["id"] != call.params["overwrite_id"]]
    if len(after) == len(before):
        raise Unknown(10009)
    _may_set(call, row, after)
    places.change_channel(call.world, row, {"permission_overwrites": after})


def _with_overwrites(call: Call) -> Json:
    row = call.channel(Permission.MANAGE_ROLES)
    if row["type"] in (*DIRECT, *THREADS):
        raise Refused(50024)
    return row
