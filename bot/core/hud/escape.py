"""Values on one line: nothing anybody wrote can look like a line, a header or a section of the HUD."""

import re
from typing import Final

# Control characters, line separators, marks that turn the reading direction, halves of characters.
_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_MARKS: Final = re.compile(r"={4,}|-{3,}|>{3,}|<{3,}")
_LOOSE: Final = re.compile(r"(?<!\s)\s{2,}+(?=\()")  # each stretch is looked at once
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def one_line(text: str) -> str:
    """Give a value that stays on its line: line breaks and control characters escaped, header marks broken up.

    Two spaces before a bracket become one, because they begin the notes behind a message.
    """
    if not text.isprintable():
        text = _CONTROL.sub(_escaped, text.replace("\r\n", "\n"))
    if "---" in text or "====" in text or ">>>" in text or "<<<" in text:
        text = _MARKS.sub(_broken, text)
    if "(" in text:
        text = _LOOSE.sub(" ", text)
    return text.strip()


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return _NAMED.get(character) or f"\\u{ord(character):04x}"


def _broken(found: re.Match[str]) -> str:
    mark = found[0]
    step = 3 if mark[0] == "=" else 2
    return " ".join(mark[start : start + step] for start in range(0, len(mark), step))


def paragraph(text: str) -> str:
    """Give several lines as one."""
    return " ".join(one_line(line) for line in text.splitlines() if line.strip())


def whole(text: str) -> str:
    """Give text without halves of characters, which no encoding can carry."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
