"""Scenes played by chance: any kind, by what it says is legal."""

import random
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from bot.core.errors import Rejected
from bot.core.records import Json
from bot.core.scenes.digests import Digests
from bot.core.scenes.kind import RULES, Event, Expect, Form, Move, Options, Ordering, Over, SceneKind, State, Wait
from bot.core.scenes.moves import parameters, proposed
from bot.core.scenes.play import Entry, Play, Rule, Standing, Step
from bot.core.scenes.records import SceneEvent
from bot.core.scenes.showing import TEXT
from tests.fakes import START

WRONG: Mapping[str, Json] = {"text": "too long " * 500, "many": [10**6], "one": 10**6}
MOST_TRIES = 8  # illegal ones at each step
Tries = Sequence[tuple[int, str, Mapping[str, Json]]]


@dataclass
class Playing:
    """One scene that is being played; its log, and what was ever shown."""

    play: Play
    seats: tuple[int, ...]
    standing: Standing = field(init=False)
    first: str = field(init=False)
    log: list[Entry] = field(default_factory=list)
    events: list[SceneEvent] = field(default_factory=list)  # all that was told, to whomever, and the texts
    digests: bool = True  # whether each line of the log has one: else it cannot be folded again
    listens: bool = True  # whether what is told is kept
    known: Digests = field(default_factory=Digests)

    def __post_init__(self) -> None:
        step = self.play.begin(self.seats)
        self.standing = step.standing
        self.first = self.standing.digest()
        self._tell(step)

    @property
    def is_over(self) -> bool:
        return isinstance(self.standing.awaits, Over)

    @property
    def outcome(self) -> str:
        awaits = self.standing.awaits
        assert isinstance(awaits, Over)
        return awaits.outcome

    def enter(self, seat: int, move: str, arguments: Mapping[str, Json] | None = None) -> list[str]:
        """Fold an entry in; gives what is told of it."""
        entry = Entry(step=self.standing.step + 1, seat=seat, move=move, arguments=arguments or {})
        step = self.play.enter(self.standing, entry)
        self.standing = step.standing
        self.log.append(replace(entry, digest=self.standing.digest(self.known)) if self.digests else entry)
        self._tell(step)
        return [event.text for event in step.events]

    def move(self, seat: int, name: str, /, **arguments: Json) -> list[str]:
        """Make a move as a seat proposes it, texts and all."""
        before = self.standing.texts
        found = proposed(self.play.kind, self.standing.state, seat, name, arguments, texts=before)
        told = self.enter(seat, name, found.move.model_dump(mode="json"))
        for number, text in enumerate(found.texts, before + 1):
            self._note(Event(text=text, speaker=seat, kind=TEXT), number=number)
        return told

    def _tell(self, step: Step) -> None:
        for event in step.events:
            self._note(event)

    def _note(self, event: Event, number: int = 0) -> None:
        if not self.listens:
            return
        self.events.append(
            SceneEvent(
                id=len(self.events) + 1,
                step=self.standing.step,
                kind=event.kind,
                text=event.text,
                seat=event.speaker,
                audience=event.audience,
                number=number,
                at=START,
            )
        )


def of(kind: SceneKind, options: Options, seats: int, seed: str = "seed") -> Playing:
    """Begin a scene."""
    return Playing(Play(kind=kind, options=options, seed=seed), tuple(range(1, seats + 1)))


def some_options(kind: SceneKind, rng: random.Random) -> Options:
    """Draw options: an ordering that the kind has, and any value of each switch."""
    given: dict[str, object] = {"ordering": rng.choice(kind.orderings)}
    for name, info in kind.options.model_fields.items():
        if info.annotation is bool:
            given[name] = rng.random() < 0.5
        elif typing.get_origin(info.annotation) is Literal:
            given[name] = rng.choice(typing.get_args(info.annotation))
    return kind.options.model_validate(given)


def some_arguments(form: Form, rng: random.Random) -> dict[str, Json]:
    """Draw legal arguments for a form."""
    given: dict[str, Json] = {}
    for one in parameters(form.move):
        values = [*form.values.get(one.name, ())]
        match one.what:
            case "text":
                given[one.name] = f"words {rng.randrange(1000)}"
            case "many":
                some = form.suggested.get(one.name)
                chosen = rng.choice(some) if some else rng.sample(values, rng.randint(1, min(len(values), 12)))
                drawn: list[Json] = [*chosen]
                given[one.name] = drawn
            case "one":
                given[one.name] = rng.choice(values)
    return given


def refuse_some(playing: Playing, rng: random.Random) -> None:
    """Try some illegal moves: each is refused in a sentence and changes nothing."""
    before = playing.standing.digest()
    assert wrongly_taken(playing, rng) == []
    assert playing.standing.digest() == before


def wrongly_taken(playing: Playing, rng: random.Random) -> list[str]:
    """Try some illegal moves; give those that are taken, or refused without a sentence."""
    taken, state = [], playing.standing.state
    for seat, name, arguments in _illegal(playing, state, rng.choice(playing.seats), rng):
        try:
            playing.move(seat, name, **arguments)
        except Rejected as no:
            if str(no).endswith("."):
                continue
        taken.append(f"seat {seat}: {name} {dict(arguments)}")
    return taken


def _illegal(playing: Playing, state: State, seat: int, rng: random.Random) -> Tries:
    anything = rng.choice(playing.play.kind.moves).name
    tries: list[tuple[int, str, Mapping[str, Json]]] = [
        (0, anything, {}),
        (len(playing.seats) + 1, anything, {}),
        (seat, "no_such_move", {}),
    ]
    forms = state.offers(seat)
    illegal = _names(playing.play.kind.moves) - {form.move.name for form in forms}
    tries += [(seat, name, {}) for name in sorted(illegal)[:1]]
    for form in forms:
        if len(tries) >= MOST_TRIES:
            break
        name, good = form.move.name, some_arguments(form, rng)
        tries.append((seat, name, {**good, "more": 1}))
        if not form.move.drops_unknown:
            tries += [(seat, name, {**good, one.name: WRONG[one.what]}) for one in parameters(form.move)[:2]]
    return tries[:MOST_TRIES]


@cache
def _names(moves: tuple[type[Move], ...]) -> frozenset[str]:
    return frozenset(one.name for one in moves)


def step_by_chance(playing: Playing, rng: random.Random) -> None:
    """Let chance do one thing that may happen."""
    awaits, state = playing.standing.awaits, playing.standing.state
    if rng.random() < 0.05 and (present := state.present):
        playing.enter(RULES, Rule.AWAY, {"seat": rng.choice(present)})
    elif rng.random() < 0.05 and playing.standing.open_seats:
        playing.enter(RULES, Rule.SKIP, {"seat": rng.choice(playing.standing.open_seats)})
    elif rng.random() < 0.2 and state.away:
        playing.enter(RULES, Rule.BACK, {"seat": rng.choice(state.away)})
    elif isinstance(awaits, Wait) and awaits.choices and rng.random() < 0.9:
        playing.enter(RULES, Rule.CHOOSE, {"seat": rng.choice(awaits.choices)})
    elif playing.standing.is_complete:
        playing.enter(RULES, rng.choice((Rule.CLOSE, Rule.DEADLINE)))
    elif isinstance(awaits, Wait) or rng.random() < 0.1:
        playing.enter(RULES, Rule.DEADLINE)
    elif isinstance(awaits, Expect):
        seat = rng.choice(playing.standing.open_seats)
        form = rng.choice(state.offers(seat))
        playing.move(seat, form.move.name, **some_arguments(form, rng))


def play_out(
    kind: SceneKind,
    rng: random.Random,
    *,
    illegal: bool = True,
    most: int = 5_000,
    digests: bool = False,
    listens: bool = True,
) -> Iterator[Playing]:
    """Play a scene by chance to its end; gives it after each step, at last when it is over.

    `digests`: whether its log can be folded again, which a third of the time goes into.
    """
    least, longest = kind.seats
    options = some_options(kind, rng)
    seats = rng.randint(least, longest)
    while options.refusal(seats):
        seats = rng.randint(least, longest)
    playing = of(kind, options, seats, seed=str(rng.random()))
    playing.digests, playing.listens = digests, listens
    for _ in range(most):
        yield playing
        if playing.is_over:
            return
        if illegal:
            refuse_some(playing, rng)
        step_by_chance(playing, rng)
    raise AssertionError(f"{kind.kind} does not end")


def with_ordering(kind: SceneKind, ordering: Ordering) -> Options:
    """Give options with that ordering."""
    return kind.options.model_validate({"ordering": ordering})


def dice(seed: int) -> random.Random:
    """Give a test's chance."""
    return random.Random(seed)  # noqa: S311
