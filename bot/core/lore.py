"""Lorebooks: what an agent knows only while it is spoken of (docs/memory.md#lorebooks). Pure."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from pydantic import TypeAdapter

from bot.core.records import NO_LORE, USUAL_DEPTH, Json, Lorebook, LoreEntry

MOST_ENTRIES: Final = 100
MOST_KEYS: Final = 10  # of an entry, and as many secondary ones
LONGEST_KEY: Final = 50  # characters
LONGEST_CONTENT: Final = 2_000
LONGEST_BOOK: Final = 40_000  # characters of all entries
MOST_DEPTH: Final = 20  # messages of a room that are looked through
MOST_CALLED: Final = 500  # keys of all entries: each is looked for in all that is said
MOST_SCANNED: Final = 8_000  # characters, the newest
RECURSIONS: Final = 2
LARGEST_NUMBER: Final = 1_000_000  # of an order or a priority
WITHOUT_GAPS: Final = "\u2e80"  # from here on, scripts mostly put no blanks between words
BOOK: Final = TypeAdapter(Lorebook)  # reads what `as_kept` gives
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ReadLore:
    """A lorebook as far as it can be used, and how many entries it had."""

    book: Lorebook
    there: int


def lorebook_of(value: Json, named: Callable[[str], str]) -> ReadLore:
    """Read a card's `character_book` (or a world's entries by number); `named` fills in a text's placeholders.

    What is switched off, has no words to wait for, or waits for a regular expression is left out, and so is what is
    beyond the limits of this module: the card is none the worse for it.
    """
    if not isinstance(value, dict):
        return ReadLore(NO_LORE, 0)
    listed = value.get("entries")
    rows = listed if isinstance(listed, list) else list(listed.values()) if isinstance(listed, dict) else []
    usable = (entry for row in rows if isinstance(row, dict) and (entry := _entry(row, named)) is not None)
    book = Lorebook(
        entries=tuple(_within_limits(sorted(usable, key=lambda entry: (-entry.priority, entry.order)))),
        depth=_number(value.get("scan_depth"), 1, MOST_DEPTH) or USUAL_DEPTH,
        budget_tokens=_number(value.get("token_budget"), 1, LARGEST_NUMBER),
        recursive=value.get("recursive_scanning") is True,
    )
    return ReadLore(book if book.entries else NO_LORE, len(rows))


def triggered(book: Lorebook, words: Iterable[str]) -> tuple[LoreEntry, ...]:
    """Give the entries that these texts bring up, the newest text last; and those that their contents bring up."""
    if not book.entries:
        return ()
    text = "\n".join(words)[-MOST_SCANNED:]
    found: list[LoreEntry] = []
    for _ in range(1 + RECURSIONS * book.recursive):
        said = _Said(text)
        fresh = [entry for entry in book.entries if entry not in found and (entry.constant or said.calls(entry))]
        if not fresh:
            break
        found += fresh
        text = "\n".join(entry.content for entry in fresh)[-MOST_SCANNED:]
    return tuple(found)


def chosen(
    book: Lorebook, called: Sequence[LoreEntry], tokens: Callable[[str], int], most: int
) -> tuple[LoreEntry, ...]:
    """Give what of a book that was called fits into so many tokens, and into its own budget, in its order.

    By priority; `tokens` counts a content.
    """
    kept: list[LoreEntry] = []
    if book.budget_tokens is not None:
        most = min(most, book.budget_tokens)
    for entry in sorted(called, key=lambda entry: (-entry.priority, entry.order)):
        if (cost := tokens(entry.content)) <= most:
            kept.append(entry)
            most -= cost
    return tuple(sorted(kept, key=lambda entry: entry.order))


def as_kept(book: Lorebook) -> Json:
    """Give a lorebook as it is kept; None for an empty one."""
    return cast(Json, BOOK.dump_python(book, mode="json")) if book.entries else None


def as_card(book: Lorebook) -> dict[str, Json]:
    """Give a lorebook as a card's `character_book`."""
    told: dict[str, Json] = {"scan_depth": book.depth, "recursive_scanning": book.recursive, "extensions": {}}
    if book.budget_tokens is not None:
        told["token_budget"] = book.budget_tokens
    return {**told, "entries": [_entry_of_card(entry) for entry in book.entries]}


def _entry_of_card(entry: LoreEntry) -> dict[str, Json]:
    return {
        "name": entry.name,
        "keys": list(entry.keys),
        "secondary_keys": list(entry.others),
        "selective": bool(entry.others),
        "content": entry.content,
        "constant": entry.constant,
        "case_sensitive": entry.matches_case,
        "insertion_order": entry.order,
        "priority": entry.priority,
        "enabled": True,
        "extensions": {},
    }


def _entry(row: dict[str, Json], named: Callable[[str], str]) -> LoreEntry | None:
    content = named(_without_decorators(_text(row, "content"))).strip()[:LONGEST_CONTENT]
    is_off = row.get("enabled") is False or row.get("disable") is True
    keys = _keys(row.get("keys", row.get("key")), named)
    constant = row.get("constant") is True
    if is_off or not content or row.get("use_regex") is True or not (keys or constant):
        return None
    others = _keys(row.get("secondary_keys", row.get("keysecondary")), named) if row.get("selective") is True else ()
    order = _number(row.get("insertion_order", row.get("order")), -LARGEST_NUMBER, LARGEST_NUMBER) or 0
    return LoreEntry(
        name=" ".join((_text(row, "name") or _text(row, "comment") or (keys[0] if keys else "")).split())[:LONGEST_KEY],
        keys=keys,
        others=others,
        content=content,
        constant=constant,
        matches_case=row.get("case_sensitive", row.get("caseSensitive")) is True,
        order=order,
        priority=_number(row.get("priority"), -LARGEST_NUMBER, LARGEST_NUMBER) or 0,
    )


def _within_limits(entries: Iterable[LoreEntry]) -> Iterable[LoreEntry]:
    left, keys = LONGEST_BOOK, MOST_CALLED
    for _, entry in zip(range(MOST_ENTRIES), entries, strict=False):
        left -= len(entry.content)
        keys -= len(entry.keys) + len(entry.others)
        if left < 0 or keys < 0:
            return
        yield entry


def _keys(value: Json, named: Callable[[str], str]) -> tuple[str, ...]:
    given = value if isinstance(value, list) else []
    keys = (" ".join(named(one).split()) for one in given if isinstance(one, str))
    # /one of these/i is what some write for a regular expression
    return tuple(one for one in keys if _spoken(one) and len(one) <= LONGEST_KEY and not one.startswith("/"))[
        :MOST_KEYS
    ]


def _without_decorators(content: str) -> str:
    """Leave out the lines by which cards of version 3 say where a text is put."""
    return "\n".join(line for line in content.splitlines() if not line.startswith("@@"))


def _text(row: dict[str, Json], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _number(value: Json, least: int, most: int) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(min(most, max(least, value)))


def _spoken(text: str) -> str:
    """Give the words of a text with one blank between two, so that a key is found as whole words."""
    return " ".join(_WORD.findall(text))


class _Said:
    """A text in which keys are looked for: each takes time by its length, whatever it holds."""

    def __init__(self, text: str) -> None:
        self._raw = {True: text, False: text.casefold()}
        self._words = {case: f" {_spoken(raw)} " for case, raw in self._raw.items()}

    def calls(self, entry: LoreEntry) -> bool:
        """Tell whether an entry is spoken of."""
        return self._any(entry, entry.keys) and (not entry.others or self._any(entry, entry.others))

    def _any(self, entry: LoreEntry, keys: Sequence[str]) -> bool:
        case = entry.matches_case
        return any(self._has(key if case else key.casefold(), case) for key in keys)

    def _has(self, key: str, case: bool) -> bool:
        if any(letter >= WITHOUT_GAPS for letter in key):
            return _looked_for(key).search(self._raw[case]) is not None
        return _looked_for(f" {_spoken(key)} ").search(self._words[case]) is not None


@lru_cache(maxsize=4 * MOST_CALLED)
def _looked_for(words: str) -> re.Pattern[str]:
    """Give what finds words in time by the length of the text alone: `in` takes it times theirs at worst."""
    return re.compile(re.escape(words))
