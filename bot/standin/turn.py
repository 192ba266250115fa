"""One line that wants an answer, with all that the answer may draw on; and the answer itself."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from bot.core.hud.formats.document import Document
from bot.standin.persona import Persona
from bot.standin.view import Hud, Line, Room, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the agent says and does about one line; `thought` is why."""

    says: str = ""
    actions: tuple[Document, ...] = ()
    thought: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLine:
    """`said` is the line's text without the agent's own name at its ends."""

    hud: Hud
    seat: Seat
    room: Room
    line: Line
    said: str
    persona: Persona = field(default_factory=Persona)

    @property
    def who(self) -> str:
        return self.line.speaker

    def pick(self, options: Sequence[str], salt: str = "") -> str:
        """One of the options: the same for the same line of the same agent, otherwise varied."""
        key = f"{self.seat.id}|{self.line.id}|{self.line.text}|{salt}"
        digest = blake2b(key.encode("utf-8", "replace"), digest_size=4).digest()
        return options[int.from_bytes(digest) % len(options)]


Handler = Callable[[OpenLine, re.Match[str]], Turn | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """What is said when a pattern is found in the line; a handler that gives None passes it on."""

    pattern: re.Pattern[str]
    handler: Handler


def rule(pattern: str, handler: Handler) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE | re.DOTALL), handler)


def first_turn(rules: Sequence[Rule], open_line: OpenLine) -> Turn | None:
    """The turn of the first rule that has one for this line."""
    for candidate in rules:
        found = candidate.pattern.search(open_line.said)
        turn = candidate.handler(open_line, found) if found else None
        if turn is not None:
            return turn
    return None


def without_name(text: str, name: str) -> str:
    """The text without `@Name`, and without the bare name where it is only a form of address."""
    word = re.escape(name)
    bare = re.sub(rf"@{word}(?!\w)[,:]?", " ", text, flags=re.IGNORECASE)
    bare = re.sub(rf"^\s*((?:hey|hi|hello|ok|okay)\b)?[\s,]*{word}\s*[,:]\s*", r"\1 ", bare, flags=re.IGNORECASE)
    bare = re.sub(rf"[\s,]+{word}\s*([.!?]*)\s*$", r"\1", bare, flags=re.IGNORECASE)
    bare = re.sub(r"^(?:\s*@[\w.-]+\b[,:]?(?: and)?)+\s*(?=\w)", "", bare)
    return re.sub(r"[ \t]+", " ", bare).strip(" ,") or text.strip()
