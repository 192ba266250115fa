"""When the next beat may come: own pace, patience, and the grid on which members meet."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.cadence import EPOCH, ambient_beat_at, grid_seconds, lengthened, own_beat_at, rounded_up
from bot.core.config import CommunityConfig
from bot.core.records import AgentId
from tests.factories import agent, later, membership
from tests.fakes import START


@pytest.mark.parametrize(
    ("wait", "grid"), [(1, 1), (1.5, 1), (2, 2), (5, 4), (10, 8), (20.2, 16), (96, 64), (128, 128)]
)
def test_the_grid_is_the_largest_power_of_two_not_above_the_wait(wait: float, grid: int) -> None:
    assert grid_seconds(wait) == grid


@given(st.integers(0, 10**10), st.sampled_from([1, 2, 4, 8, 16, 32, 64, 128]))
def test_rounding_up_gives_the_next_multiple(milliseconds: int, grid: int) -> None:
    at = EPOCH + timedelta(milliseconds=milliseconds)
    rounded = rounded_up(at, grid)
    assert timedelta(0) <= rounded - at < timedelta(seconds=grid)
    assert (rounded - EPOCH) % timedelta(seconds=grid) == timedelta(0)


def test_an_agent_that_rested_long_enough_beats_at_the_next_slot() -> None:
    assert own_beat_at(agent(), later(0.2)) == later(1)
    assert own_beat_at(agent(last_beat_at=later(-60)), START) == START


def test_an_agent_that_has_just_beaten_waits_for_its_interval() -> None:
    busy = agent(interval_seconds=5, last_beat_at=START)
    assert own_beat_at(busy, later(1)) == later(5)
    assert own_beat_at(busy, later(1), stretch=2) == later(10)


def test_members_of_different_pace_look_at_a_room_together_once_they_are_patient() -> None:
    seats = [membership(id, 9, patience_seconds=128.0) for id in (1, 2, 3)]
    them = [agent(id, interval_seconds=float(id * 3), last_beat_at=later(id)) for id in (1, 2, 3)]
    dues = {ambient_beat_at(one, seat, later(10)) for one, seat in zip(them, seats, strict=True)}
    assert len(dues) == 1


def test_patience_doubles_from_the_interval_up_to_its_limit() -> None:
    config, one = CommunityConfig(), agent(interval_seconds=5)
    waits = [0.0]
    for _ in range(7):
        seat = membership(1, AgentId(1), patience_seconds=waits[-1] or None)
        waits.append(lengthened(one, seat, config))
    assert waits[1:] == [10, 20, 40, 80, 128, 128, 128]
