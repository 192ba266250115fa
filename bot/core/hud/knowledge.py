"""Knowledge as it is shown: one leaf a line by its dot path, the weightiest first to stay."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard, cast

from bot.core.errors import Rejected
from bot.core.hud.counting import count
from bot.core.hud.escape import one_line
from bot.core.knowledge import (
    CHANGED_ENOUGH,
    LONGEST_LEAF,
    MISSING,
    MOST_CHANGED,
    TOO_LONG,
    Step,
    as_json,
    check_room,
    check_size,
    parse_path,
)
from bot.core.ports import Tokenizer
from bot.core.records import Json

PLAIN_WEIGHT: Final = 0.5  # of what was set without one
MOST_WEIGHT: Final = 1_000_000.0  # of one that a model wrote itself: an integer may have more digits than a float
PATHS_NAMED: Final = 8
FEWEST_PATHS_NAMED: Final = 2  # where there is space for nothing else of it
AT_ONCE: Final = 5_000  # characters that are counted without a pause: some 10 ms at worst
_PLAIN: Final = re.compile(r"\w[\w-]*")
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode
_WEIGHTED: Final = {"v", "w"}
Found = Json | object  # object: MISSING


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value and where it is; `line` is how `text` shows it."""

    keys: tuple[str, ...]
    value: Json
    weight: float

    @property
    def path(self) -> str:
        """The dot path, segments quoted where they must be."""
        return ".".join(segment(key) for key in self.keys)

    @property
    def line(self) -> str:
        """The line, with its break: `people.Bob.trust: 0.8 (w 0.9)`."""
        value, note = self.value, ""
        if found := weighted(value):
            value, note = found["v"], f" (w {inline(found['w'])})"
        return f"{self.path}: {inline(value)}{note}\n"


def weighted(value: Json) -> dict[str, Json] | None:
    """Give a value that carries a weight, `{"v": value, "w": weight}`; None for any other."""
    return value if isinstance(value, dict) and value.keys() == _WEIGHTED else None


def inline(value: Json) -> str:
    """Give a value on one line, strings in quotes."""
    return one_line(_ENCODE(value))


def segment(key: str) -> str:
    """Give a key as it stands in a path."""
    return key if _PLAIN.fullmatch(key) else inline(key)


def leaves(knowledge: Mapping[str, Json], above: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Give all values that are no objects (an empty or a weighted one counts as a value), in their order."""
    for key, value in knowledge.items():
        keys = (*above, key)
        if _has_leaves(value):
            yield from leaves(value, keys)
        else:
            yield Leaf(keys, value, _weight(value))


def _weight(value: Json) -> float:
    weight = (weighted(value) or {}).get("w")
    if isinstance(weight, int | float) and -MOST_WEIGHT <= weight <= MOST_WEIGHT:
        return float(weight)
    return PLAIN_WEIGHT


class Tally:
    """How many tokens knowledge takes (what its allocation is measured by, in every format), leaf by leaf.

    So of a change only what differs is counted.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokens = 0
        self._tokenizer = tokenizer
        self._costs: dict[tuple[str, ...], tuple[int, int]] = {}  # tokens and characters
        self._characters = 0
        self._changed = 0  # characters so far

    def fill(self, knowledge: Mapping[str, Json]) -> Iterator[None]:
        """Count all of it, and pause again and again, for that may take long."""
        paused_at = 0
        for leaf in leaves(knowledge):
            self._costs[leaf.keys] = tokens, characters = self._cost(leaf.line)
            self.tokens += tokens
            self._characters += characters
            if self._characters - paused_at > AT_ONCE:
                paused_at = self._characters
                yield

    def change(self, before: Mapping[str, Json], after: Mapping[str, Json], path: str, most: int | None = None) -> None:
        """Count what differs at a path; raises Rejected, and stays as it was, when that or the whole is too much.

        `most`: tokens that all may take; None for what is deleted.
        """
        above, was, becomes = _differing(before, after, parse_path(path))
        new = {}
        for leaf in _leaves_at(becomes, above):
            line = leaf.line
            self._changed += len(line)
            if most is not None and len(line) > LONGEST_LEAF:
                raise Rejected(TOO_LONG)
            if self._changed > MOST_CHANGED:
                raise Rejected(CHANGED_ENOUGH)
            new[leaf.keys] = self._cost(line)
        gone = [leaf.keys for leaf in _leaves_at(was, above)]
        tokens = self.tokens + sum(one for one, _ in new.values()) - sum(self._costs[keys][0] for keys in gone)
        longer = sum(one for _, one in new.values()) - sum(self._costs[keys][1] for keys in gone)
        if most is not None:
            leaves_held = len(self._costs) + len(new) - len(gone)
            check_size(leaves_held, self._characters + longer, grows=longer > 0)
            check_room(self.tokens, tokens, most)
        for keys in gone:
            del self._costs[keys]
        self._costs |= new
        self.tokens, self._characters = tokens, self._characters + longer

    def _cost(self, line: str) -> tuple[int, int]:
        return count(self._tokenizer, line), len(line)


def _differing(before: Found, after: Found, steps: Sequence[Step]) -> tuple[tuple[str, ...], Found, Found]:
    """Give the smallest part that holds all leaves which an edit at a path changes: where it is, before and after."""
    above: tuple[str, ...] = ()
    for step in steps:
        if not (_has_leaves(before) and _has_leaves(after) and isinstance(step, str)):
            break
        above = (*above, step)
        before, after = before.get(step, MISSING), after.get(step, MISSING)
    return above, before, after


def _has_leaves(value: Found) -> TypeGuard[dict[str, Json]]:
    return isinstance(value, dict) and bool(value) and weighted(value) is None


def _leaves_at(value: Found, above: tuple[str, ...]) -> Iterator[Leaf]:
    if value is MISSING:
        return
    if isinstance(value, dict) and (not above or _has_leaves(value)):
        yield from leaves(value, above)
    else:
        found = as_json(value)
        yield Leaf(above, found, _weight(found))


class Known:
    """An agent's knowledge with what each leaf costs, counted once."""

    def __init__(self, tokenizer: Tokenizer, knowledge: Mapping[str, Json]) -> None:
        self.whole = dict(knowledge)
        self._leaves = list(leaves(knowledge))
        self._costs = [count(tokenizer, leaf.line) for leaf in self._leaves]
        self.tokens = sum(self._costs)

    def weightiest(self, most: int) -> tuple[dict[str, Json], tuple[str, ...]]:
        """Give what fits into so many tokens, by weight, in its own order; and the paths of what is hidden."""
        kept: set[int] = set()
        for index in sorted(range(len(self._leaves)), key=lambda index: -self._leaves[index].weight):
            if self._costs[index] <= most:
                kept.add(index)
                most -= self._costs[index]
        hidden = tuple(leaf.path for index, leaf in enumerate(self._leaves) if index not in kept)
        return _rebuilt(leaf for index, leaf in enumerate(self._leaves) if index in kept), hidden


def _rebuilt(kept: Iterator[Leaf]) -> dict[str, Json]:
    root: dict[str, Json] = {}
    for leaf in kept:
        place = root
        for key in leaf.keys[:-1]:
            place = cast(dict[str, Json], place.setdefault(key, {}))
        place[leaf.keys[-1]] = leaf.value
    return root
