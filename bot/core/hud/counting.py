"""Counting tokens once: short lines and long sections are remembered by their text."""

import re
from functools import lru_cache
from typing import Final

from bot.core.ports import Tokenizer

_LONG: Final = 600  # characters
_LONGEST: Final = 20_000  # what is longer than that would fill the memory
_LONGEST_TOKENS: Final = 16  # characters a token, more than any words have: what is longer is not even counted
_LONGEST_TAIL: Final = 60
_TAIL: Final = re.compile(r" ?(?:[^\s\w]|_)+$")


def adds_up(tokenizer: Tokenizer) -> bool:
    """Tell whether counts of whole lines add up exactly to the count of the text, and stored counts are its own.

    Only a tokenizer that says so by `adds_up = True` is trusted.
    """
    return bool(getattr(tokenizer, "adds_up", False))


def count(tokenizer: Tokenizer, text: str) -> int:
    """Give the number of tokens of a text, from memory if it was counted before and is not too long to be kept."""
    if len(text) > _LONGEST:
        return tokenizer.count(text)
    return (_long if len(text) > _LONG else _short)(tokenizer, text)  # type: ignore[arg-type]  # hashed by identity


@lru_cache(maxsize=16_384)
def _short(tokenizer: Tokenizer, text: str) -> int:
    return tokenizer.count(text)


@lru_cache(maxsize=256)
def _long(tokenizer: Tokenizer, text: str) -> int:
    return tokenizer.count(text)


def break_tokens(tokenizer: Tokenizer, line: str) -> int | None:
    """Give what a line break adds to a line without one: it can melt into the marks before it.

    None when so many marks stand there that only counting the line tells.
    """
    found = _TAIL.search(line[-_LONGEST_TAIL:])
    if found is None:
        return count(tokenizer, "\n")
    tail = found[0]
    return None if len(tail) == _LONGEST_TAIL else count(tokenizer, f"{tail}\n") - count(tokenizer, tail)


def clipped(tokenizer: Tokenizer, text: str, most: int) -> str:
    """Give a text of at most so many tokens: whole, or with its middle left out and saying how much; else empty."""
    if len(text) <= most * _LONGEST_TOKENS and count(tokenizer, text) <= most:
        return text
    kept = min(len(text) - 1, most * 4)
    while kept > 0:
        cut = without_middle(text, kept)
        if (tokens := tokenizer.count(cut)) <= most:
            return cut
        kept = min(kept * 19 // 20, kept * most // tokens)
    bare = without_middle(text, 0)
    return bare if count(tokenizer, bare) <= most else ""


def without_middle(text: str, kept: int) -> str:
    """Give a text with about so many of its characters, and how many were left out between."""
    head, tail = text[: kept - kept // 3], text[len(text) - kept // 3 :]
    return f"{head} [… {len(text) - kept:,} characters left out …] {tail}".strip()
