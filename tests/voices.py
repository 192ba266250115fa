"""Voice messages as Discord's clients record them: Ogg Opus."""

import struct
from collections.abc import Sequence

HEAD, TAGS = b"OpusHead\x01\x01\x00\x00\x80\xbb\x00\x00\x00\x00\x00", b"OpusTags\x00\x00\x00\x00\x00\x00\x00\x00"
QUIET = b"\x08"  # twenty milliseconds of nothing


def page(packets: Sequence[bytes], number: int, flags: int = 0, serial: int = 1) -> bytes:
    """Give a page of whole packets, each of fewer than 255 bytes."""
    head = struct.pack("<4sBBqIIIB", b"OggS", 0, flags, 0, serial, number, 0, len(packets))
    return head + bytes(map(len, packets)) + b"".join(packets)


def voice(seconds: float, packet: bytes = QUIET, lasts: float = 0.02) -> bytes:
    """Give a voice message that is played for so long."""
    count = round(seconds / lasts)
    pages = [page([packet] * min(255, count - done), 2 + done // 255) for done in range(0, count, 255)]
    return page([HEAD], 0, 2) + page([TAGS], 1) + b"".join(pages)
