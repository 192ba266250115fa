"""Who is next, in each of the ways there are."""

from collections import Counter
from itertools import pairwise

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.chat import CHAT, Chat, ChatOptions
from bot.core.scenes.kind import RULES, Expect, Ordering, Wait
from bot.core.scenes.play import Rule
from tests.core.scenes.plays import Playing, of


def talk(ordering: Ordering, seats: int = 4, seed: str = "seed", **more: object) -> Playing:
    return of(CHAT, ChatOptions.model_validate({"ordering": ordering, "turns": 200, **more}), seats, seed)


def current(playing: Playing) -> int:
    awaits = playing.standing.awaits
    assert isinstance(awaits, Expect)
    (seat,) = awaits.seats
    return seat


def order_of(playing: Playing, turns: int) -> list[int]:
    spoke = []
    for _ in range(turns):
        spoke.append(current(playing))
        playing.move(spoke[-1], "say", text="Well.")
    return spoke


def test_sequential_goes_round_and_leaves_out_who_is_away() -> None:
    playing = talk(Ordering.SEQUENTIAL)
    assert order_of(playing, 6) == [1, 2, 3, 4, 1, 2]
    playing.enter(RULES, Rule.AWAY, {"seat": 4})
    assert order_of(playing, 4) == [3, 1, 2, 3]
    playing.enter(RULES, Rule.BACK, {"seat": 4})
    assert order_of(playing, 5) == [1, 2, 3, 4, 1]


def test_random_gives_nobody_two_turns_running_all_about_as_many_and_the_same_for_the_same_seed() -> None:
    spoke = order_of(talk(Ordering.RANDOM), 120)
    assert all(one != after for one, after in pairwise(spoke))
    assert min(Counter(spoke).values()) > 15
    assert order_of(talk(Ordering.RANDOM), 120) == spoke
    assert order_of(talk(Ordering.RANDOM, seed="another"), 120) != spoke


def test_controlled_waits_without_a_call_until_the_starter_chooses_and_would_pause() -> None:
    playing = talk(Ordering.CONTROLLED)
    assert playing.standing.awaits == Wait(seconds=600, choices=(1, 2, 3, 4), pauses=True)
    with pytest.raises(Rejected):
        playing.move(1, "say", text="Well.")
    playing.enter(RULES, Rule.CHOOSE, {"seat": 3})
    assert current(playing) == 3
    playing.move(3, "say", text="Well.")
    assert isinstance(playing.standing.awaits, Wait)
    with pytest.raises(Rejected):
        playing.enter(RULES, Rule.CHOOSE, {"seat": 9})


def test_a_draw_may_give_the_same_seat_twice_running_where_that_is_chosen() -> None:
    spoke = order_of(talk(Ordering.RANDOM, twice=True), 120)
    assert any(one == after for one, after in pairwise(spoke))


def test_where_the_starter_names_nobody_in_time_the_next_speaks_if_that_is_chosen() -> None:
    playing = talk(Ordering.CONTROLLED, unchosen="sequential", choosing_minutes=2)
    assert playing.standing.awaits == Wait(seconds=120, choices=(1, 2, 3, 4), pauses=False)
    playing.enter(RULES, Rule.CHOOSE, {"seat": 3})
    playing.move(3, "say", text="Well.")
    playing.enter(RULES, Rule.DEADLINE)
    assert current(playing) == 4
    playing.move(4, "say", text="Well.")
    playing.enter(RULES, Rule.DEADLINE)
    assert current(playing) == 1


def test_a_moderator_schedules_and_what_it_names_beside_the_seats_is_dropped() -> None:
    playing = talk(Ordering.MODERATED)
    assert current(playing) == 1
    assert [form.move.name for form in playing.standing.state.legal(1)] == ["schedule"]
    playing.move(1, "schedule", seats=[3, 9, 1, 2])
    assert order_of(playing, 2) == [3, 2]
    assert current(playing) == 1


def test_a_moderator_that_names_nobody_three_times_is_asked_no_more_and_that_is_told_once() -> None:
    playing = talk(Ordering.MODERATED)
    told = playing.move(1, "schedule", seats=[7])
    assert order_of(playing, 3) == [2, 3, 4]
    told += playing.enter(RULES, Rule.DEADLINE)
    assert order_of(playing, 3) == [2, 3, 4]
    assert told == []
    told += playing.enter(RULES, Rule.DEADLINE)
    assert order_of(playing, 6) == [2, 3, 4, 2, 3, 4]
    assert told == ["From now on everybody speaks in the order of seats."]


def test_a_moderator_names_twelve_at_most_and_what_it_named_before_is_no_strike_any_more() -> None:
    playing = talk(Ordering.MODERATED)
    with pytest.raises(Rejected):
        playing.move(1, "schedule", seats=[2, 3] * 7)
    for _ in range(2):
        playing.move(1, "schedule", seats=[])
        order_of(playing, 3)
    state = playing.standing.state
    assert isinstance(state, Chat)
    assert state.order.strikes == 2
    playing.move(1, "schedule", seats=[3, 2] * 6)
    state = playing.standing.state
    assert isinstance(state, Chat)
    assert (state.order.strikes, state.order.ordering) == (0, Ordering.MODERATED)
    assert order_of(playing, 12) == [3, 2] * 6


def test_freely_anybody_may_speak_and_a_while_of_nothing_ends_it_without_a_miss() -> None:
    playing = talk(Ordering.FREE)
    window = playing.standing.window
    for seat in (4, 4, 1, 3):
        playing.move(seat, "say", text="Well.")
    assert playing.standing.window == window
    playing.enter(RULES, Rule.DEADLINE)
    assert playing.is_over
    assert not playing.standing.misses


def test_the_queue_is_in_what_is_stored() -> None:
    playing = talk(Ordering.MODERATED)
    playing.move(1, "schedule", seats=[3, 2, 4])
    state = playing.standing.state
    assert isinstance(state, Chat)
    assert (state.order.current, state.order.queue) == (3, (2, 4))
