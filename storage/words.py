"""Text as the full-text index knows it: words, single ideographs, and emoji as words of their own."""

import re
import unicodedata

_SPLIT = re.compile(r"\w+|[^\w\s]")
_ACCENT = re.compile("[\u0300-\u036f]+")
_IDEOGRAPH = re.compile("([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff\U00020000-\U0003ffff])")


def words_of(text: str) -> list[str]:
    """Give the words of a text, folded; a script without spaces gives its letters, an emoji its code."""
    if text.isascii():
        return re.findall(r"[a-z0-9]+", text.lower())
    words: list[str] = []
    for found in _SPLIT.findall(_folded(text)):
        if found[0].isalnum() or found[0] == "_":
            words.extend(_IDEOGRAPH.sub(r" \1 ", found).replace("_", " ").split())
        elif unicodedata.category(found) in ("So", "Sk", "Sc"):
            words.append(f"u{ord(found):x}")
    return words


def _folded(text: str) -> str:
    """Give the text without case, accents and the many ways to write the same letter."""
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).casefold()


def phrases_of(query: str) -> list[str]:
    """Give each word of a query as the words that must follow one another."""
    return [" ".join(words) for part in query.split() if (words := words_of(part))]


def excerpt_of(text: str, query: str, *, around: int = 60) -> str:
    """Give the part of a text around the first match of the query, on one line."""
    line = " ".join(text.split())
    at = min((place for word in query.split() if (place := _find(line, word)) >= 0), default=0)
    start, end = max(0, at - around), min(len(line), at + 2 * around)
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"


def _find(line: str, word: str) -> int:
    """Give the place of a word, or of the beginning that another form of it may share."""
    folded = line.lower()
    if len(folded) != len(line):
        folded = line
    for form in (word.lower(), *(word.lower().strip("\"'%.,;:!?()")[:length] for length in (12, 6, 4))):
        if form and (place := folded.find(form)) >= 0:
            return place
    return -1
