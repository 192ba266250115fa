"""A village is what an independent referee makes of it: bags, stocks, and who heard what."""

from collections import Counter

import pytest

from bot.core.scenes.village.bodies import full_stocks, grown
from bot.core.scenes.village.ground import xy
from bot.core.scenes.village.kind import VILLAGE
from bot.core.scenes.village.state import Village
from tests.core.scenes.plays import Playing, dice, play_out
from tests.core.scenes.village.games import refereed, state_of


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
            if before is not None:
                eaten, growth = _eaten(playing), _growth(before, state)
                assert _everything(state) == _everything(before) - eaten + growth
            before = state


def _everything(state: Village) -> Counter[str]:
    found: Counter[str] = Counter()
    for body in state.bodies.values():
        found += Counter(body.bag)
    for items in state.stocks.values():
        found += Counter(items)
    return found


def _eaten(playing: Playing) -> Counter[str]:
    step = playing.standing.step
    told = [one.text or "" for one in playing.events if one.step == step and " eats " in (one.text or "")]
    counts = Counter[str]()
    for text in told:
        count, item = text.rstrip(".").split(" eats ")[1].split(" ")
        counts[item] += int(count)
    return counts


def _growth(before: Village, after: Village) -> Counter[str]:
    """Give what grew at the dawns between the two, from the stocks as they were just before them."""
    dawns = after.hour // 24 - before.hour // 24
    grew: Counter[str] = Counter()
    full = full_stocks(after.plenty, len(after.seats))
    # what was gathered in this step was taken before the sun rose
    taken = {(place, item): 0 for place, items in before.stocks.items() for item in items}
    for seat, body in after.bodies.items():
        for item, count in body.bag.items():
            more = count - before.bodies[seat].bag.get(item, 0)
            place = before.ground.place_at(before.bodies[seat].tile)
            if more > 0 and seat == before.current and place is not None and (place.name, item) in taken:
                taken[place.name, item] += more
    stocks = {
        name: {item: count - taken[name, item] for item, count in items.items()}
        for name, items in before.stocks.items()
    }
    for _ in range(dawns):
        later = grown(stocks, full)
        for name, items in later.items():
            for item, count in items.items():
                grew[item] += count - stocks[name][item]
        stocks = {name: dict(items) for name, items in later.items()}
    return grew
