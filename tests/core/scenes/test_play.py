"""The fold: windows, misses, being away, and that nothing is waited for in vain."""

from dataclasses import replace

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.kind import (
    RULES,
    Applied,
    Chance,
    Expect,
    Form,
    Move,
    Options,
    Ordering,
    Over,
    SceneKind,
    Secrecy,
    Seen,
    State,
)
from bot.core.scenes.play import FORCED_AT_MOST, STUCK, Entry, Play, Rule
from tests.core.scenes.plays import of


def test_three_misses_make_a_seat_away_and_a_move_brings_it_back() -> None:
    talk = of(CHAT, ChatOptions(turns=100), 3)
    told: list[str] = []
    for _ in range(3):
        talk.move(1, "say", text="Hello?")
        told = talk.enter(RULES, Rule.DEADLINE)
        talk.move(3, "say", text="Hello.")
    assert "{s2} is away." in told
    assert talk.standing.state.away == (2,)
    told = talk.enter(RULES, Rule.BACK, {"seat": 2})
    assert told == ["{s2} is back."]
    assert talk.standing.misses == {}


def test_a_move_takes_back_what_was_missed_before() -> None:
    talk = of(CHAT, ChatOptions(turns=100), 2)
    for _ in range(2):
        talk.move(1, "say", text="Hello?")
        talk.enter(RULES, Rule.DEADLINE)
    talk.move(1, "say", text="Hello?")
    assert talk.standing.misses == {2: 2}
    talk.move(2, "say", text="Here I am.")
    assert talk.standing.misses == {}


def test_another_turn_is_another_window_and_who_comes_or_goes_meanwhile_is_none() -> None:
    talk = of(CHAT, ChatOptions(turns=100), 3)
    assert talk.standing.window == 0
    talk.enter(RULES, Rule.AWAY, {"seat": 3})
    assert (talk.standing.step, talk.standing.window) == (1, 0)
    talk.move(1, "say", text="Hello.")
    assert talk.standing.window == 2


def test_when_it_is_over_nothing_more_is_entered() -> None:
    talk = of(CHAT, ChatOptions(turns=1), 2)
    talk.move(1, "say", text="Hello.")
    with pytest.raises(Rejected, match="It is over"):
        talk.enter(RULES, Rule.DEADLINE)


class Nod(Move):
    """Nod."""

    name = "nod"


class Nobody(State):
    """A kind with a fault: after the first nod it expects nobody, or somebody who can do nothing."""

    nodded: bool = False
    asks_in_vain: bool = False

    def next(self) -> Expect:
        return Expect(seats=self.seats[:1] if not self.nodded or self.asks_in_vain else ())

    def legal(self, seat: int) -> tuple[Form, ...]:
        return () if self.nodded else (Form(Nod),)

    def apply(self, seat: int, move: Move, chance: Chance) -> Applied:
        return Applied(self.model_copy(update={"nodded": True}))

    def timeout(self, seat: int) -> Move:
        return Nod()

    def closed(self, why: str) -> Over:
        return Over(outcome=why)

    def view(self, seat: int) -> Seen:
        return Seen(phase="nodding")


class NobodyOptions(Options):
    asks_in_vain: bool = False

    def begin(self, seats: tuple[int, ...], chance: Chance) -> Applied:
        return Applied(Nobody(seats=seats, asks_in_vain=self.asks_in_vain))


FAULTY = SceneKind(
    kind="nobody",
    version=1,
    title="Nobody",
    rules="",
    seats=(2, 3),
    secrecy=Secrecy.OPEN,
    orderings=(Ordering.RULES,),
    options=NobodyOptions,
    state=Nobody,
    moves=(Nod,),
)


class Nodding(Nobody):
    """A kind with another fault: it asks the first seat for ever, whether it is there or not."""

    nods: int = 0

    def next(self) -> Expect:
        return Expect(seats=self.seats[:1])

    def apply(self, seat: int, move: Move, chance: Chance) -> Applied:
        return Applied(self.model_copy(update={"nods": self.nods + 1}))


class NoddingOptions(Options):
    def begin(self, seats: tuple[int, ...], chance: Chance) -> Applied:
        return Applied(Nodding(seats=seats))


def test_a_scene_that_goes_on_by_itself_is_stuck_after_a_hundred_forced_moves() -> None:
    kind = replace(FAULTY, options=NoddingOptions, state=Nodding)
    play = Play(kind=kind, options=NoddingOptions(turns=400), seed="")
    begun = play.begin((1, 2)).standing
    standing = play.enter(begun, Entry(step=1, seat=RULES, move=Rule.AWAY, arguments={"seat": 1})).standing
    assert isinstance(standing.state, Nodding)
    assert (standing.stuck, standing.state.nods) == (True, FORCED_AT_MOST)
    assert standing.awaits == Over(outcome=STUCK)


@pytest.mark.parametrize("asks_in_vain", [False, True])
def test_a_scene_in_which_nobody_can_do_anything_is_stuck_and_ends(asks_in_vain: bool) -> None:
    play = Play(kind=FAULTY, options=NobodyOptions(asks_in_vain=asks_in_vain), seed="")
    begun = play.begin((1, 2)).standing
    standing = play.enter(begun, Entry(step=1, seat=1, move="nod")).standing
    assert standing.stuck
    assert standing.awaits == Over(outcome=STUCK)
