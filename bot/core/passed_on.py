"""What Selfroom says for who used `/say`: quoted, above a button by which they take it back."""

from typing import Final

TAKE_BACK: Final = "said:back"
"""The id of that button: by it a post of ours is known as somebody's words, for nobody else can post as us."""
_QUOTE: Final = "> "


def quoted(said: str) -> str:
    """Give somebody's words as they are shown: no line of them can look like one of ours."""
    return "\n".join(f"{_QUOTE}{line}" for line in said.splitlines())


def unquoted(shown: str) -> str:
    """Give the words again."""
    return "\n".join(line.removeprefix(_QUOTE) for line in shown.splitlines())
