"""How numbers and names from inside are worded for people."""

from bot.core.terminal import without_unseen


def honest(text: str) -> str:
    """Give others' text with no link that hides where it leads, and nothing that cannot be seen."""
    return without_unseen(text).replace("](", "]\\(")


def counted(number: float, what: str, more: str = "") -> str:
    """Word a number of things: `1 agent`, `2 agents`, `1,200 tokens`, `1 memory`, `2 memories`."""
    many = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{many} {what if number == 1 else more or what + 's'}"


def as_words(name: str) -> str:
    """Give a name from inside as people say it: `background_prompt` is *background prompt*."""
    return name.replace("_", " ")
