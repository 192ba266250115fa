"""From a form to what a message says: lengths, what may stand beside what, and what may not be empty."""

from bot.playground.errors import ApiError, invalid
from bot.playground.kinds import Flag, Reference
from bot.playground.permissions import Permission
from bot.playground.rows import Json
from bot.playground.world import World
from bot.playground.writing.attachments import Upload, keep_files
from bot.playground.writing.components import read_components
from bot.playground.writing.defaults import complete
from bot.playground.writing.embeds import read_embeds
from bot.playground.writing.mentions import find_mentions
from bot.playground.writing.message import MessageForm
from bot.playground.writing.references import read_reference, take_snapshot

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
    _say(world, channel, row, form, said, before)
    said |= _beside(form, before, said)
    if files or "attachments" in form:
        said["attachments"] = keep_files(world, row["channel_id"], form, files, before)
    whole = (before or {}) | said
    _refuse_empty(whole)
    for part in ("embeds", "components"):
        if part in said:
            _attach(said[part], whole.get("attachments", []))
    complete(said.get("components", []), world.ids.next)
    return said


def _say(world: World, channel: Json, row: Json, form: MessageForm, said: Json, before: Json | None) -> None:
    """Content, who is mentioned in it, and what only a new message has."""
    if before is None or "content" in form:
        content = (form.get("content") or "").strip()
        said["content"] = content
        said |= find_mentions(world, channel, row["author_id"], content, form)
    if before is not None:
        return
    said["tts"] = form.get("tts", False)
    if "nonce" in form:
        said["nonce"] = form["nonce"]
    if "message_reference" in form:
        reference = said["message_reference"] = read_reference(world, channel, form["message_reference"])
        if reference is not None and reference["type"] == Reference.FORWARD:
            said["message_snapshots"] = take_snapshot(world, reference)


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
    return int((had & ~CHANGED) | (asked & SETTABLE))


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
