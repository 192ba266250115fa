"""When the next beat may come: own pace, patience, and the grid on which members meet."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.config import CommunityConfig
from bot.core.due_times import EPOCH, ambient_beat_at, grid_seconds, leisure, lengthened, own_beat_at, rounded_up
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
        waits.append(lengthened(one, seat, config, new_lines=8))
    assert waits[1:] == [10, 20, 40, 80, 128, 128, 128]


def test_a_look_that_brings_little_makes_the_wait_in_a_slow_room_grow_on() -> None:
    config, one = CommunityConfig(), agent(interval_seconds=5)

    def after(wait: float, new_lines: int) -> float:
        return lengthened(one, membership(1, AgentId(1), patience_seconds=wait), config, new_lines=new_lines)

    assert [after(wait, 1) for wait in (64, 128, 256, 2_048, 4_096)] == [128, 256, 512, 4_096, 4_096]
    assert [after(512, lines) for lines in (4, 8, 9)] == [512, 512, 256]
    assert after(128, 20) == 128


def test_members_of_a_slow_room_look_together_whenever_they_looked_last_and_no_later_than_they_wait() -> None:
    patient = membership(1, AgentId(1), patience_seconds=4_096.0)
    ago = [agent(1, last_beat_at=later(-seconds)) for seconds in (10, 1_000, 2_000)]
    dues = {ambient_beat_at(one, patient, START) for one in ago}
    assert len({(due - EPOCH) % timedelta(seconds=4_096) for due in dues}) == 1
    punctual = agent(1, last_beat_at=rounded_up(START, 4_096) + timedelta(seconds=0.7))
    (now, due) = (rounded_up(START, 4_096) + timedelta(seconds=seconds) for seconds in (60, 4_096))
    assert ambient_beat_at(punctual, patient, now) == due


def test_who_comes_back_to_a_still_room_is_looked_at_within_two_minutes() -> None:
    patient = membership(1, AgentId(1), patience_seconds=2_048.0)
    rested = agent(1, last_beat_at=later(-3_600))
    assert ambient_beat_at(rested, patient, START) - START <= timedelta(seconds=128)


def test_a_quicker_agent_takes_less_time_within_bounds() -> None:
    took = [leisure(agent(1, interval_seconds=seconds)) for seconds in (1.0, 3.0, 5.0, 7.5, 10.0)]
    assert took == pytest.approx([0.4, 0.7, 1.0, 1.15, 1.3])
