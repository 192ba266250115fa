"""Chance that is drawn the same again, and moves that are found by name."""

from bot.core.scenes.chat import CHAT, Say
from bot.core.scenes.kind import Chance


def test_chance_is_drawn_from_seed_step_and_purpose() -> None:
    chance = Chance("seed", 3)
    assert chance.below("die", 6) == Chance("seed", 3).below("die", 6)
    assert {Chance("seed", step).below("die", 6) for step in range(60)} == set(range(6))
    assert sorted(chance.shuffled("cards", range(10))) == list(range(10))


def test_a_move_is_found_by_its_name() -> None:
    assert CHAT.move_named("say") is Say
    assert CHAT.move_named("dance") is None
