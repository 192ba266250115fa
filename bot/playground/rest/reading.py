"""Reading request bodies: JSON, or a form with `payload_json` and files; nothing is kept that is over its limit."""

import json
import re
from collections.abc import AsyncIterator
from math import isfinite

from aiohttp import BodyPartReader, web

from bot.playground.errors import ApiError
from bot.playground.writing.attachments import Upload

MAX_BODY = 25 * 1024 * 1024
LARGEST_JSON = 1024 * 1024
DEEPEST = 64
MOST_PARTS = 24  # ten files, what is said of them, and some to spare


async def read_body(request: web.Request) -> tuple[object, tuple[Upload, ...]]:
    """Give the parsed body ({} when there is none) and the files that came along."""
    if request.content_type == "multipart/form-data":
        try:
            return await _read_parts(request)
        except ValueError:  # a form that is cut off or none at all
            raise ApiError(400, 50035) from None
    data = await _at_most(LARGEST_JSON, request.content.iter_any())
    return (_parse(data) if data else {}), ()


def parsed(data: str | bytes) -> object:
    """Read JSON that can be written as JSON again; raises ValueError, or RecursionError.

    Python also reads NaN, and numbers beyond all as infinity: whoever they were passed on to could read nothing.
    """
    return json.loads(data, parse_constant=_refused, parse_float=_finite)


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _finite(number: str) -> float:
    if not isfinite(value := float(number)):
        raise ValueError("a number is beyond all")
    return value


def _parse(data: bytes) -> object:
    try:
        body = parsed(data)
    except (ValueError, RecursionError):
        raise ApiError(400, 50109) from None
    if _is_deep(body):
        raise ApiError(400, 50109)
    return body


def _is_deep(body: object) -> bool:
    """Whether more lists and objects lie within one another than any form has: they are gone through again later."""
    level: list[object] = [[body]]
    for _ in range(DEEPEST + 1):
        held = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, list | dict))
        level = [inner for some in held for inner in some if isinstance(inner, list | dict)]
    return bool(level)


async def _read_parts(request: web.Request) -> tuple[object, tuple[Upload, ...]]:
    body: object = {}
    files: list[Upload] = []
    left, parts = MAX_BODY, 0
    async for part in await request.multipart():
        parts += 1
        if not isinstance(part, BodyPartReader) or parts > MOST_PARTS:
            raise ApiError(400, 50035)
        name = part.name or ""
        # Taken as it comes: what is packed would be many times larger than what was counted.
        data = await _at_most(min(left, LARGEST_JSON) if name == "payload_json" else left, _chunks(part))
        left -= len(data)
        if name == "payload_json":
            body = _parse(data)
        elif name.startswith("file"):
            files.append(_upload(part, data, _slot(name, len(files))))
    return body, tuple(files)


def _upload(part: BodyPartReader, data: bytes, slot: int) -> Upload:
    kind = part.headers.get("Content-Type", "application/octet-stream")
    return Upload(slot=slot, name=part.filename or f"file{slot}", content_type=kind, data=data)


def _slot(name: str, otherwise: int) -> int:
    number = re.search(r"[0-9]{1,4}", name)
    return int(number[0]) if number else otherwise


async def _chunks(part: BodyPartReader) -> AsyncIterator[bytes]:
    while not part.at_eof():
        yield await part.read_chunk()


async def _at_most(limit: int, chunks: AsyncIterator[bytes]) -> bytes:
    data = bytearray()
    async for chunk in chunks:
        data += chunk
        if len(data) > limit:
            raise ApiError(413, 40005)
    return bytes(data)
