"""From a form to what a message says: lengths, what may stand beside what, and what may not be empty."""

from typing import Any

from bot.playground.errors import ApiError, invalid
from bot.playground.permissions import Permission
from bot.playground.rest.call import Upload
from bot.playground.rest.form import Form
from bot.playground.world import World
from bot.playground.writing.attachments import keep_files
from bot.playground.writing.components import read_components
from bot.playground.writing.defaults import complete
from bot.playground.writing.embeds import read_embeds
from bot.playground.writing.mentions import find_mentions
from bot.playground.writing.references import FORWARD, read_reference, take_snapshot

Json = dict[str, Any]

SUPPRESS_EMBEDS, EPHEMERAL, QUIET, COMPONENTS_V2 = 1 << 2, 1 << 6, 1 << 12, 1 << 15
SETTABLE = SUPPRESS_EMBEDS | QUIET | COMPONENTS_V2
KEPT = ~(SUPPRESS_EMBEDS | COMPONENTS_V2)
LONGEST = 2000


def read_draft(
    world: World,
    channel: Json,
    row: Json,
    body: Json,
    files: tuple[Upload, ...],
    *,
    before: Json | None = None,
    more: Json | None = None,
) -> Json:
    """Give the fields that a form sets; raises ApiError when Discord would not take it.

    `row` says whose message it is; `before` is the message as it was, when it is changed.
    """
    form = Form(body)
    form.text("content", high=LONGEST)
    form.check()
    said: Json = {"flags": _flags(body, before) | (more or {}).get("flags", 0)}
    _say(world, channel, row, body, said, before)
    said |= _beside(body, files, before, said)
    if files or "attachments" in body:
        said["attachments"] = keep_files(world, row["channel_id"], body, files, before)
    whole = (before or {}) | said
    _refuse_empty(whole)
    for part in ("embeds", "components"):
        if part in said:
            _attach(said[part], whole.get("attachments", []))
    complete(said.get("components", []), world.ids.next)
    return said


def _say(world: World, channel: Json, row: Json, body: Json, said: Json, before: Json | None) -> None:
    """Content, who is mentioned in it, and what only a new message has."""
    if before is None or "content" in body:
        content = (body.get("content") or "").strip()
        said["content"] = content
        said |= find_mentions(world, channel, row["author_id"], content, body)
    if before is not None:
        return
    said["tts"] = bool(body.get("tts"))
    if (nonce := body.get("nonce")) is not None:
        if isinstance(nonce, bool) or not isinstance(nonce, int | str) or len(str(nonce)) > 25:
            raise invalid("nonce", "NONCE_TYPE_TOO_LONG", "A nonce is text or a number, of at most 25 characters.")
        said["nonce"] = nonce
    if body.get("message_reference"):
        reference = said["message_reference"] = read_reference(world, channel, body["message_reference"])
        if reference is not None and reference["type"] == FORWARD:
            said["message_snapshots"] = take_snapshot(world, reference)


def _beside(body: Json, files: tuple[Upload, ...], before: Json | None, said: Json) -> Json:
    """Embeds and components, and whether they may stand together with the rest."""
    v2 = bool(said["flags"] & COMPONENTS_V2)
    given: Json = {}
    if body.get("embeds") is not None:
        given["embeds"] = read_embeds(body["embeds"])
    if body.get("components") is not None:
        given["components"] = read_components(body["components"], v2=v2)
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


def _flags(body: Json, before: Json | None) -> int:
    asked = body.get("flags")
    had = int((before or {}).get("flags", 0))
    if asked is None:
        return had
    if not isinstance(asked, int) or isinstance(asked, bool):
        raise invalid("flags", "NUMBER_TYPE_COERCE", f'Value "{asked}" is not int.')
    if had & COMPONENTS_V2:
        asked |= COMPONENTS_V2
    return (had & KEPT) | (asked & SETTABLE)


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


def needs_for(body: Json, files: tuple[Upload, ...]) -> list[Permission]:
    """Give the permissions a form needs beyond writing."""
    needs = [Permission.ATTACH_FILES] if files else []
    if body.get("tts"):
        needs.append(Permission.SEND_TTS_MESSAGES)
    return needs
