"""What somebody would send who wants to stop the others: small things that grow, by their shape."""

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from bot.core.cards import PNG

Monster = Callable[[int], str]
PIECES = (
    *(
        "(",
        "[",
        "{",
        '("',
        '["',
        '{"',
        "('",
        '"b"c"',
        '"b"c',
        '"a":',
        "a:",
        '":',
        '"a" ',
        '("")',
        "[],",
        "{}",
        '"',
        "'",
    ),
    *("\\", '\\"', "/*", "//\n", "#\n", "- a\n", "  - a: 1\n", "a: 1\n", "```", "```json\n", ",", ":", "9", "1e", "-"),
    *("a ", "aa", " ", "\n", "\n ", "\t", "!", "_", "=", "---", ">>>", '."', "*", "# ", "@a ", "<@1", "</a b", "<a:"),
    *("[a](", "[a](b)", "https://", "<https://", "~", "|", "`", "\x01", "\u202e", "\u200d", "a\u0301", "\U0001f1e6"),
    *("😀", "漢", "ﷺ", "é", "\ud800", "İ", "ß", "\u3000", "\x85", "“", "…"),
)
OPENINGS = ("", '{"a":', '{"a":"', '{"a":[', '{"agents":[{"agent_id":5,"actions":[', "(", '"', "a")
ENDINGS = ("", "}", '"}', "\\", "(", "a", "]}]}", "\n```")


@dataclass(frozen=True)
class Shape:
    """A text of any length: an opening, a piece again and again, and an ending."""

    opening: str
    piece: str
    ending: str

    def of(self, size: int) -> str:
        """Give a text of about so many characters."""
        return self.opening + self.piece * max(1, size // len(self.piece)) + self.ending


def nested(size: int) -> str:
    """Objects in objects, all closed."""
    return '{"a":' * (size // 6) + "1" + "}" * (size // 6)


def wide(size: int) -> str:
    """One list of many small things."""
    return '{"agents":[' + ",".join(["{}"] * (size // 3)) + "]}"


def refused(size: int) -> str:
    """Many actions of which none can be used."""
    return '{"agent_id":5,"actions":[' + ",".join(['{"type":"set","w":"x"}'] * (size // 23)) + "]}"


def many_parts(size: int) -> str:
    """Many agents' parts."""
    return '{"agents":[' + ",".join(['{"agent_id":5,"actions":[{}]}'] * (size // 29)) + "]}"


def table(size: int) -> str:
    """A long table of TOON."""
    return f"agents[{size // 6}]{{agent_id,thoughts}}:\n" + "  5,a\n" * (size // 6)


LETTERS = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=300))  # noqa: S311 - no secret


def said(words: Monster) -> Monster:
    """Give an answer with such a message."""
    return lambda size: json.dumps({"responses": [{"room_id": 5, "message": words(size - 60)}]}, ensure_ascii=False)


def listed(words: Monster) -> Monster:
    """Give data that is no answer, with such words in it."""
    return lambda size: json.dumps([None, words(size - 10)], ensure_ascii=False)


def almost_round(size: int) -> str:
    """Words that go round in circles, but never four times."""
    rounds = (LETTERS[:290] * 3 + LETTERS[:289] + "!", (LETTERS[:23] * 3 + "?") * 4, "ab" * 23 + "!")
    return "".join(rounds * (size // 1_600 + 1))[:size]


WORDS: Mapping[str, Monster] = {
    "spaces after letters": lambda size: LETTERS + " " * (size - 301) + "y",
    "spaces before a word": Shape("a\n", " ", "b").of,
    "almost round": almost_round,
    "thinking": Shape("<thinkX", " ", "b").of,
    "agents": Shape("", "AGENT 1: ", "").of,
    "numbers": Shape("", "9", "/").of,
    "short words": Shape("", "a b ", "").of,
    "calls": Shape("", "a(", ")").of,
    "marks": Shape("", '."', "a").of,
}
ANSWERS: Mapping[str, Monster] = {
    **WORDS,
    **{f"{name} in a message": said(words) for name, words in WORDS.items()},
    **{f"{name} in data": listed(words) for name, words in WORDS.items()},
    "line breaks in brackets": Shape("[", "\n", "null]").of,
    "nested": nested,
    "wide": wide,
    "refused": refused,
    "many parts": many_parts,
    "table": table,
    "unclosed brackets": Shape('{"a":', '("', "}").of,
    "quotes": Shape('{"a":"', '"b"c"', '"}').of,
    "escaped quotes": Shape('{"', '\\"', "\\").of,
    "repeated": Shape('{"a":', '{"a" ', "}").of,
    "digits": Shape('{"a":', "9", "}").of,
}
TEXTS: Mapping[str, Monster] = {
    "long word": Shape("", "a", "").of,
    "long word of emoji": Shape("", "😀", "").of,
    "long word of signs": Shape("a", "!", "a").of,
    "spaces": Shape("(", " ", "").of,
    "lines": Shape("", "\n", "a").of,
    "letters that unfold": Shape("", "ﷺ ", "runs").of,
    "links": Shape("", "[a](", "").of,
    "flags": Shape("", "\U0001f1e6", "").of,
    "accents": Shape("a", "\u0301", "").of,
}


def chunk(kind: bytes, body: bytes) -> bytes:
    """Give a chunk of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def bombs(number: int, megabytes: int = 4) -> bytes:
    """Give a picture with packed texts that unfold to a thousand times their size."""
    packed = zlib.compress(b"a" * megabytes * 1_000_000, 9)
    return PNG + b"".join(chunk(b"zTXt", b"chara\0\0" + packed) for _ in range(number)) + chunk(b"IEND", b"")
