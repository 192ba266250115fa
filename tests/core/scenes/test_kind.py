"""Chance that is drawn the same again, moves that are found by name, and states that are copied with other values."""

import dataclasses

import pytest
from pydantic import BaseModel

from bot.core.scenes.chat import CHAT, Say
from bot.core.scenes.kind import Chance, SceneKind
from bot.core.scenes.play import Changes
from bot.core.scenes.registry import KINDS
from tests.core.scenes.plays import dice, play_out


def test_chance_is_drawn_from_seed_step_and_purpose() -> None:
    chance = Chance("seed", 3)
    assert chance.below("die", 6) == Chance("seed", 3).below("die", 6)
    assert {Chance("seed", step).below("die", 6) for step in range(60)} == set(range(6))
    assert sorted(chance.shuffled("cards", range(10))) == list(range(10))


def test_a_move_is_found_by_its_name() -> None:
    assert CHAT.move_named("say") is Say
    assert CHAT.move_named("dance") is None


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: str(kind.kind))
def test_a_state_with_another_value_is_the_one_that_pydantic_would_copy_and_knows_nothing_of_the_old(
    kind: SceneKind,
) -> None:
    for playing in play_out(kind, dice(17), illegal=False):
        state = playing.standing.state
        changed = state.model_copy(update={"away": state.seats})
        assert changed == BaseModel.model_copy(state, update={"away": state.seats})
        assert "awaits" not in changed.__dict__
        assert "_offers" not in changed.__dict__
        deep = state.model_copy(deep=True)
        assert (deep, deep.model_dump()) == (state, state.model_dump())
        assert kind.parse(changed.model_dump(mode="json")) == changed


def test_a_standing_with_another_value_is_the_one_that_dataclasses_would_make() -> None:
    for playing in play_out(KINDS["council"], dice(4), illegal=False):
        standing = playing.standing
        assert standing.but(turns=7, stuck=True) == dataclasses.replace(standing, turns=7, stuck=True)
        assert set(Changes.__annotations__) == {one.name for one in dataclasses.fields(standing)}
