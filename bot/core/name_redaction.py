"""What is kept, without a person who is to be forgotten. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.people import SOMEONE
from bot.core.plan import pieces, plan_of
from bot.core.records import Focus, Json, Snowflake

LISTS = ("key_decisions", "active_files", "notes", "blockers", "next_steps")
TEXTS = ("current_task", "compacted_context")
SHORTEST_WORD = 3  # letters of a name that counts as a word without an @ (as with agents' names)
TRACE_ID = r"trace:(?P<kind>[a-z]+):(?P<id>\d+):(?P<person>\d+)"  # of a button, read back after a restart
AT = r"(?<![\w@])@"
ENDS = r"(?!\w|\.\w)"  # a dot ends a sentence, or goes on with a longer username
STEP = r"(?<=\.)@"  # of a path of knowledge, in which a longer username would be quoted


class TraceKind(StrEnum):
    """What people alone may change when it names somebody who is forgotten."""

    PROMPT = "prompt"
    LORE = "lore"
    CARD = "card"
    TOPIC = "topic"
    BILLBOARD = "billboard"
    LABEL = "label"
    KNOWLEDGE = "knowledge"
    FOCUS = "focus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A place that may still name a forgotten person; `id` is the agent's, or the key's."""

    kind: TraceKind
    id: int

    def button_id(self, person_id: Snowflake) -> str:
        """Give the id of the button that decides about it: whose name it is, Discord tells when it is pressed."""
        return f"trace:{self.kind}:{self.id}:{person_id}"


class NameRedactor:
    """Finds the names of a person as whole words in any case: after an @ all, without one only those in `words`.

    What begins a longer name of somebody else (`others`) is theirs.
    """

    def __init__(self, names: Sequence[str], words: Sequence[str] | None = None, others: Iterable[str] = ()) -> None:
        self.names = tuple(sorted(names, key=len, reverse=True))
        self.others = longer(self.names, others)
        bare = [name for name in self.names if words is None or name in words]
        parts = (
            [f"{AT}(?:{_any_of(self.names)}){ENDS}", f"{STEP}(?:{_any_of(self.names)})(?!\\w)"] if self.names else []
        )
        parts += [f"(?<![\\w@])(?:{_any_of(bare)}){ENDS}"] if bare else []
        if parts and self.others:  # tried first, so that the longest name has it
            parts = [f"(?P<theirs>(?<!\\w)@?(?:{_any_of(self.others)})(?!\\w))", *parts]
        self._named = re.compile("|".join(parts), re.IGNORECASE) if parts else None

    def found_in(self, *texts: str) -> bool:
        """Tell whether one of the texts names them."""
        return self._named is not None and any(
            not _is_theirs(found) for text in texts for found in self._named.finditer(text)
        )

    def found_within(self, value: Json) -> bool:
        """Tell whether a key or text of a value, at any depth, names them."""
        match value:
            case str():
                return self.found_in(value)
            case list():
                return any(self.found_within(item) for item in value)
            case dict():
                return any(self.found_in(key) or self.found_within(item) for key, item in value.items())
            case _:
                return False

    def replaced(self, text: str) -> str:
        """Give a text in which they are someone."""
        if self._named is None:
            return text
        return self._named.sub(_someone, text)

    def rewritten(self, value: Json) -> Json:
        """Give a value in whose texts, at any depth, they are someone."""
        match value:
            case str():
                return self.replaced(value)
            case list():
                return [self.rewritten(item) for item in value]
            case dict():
                return {self.replaced(key): self.rewritten(item) for key, item in value.items()}
            case _:
                return value

    def knowledge(self, whole: Mapping[str, Json]) -> dict[str, Json]:
        """Give knowledge without what stands under their name or names them."""
        kept = {key: self._value(value) for key, value in whole.items() if not self._is_of_them(key, value)}
        return {key: value for key, value in kept.items() if value not in ({}, []) or whole[key] in ({}, [])}

    def about(self, whole: Mapping[str, Json], path: str = "") -> dict[str, Json]:
        """Give the parts of knowledge that `knowledge` leaves out, by their paths."""
        found: dict[str, Json] = {}
        for key, value in whole.items():
            at = f"{path}.{key}" if path else key
            if self._is_of_them(key, value):
                found[at] = value
            elif isinstance(value, dict):
                found |= self.about(value, at)
            elif isinstance(value, list) and self._value(value) != value:
                found[at] = [item for item in value if item not in self._items(value)]
        return found

    def focus(self, focus: Focus) -> Focus:
        """Give a focus without the items that name them."""
        fields: dict[str, object] = {
            name: tuple(item for item in getattr(focus, name) if not self.found_in(item)) for name in LISTS
        }
        fields |= {name: "" for name in TEXTS if self.found_in(getattr(focus, name))}
        fields["plan"] = plan_of({key: one for key, one in pieces(focus.plan).items() if not self._names(one)})
        fields["feelings"] = tuple(one for one in focus.feelings if not self.found_in(one.why))
        return replace(focus, **fields)  # type: ignore[arg-type]  # the record's names

    def _names(self, piece: Json) -> bool:
        text = piece.get("text") if isinstance(piece, dict) else piece
        return isinstance(text, str) and self.found_in(text)

    def _is_of_them(self, key: str, value: Json) -> bool:
        return self.found_in(key) or (isinstance(value, str) and self.found_in(value))

    def _value(self, value: Json) -> Json:
        if isinstance(value, dict):
            return self.knowledge(value)
        return self._items(value) if isinstance(value, list) else value

    def _items(self, value: list[Json]) -> list[Json]:
        return [self._value(item) for item in value if not (isinstance(item, str) and self.found_in(item))]


def words_of(username: str, agents: Iterable[str]) -> list[str]:
    """Give a username if it counts as a word without an @: long enough, and no agent's name."""
    is_agents = username.casefold() in {name.casefold() for name in agents}
    return [username] if len(username) >= SHORTEST_WORD and not is_agents else []


def longer(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Give those of others' names that begin with one of these and go on after its end, the longest first."""
    names = tuple(names)
    if not names:
        return ()
    begun = re.compile(f"(?:{_any_of(names)}){ENDS}.", re.IGNORECASE | re.DOTALL)
    return tuple(sorted({other for other in others if begun.match(other)}, key=len, reverse=True))


def _is_theirs(found: re.Match[str]) -> bool:
    return found.groupdict().get("theirs") is not None


def _someone(found: re.Match[str]) -> str:
    if _is_theirs(found):
        return found[0]
    return f"@{SOMEONE}" if found[0].startswith("@") else SOMEONE


def _any_of(names: Sequence[str]) -> str:
    return "|".join(re.sub(r"(?:\\\s)+", r"\\s+", re.escape(name)) for name in names)
