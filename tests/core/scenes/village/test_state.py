"""A village is what an independent referee makes of it: bags, stocks, and who heard what."""

from collections import Counter

import pytest

from bot.core.scenes.village.ground import xy
from bot.core.scenes.village.kind import VILLAGE
from bot.core.scenes.village.state import Village
from tests.core.scenes.plays import dice, play_out
from tests.core.scenes.village.games import items_are_kept, refereed, state_of


@pytest.mark.long
def test_bodies_bags_and_stocks_are_what_an_independent_referee_makes_of_the_same_moves() -> None:
    slept = starved = 0
    for seed in range(25):
        for playing, referee in refereed(seed):
            state = state_of(playing)
            if state.turns_left == 0:
                continue  # it ends amid an hour then, which the referee plays to its end
            for seat, body in state.bodies.items():
                me = referee.people[seat]
                told = (xy(body.tile), body.hunger, body.energy, body.asleep, Counter(body.bag))
                assert told == (me.at, me.hunger, me.energy, me.asleep, +Counter(me.bag))
                assert 0 <= body.carried <= 10
                slept, starved = slept + body.asleep, starved + (body.hunger == 100)
            assert {place: dict(items) for place, items in state.stocks.items()} == referee.stocks
            assert playing.is_over or (state.hour, state.current) == (referee.hour, referee.turn)
    assert slept > 100
    assert starved > 100


@pytest.mark.long
def test_who_heard_what_follows_from_where_they_stood() -> None:
    talks = whispers = unheard = 0
    for seed in range(30):
        told = 0
        for playing, referee in refereed(seed):
            for event in playing.events[told:]:
                if event.kind == "talk":
                    assert event.audience == referee.heard(event.seat)
                    talks, unheard = talks + 1, unheard + (len(event.audience or ()) < len(playing.seats))
                elif event.kind == "whisper":
                    whispers += 1
                    assert event.audience is not None
                    one, other = (referee.people[seat].at for seat in event.audience)
                    assert abs(one[0] - other[0]) + abs(one[1] - other[1]) <= 1
            told = len(playing.events)
    assert min(talks, whispers, unheard) > 20


@pytest.mark.long
def test_nothing_comes_from_nothing_and_nothing_is_lost() -> None:
    for seed in range(25):
        before: Village | None = None
        for playing in play_out(VILLAGE, dice(seed), illegal=False):
            state = state_of(playing)
            assert before is None or items_are_kept(before, playing)
            before = state
