"""How long a voice message lasts, by what is in it: what is said of that beside it is anybody's word.

Ogg Opus as of RFC 7845 and 6716: each packet tells in its first bytes for how long it is played.
"""

from dataclasses import dataclass
from typing import Final

PAGE, HEAD_BYTES = b"OggS", 27
BEGINNINGS: Final = (b"OpusHead", b"OpusTags")  # of a stream's first packets, which are not played
CONTINUES, BEGINS = 1, 2  # flags of a page
WHOLE_LACE: Final = 255  # a packet goes on after a piece of so many bytes
COUNTED: Final = 3  # the code of packets that say how many frames they hold
_SPEECH, _BOTH, _MUSIC = (10.0, 20.0, 40.0, 60.0), (10.0, 20.0), (2.5, 5.0, 10.0, 20.0)
FRAME_MILLISECONDS: Final = (*_SPEECH * 3, *_BOTH * 2, *_MUSIC * 4)  # by configuration


@dataclass(slots=True)
class _Stream:
    packets: int = 0
    is_inside: bool = False  # of a packet that goes on


def seconds_of(content: bytes, most: float) -> float | None:
    """Give for how many seconds it is played, counted until there are more than `most`; None for no Ogg Opus."""
    streams: dict[bytes, _Stream] = {}
    played, at = 0.0, 0
    while at < len(content) and played <= most * 1_000:
        head = content[at : at + HEAD_BYTES]
        if len(head) < HEAD_BYTES or not head.startswith(PAGE):
            return None
        table = content[at + HEAD_BYTES : at + HEAD_BYTES + head[-1]]
        stream = streams.setdefault(head[14:18], _Stream())
        at += HEAD_BYTES + head[-1]
        if stream.is_inside != bool(head[5] & CONTINUES) or bool(stream.packets) == bool(head[5] & BEGINS):
            return None
        for lace in table:
            if not stream.is_inside and (lasts := _lasts(stream, content[at : at + lace])) is not None:
                played += lasts
            elif not stream.is_inside:
                return None
            stream.is_inside = lace == WHOLE_LACE
            at += lace
        if at > len(content):
            return None
    return played / 1_000 if streams else None


def _lasts(stream: _Stream, begins: bytes) -> float | None:
    """Give for how many milliseconds a stream's next packet is played; None for what is none."""
    stream.packets += 1
    if stream.packets <= len(BEGINNINGS):
        return 0.0 if begins.startswith(BEGINNINGS[stream.packets - 1]) else None
    if not begins:
        return None
    code = begins[0] & COUNTED
    if code == COUNTED and len(begins) < 2:
        return None
    frames = begins[1] & 0x3F if code == COUNTED else min(code + 1, 2)
    return frames * FRAME_MILLISECONDS[begins[0] >> 3]
