"""Files of a message: kept with the state, served back from the CDN path."""

import mimetypes
import re
from dataclasses import dataclass
from urllib.parse import quote

from bot.playground.errors import ApiError, invalid
from bot.playground.rows import Json
from bot.playground.world import World
from bot.playground.writing.message import FileForm, MessageForm

MOST_SEGMENTS = 100  # what cameras and editors put before a JPEG's size
SIZED = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # the segments of a JPEG that begin with its size
Size = tuple[int, int]


def size_of(data: bytes) -> Size | None:
    """Give width and height in pixels of a PNG, GIF, WebP or JPEG; None when it does not tell."""
    match data[:4]:
        case b"\x89PNG" if data[12:16] == b"IHDR" and len(data) >= 24:
            return _big(data[16:20]), _big(data[20:24])
        case b"GIF8" if len(data) >= 10:
            return _little(data[6:8]), _little(data[8:10])
        case b"RIFF" if data[8:12] == b"WEBP" and len(data) >= 30:
            return _of_webp(data)
        case _ if data[:2] == b"\xff\xd8":
            return _of_jpeg(data)
    return None


def _of_webp(data: bytes) -> Size | None:
    match data[12:16]:
        case b"VP8X":
            return _little(data[24:27]) + 1, _little(data[27:30]) + 1
        case b"VP8L":
            both = _little(data[21:25])
            return (both & 0x3FFF) + 1, (both >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
    return None


def _of_jpeg(data: bytes) -> Size | None:
    start = 2
    for _ in range(MOST_SEGMENTS):
        head = data[start : start + 9]
        if len(head) < 9 or head[0] != 0xFF:
            return None
        if head[1] in SIZED:
            return _big(head[7:9]), _big(head[5:7])
        start += 2 + _big(head[2:4])
    return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


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
    if (seconds := about.get("duration_secs")) is not None:
        shown["duration_secs"] = seconds
    if (waveform := about.get("waveform")) is not None:
        shown["waveform"] = waveform
    return shown | (_measure(file.data) if kind.startswith("image/") else {})


def safe_name(name: str) -> str:
    """Give the file name as Discord keeps it: no spaces, no path, nothing odd."""
    return re.sub(r"[^\w.\-]", "", name.rsplit("/", 1)[-1].replace(" ", "_")) or "unknown"


def _measure(data: bytes) -> Json:
    size = size_of(data)
    return {"width": size[0], "height": size[1]} if size else {}
