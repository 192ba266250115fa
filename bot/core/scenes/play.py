"""The fold of a scene's log: what each entry makes of what stood before it. Nothing here loops for want of anybody."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypedDict, Unpack

from bot.core.errors import Rejected
from bot.core.records import Json
from bot.core.scenes.digests import Digests, digest_of
from bot.core.scenes.kind import (
    MOST_SEATS,
    RULES,
    TURNS_USED,
    Applied,
    Awaited,
    Chance,
    Event,
    Expect,
    Move,
    Options,
    Over,
    SceneKind,
    Seat,
    State,
    Wait,
)
from bot.core.scenes.moves import NOT_ASKED, parameters, refusal
from bot.core.sentences import Sentence

FORCED_AT_MOST = 100
MISSES_UNTIL_AWAY = 3
HIGHEST_COUNT = 1_000_000
UNREADABLE = (ValueError, LookupError, TypeError, Rejected)  # what a standing raises that is none
STUCK = "It got stuck: nobody could do anything any more."
EVERYBODY_AWAY = "everybody is away"


class Rule(StrEnum):
    """What the rules enter into the log themselves, as seat 0."""

    DEADLINE = "deadline"  # the time is up
    AWAY = "away"  # a seat is not waited for any more
    BACK = "back"
    CHOOSE = "choose"  # the starter names who is next
    SKIP = "skip"  # the timeout move of one seat
    CLOSE = "close"  # all have moved in a window with a least length, and that has passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the log; `arguments` never hold a text. `digest`: of what stood after it."""

    step: int
    seat: Seat
    move: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    digest: str = ""


class Changes(TypedDict, total=False):
    """What may become another in a standing."""

    state: State
    step: int
    window: int
    texts: int
    turns: int
    sealed: Mapping[Seat, Move]
    passed: tuple[Seat, ...]
    misses: Mapping[Seat, int]
    cut: Over | None
    stuck: bool


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a scene stands after a step: all that the next one depends on.

    `window` is the step since which the same seats are awaited; `sealed` are moves that wait for one another.
    """

    state: State
    step: int = 0
    window: int = 0
    texts: int = 0  # how many there are
    turns: int = 0  # how many are used up
    sealed: Mapping[Seat, Move] = field(default_factory=dict)
    passed: tuple[Seat, ...] = ()  # who seals nothing in this window
    misses: Mapping[Seat, int] = field(default_factory=dict)
    cut: Over | None = None  # an end that its rules did not bring about
    stuck: bool = False

    def but(self, **changes: Unpack[Changes]) -> "Standing":
        """Give another with these values; `dataclasses.replace` takes ten times as long, and each step asks often."""
        other = object.__new__(Standing)
        other.__dict__.update(self.__dict__, **changes)
        return other

    @property
    def awaits(self) -> Awaited:
        """Whom or what it waits for."""
        return self.cut or self.state.awaits

    @property
    def open_seats(self) -> tuple[Seat, ...]:
        """The seats whose move is still open; those who are away may move, but nobody waits for it."""
        awaits = self.awaits
        if not isinstance(awaits, Expect):
            return ()
        if not (self.sealed or self.passed):
            return awaits.seats
        return tuple([seat for seat in awaits.seats if seat not in self.sealed and seat not in self.passed])

    @property
    def waited_for(self) -> tuple[Seat, ...]:
        """The open seats that are there."""
        away = self.state.away
        return tuple([seat for seat in self.open_seats if seat not in away]) if away else self.open_seats

    @property
    def is_complete(self) -> bool:
        """Whether all have moved in a window that stays open for its least length."""
        awaits = self.awaits
        return isinstance(awaits, Expect) and awaits.unseen and not self.waited_for

    def packed(self) -> dict[str, Json]:
        """Give it as it is stored."""
        return {"state": self.state.model_dump(mode="json"), **self.around()}

    def around(self) -> dict[str, Json]:
        """Give what is stored of it beside its state."""
        sealed: dict[str, Json] = {
            str(seat): {"move": move.name, "arguments": move.model_dump(mode="json")}
            for seat, move in sorted(self.sealed.items())
        }
        cut: Json = None
        if self.cut is not None:
            results: dict[str, Json] = {str(seat): [*one] for seat, one in self.cut.results.items()}
            cut = {"outcome": self.cut.outcome, "results": results}
        return {
            "step": self.step,
            "window": self.window,
            "texts": self.texts,
            "turns": self.turns,
            "sealed": sealed,
            "passed": [*self.passed],
            "misses": {str(seat): count for seat, count in sorted(self.misses.items())},
            "cut": cut,
            "stuck": self.stuck,
        }

    def digest(self, known: Digests | None = None) -> str:
        """Give what two equal standings have in common, and no others; `known`: those of standings before it."""
        return digest_of(self.packed()) if known is None else known.of(self.state, self.around())


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an entry came to."""

    standing: Standing
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One scene's rules: its kind, its options, its seed."""

    kind: SceneKind
    options: Options
    seed: str

    def begin(self, seats: tuple[Seat, ...]) -> Step:
        """Set it up; raises Rejected for seats by which it is not played."""
        if not self.kind.has_room_for(len(seats)):
            raise Rejected(Sentence("{kind} is not played by {seats} seats.", kind=self.kind.title, seats=len(seats)))
        if why := self.options.refusal(len(seats)):
            raise Rejected(why)
        applied = self.options.begin(seats, Chance(self.seed, 0))
        return self._settled(Standing(state=applied.state), applied.events, before=None)

    def enter(self, standing: Standing, entry: Entry) -> Step:
        """Fold one entry in; raises Rejected where that is not legal, and then nothing has changed."""
        if isinstance(standing.awaits, Over) or standing.stuck:
            raise Rejected(Sentence("It is over."))
        before, standing = standing, standing.but(step=standing.step + 1)
        chance = Chance(self.seed, standing.step)
        if entry.seat == RULES:
            step = self._ruled(standing, entry, chance)
        else:
            step = self._moved(standing, entry.seat, self._move(entry), chance)
        return self._settled(step.standing, step.events, before=before)

    def unpacked(self, stored: Mapping[str, Json]) -> Standing:
        """Read a standing back; raises one of UNREADABLE for what no rules could have made."""
        sealed, misses, passed = _object(stored["sealed"]), _object(stored["misses"]), _list(stored["passed"])
        if max(map(len, (sealed, misses, passed))) > MOST_SEATS:
            raise ValueError("a stored scene has more seats than any")
        cut = stored["cut"]
        return Standing(
            state=self.kind.parse(stored["state"]),
            step=_count(stored["step"]),
            window=_count(stored["window"]),
            texts=_count(stored["texts"]),
            turns=_count(stored["turns"]),
            sealed={int(seat): self._sealed(one) for seat, one in sealed.items()},
            passed=tuple(map(_count, passed)),
            misses={int(seat): _count(number) for seat, number in misses.items()},
            cut=None if cut is None else _over(_object(cut)),
            stuck=bool(stored["stuck"]),
        )

    def _sealed(self, stored: Json) -> Move:
        one = _object(stored)
        return self._move(Entry(step=0, seat=0, move=str(one["move"]), arguments=_object(one["arguments"])))

    def _move(self, entry: Entry) -> Move:
        model = self.kind.move_named(entry.move)
        if model is None:
            raise Rejected(Sentence("There is no move {move} in {kind}.", move=entry.move, kind=self.kind.title))
        return model.model_validate(dict(entry.arguments))

    def _moved(self, standing: Standing, seat: Seat, move: Move, chance: Chance) -> Step:
        if seat not in standing.open_seats:
            raise Rejected(NOT_ASKED)
        if sentence := refusal(standing.state, seat, move):
            raise Rejected(sentence)
        awaits, back = standing.awaits, tuple[Event, ...]()
        unseen = isinstance(awaits, Expect) and awaits.unseen
        if not (unseen and seat in standing.state.away):  # that it is back would tell that it was asked
            standing, back = _heard(standing, seat)
        if (texts := max(_numbers(move), default=0)) > standing.texts:
            standing = standing.but(texts=texts)
        if isinstance(awaits, Expect) and awaits.together and not move.free:
            told = standing.state.answered(seat, move, chance)
            return Step(standing=standing.but(sealed={**standing.sealed, seat: move}), events=(*back, *told))
        step = _applied(standing, seat, move, chance)
        return Step(standing=step.standing, events=(*back, *step.events)) if back else step

    def _ruled(self, standing: Standing, entry: Entry, chance: Chance) -> Step:
        seat = entry.arguments.get("seat")
        awaits = standing.awaits
        match Rule(entry.move):
            case Rule.DEADLINE:
                return self._late(standing, awaits, chance)
            case Rule.AWAY if isinstance(seat, int):
                return _gone(standing, seat)
            case Rule.BACK if isinstance(seat, int):
                standing, events = _heard(standing, seat)
                return Step(standing=standing, events=events)
            case Rule.CLOSE if standing.is_complete:
                return self._late_together(standing, chance)
            case Rule.CHOOSE if isinstance(seat, int) and isinstance(awaits, Wait) and seat in awaits.choices:
                return _of(standing, standing.state.chosen(seat, chance))
            case Rule.SKIP if isinstance(seat, int) and seat in standing.open_seats:
                step = self._timeout(standing, seat, chance)
                return self._skipped(step, seat)
            case _:
                raise Rejected(Sentence("That moment has passed."))

    def _late(self, standing: Standing, awaits: Awaited, chance: Chance) -> Step:
        """Make the timeout moves of all who did not move, and count what they missed."""
        if isinstance(awaits, Wait):
            return _of(standing, standing.state.lapsed(chance))
        missing = standing.open_seats
        events: tuple[Event, ...] = ()
        step = Step(standing=standing)
        for place, seat in enumerate(missing):
            if step.standing.turns >= self.options.turns:
                break  # where nobody waits for anybody each of them uses a turn, and there may be fewer left
            if not isinstance(awaits, Expect) or not (awaits.anyone or awaits.unseen):
                step = _missed(step.standing, seat)
                events = (*events, *step.events)
            step = self._timeout(step.standing, seat, chance.apart(f"late {place}"))
            events = (*events, *step.events)
        if isinstance(awaits, Expect) and awaits.together:
            step = _closed(step.standing, chance)
            events = (*events, *step.events)
        return Step(standing=step.standing, events=events)

    def _skipped(self, step: Step, seat: Seat) -> Step:
        """In a window of many, a seat whose timeout is no move is done with it all the same."""
        awaits = step.standing.awaits
        if not isinstance(awaits, Expect) or not awaits.together or seat in step.standing.sealed:
            return step
        return Step(standing=step.standing.but(passed=(*step.standing.passed, seat)), events=step.events)

    def _timeout(self, standing: Standing, seat: Seat, chance: Chance) -> Step:
        awaits = standing.awaits
        if not isinstance(awaits, Expect) or seat not in standing.open_seats:
            return Step(standing=standing)  # what was done for others has ended its turn
        move = standing.state.timeout(seat)
        if move is None:
            return Step(standing=standing)
        if awaits.together:
            return Step(standing=standing.but(sealed={**standing.sealed, seat: move}))
        return _applied(standing, seat, move, chance)

    def _settled(self, standing: Standing, events: Sequence[Event], before: Standing | None) -> Step:
        """Do what follows by itself, until somebody or some time is waited for, or it is over."""
        told = list(events)
        for place in range(FORCED_AT_MOST):
            standing = self._cut(standing)
            following = self._following(standing, place)
            if following is None:
                break
            standing = following.standing
            told += following.events
        else:
            standing = standing.but(stuck=True)
        if _is_stuck(standing):
            standing = standing.but(stuck=True, cut=Over(outcome=STUCK))
        if before is None or not _is_same_window(before, standing):
            # of a closed scene only how many windows there were: its steps would tell how many moved unseen
            standing = standing.but(window=standing.window + 1 if self.kind.is_closed else standing.step)
        if isinstance(awaits := standing.awaits, Over):
            told.append(Event(text=awaits.outcome, kind="outcome"))
        return Step(standing=standing, events=tuple(told))

    def _cut(self, standing: Standing) -> Standing:
        if isinstance(standing.awaits, Over):
            return standing
        if not standing.state.present:
            return standing.but(cut=standing.state.closed(EVERYBODY_AWAY), sealed={}, passed=())
        if standing.turns >= self.options.turns:
            return standing.but(cut=standing.state.closed(TURNS_USED), sealed={}, passed=())
        return standing

    def _following(self, standing: Standing, place: int) -> Step | None:
        """Give what nobody has to be waited for: timeout moves of the absent, and a window that is complete."""
        awaits = standing.awaits
        if not isinstance(awaits, Expect) or not awaits.seats:
            return None
        if standing.waited_for or awaits.unseen:
            return None
        chance = Chance(self.seed, standing.step).apart(f"forced {place}")
        if awaits.together:
            return self._late_together(standing, chance)
        return self._timeout(standing, awaits.seats[0], chance)

    def _late_together(self, standing: Standing, chance: Chance) -> Step:
        for seat in standing.open_seats:
            standing = self._timeout(standing, seat, chance).standing
        return _closed(standing, chance)


def replayed(
    play: Play, seats: tuple[Seat, ...], log: Iterable[Entry], first_digest: str
) -> tuple[Standing, int | None]:
    """Fold a log again; gives where it ends, and the first step whose digest differs (None: none does)."""
    standing, known = play.begin(seats).standing, Digests()
    if standing.digest(known) != first_digest:
        return standing, 0
    for entry in log:
        standing = play.enter(standing, entry).standing
        if standing.step != entry.step or standing.digest(known) != entry.digest:
            return standing, entry.step
    return standing, None


def _applied(standing: Standing, seat: Seat, move: Move, chance: Chance) -> Step:
    applied, used = standing.state.apply(seat, move, chance), standing.turns + (not move.free)
    return Step(standing=standing.but(turns=used, state=applied.state), events=applied.events)


def _of(standing: Standing, applied: Applied) -> Step:
    return Step(standing=standing.but(state=applied.state), events=applied.events)


def _closed(standing: Standing, chance: Chance) -> Step:
    """Apply sealed moves in the order of seats: which came first decides nothing."""
    sealed = standing.sealed
    standing = standing.but(sealed={}, passed=(), turns=standing.turns + 1)
    before, events = standing.state, tuple[Event, ...]()
    for seat, move in sorted(sealed.items()):
        step = _of(standing, standing.state.apply(seat, move, chance.apart(f"{seat}")))
        standing, events = step.standing, (*events, *step.events)
    step = _of(standing, standing.state.lapsed(chance))
    return Step(standing=step.standing, events=(*before.told_of(events, chance), *step.events))


def _missed(standing: Standing, seat: Seat) -> Step:
    misses = standing.misses.get(seat, 0) + 1
    standing = standing.but(misses={**standing.misses, seat: misses})
    if misses < MISSES_UNTIL_AWAY or seat in standing.state.away:
        return Step(standing=standing)
    return _gone(standing, seat)


def _gone(standing: Standing, seat: Seat) -> Step:
    state = standing.state
    if seat not in state.seats or seat in state.away:
        raise Rejected(Sentence("That seat is not waited for anyway."))
    state = state.model_copy(update={"away": tuple(sorted([*state.away, seat]))})
    event = Event(text=f"{{s{seat}}} is away.", kind="away")
    return Step(standing=standing.but(state=state), events=(event,))


def _heard(standing: Standing, seat: Seat) -> tuple[Standing, tuple[Event, ...]]:
    """Whoever moves is there, and has missed nothing."""
    if seat in standing.misses:
        misses = {one: count for one, count in standing.misses.items() if one != seat}
        standing = standing.but(misses=misses)
    if seat not in standing.state.away:
        return standing, ()
    left = tuple(one for one in standing.state.away if one != seat)
    state = standing.state.model_copy(update={"away": left})
    return standing.but(state=state), (Event(text=f"{{s{seat}}} is back.", kind="back"),)


def _is_same_window(before: Standing, after: Standing) -> bool:
    """Whether who was asked before is still asked the same: others came or went, sealed theirs, or may speak freely."""
    awaits = after.awaits
    if awaits != before.awaits or not isinstance(awaits, Expect):
        return awaits == before.awaits and not isinstance(awaits, Over)
    if after.turns == before.turns:
        return True  # nothing but a free move was made, if any
    were, are = (one.state.model_copy(update={"away": ()}) for one in (before, after))
    return awaits.anyone or were == are


def _is_stuck(standing: Standing) -> bool:
    awaits = standing.awaits
    if standing.stuck:
        return True
    if isinstance(awaits, Wait):
        return awaits.seconds <= 0
    if isinstance(awaits, Over):
        return False
    for seat in awaits.seats:  # noqa: SIM110 - a generator takes twice as long, and each step asks
        if standing.state.offers(seat):
            return False
    return True


def _numbers(move: Move) -> list[int]:
    """The numbers of a move's texts."""
    return [getattr(move, one.name) for one in parameters(type(move)) if one.what == "text"]


def _object(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise ValueError("a stored scene has something else where an object is to be")
    return value


def _number(value: Json) -> int:
    if not isinstance(value, int):
        raise ValueError("a stored scene has something else where a number is to be")
    return value


def _count(value: Json) -> int:
    if not 0 <= (number := _number(value)) <= HIGHEST_COUNT:
        raise ValueError("a stored scene has a number that nobody counts to")
    return number


def _list(value: Json) -> Sequence[Json]:
    if not isinstance(value, list):
        raise ValueError("a stored scene has something else where a list is to be")
    return value


def _over(stored: Mapping[str, Json]) -> Over:
    results = {int(seat): _result(one) for seat, one in _object(stored["results"]).items()}
    return Over(outcome=str(stored["outcome"]), results=results)


def _result(stored: Json) -> tuple[str, int]:
    if not isinstance(stored, list) or len(stored) != 2:
        raise ValueError("a stored scene has a result that is none")
    return str(stored[0]), _number(stored[1])
