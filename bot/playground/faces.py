"""Avatars: pictures sent as data, and links to pictures elsewhere, kept under a hash."""

import base64
import binascii
import hashlib
import math
import re
import struct
import zlib
from functools import cache

from bot.playground.errors import invalid
from bot.playground.world import World

DATA = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,(.+)", re.DOTALL)
LINK = "text/x-link"
SIZE = 128
COLOURS = (0x5865F2, 0x757E8A, 0x3BA55C, 0xFAA61A, 0xED4245, 0xEB459E)


def keep_face(world: World, given: object) -> str | None:
    """Store a picture given as a data URI and give its hash."""
    if given is None:
        return None
    match = DATA.fullmatch(str(given))
    if match is None:
        raise invalid("avatar", "IMAGE_INVALID", "Invalid image data")
    try:
        data = base64.b64decode(match[2], validate=True)
    except binascii.Error:
        raise invalid("avatar", "IMAGE_INVALID", "Invalid image data") from None
    key = hashlib.sha256(data).hexdigest()[:32]
    world.journal.put_blob(f"face/{key}", match[1], data)
    return key


def keep_link(world: World, url: str) -> str:
    """Remember where a picture is and give a hash for it; one of ours keeps the hash it has."""
    if not url.startswith(("http://", "https://")):
        raise invalid("avatar_url", "URL_TYPE_INVALID_URL", "Not a well formed URL.")
    if url.startswith(f"{world.cdn_url}/avatars/"):
        return url.split("?")[0].rsplit("/", 1)[-1].split(".")[0]
    if url.startswith(f"{world.cdn_url}/"):
        url = url.removeprefix(world.cdn_url)  # whose port may be another after a start
    key = hashlib.sha256(url.encode()).hexdigest()[:32]
    if world.journal.blob(f"face/{key}") is None:
        world.journal.put_blob(f"face/{key}", LINK, url.encode())
    return key


def default_face(number: int) -> bytes:
    """Give the picture of who has none: a white face on one of the colours."""
    return _drawn(COLOURS[number % len(COLOURS)])


@cache
def _drawn(colour: int) -> bytes:
    ground, white = colour.to_bytes(3, "big"), b"\xff" * 3
    lines = (b"\0" + b"".join(white if _is_white(x, y) else ground for x in range(SIZE)) for y in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines))), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _is_white(x: int, y: int) -> bool:
    """Tell whether a point is in one of the eyes, or in the mouth below them."""
    middle = SIZE / 2
    eye = math.hypot(abs(x - middle) - 22, y - 50) < 9
    return eye or (y > 70 and 27 < math.hypot(x - middle, y - 62) < 37)
