"""Which words keep a message of an agent back until a manager decides, and the ids of the buttons to decide with."""

import re
from collections.abc import Iterable

from bot.core.records import LetterId

HELD_ID = r"held:(?P<verdict>post|discard):(?P<id>\d+)"  # of a button, read back after a restart


def held_id(verdict: str, letter_id: LetterId) -> str:
    """Give the id of the button that decides about a held letter."""
    return f"held:{verdict}:{letter_id}"


def held_word(content: str, words: Iterable[str]) -> str:
    """Give the first of the words that stands in the text by itself, in any case of letters; empty when none does."""
    folded = content.casefold()
    for word in words:
        sought = re.escape(word.strip().casefold())
        if sought and re.search(rf"(?<!\w){sought}(?!\w)", folded):
            return word.strip()
    return ""
