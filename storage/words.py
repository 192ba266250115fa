"""Text as the full-text index knows it: words, single ideographs, and emoji as words of their own."""

import re
import unicodedata
from functools import lru_cache
from itertools import groupby, takewhile

MOST_SOUGHT = 20  # words of a query
LOOKED_THROUGH = 4_000  # characters in which a word is looked for that is only similar
UNFOLDED = 1_000  # characters more than there are: some single letters stand for whole sentences
LONGEST_SOUGHT = 64  # characters of a word of a query that are looked for as they stand
MOST_TRIES = 100  # places at which these may be within other words
_SPLIT = re.compile(r"\w+|[^\w\s]")
_ACCENT = re.compile("[\u0300-\u036f]+")
_MANY_MARKS = re.compile(r"(?:[^\w\s]|[\uff9e\uff9f]){32,}")
_IDEOGRAPH = re.compile("([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff\U00020000-\U0003ffff])")


def words_of(text: str) -> list[str]:
    """Give the words of a text, folded; a script without spaces gives its letters, an emoji its code."""
    if text.isascii():
        return re.findall(r"[a-z0-9]+", text.lower())
    words: list[str] = []
    for found in _SPLIT.findall(folded(text)):
        if found[0].isalnum() or found[0] == "_":
            words.extend(_IDEOGRAPH.sub(r" \1 ", found).replace("_", " ").split())
        elif unicodedata.category(found) in ("So", "Sk", "Sc"):
            words.append(f"u{ord(found):x}")
    return words


def folded(text: str) -> str:
    """Give the text without case, accents and the many ways to write the same letter."""
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", _MANY_MARKS.sub(_in_order, text)))
    return unicodedata.normalize("NFC", bare)[: len(text) + UNFOLDED].casefold()


def _in_order(marks: re.Match[str]) -> str:
    """Give marks on one letter in the order that they are brought into anyway, which takes the square of their number.

    Nobody writes so many, but anybody can.
    """
    apart = "".join(unicodedata.normalize("NFKD", mark) for mark in marks[0])
    runs = groupby(apart, key=lambda mark: unicodedata.combining(mark) > 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if moves else run) for moves, run in runs)


def phrases_of(query: str) -> list[str]:
    """Give each word of a query as the words that must follow one another."""
    return [" ".join(words) for part in query.split()[:MOST_SOUGHT] if (words := words_of(part))]


def excerpt_of(text: str, query: str, *, around: int = 60) -> str:
    """Give the part of a text around the first match of the query, on one line."""
    line = " ".join(text.split())
    parts = dict.fromkeys(query.split()[:MOST_SOUGHT])
    at = min((place for part in parts if (place := _find(line, part)) >= 0), default=0)
    start, end = max(0, at - around), min(len(line), at + 2 * around)
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"


def _find(line: str, part: str) -> int:
    """Give the place of a part of a query as it stands there, else of the same or the most similar word."""
    bare = part.strip("\"'.,;:!?()*") or part
    if (whole := _whole_word(line, bare)) >= 0:
        return whole
    if not bare.isascii() and bare in line:  # scripts without spaces
        return line.index(bare)
    sought = words_of(bare)
    return _most_similar(line, sought[0]) if sought else line.find(bare)


def _whole_word(line: str, word: str) -> int:
    """Give the place of a word, in any case, that no letter goes before or follows; -1: there is none."""
    lowered, sought, at = _lowered(line), _lowered(word[:LONGEST_SOUGHT]), -1
    for _ in range(MOST_TRIES):
        at = lowered.find(sought, at + 1)
        end = at + len(sought)
        if at < 0 or not (
            _in_word(line[at - 1 : at]) or (len(word) <= LONGEST_SOUGHT and _in_word(line[end : end + 1]))
        ):
            return at
    return -1


@lru_cache(maxsize=64)
def _lowered(line: str) -> str:
    """Give a line in small letters, each where it stood."""
    lowered = line.lower()
    if len(lowered) == len(line):
        return lowered
    return "".join(small if len(small := sign.lower()) == 1 else sign for sign in line)


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _most_similar(line: str, sought: str) -> int:
    """Give the place of the word that is the same when folded, or begins the same: words are found by their stems."""
    places = _first_places(line[:LOOKED_THROUGH])
    if sought in places:
        return places[sought]
    best, longest = -1, 0
    for word, place in places.items():
        if longest < len(sought) and word.startswith(sought[: longest + 1]):
            best, longest = place, _shared(word, sought)
    return best


@lru_cache(maxsize=64)  # several words are looked for in a line, and several times in a room's newest ones
def _first_places(line: str) -> dict[str, int]:
    """Give where each word of a line, folded, stands first."""
    places: dict[str, int] = {}
    for found in _SPLIT.finditer(line):
        for word in _words_in(found.group()):
            places.setdefault(word, found.start())
    return places


def _shared(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@lru_cache(maxsize=4_096)
def _words_in(token: str) -> tuple[str, ...]:
    return tuple(words_of(token))
