"""What each model of a server takes, found out by asking: how far it can be held to a form, and what it refuses."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from pydantic import TypeAdapter, ValidationError

from bot.core.records import Json

ASKED_ANEW_SECONDS: Final = 6 * 3_600.0  # servers are updated: then the first rung is tried again
MOST_MODELS: Final = 50  # of one server are remembered
Rung = Literal["schema", "json", "words"]


@dataclass(slots=True)
class Known:
    """What is known of one model; `since` when (in seconds of the epoch) the rung was found out, 0: it was not."""

    rung: Rung = "schema"
    since: float = 0.0
    temperature: bool = True
    chat: bool = False  # held to a schema in Chat Completions only, though it has the Responses API
    stream: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a server tells of itself: `mark` changes with its models, `places` it keeps side by side what it has read.

    `context_tokens` is what one place holds; `is_placed`: a call can say which place it is for. `names`: the
    models that it lists; none where it answers under any name, or tells nothing.
    """

    mark: str = ""
    places: int | None = None
    context_tokens: int | None = None
    is_placed: bool = False
    names: tuple[str, ...] = ()


KNOWN: Final = TypeAdapter(dict[str, Known])


@dataclass(slots=True)
class Ladder:
    """Keeps each model's way down: the strict schema, JSON with an example in words, then plain words."""

    known: dict[str, Known] = field(default_factory=dict)
    is_new: bool = False  # something was learned since it was last remembered

    def of(self, model: str) -> Known:
        """Give what is known of a model; what was found out long ago counts no longer."""
        found = self.known.setdefault(model, Known())
        if found.rung != "schema" and time.time() - found.since > ASKED_ANEW_SECONDS:
            found.rung, found.since = "schema", 0.0
        return found

    def takes_schema(self, model: str) -> bool:
        """Tell whether the model can be held to a schema, as far as is known."""
        return self.of(model).rung == "schema"

    def stands(self, model: str, rung: Rung) -> None:
        """Keep on which rung a model stands."""
        found = self.of(model)
        self.is_new = self.is_new or found.rung != rung or not found.since
        found.rung, found.since = rung, time.time()

    def without_temperature(self, model: str) -> None:
        """Keep that a temperature is refused."""
        self.of(model).temperature, self.is_new = False, True

    def without_stream(self, model: str) -> None:
        """Keep that streaming is refused."""
        self.of(model).stream, self.is_new = False, True

    def forget(self) -> None:
        """Know nothing any more: the server is another one, or was changed."""
        self.known.clear()
        self.is_new = True

    def told(self) -> Json:
        """Give what is to be remembered."""
        self.is_new = False
        return {model: asdict(one) for model, one in list(self.known.items())[-MOST_MODELS:]}

    def remember(self, told: Json) -> None:
        """Take what was remembered; what cannot be read is found out again."""
        try:
            self.known |= KNOWN.validate_python(told if isinstance(told, Mapping) else {})
        except ValidationError:
            self.known.clear()


def is_words(text: str) -> bool:
    """Tell whether an answer cannot come from a model that was held to JSON."""
    return bool(text.strip()) and text.strip()[0] not in "{["
