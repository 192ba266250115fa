"""Reading request bodies: JSON, or a form with `payload_json` and files."""

import json

from aiohttp import BodyPartReader, web

from bot.playground.errors import ApiError
from bot.playground.writing.attachments import Upload

MAX_BODY = 25 * 1024 * 1024


async def read_body(request: web.Request) -> tuple[object, tuple[Upload, ...]]:
    """Give the parsed body ({} when there is none) and the files that came along."""
    if request.content_type == "multipart/form-data":
        return await _read_parts(request)
    data = await request.read()
    return (_parse(data) if data else {}), ()


def _parse(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        raise ApiError(400, 50109) from None


async def _read_parts(request: web.Request) -> tuple[object, tuple[Upload, ...]]:
    body: object = {}
    files: list[Upload] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise ApiError(400, 50035)
        name, data = part.name or "", bytes(await part.read(decode=True))
        if name == "payload_json":
            body = _parse(data)
        elif name.startswith("file"):
            digits = "".join(filter(str.isdigit, name))
            kind = part.headers.get("Content-Type", "application/octet-stream")
            filename = part.filename or f"file{digits}"
            files.append(Upload(slot=int(digits or len(files)), name=filename, content_type=kind, data=data))
    return body, tuple(files)
