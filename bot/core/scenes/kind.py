"""What a kind of scene is: frozen facts, moves as models, and a state that knows its rules (docs/scenes.md).

Texts of people never reach a rule: a move carries the number of a text, and a state names it by that number. What is
shown is written with marks: `{s3}` is the name of seat 3, `{t12}` text 12, `{o.topic}` what the options say.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Annotated, ClassVar, Literal, NewType, Self

from pydantic import BaseModel, ConfigDict, Field

from bot.core.records import Json

Seat = int  # from 1 on; 0 are the rules, and whoever only watches
TextId = NewType("TextId", int)
NO_TEXT = TextId(0)
RULES = 0
_set = object.__setattr__
MOST_TURNS = 400
MOST_SEATS = 16
LONGEST_OPTIONS = 20_000  # characters of all options as JSON: scenes are listed with them
TURNS_USED = "its turns are used up"


Venue = Annotated[
    Literal["thread", "room"],
    Field(description="where it takes place: in a thread of its own, or in the room, whose ordinary talk then rests"),
]


class Ordering(StrEnum):
    """Who is next (core.scenes.orderings)."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"
    CONTROLLED = "controlled"
    MODERATED = "moderated"
    FREE = "free"
    RULES = "rules"


class Secrecy(StrEnum):
    """Whether a scene lies on its room's side of the barrier, or is a side of its own."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Words:
    """Marks a parameter that is a text, of so many words at most."""

    most: int


@dataclass(frozen=True, slots=True)
class Chance:
    """What is drawn at one step: by seed, step and purpose, so that it is drawn the same again."""

    seed: str
    step: int

    def apart(self, what: str) -> "Chance":
        """Give that of something which happens at the same step as other things."""
        return Chance(f"{self.seed}|{what}", self.step)

    def below(self, purpose: str, bound: int) -> int:
        """Give a whole number from 0 up to, but not, the bound."""
        digest = hashlib.sha256(f"{self.seed}|{self.step}|{purpose}".encode()).digest()
        return int.from_bytes(digest[:16]) % bound

    def shuffled(self, purpose: str, items: Sequence[int]) -> tuple[int, ...]:
        """Give the items in a drawn order."""
        left = list(items)
        return tuple(left.pop(self.below(f"{purpose} {place}", len(left))) for place in range(len(items)))


Few = Field(max_length=MOST_SEATS)  # of a list or mapping in a state: one for each seat at most
UpToTurns = Annotated[int, Field(ge=0, le=MOST_TURNS)]


class Frozen(BaseModel):
    """The common ground of moves, options and states."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    worked_out: ClassVar[tuple[str, ...]] = ()  # what is kept beside the fields, and does not go along with a copy

    def model_copy(self, *, update: Mapping[str, object] | None = None, deep: bool = False) -> Self:
        """Give one with other values, in a quarter of pydantic's time, which copies what a frozen model shares."""
        copied = type(self).__new__(type(self))
        fields = {**self.__dict__, **(update or {})}
        for name in self.worked_out:
            fields.pop(name, None)
        _set(copied, "__dict__", deepcopy(fields) if deep else fields)
        _set(copied, "__pydantic_fields_set__", self.__pydantic_fields_set__)
        _set(copied, "__pydantic_extra__", None)
        _set(copied, "__pydantic_private__", None)
        return copied


class Move(Frozen):
    """What a seat does; its docstring is the hint beside it.

    A `free` one uses up no turn, opens no new window while the same are awaited, and is never sealed: it takes effect
    at once. Of lists, one that `drops_unknown` values is not refused for them.
    """

    name: ClassVar[str]
    free: ClassVar[bool] = False
    drops_unknown: ClassVar[bool] = False


class Edit(Frozen):
    """What a what-if may change in a state; its fields are the form."""


@dataclass(frozen=True, slots=True)
class Form:
    """A move that is legal now, with the values that each of its parameters may have (texts have none).

    Where not every choice from a list is legal, some that are stand in `suggested`, with values repeated as needed.
    `about` goes on where the name of the move ends, for people: `on motion 2`.
    """

    move: type[Move]
    values: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    suggested: Mapping[str, Sequence[Sequence[int | str]]] = field(default_factory=dict)
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """These seats are to move: one after the other, or `together`, sealed until the last of them has.

    With `anyone` any of them may, and nobody has missed anything when none does. How long depends on whether a person
    is among them; then the timeout moves are made.

    A window with a least length, together, is `unseen`: where a person sits in the scene it stays open so long though
    all have moved, nobody counts as missing in it, and nobody is told who is awaited.
    """

    seats: tuple[Seat, ...]
    together: bool = False
    anyone: bool = False
    agent_seconds: int | None = None  # None: as long as the community gives
    person_seconds: int | None = None
    least_seconds: int = 0

    @property
    def unseen(self) -> bool:
        """Whether nobody may learn who is awaited, or how soon they moved."""
        return self.together and self.least_seconds > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nobody is to move: time passes, or whoever started it names one of the seats in `choices`.

    Once it has passed, the scene `pauses`, or its state goes on by itself (`State.lapsed`). Where only agents sit it is
    `agent_seconds` long, if they are given: what is waited for so that people cannot tell that nobody acts.
    """

    seconds: int
    agent_seconds: int | None = None
    choices: tuple[Seat, ...] = ()
    pauses: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """The end: what came of it, and for each seat a word and a score."""

    outcome: str
    results: Mapping[Seat, tuple[str, int]] = field(default_factory=dict)


Awaited = Expect | Wait | Over


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, in words with marks; for all, or for the seats of its audience.

    Of what a seat says `speaker` is that seat, and the text nothing but its words.
    """

    text: str
    speaker: Seat = 0
    audience: tuple[Seat, ...] | None = None
    kind: str = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a seat sees: all (and 0, who watches) the same phase, names, dead, facts and bars; it alone `private`.

    `question`: which of the facts is decided on now, where one is.
    `picture` is what the picture of its kind is drawn from (cogs.ui.scenes): for the board that of seat 0.
    """

    phase: str
    awaited: tuple[Seat, ...] = ()
    dead: tuple[Seat, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    question: tuple[str, str] | None = None
    bars: tuple[tuple[str, int], ...] = ()
    private: tuple[tuple[str, str], ...] = ()
    picture: Mapping[str, Json] = field(default_factory=dict)


class State(Frozen, ABC):
    """Where a scene stands, and what follows: everything here is pure, so that it is worked out once."""

    worked_out = ("awaits", "_offers")

    seats: Annotated[tuple[Seat, ...], Few]
    away: Annotated[tuple[Seat, ...], Few] = ()  # they are not waited for

    @property
    def is_secret(self) -> bool:
        """Whether nobody is ever told who moves what now: of answers to such turns nothing is kept."""
        return False

    @property
    def present(self) -> tuple[Seat, ...]:
        """Who is waited for."""
        return tuple(seat for seat in self.seats if seat not in self.away) if self.away else self.seats

    @cached_property
    def awaits(self) -> Awaited:
        """Whom it expects, for how long it waits, or how it ended."""
        return self.next()

    @cached_property
    def _offers(self) -> dict[Seat, tuple[Form, ...]]:
        return {}

    def offers(self, seat: Seat) -> tuple[Form, ...]:
        """Give what a seat may do now."""
        if (forms := self._offers.get(seat)) is None:
            forms = self._offers[seat] = self.legal(seat)
        return forms

    def offered(self, seat: Seat, move: str) -> "Form | None":
        """Give the form of a move by its name; None where the seat may not do that now."""
        for form in self.offers(seat):
            if form.move.name == move:
                return form
        return None

    @abstractmethod
    def next(self) -> Awaited:
        """Tell whom it expects, or that it waits for a time, or is over."""

    @abstractmethod
    def legal(self, seat: Seat) -> tuple[Form, ...]:
        """Give what a seat may do now."""

    def check(self, seat: Seat, move: Move) -> str:
        """Say why a move of a legal form, with values it may have, is not allowed; empty when it is."""
        return ""

    @abstractmethod
    def apply(self, seat: Seat, move: Move, chance: Chance) -> "Applied":
        """Give what a legal move makes of it."""

    @abstractmethod
    def timeout(self, seat: Seat) -> Move | None:
        """Give the legal move that is made for a seat whose time is up; None, among those together: none at all."""

    def lapsed(self, chance: Chance) -> "Applied":
        """Give what becomes of it once all that were to move together have, or the time it waited for has passed."""
        return Applied(self)

    def answered(self, seat: Seat, move: Move, chance: Chance) -> tuple["Event", ...]:
        """Give what a seat alone is told at once of a move that is sealed; what comes of it waits for the others."""
        return ()

    def silenced(self, seat: Seat) -> bool:
        """Tell whether what a seat writes into the thread is taken away: it is out, and may tell nothing any more."""
        return False

    def told_of(self, together: tuple["Event", ...], chance: Chance) -> tuple["Event", ...]:
        """Give what moves made together came to, in the order in which it is told: that of the seats."""
        return together

    def chosen(self, seat: Seat, chance: Chance) -> "Applied":
        """Give what becomes of it once the starter has named a seat."""
        return Applied(self)

    def edit(self, change: Edit) -> "State":
        """Give the state as a what-if would have it; `valid` says whether there can be such a one."""
        return self

    def valid(self) -> str:
        """Say why there can be no such state; empty where there can."""
        return ""

    @property
    def won_by(self) -> str:
        """Name who has won, as the ends of several are counted; empty where its outcome says it best."""
        return ""

    @abstractmethod
    def closed(self, why: str) -> Over:
        """Give how it ends when its turns are used up, or nobody is left."""

    @abstractmethod
    def view(self, seat: Seat) -> Seen:
        """Give what a seat sees: the only source for prompts, answers to presses and pictures."""

    def revealed(self) -> "State":
        """Give it as it is viewed once it is over, though its rules did not end it: nothing is secret any more."""
        if isinstance(self.awaits, Over):
            return self
        ended = self.model_copy()
        ended.__dict__["awaits"] = self.closed(TURNS_USED)  # nobody is awaited; why it ended is told beside
        return ended


@dataclass(frozen=True, slots=True)
class Applied:
    """A state, and what happened on the way to it."""

    state: State
    events: tuple[Event, ...] = ()


class Options(Frozen, ABC):
    """What whoever starts a scene may choose; the form is made from it."""

    turns: int = Field(default=40, ge=1, le=MOST_TURNS, description="after how many turns it ends")
    ordering: Ordering = Field(default=Ordering.SEQUENTIAL, description="who is next")

    @abstractmethod
    def begin(self, seats: tuple[Seat, ...], chance: Chance) -> Applied:
        """Give the first state."""

    def refusal(self, seats: int) -> str:
        """Say why it cannot begin with so many seats beside the kind's own bounds; empty when it can."""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Options under a name, by which a scene is started with one press."""

    name: str
    title: str
    options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneKind:
    """One kind of scene; `rules` are told to agents and people alike.

    A `closed` one is a side of its own: what a seat sees there exists nowhere else while it runs.
    """

    kind: str
    version: int
    title: str
    rules: str
    seats: tuple[int, int]
    secrecy: Secrecy
    orderings: tuple[Ordering, ...]
    options: type[Options]
    state: type[State]
    moves: tuple[type[Move], ...]
    speech: tuple[str, ...] = ()  # the moves that a line in the scene's thread may be, whichever is legal
    presets: tuple[Preset, ...] = ()
    edit: type[Edit] | None = None  # what a what-if may change

    @property
    def is_closed(self) -> bool:
        """Whether it has secrets."""
        return self.secrecy is Secrecy.CLOSED

    def move_named(self, name: str) -> type[Move] | None:
        """Find a move."""
        for one in self.moves:
            if one.name == name:
                return one
        return None

    def parse(self, stored: Json) -> State:
        """Read a state back; raises ValueError for one that no rules could have made: it may come from anywhere."""
        state = self.state.model_validate(stored)
        if state.seats != tuple(range(1, len(state.seats) + 1)) or not self.has_room_for(len(state.seats)):
            raise ValueError(f"{self.title} is not played by {len(state.seats)} seats")
        return state

    def has_room_for(self, seats: int) -> bool:
        """Tell whether so many may sit in it."""
        least, most = self.seats
        return least <= seats <= most
