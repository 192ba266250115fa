"""How numbers and names from inside are worded for people."""

from collections.abc import Sequence

from bot.core.sentences import Sentence
from bot.core.terminal import without_unseen


def honest(text: str) -> str:
    """Give others' text with no link that hides where it leads, and nothing that cannot be seen."""
    return without_unseen(text).replace("](", "]\\(")


def counted(number: float, what: str, more: str = "") -> Sentence:
    """Word a number of things: `1 agent`, `2 agents`, `1,200 tokens`, `1 memory`, `2 memories`."""
    shown = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return Sentence.counted(number, f"{{number}} {what}", f"{{number}} {more or what + 's'}", number=shown)


def retold(told: str, name: str) -> str:
    """Give what somebody was told of their deed as others read it: `You left.` is *Wren left.*"""
    for own, theirs in {"You are ": f"{name} is ", "You ": f"{name} ", "Your ": f"{name}'s "}.items():
        if told.startswith(own):
            return theirs + told.removeprefix(own).replace("your own", "their own")
    return told


def as_words(name: str) -> str:
    """Give a name from inside as people say it: `background_prompt` is *background prompt*."""
    return name.replace("_", " ")


def choice_of(values: Sequence[int | str]) -> str:
    """Word what may be chosen: `1 to 20` for a run of numbers, `yes, no` for a few things."""
    numbers = [value for value in values if isinstance(value, int)]
    if len(values) > 2 and [*values] == [*range(min(numbers, default=0), min(numbers, default=0) + len(values))]:
        return f"{values[0]} to {values[-1]}"
    return ", ".join(map(str, values))
