"""How much of what an agent looked up is kept for its next HUD, whatever it asked for."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from bot.core.hud.counting import without_middle
from bot.core.records import Agent, Json

MOST_LOOKUPS: Final = 10  # of one answer
LOOKUPS_PERCENT: Final = 15
LONGEST_QUESTION: Final = 200  # characters
TOKEN_CHARACTERS: Final = 4  # of a token, which is more than most texts have
_FRAME: Final = 16  # what a value takes beside its text
_NOTE: Final = 36  # that says how much was left out
_ITER_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).iterencode


def lookup_characters(agent: Agent) -> int:
    """Give how much all look-ups of an answer may be together."""
    return agent.token_budget * LOOKUPS_PERCENT // 100 * TOKEN_CHARACTERS


def fitted(answer: Json, most: int) -> Json:
    """Give an answer in about so many characters: its longest texts lose their middle, else it is cut off as JSON.

    Takes as long as what it gives, not as what it was given.
    """
    texts: list[int] = []
    frame, todo = 0, [answer]
    while todo and frame <= most // 2:
        one = todo.pop()
        frame += _FRAME
        if isinstance(one, str):
            texts.append(len(one))
        elif isinstance(one, Mapping):
            frame += sum(map(len, one))
            todo += one.values()
        elif isinstance(one, list):
            todo += one
    if todo or frame > most // 2:
        return _cut_off(answer, most)
    return _shortened(answer, _longest(texts, most - frame))


def _longest(lengths: Sequence[int], most: int) -> int:
    """Give how long texts may be so that together they are at most so long: the short ones stay whole."""
    for place, length in enumerate(sorted(lengths)):
        left = len(lengths) - place
        if length * left > most:
            return max(0, most // left)
        most -= length
    return max(lengths, default=0)


def _shortened(value: Json, most: int) -> Json:
    if isinstance(value, str):
        return value if len(value) <= most else without_middle(value, max(0, most - _NOTE))
    if isinstance(value, dict):
        return {name: _shortened(one, most) for name, one in value.items()}
    return [_shortened(one, most) for one in value] if isinstance(value, list) else value


def _cut_off(value: Json, most: int) -> Json:
    """Give the beginning of a value as JSON; the whole value where that is no longer."""
    parts: list[str] = []
    for part in _ITER_ENCODE(value):
        if len(part) > most:
            return f"{''.join(parts)}{part[:most]} [… cut off here: look up a part of it …]"
        parts.append(part)
        most -= len(part)
    return value
