"""From a form to what a message says: lengths, what may stand beside what, and what may not be empty."""

import re
from collections.abc import Callable
from typing import Literal

from bot.playground.errors import ApiError, invalid
from bot.playground.forms import Anything, Fields, ListOf, Moment, Text, Thing, Truth, Url, Whole, fitted
from bot.playground.kinds import SELECTS, Flag, Part, Reference
from bot.playground.permissions import Permission
from bot.playground.rows import Json
from bot.playground.shapes.message import show_message
from bot.playground.world import World
from bot.playground.writing.attachments import Upload, keep_files
from bot.playground.writing.components import read_components, walk
from bot.playground.writing.message import AllowedMentions, MessageForm, ReferenceForm

CHANGED = Flag.SUPPRESS_EMBEDS | Flag.COMPONENTS_V2
SETTABLE = CHANGED | Flag.QUIET


def read_draft(
    world: World,
    channel: Json,
    row: Json,
    form: MessageForm,
    files: tuple[Upload, ...],
    *,
    before: Json | None = None,
    more: Json | None = None,
) -> Json:
    """Give the fields that a form sets; raises ApiError when Discord would not take it.

    `row` says whose message it is; `before` is the message as it was, when it is changed.
    """
    said: Json = {"flags": _flags(form, before) | (more or {}).get("flags", 0)}
    _say(world, channel, row | (more or {}), form, said, before)
    said |= _beside(form, before, said)
    if files or "attachments" in form:
        said["attachments"] = keep_files(world, row["channel_id"], form, files, before)
    whole = (before or {}) | said
    _refuse_empty(whole)
    if said["flags"] & Flag.VOICE and before is None:
        _check_voice(whole)
    for part in ("embeds", "components"):
        if part in said:
            _attach(said[part], whole.get("attachments", []))
    complete(said.get("components", []), world.ids.next)
    return said


def _say(world: World, channel: Json, row: Json, form: MessageForm, said: Json, before: Json | None) -> None:
    """Content, who is mentioned in it, and what only a new message has."""
    given = form.get("message_reference") if before is None else None
    found = find_referenced(world, channel, row, given) if given is not None else None
    if before is None or "content" in form:
        content = (form.get("content") or "").strip()
        said["content"] = content
        said |= find_mentions(world, channel, row["author_id"], content, form, answered=found)
    if before is not None:
        return
    said["tts"] = form.get("tts", False)
    if "nonce" in form:
        said["nonce"] = form["nonce"]
    if given is not None and found is not None:
        reference = said["message_reference"] = read_reference(channel, given, found)
        if reference["type"] == Reference.FORWARD:
            said["message_snapshots"] = take_snapshot(world, found)


def _beside(form: MessageForm, before: Json | None, said: Json) -> Json:
    """Embeds and components, and whether they may stand together with the rest."""
    v2 = bool(said["flags"] & Flag.COMPONENTS_V2)
    given: Json = {}
    if "embeds" in form:
        given["embeds"] = read_embeds(form["embeds"])
    if "components" in form:
        given["components"] = read_components(form["components"], v2=v2)
    if v2:
        whole = (before or {}) | said | given
        for name in ("content", "embeds"):
            if whole.get(name):
                raise invalid(
                    name,
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )
    return given


def _flags(form: MessageForm, before: Json | None) -> int:
    had = int((before or {}).get("flags", 0))
    asked = form.get("flags", had) | (had & Flag.COMPONENTS_V2)
    return int((had & ~CHANGED) | (asked & (SETTABLE | (Flag.VOICE if before is None else 0))))


def _check_voice(whole: Json) -> None:
    """Refuse a voice message that is more than one recording, or does not tell how long it is."""
    if whole.get("content") or whole.get("embeds") or whole.get("components"):
        raise ApiError(400, 50159)
    files = whole.get("attachments", [])
    if len(files) != 1 or not files[0]["content_type"].startswith(("audio/", "video/")):
        raise ApiError(400, 50160)
    if "duration_secs" not in files[0] or "waveform" not in files[0]:
        raise ApiError(400, 50161)


def _refuse_empty(whole: Json) -> None:
    if not any(whole.get(name) for name in ("content", "embeds", "components", "attachments", "message_snapshots")):
        raise ApiError(400, 50006)


def _attach(parts: object, attachments: list[Json]) -> None:
    """Put the addresses of attached files where `attachment://name` stood."""
    by_name = {attachment["filename"]: attachment for attachment in attachments}
    todo = [parts]
    while todo:
        part = todo.pop()
        if isinstance(part, list):
            todo.extend(part)
        elif isinstance(part, dict):
            url = part.get("url")
            if isinstance(url, str) and url.startswith("attachment://"):
                part |= _address(by_name, url.removeprefix("attachment://"))
            todo.extend(part.values())


def _address(by_name: dict[str, Json], name: str) -> Json:
    found = by_name.get(name)
    if found is None:
        raise invalid("attachments", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", f"No file {name}.")
    keys = ("url", "proxy_url", "content_type", "width", "height")
    return {key: found[key] for key in keys if key in found} | {"attachment_id": found["id"]}


def needs_for(form: MessageForm, files: tuple[Upload, ...]) -> list[Permission]:
    """Give the permissions a form needs beyond writing."""
    needs = [Permission.ATTACH_FILES] if files else []
    if form.get("tts"):
        needs.append(Permission.SEND_TTS_MESSAGES)
    return needs


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


def find_referenced(world: World, channel: Json, row: Json, given: ReferenceForm) -> Json | None:
    """Find what a message answers or forwards; None when its author may not read it there, and does not mind."""
    found = world.messages.get(given["message_id"])
    if found is not None and _may_quote(world, channel, row, found, given.get("type", Reference.REPLY)):
        return found
    if given.get("fail_if_not_exists", True):
        raise invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    return None


def _may_quote(world: World, channel: Json, row: Json, found: Json, kind: int) -> bool:
    """Whether a message may stand within another: what one person alone sees only before that person."""
    if "only_for" in found and (kind == Reference.FORWARD or found["only_for"] != row.get("only_for")):
        return False
    if kind == Reference.REPLY:
        return bool(found["channel_id"] == channel["id"])
    origin = world.channels.get(found["channel_id"])
    readable = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
    return origin is not None and world.permissions_in(origin, row["author_id"]) & readable == readable


def read_reference(channel: Json, given: ReferenceForm, found: Json) -> Json:
    """Give the reference to a message that was found."""
    kind = given.get("type", Reference.REPLY)
    shown: Json = {"type": kind, "channel_id": found["channel_id"], "message_id": found["id"]}
    if channel.get("guild_id"):
        shown["guild_id"] = channel["guild_id"]
    return shown


def take_snapshot(world: World, found: Json) -> list[Json]:
    """Give what a forward keeps of the message it forwards."""
    shown = show_message(world, found, viewer=None, nested=True)
    return [{"message": {key: shown[key] for key in SNAPSHOT}}]


USER = re.compile(r"<@!?(\d+)>")
ROLE = re.compile(r"<@&(\d+)>")
EVERYONE = re.compile(r"@(everyone|here)\b")
KINDS = ("users", "roles", "everyone")


def find_mentions(
    world: World, channel: Json, author_id: str, content: str, form: MessageForm, *, answered: Json | None
) -> Json:
    """Give `mentions`, `mention_roles` and `mention_everyone` for a message, after `allowed_mentions`."""
    allowed = _checked(form.get("allowed_mentions"))
    users = [user for user in _ids(USER, content) if _lets(allowed, "users", user)]
    users += _answered(answered, form, allowed)
    roles = [role for role in _ids(ROLE, content) if _lets(allowed, "roles", role)]
    known_roles = world.roles.within(channel.get("guild_id"))
    may_ping = bool(world.permissions_in(channel, author_id) & Permission.MENTION_EVERYONE)
    return {
        "mentions": [user for user in dict.fromkeys(users) if world.users.get(user)],
        "mention_roles": [role for role in roles if role in known_roles],
        "mention_everyone": may_ping and "everyone" in allowed.get("parse", ()) and bool(EVERYONE.search(content)),
    }


def _checked(allowed: AllowedMentions | None) -> AllowedMentions:
    if allowed is None:
        return {"parse": list(KINDS), "replied_user": True}
    for kind, listed in (("users", allowed.get("users")), ("roles", allowed.get("roles"))):
        if listed and kind in allowed.get("parse", ()):
            raise invalid(
                "allowed_mentions",
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.',
            )
    return allowed


def _ids(pattern: re.Pattern[str], content: str) -> list[str]:
    return list(dict.fromkeys(pattern.findall(content)))


def _lets(allowed: AllowedMentions, kind: Literal["users", "roles"], mentioned: str) -> bool:
    return kind in allowed.get("parse", ()) or mentioned in allowed.get(kind, ())


def _answered(answered: Json | None, form: MessageForm, allowed: AllowedMentions) -> list[str]:
    """A reply mentions whom it answers, unless it says not to."""
    reference = form.get("message_reference", {})
    if answered is None or reference.get("type") == Reference.FORWARD or not allowed.get("replied_user"):
        return []
    return [answered["author_id"]] if "webhook" not in answered else []


DEFAULTS: dict[int, Json] = {
    Part.CONTAINER: {"accent_color": None, "spoiler": False},
    Part.SEPARATOR: {"spacing": 1, "divider": True},
    Part.THUMBNAIL: {"description": None, "spoiler": False},
    Part.FILE: {"name": None, "size": None, "spoiler": False},
    **{kind: {"min_values": 1, "max_values": 1} for kind in SELECTS},
}
ITEM: Json = {"description": None, "spoiler": False}


def complete(parts: list[Json], new_id: Callable[[], str]) -> None:
    """Fill in what is missing, in place; media get ids of their own."""
    for part in walk(parts):
        _add(part, DEFAULTS.get(part["type"], {}))
        for item in part.get("items", ()):
            _add(item, ITEM)
            _complete_media(item["media"], new_id)
        for name in ("media", "file"):
            if name in part:
                _complete_media(part[name], new_id)


def _add(part: Json, missing: Json) -> None:
    for name, value in missing.items():
        part.setdefault(name, value)


def _complete_media(media: Json, new_id: Callable[[], str]) -> None:
    _add(media, {"id": new_id(), "proxy_url": media["url"]})


TOTAL = 6000

# What Discord adds comes back from bots that change an embed they have read; it is made anew.
ADDED = ("type", "proxy_url", "proxy_icon_url", "width", "height", "flags", "content_type", "placeholder")
added: Fields = dict.fromkeys((*ADDED, "placeholder_version", "content_scan_version"), Anything())
picture = Thing({**added, "url": Url()}, ("url",))
field = Thing({"name": Text(1, 256), "value": Text(1, 1024), "inline": Truth()}, ("name", "value"))
EMBED = Thing(
    {
        **added,
        "provider": Anything(),
        "video": Anything(),
        "title": Text(0, 256),
        "description": Text(0, 4096),
        "url": Url(),
        "timestamp": Moment(),
        "color": Whole(0, 0xFFFFFF),
        "footer": Thing({**added, "text": Text(1, 2048), "icon_url": Url()}, ("text",)),
        "author": Thing({**added, "name": Text(1, 256), "url": Url(), "icon_url": Url()}, ("name",)),
        "image": picture,
        "thumbnail": picture,
        "fields": ListOf(item=field),
    }
)
EMBEDS = ListOf(0, 10, EMBED)


def read_embeds(given: object) -> list[Json]:
    """Give the embeds as they are kept; raises ApiError when one is too large."""
    embeds: list[Json] = fitted(EMBEDS, given, "embeds")
    if sum(map(_length, embeds)) > TOTAL:
        raise invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {TOTAL}")
    for embed in embeds:
        _complete(embed)
    return embeds


def _complete(embed: Json) -> None:
    embed["type"] = "rich"
    for name in ("footer", "author"):
        part = embed.get(name, {})
        if "icon_url" in part:
            part["proxy_icon_url"] = part["icon_url"]
    for name in ("image", "thumbnail"):
        if name in embed:
            embed[name] |= {"proxy_url": embed[name]["url"], "width": 0, "height": 0}
    for entry in embed.get("fields", ()):
        entry.setdefault("inline", False)


def _length(embed: Json) -> int:
    texts = [embed.get("title", ""), embed.get("description", ""), embed.get("footer", {}).get("text", "")]
    texts.append(embed.get("author", {}).get("name", ""))
    texts += [text for entry in embed.get("fields", ()) for text in (entry["name"], entry["value"])]
    return sum(map(len, texts))
