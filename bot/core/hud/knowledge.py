"""Knowledge as it is shown: one leaf a line by its dot path, the weightiest first to stay."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

from bot.core.hud.counting import count
from bot.core.hud.escape import one_line
from bot.core.ports import Tokenizer
from bot.core.records import Json

PLAIN_WEIGHT: Final = 0.5  # of what was set without one
PATHS_NAMED: Final = 8
_PLAIN: Final = re.compile(r"\w[\w-]*")
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode
_WEIGHTED: Final = {"v", "w"}


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
        if isinstance(value, dict) and value and weighted(value) is None:
            yield from leaves(value, keys)
        else:
            yield Leaf(keys, value, _weight(value))


def _weight(value: Json) -> float:
    weight = (weighted(value) or {}).get("w")
    return float(weight) if isinstance(weight, int | float) else PLAIN_WEIGHT


def knowledge_tokens(tokenizer: Tokenizer, knowledge: Mapping[str, Json]) -> int:
    """Give how many tokens knowledge takes: what its allocation is measured by, in every format."""
    return sum(count(tokenizer, leaf.line) for leaf in leaves(knowledge))


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
