"""The scripted mind lives in a village as one would: it eats, meets others, gives, talks, and reaches its goal."""

from collections import Counter

import pytest

from bot.core.scenes.village.kind import VILLAGE, VillageOptions
from bot.core.scenes.village.state import Village
from tests.standin.games import played_out

PLAY_OUTS = 10


@pytest.mark.long
@pytest.mark.parametrize("seats", [1, 4, 8])
def test_it_eats_in_time_and_meets_most_goals_with_words_gifts_and_company(seats: int) -> None:
    told: Counter[str] = Counter()
    for seed in range(PLAY_OUTS):
        playing, _ = played_out(VILLAGE, VillageOptions(rounds=36), seats, str(seed))
        state = playing.standing.state
        assert isinstance(state, Village)
        told += Counter(event.kind for event in playing.events)
        told["met"] += sum(deeds.goal_met for deeds in state.deeds.values())
        told["others"] += sum(len(deeds.met) for deeds in state.deeds.values())
        assert all(body.hunger < 100 for body in state.bodies.values())
    people = PLAY_OUTS * seats
    assert told["met"] >= 0.6 * people
    if seats > 1:
        assert told["talk"] >= people
        assert told["gift"] >= people // 2
        assert told["others"] >= people
