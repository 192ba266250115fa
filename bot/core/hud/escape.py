"""Values on one line: nothing anybody wrote can look like a line, a header or a section of the HUD."""

import re
from typing import Final

# Control characters, line separators, halves of characters, and whatever nobody sees: category Cf but for the two that
# join letters and emoji, and letters that are blank.
_SIGNS: Final = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
UNSEEN: Final = f"[{_SIGNS}]"
_CONTROL: Final = re.compile(UNSEEN)
_MARKS: Final = re.compile(r"={4,}|-{3,}|>{3,}|<{3,}")
# Nobody sees them beside a space: what joins letters and emoji, and chooses among their forms.
_JOINERS: Final = "\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
BETWEEN: Final = rf"[\s{_SIGNS}{_JOINERS}]*+"  # what may stand in a word that looks as if it did not
_LOOSE: Final = re.compile(  # each stretch is looked at once
    rf"(?<![\s{_JOINERS}])([{_JOINERS}]*+)(?:\s[\s{_JOINERS}]++|[^\S ])(?=\()"
)
_BRACKETS: Final = str.maketrans("", "", "()[]")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def one_line(text: str) -> str:
    """Give a value that stays on its line: line breaks and control characters escaped, header marks broken up.

    Two spaces before a bracket become one, because they begin the notes behind a message.
    """
    if not (text.isascii() and text.isprintable()):
        text = _CONTROL.sub(_escaped, text.replace("\r\n", "\n"))
    if "---" in text or "====" in text or ">>>" in text or "<<<" in text:
        text = _MARKS.sub(_broken, text)
    if "(" in text:
        text = _LOOSE.sub(r"\1 ", text)
    return text.strip()


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return _NAMED.get(character) or (
        f"\\u{ord(character):04x}" if character <= "\uffff" else f"\\U{ord(character):08x}"
    )


def _broken(found: re.Match[str]) -> str:
    mark = found[0]
    step = 3 if mark[0] == "=" else 2
    return " ".join(mark[start : start + step] for start in range(0, len(mark), step))


def unbracketed(text: str) -> str:
    """Give a name that others choose without brackets, so that no note of ours can stand in it."""
    return text.translate(_BRACKETS)


def paragraph(text: str) -> str:
    """Give several lines as one."""
    return " ".join(one_line(line) for line in text.splitlines() if line.strip())


def whole(text: str) -> str:
    """Give text without halves of characters, which no encoding can carry."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
