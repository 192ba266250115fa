"""Kinds are found by name, and each has a module of its own."""

import pytest

from bot.core.errors import NotFound
from bot.core.scenes.registry import KINDS, kind_named


def test_a_kind_is_found_by_its_name_and_another_name_says_which_ones_there_are() -> None:
    assert kind_named("council").title == "Council"
    with pytest.raises(NotFound, match="There is no scene 'chess': choose chat or council"):
        kind_named("chess")


def test_every_kind_is_what_it_says_it_is() -> None:
    for name, kind in KINDS.items():
        assert kind.kind == name
        assert name in kind.state.__module__.split(".")
        assert kind.seats[0] <= kind.seats[1]
        assert kind.speech == "" or kind.move_named(kind.speech) is not None
        assert kind.options().ordering in kind.orderings
