"""What each model of a server takes, found out by asking: how far it can be held to a form, and what it refuses."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final, Literal

from pydantic import TypeAdapter, ValidationError

from bot.core.models import ModelAnswer, ModelCall
from bot.core.plain_words import without_thinking
from bot.core.records import Json

ASKED_ANEW_SECONDS: Final = 6 * 3_600.0  # servers are updated: then the first rung is tried again
MOST_MODELS: Final = 50  # of one server are remembered; so many each community may have learned of
MOST_KNOWN: Final = 1_000  # models of one server, until the next start
Rung = Literal["schema", "json", "words"]
DOWN: Final[tuple[Rung, ...]] = ("schema", "json", "words")
TRIAL_SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "properties": {"greeting": {"type": "string"}, "words": {"type": "integer"}},
    "required": ["greeting", "words"],
    "additionalProperties": False,
}
GREET: Final = "Greet a neighbour called Ann."
IN_JSON: Final = f'{GREET} Answer with one JSON object, such as {{"greeting": "…", "words": 3}}.'
TRIALS: Final[tuple[tuple[Rung, str, bool], ...]] = (  # the rung, the question, and whether in Chat Completions
    ("schema", GREET, False),
    ("schema", GREET, True),  # llama.cpp holds a model to its schema there, and not in Responses
    ("json", IN_JSON, False),
)
TRIAL_TOKENS: Final = 100
THINKING_TOKENS: Final = 1_500  # for a model that thinks before it says so little


@dataclass(slots=True)
class Known:
    """What is known of one model; `since` when (in seconds of the epoch) the rung was found out, 0: it was not.

    `mark`: to which model behind the name that belongs.
    """

    rung: Rung = "schema"
    since: float = 0.0
    temperature: bool = True
    chat: bool = False  # held to a schema in Chat Completions only, though it has the Responses API
    stream: bool = True
    both_lengths: bool = True  # takes `max_tokens` beside `max_completion_tokens`
    thinks: bool = False  # before it writes, within what an answer may be long
    mark: str = ""


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
    """Keeps each model's way down: the strict schema, JSON with an example in words, then plain words.

    What our own questions show holds for everybody; what the calls of one community (`whose`) show, for it alone.
    """

    known: dict[str, Known] = field(default_factory=dict)
    is_new: bool = False  # something was learned for everybody since it was last remembered
    _learned: dict[str, dict[str, Known]] = field(default_factory=dict)  # by whose

    def of(self, model: str, whose: str = "") -> Known:
        """Give what is known of a model; what was found out long ago counts no longer."""
        shared = _still_so(self.known.get(model) or Known())
        mine = self._learned.get(whose, {}).get(model)
        if mine is None:
            return shared
        return replace(
            shared,
            rung=max(shared.rung, _still_so(mine).rung, key=DOWN.index),
            temperature=shared.temperature and mine.temperature,
            stream=shared.stream and mine.stream,
            both_lengths=shared.both_lengths and mine.both_lengths,
            thinks=shared.thinks or mine.thinks,
        )

    def takes_schema(self, model: str, whose: str = "") -> bool:
        """Tell whether the model can be held to a schema, as far as is known."""
        return self.of(model, whose).rung == "schema"

    def stands(self, model: str, rung: Rung, whose: str = "", *, chat: bool | None = None) -> None:
        """Keep on which rung a model stands; `chat`: whether it does so in Chat Completions."""
        found = self._kept(model, whose)
        self.is_new = self.is_new or (not whose and (found.rung != rung or not found.since))
        found.rung, found.since = rung, time.time()
        if chat is not None:
            found.chat = chat

    def without_temperature(self, model: str, whose: str = "") -> None:
        """Keep that a temperature is refused."""
        self._kept(model, whose).temperature, self.is_new = False, self.is_new or not whose

    def without_stream(self, model: str, whose: str = "") -> None:
        """Keep that streaming is refused."""
        self._kept(model, whose).stream, self.is_new = False, self.is_new or not whose

    def without_both_lengths(self, model: str, whose: str = "") -> None:
        """Keep that the longest answer is told by its newer name alone."""
        self._kept(model, whose).both_lengths, self.is_new = False, self.is_new or not whose

    def thinks(self, model: str, whose: str = "") -> None:
        """Keep that a model thinks before it writes."""
        self._kept(model, whose).thinks, self.is_new = True, self.is_new or not whose

    def belongs(self, model: str, mark: str) -> None:
        """Know nothing any more of a model where another one answers by its name, or the server was changed."""
        if self.of(model).mark == mark:
            return
        for known in (self.known, *self._learned.values()):
            known.pop(model, None)
        self._kept(model).mark, self.is_new = mark, True

    def _kept(self, model: str, whose: str = "") -> Known:
        """Give what can be written to."""
        of, most = (self._learned.setdefault(whose, {}), MOST_MODELS) if whose else (self.known, MOST_KNOWN)
        if model not in of:
            of[model] = Known()
            if len(of) > most:
                del of[next(iter(of))]
        return of[model]

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


def _still_so(found: Known) -> Known:
    if found.rung != "schema" and time.time() - found.since > ASKED_ANEW_SECONDS:
        found.rung, found.since = "schema", 0.0
    return found


def is_words(text: str) -> bool:
    """Tell whether an answer cannot come from a model that was held to JSON."""
    said = without_thinking(text).strip()
    return bool(said) and said[0] not in "{["


def only_thinks(answer: ModelAnswer) -> bool:
    """Tell whether an answer was cut off before a model had thought to its end."""
    return not answer.complete and not without_thinking(answer.text).strip()


def trial(model: str, rung: Rung, question: str, *, thinks: bool) -> ModelCall:
    """Give a small question by which it is found out how far a model is held to a form."""
    return ModelCall(
        model=model,
        instructions="You are a polite neighbour. Answer in at most five words.",
        input=question,
        temperature=None,
        answer_tokens=THINKING_TOKENS if thinks else TRIAL_TOKENS,
        schema=TRIAL_SCHEMA if rung == "schema" else None,
        wants_json=rung == "json",
        cache_key="selfroom-trial",
    )


def is_held(text: str) -> bool:
    """Tell whether an answer has the form that was asked for."""
    try:
        said = json.loads(without_thinking(text))
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and isinstance(said.get("greeting"), str)
