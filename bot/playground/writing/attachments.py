"""Files of a message: kept with the state, served back from the CDN path."""

import mimetypes
import re
from dataclasses import dataclass
from urllib.parse import quote

from bot.playground.errors import ApiError, invalid
from bot.playground.rows import Json
from bot.playground.world import World
from bot.playground.writing.message import FileForm, MessageForm
from bot.playground.writing.pictures import size_of

MOST = 10
LARGEST = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file sent along; `slot` is the number in `files[0]`."""

    slot: int
    name: str
    content_type: str
    data: bytes


def keep_files(
    world: World, channel_id: str, form: MessageForm, files: tuple[Upload, ...], before: Json | None
) -> list[Json]:
    """Store new files and give the message's whole list: those kept from `before`, then the new ones."""
    if len(files) > MOST:
        raise invalid("attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {MOST} or fewer in length.")
    if any(len(file.data) > LARGEST for file in files):
        raise ApiError(413, 40005)
    had = list((before or {}).get("attachments", []))
    about = {int(entry["id"]): entry for entry in form.get("attachments") or ()}
    if form.get("attachments") is not None:
        had = [attachment for attachment in had if int(attachment["id"]) in about]
    return had + [keep_file(world, channel_id, file, about.get(file.slot)) for file in files]


def keep_file(world: World, channel_id: str, file: Upload, about: FileForm | None = None) -> Json:
    """Store one file and give the attachment it becomes."""
    about = about or {"id": ""}
    name = safe_name(about.get("filename") or file.name)
    attachment_id = world.ids.next()
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    world.journal.put_blob(f"{attachment_id}/{name}", kind, file.data)
    url = f"{world.cdn_url}/attachments/{channel_id}/{attachment_id}/{quote(name)}"
    shown: Json = {
        "id": attachment_id,
        "filename": name,
        "size": len(file.data),
        "url": url,
        "proxy_url": url,
        "content_type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
    }
    if about.get("description"):
        shown["description"] = about["description"]
    return shown | (_measure(file.data) if kind.startswith("image/") else {})


def safe_name(name: str) -> str:
    """Give the file name as Discord keeps it: no spaces, no path, nothing odd."""
    return re.sub(r"[^\w.\-]", "", name.rsplit("/", 1)[-1].replace(" ", "_")) or "unknown"


def _measure(data: bytes) -> Json:
    size = size_of(data)
    return {"width": size[0], "height": size[1]} if size else {}
