"""Files of a message: kept with the state, served back from the CDN path."""

import io
import mimetypes
import re
from typing import Any
from urllib.parse import quote

from PIL import Image, UnidentifiedImageError

from bot.playground.errors import ApiError, invalid
from bot.playground.rest.call import Upload
from bot.playground.rest.form import Form
from bot.playground.world import World

Json = dict[str, Any]

MOST = 10
LARGEST = 10 * 1024 * 1024


def keep_files(world: World, channel_id: str, body: Json, files: tuple[Upload, ...], before: Json | None) -> list[Json]:
    """Store new files and give the message's whole list: those kept from `before`, then the new ones."""
    if len(files) > MOST:
        raise invalid("attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {MOST} or fewer in length.")
    if any(len(file.data) > LARGEST for file in files):
        raise ApiError(413, 40005)
    form = Form(body)
    listed = form.objects("attachments", high=MOST)
    form.check()
    had = list((before or {}).get("attachments", []))
    about: dict[int, Json] = {}
    if listed is not None:
        ids = {str(entry.get("id")) for entry in listed}
        had = [attachment for attachment in had if attachment["id"] in ids]
        about = {int(entry["id"]): entry for entry in listed if str(entry.get("id", "")).isdecimal()}
    return had + [keep_file(world, channel_id, file, about.get(file.slot, {})) for file in files]


def keep_file(world: World, channel_id: str, file: Upload, about: Json) -> Json:
    """Store one file and give the attachment it becomes."""
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
    try:
        with Image.open(io.BytesIO(data)) as image:
            return {"width": image.width, "height": image.height}
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return {}
