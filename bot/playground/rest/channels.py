"""`/channels/{id}` and the making of channels: names, topics, categories, overwrites."""

from typing import Any

from bot.playground import places
from bot.playground.errors import ApiError, Refused, Unknown, invalid
from bot.playground.permissions import Permission
from bot.playground.rest.call import Call, Reply
from bot.playground.rest.form import Form
from bot.playground.rest.routes import Routes
from bot.playground.shapes.channel import CATEGORY, FORUM, MEDIA, show_any, show_channel, show_direct
from bot.playground.snowflakes import is_snowflake
from bot.playground.world import DIRECT, THREADS
from bot.playground.writing.spec import Choice, Fields, Id, ListOf, Text, Thing, Truth, Whole

Json = dict[str, Any]

routes = Routes()

MOST = 500
MOST_IN_CATEGORY = 50
KINDS = (0, 2, 4, 5, 13, 15, 16)
TAG: Fields = {"id": Id(), "name": Text(1, 20), "moderated": Truth(), "emoji_id": Id(), "emoji_name": Text(1, 100)}
TAGS = ListOf(Thing(TAG, ("name",)), 0, 20)
FORUM_FIELDS: Fields = {
    "default_reaction_emoji": Thing({"emoji_id": Id(), "emoji_name": Text(1, 100)}),
    "default_sort_order": Choice((0, 1)),
    "default_forum_layout": Choice((0, 1, 2)),
    "flags": Whole(),
}
ARCHIVE = (60, 1440, 4320, 10080)


@routes.on("GET", "/channels/{channel_id}")
def channel(call: Call) -> Json:
    """Give a channel, a thread or a direct conversation."""
    return show_any(call.world, call.channel(), viewer=call.me)


@routes.on("POST", "/guilds/{guild_id}/channels")
def create(call: Call) -> Reply:
    """Make a channel or a category."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.MANAGE_CHANNELS)
    siblings = [r for r in call.world.channels.within(guild["id"]).values() if r["type"] not in THREADS]
    if len(siblings) >= MOST:
        raise ApiError(400, 30013)
    kind = Choice(KINDS).read(call.form.get("type") or 0, "type")
    changed = _read(call, kind, required=True)
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


def _inherited(call: Call, parent_id: str | None) -> list[Json]:
    parent = call.world.channels.get(parent_id)
    return list(parent["permission_overwrites"]) if parent else []


def _parent(call: Call, guild_id: str, kind: int, parent_id: str | None) -> str | None:
    if parent_id is None:
        return None
    rows = call.world.channels.within(guild_id)
    parent = rows.get(parent_id)
    if parent is None or parent["type"] != CATEGORY or kind == CATEGORY:
        raise invalid("parent_id", "CHANNEL_PARENT_INVALID_TYPE", "Not a category")
    inside = [row for row in rows.values() if row.get("parent_id") == parent_id]
    if len(inside) >= MOST_IN_CATEGORY:
        message = f"Maximum number of channels in category reached ({MOST_IN_CATEGORY})"
        raise invalid("parent_id", "CHANNEL_PARENT_MAX_CHANNELS", message)
    return parent_id


def tidy_name(name: str, kind: int) -> str:
    """Give a channel's name as Discord keeps it: text channels are lower case without spaces."""
    if kind in (0, 5, FORUM, MEDIA):
        return "-".join(name.lower().split())
    return " ".join(name.split())


def _read(call: Call, kind: int, *, required: bool = False) -> Json:
    """Read the fields of a channel that were sent."""
    form = Form(call.form)
    name = form.text("name", low=1, high=100, required=required)
    given: Json = {
        "topic": form.text("topic", high=4096 if kind in (FORUM, MEDIA) else 1024),
        "position": form.number("position", high=10_000),
        "nsfw": form.switch("nsfw"),
        "rate_limit_per_user": form.number("rate_limit_per_user", high=21600),
        "parent_id": form.snowflake("parent_id"),
        "default_auto_archive_duration": form.choice("default_auto_archive_duration", *ARCHIVE),
    }
    form.check()
    given["topic"] = given["topic"] or None
    nullable = {"topic", "parent_id"}
    changed = {k: v for k, v in given.items() if v is not None or (k in nullable and form.has(k))}
    if name is not None:
        changed["name"] = tidy_name(name, kind)
    if kind in (FORUM, MEDIA):
        changed |= _read_forum(call)
    if call.form.get("permission_overwrites") is not None:
        changed["permission_overwrites"] = _overwrites(call, call.form["permission_overwrites"])
    return changed


def _read_forum(call: Call) -> Json:
    changed = {key: FORUM_FIELDS[key].read(call.form[key], key) for key in FORUM_FIELDS if call.form.get(key)}
    if (tags := call.form.get("available_tags")) is not None:
        blank = {"moderated": False, "emoji_id": None, "emoji_name": None}
        given = [blank | tag for tag in TAGS.read(tags, "available_tags")]
        changed["available_tags"] = [{"id": call.world.ids.next()} | tag for tag in given]
    return changed


def _overwrites(call: Call, given: object) -> list[Json]:
    form = Form({"permission_overwrites": given})
    entries = form.objects("permission_overwrites", high=100) or []
    form.check()
    return [_overwrite(call, str(entry.get("id")), entry) for entry in entries]


def _overwrite(call: Call, target_id: str, given: Json) -> Json:
    """Read one overwrite; nobody can give or take what it does not have."""
    kind, allow, deny = given.get("type", 0), given.get("allow") or 0, given.get("deny") or 0
    if kind not in (0, 1) or not is_snowflake(target_id) or not all(map(_bits, (allow, deny))):
        raise invalid("permission_overwrites", "OVERWRITE_INVALID", "An overwrite needs id, type and bits.")
    return {"id": target_id, "type": int(kind), "allow": str(allow), "deny": str(deny)}


def _bits(value: object) -> bool:
    return str(value).isdecimal()


def _refuse_more_than_own(call: Call, has: int, before: list[Json], after: list[Json]) -> None:
    """Refuse overwrites that change permissions which whoever asks does not have."""
    old = {entry["id"]: entry for entry in before}
    for entry in after:
        was = old.get(entry["id"], {"allow": "0", "deny": "0"})
        touched = (int(entry["allow"]) ^ int(was["allow"])) | (int(entry["deny"]) ^ int(was["deny"]))
        if touched & ~has:
            raise Refused(50013)


@routes.on("PATCH", "/channels/{channel_id}")
def edit(call: Call) -> Json:
    """Change a channel or a thread."""
    row = call.channel()
    if row["type"] in DIRECT:
        raise Refused(50003)
    if row["type"] in THREADS:
        return _edit_thread(call, row)
    call.may(row, Permission.MANAGE_CHANNELS)
    form = Form(call.form)
    kind = form.number("type", high=16)
    form.check()
    kind = int(row["type"]) if kind is None else kind
    if kind != row["type"] and {kind, row["type"]} != {0, 5}:
        raise invalid("type", "BASE_TYPE_CHOICES", "Value must be one of (0, 5).")
    changed = _read(call, kind) | {"type": kind}
    if changed.get("parent_id") not in (None, row.get("parent_id")):
        changed["parent_id"] = _parent(call, row["guild_id"], kind, changed["parent_id"])
    if "permission_overwrites" in changed:
        call.may(row, Permission.MANAGE_ROLES)
        has = call.world.permissions_in(row, call.me)
        _refuse_more_than_own(call, has, row["permission_overwrites"], changed["permission_overwrites"])
    if call.form.get("lock_permissions"):
        changed["permission_overwrites"] = _inherited(call, changed.get("parent_id", row.get("parent_id")))
    if any(key in changed and changed[key] != row.get(key) for key in ("name", "topic")):
        call.world.limits.take_rename(row["id"])
    row = places.change_channel(call.world, row, changed)
    return show_any(call.world, row, viewer=call.me)


def _edit_thread(call: Call, row: Json) -> Json:
    form = Form(call.form)
    name = form.text("name", low=1, high=100)
    given: Json = {
        "name": name,
        "archived": form.switch("archived"),
        "locked": form.switch("locked"),
        "invitable": form.switch("invitable"),
        "auto_archive_duration": form.choice("auto_archive_duration", *ARCHIVE),
        "rate_limit_per_user": form.number("rate_limit_per_user", high=21600),
        "flags": form.number("flags", high=1 << 10),
        "applied_tags": form.items("applied_tags", high=5),
    }
    form.check()
    changed = {key: value for key, value in given.items() if value is not None}
    only_opens = changed == {"archived": False} and not row["locked"]
    if row["owner_id"] != call.me and not only_opens:
        call.may(row, Permission.MANAGE_THREADS)
    if "locked" in changed:
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
def put_overwrite(call: Call) -> None:
    """Set what a role or a member may do in a channel."""
    row = _with_overwrites(call)
    target_id = call.params["overwrite_id"]
    entry = _overwrite(call, target_id, call.form)
    known = call.world.roles.within(row["guild_id"]) if entry["type"] == 0 else call.world.users.rows
    if target_id not in known:
        raise Unknown(10009)
    before = row["permission_overwrites"]
    after = [kept for kept in before if kept["id"] != target_id] + [entry]
    _refuse_more_than_own(call, call.world.permissions_in(row, call.me), before, after)
    places.change_channel(call.world, row, {"permission_overwrites": after})


@routes.on("DELETE", "/channels/{channel_id}/permissions/{overwrite_id}")
def delete_overwrite(call: Call) -> None:
    """Remove what was set for a role or a member."""
    row = _with_overwrites(call)
    before = row["permission_overwrites"]
    after = [kept for kept in before if kept["id"] != call.params["overwrite_id"]]
    if len(after) == len(before):
        raise Unknown(10009)
    places.change_channel(call.world, row, {"permission_overwrites": after})


def _with_overwrites(call: Call) -> Json:
    row = call.channel(Permission.MANAGE_ROLES)
    if row["type"] in (*DIRECT, *THREADS):
        raise Refused(50024)
    return row
