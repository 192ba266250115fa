"""Character cards made by hand: as JSON, and inside PNG pictures."""

import base64
import json
import struct
import zlib
from typing import Any

V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Tamsin",
        "description": "{{char}} repairs clocks in a harbour town.",
        "personality": "patient, wry, exact",
        "scenario": "{{char}} meets {{user}} in a workshop.",
        "first_mes": "Mind the springs, {{user}}. I am {{char}}.",
        "mes_example": "",
        "creator_notes": "made by hand",
        "tags": ["clocks"],
        "character_book": {
            "entries": [
                {
                    "name": "the mill",
                    "keys": ["old mill"],
                    "content": "The old mill burnt down in 1902; {{char}}'s clock alone was saved.",
                    "enabled": True,
                    "insertion_order": 1,
                    "extensions": {},
                },
                {"keys": [], "content": "nothing brings it up", "enabled": True, "insertion_order": 2},
            ],
            "extensions": {},
        },
        "extensions": {"depth_prompt": {"depth": 4, "prompt": ""}},
    },
}
V3: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": V2["data"] | {"name": "Tamsin the Third", "group_only_greetings": []},
}


def json_card(card: dict[str, Any]) -> bytes:
    """Give a card as a JSON file, with the mark that some editors put first."""
    return b"\xef\xbb\xbf" + json.dumps(card).encode()


def png_card(cards: dict[str, dict[str, Any]], *, chunk: str = "tEXt") -> bytes:
    """Give a picture of one pixel with cards in text chunks."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    texts = [_chunk(chunk, _text(key, card, chunk)) for key, card in cards.items()]
    pixels = _chunk("IDAT", zlib.compress(b"\0\x33\x66\x99"))
    return b"\x89PNG\r\n\x1a\n" + _chunk("IHDR", header) + b"".join(texts) + pixels + _chunk("IEND", b"")


def _text(key: str, card: dict[str, Any], chunk: str) -> bytes:
    text = base64.b64encode(json.dumps(card).encode())
    match chunk:
        case "zTXt":
            return key.encode() + b"\0\0" + zlib.compress(text)
        case "iTXt":
            return key.encode() + b"\0\1\0en\0\0" + zlib.compress(text)
        case _:
            return key.encode() + b"\0" + text


def _chunk(kind: str, body: bytes) -> bytes:
    name = kind.encode()
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
