"""One finished reply, ready to be put into either endpoint's shape."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.standin.question import Question
from bot.standin.usage import Usage

Shape = dict[str, object]
PIECE = 24


def new_id(kind: str) -> str:
    """An id that looks like the real service's, `kind` in front: `resp_…`, `msg_…`, `chatcmpl-…`."""
    return kind + secrets.token_hex(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What is sent back. `text` is empty when there is a `refusal`."""

    question: Question
    text: str
    refusal: str | None
    incomplete: bool
    usage: Usage
    id: str
    created: int = field(default_factory=lambda: int(time.time()))

    def pieces(self) -> Iterator[str]:
        """The words in the portions in which a stream brings them."""
        words = self.refusal or self.text
        return (words[start : start + PIECE] for start in range(0, len(words), PIECE))
