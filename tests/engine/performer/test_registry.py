"""Every action has one handler, and asks only for what exists."""

import pytest

from bot.core.actions import CATALOGUE, Action
from bot.engine.performer import HANDLERS
from bot.engine.performer.registry import ASKED, Asks, handles


class Poke(Action):
    """An action of this test alone."""


def test_a_function_becomes_the_handler_and_what_it_asks_for_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[type[Action], object] = {}
    asked: dict[type[Action], Asks] = {}
    monkeypatch.setattr("bot.engine.performer.registry.HANDLERS", found)
    monkeypatch.setattr("bot.engine.performer.registry.ASKED", asked)

    @handles(Poke, asks=Asks.FOUND)
    def poke(work: object, action: Poke) -> str:
        return "Poked."

    assert found == {Poke: poke} and asked == {Poke: Asks.FOUND}
    assert poke(None, Poke.model_construct()) == "Poked."


def test_every_action_and_nothing_else_is_handled() -> None:
    assert set(HANDLERS) == {one.model for one in CATALOGUE}
    assert ASKED.keys() <= HANDLERS.keys() and set(ASKED.values()) == set(Asks)
