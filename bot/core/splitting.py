"""Long text in as few Discord messages as it takes, cut where a reader would cut it."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

LIMIT = 2_000  # counted in UTF-16 units, which is never less than Discord counts
PARTS = 3
REST_NOTE = "\n-# the rest is in the attached file"

_FENCE = re.compile(r"```(?:([\w+#.-]{1,20})(?=\n))?")
_WHOLE = re.compile(
    r"\[[^\]\n]{1,300}\]\([^)\s]{1,1500}\)|<[^<>\s]{1,1500}>|https?://[^\s<>]{1,1500}|`{3}[\w+#.-]{0,20}\n?"
)
_ENDS = (
    (re.compile(r"\n[ \t]*\n+"), 0.4),  # a paragraph ends
    (re.compile(r"\n"), 0.5),
    (re.compile(r"[.!?…](?:[\"'”’»)\]]*)\s+|[。！？]"), 0.5),  # a sentence ends
    (re.compile(r"\s+"), 0.3),
)
_CLOSING = "\n```"


@dataclass(frozen=True, slots=True)
class Split:
    """The messages to post and, when they are not enough, the text for a file beside the last one."""

    parts: tuple[str, ...]
    rest: str | None = None


def width(text: str) -> int:
    """Count UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def sound(text: str) -> str:
    """Join surrogate pairs and replace lone halves, which no one could send."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\x00", "")


def _joins(before: str, after: str) -> bool:
    """Tell whether two neighbours belong to one visible character."""
    if after in "\u200c\u200d\ufe0e\ufe0f\u20e3" or before == "\u200d" or (before == "\r" and after == "\n"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if "\u1160" <= after <= "\u11ff":  # Hangul vowels and finals follow their syllable
        return True
    return unicodedata.category(after).startswith("M")


def is_boundary(text: str, index: int) -> bool:
    """Tell whether the text may be cut before `index` without tearing a visible character."""
    if index <= 0 or index >= len(text):
        return True
    if _joins(text[index - 1], text[index]):
        return False
    if not "\U0001f1e6" <= text[index] <= "\U0001f1ff":
        return True
    flags = 0
    while flags < index and "\U0001f1e6" <= text[index - flags - 1] <= "\U0001f1ff":
        flags += 1
    return flags % 2 == 0


def _open_fence(text: str) -> str | None:
    """Give the language of the code block that is open at the end of the text ("" without one), or None."""
    fences = list(_FENCE.finditer(text))
    return (fences[-1][1] or "") if len(fences) % 2 else None


def _reach(text: str, room: int) -> int:
    """Give how many characters fit into `room` units."""
    units = list(accumulate(2 if character > "\uffff" else 1 for character in text[:room]))
    return bisect_right(units, room)


def _cut(text: str, room: int) -> tuple[int, int]:
    """Give where to end this part and where to begin the next, at the best place that fits into `room` units."""
    end = _reach(text, room)
    whole = [match.span() for match in _WHOLE.finditer(text[: end + 1_600])]  # one after the other

    def allowed(index: int) -> bool:
        before = bisect_left(whole, (index,)) - 1  # the last that begins before
        return is_boundary(text, index) and not (before >= 0 and index < whole[before][1])

    for pattern, least in _ENDS:
        for match in reversed(list(pattern.finditer(text[: end + 1]))):
            kept = match.start() + len(match[0].rstrip())
            if end * least <= kept <= end and kept and allowed(kept) and allowed(match.end()):
                return kept, match.end()
    for index in range(end, 0, -1):
        if allowed(index):
            return index, index
    return _tearing(text, end)


def _tearing(text: str, end: int) -> tuple[int, int]:
    """Cut inside a link or cluster that is longer than a whole part: there is no better place."""
    for index in range(end, max(0, end - 200), -1):
        if is_boundary(text, index):
            return index, index
    return max(1, end), max(1, end)


def _part(text: str, language: str | None, limit: int) -> tuple[str, str, str | None]:
    """Take one part off the text; gives it, what remains, and the language of a code block to go on with."""
    opening = "" if language is None else f"```{language}\n"
    room = limit - width(opening) - len(_CLOSING)
    kept, start = _cut(text, room)
    part = opening + text[:kept]
    still_open = _open_fence(part)
    if still_open is not None:
        return part + _CLOSING, text[start:], still_open
    return part, text[start:].lstrip(), None


def split(text: str, *, limit: int = LIMIT, parts: int = PARTS) -> Split:
    """Cut text into at most `parts` messages of at most `limit` units; code blocks are closed and opened again."""
    left, language, done = sound(text).strip(), None, list[str]()
    while left:
        opening = "" if language is None else f"```{language}\n"
        if width(opening + left) <= limit:
            return Split((*done, opening + left))
        if len(done) == parts - 1:
            last, rest, _ = _part(left, language, limit - len(REST_NOTE))
            return Split((*done, last + REST_NOTE), rest)
        part, left, language = _part(left, language, limit)
        done.append(part)
    return Split(tuple(done))
