"""Kinds are found by name, and each has a module of its own."""

from dataclasses import replace

import pytest

from bot.core.errors import NotFound
from bot.core.records import Json
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.digests import digest_of
from bot.core.scenes.kind import State
from bot.core.scenes.registry import KINDS, KINDS_BEFORE, kind_named
from bot.core.scenes.showing import play_of
from tests.core.scenes.plays import of
from tests.core.scenes.surfaces import scene_at


def test_a_kind_is_found_by_its_name_and_another_name_says_which_ones_there_are() -> None:
    assert kind_named("council").title == "Council"
    with pytest.raises(NotFound, match="There is no scene 'chess': choose chat or council"):
        kind_named("chess")


def test_every_kind_is_what_it_says_it_is() -> None:
    for name, kind in KINDS.items():
        assert kind.kind == name
        assert name in kind.state.__module__.split(".")
        assert kind.seats[0] <= kind.seats[1]
        assert all(kind.move_named(one) is not None for one in kind.speech)
        assert kind.options().ordering in kind.orderings


def test_a_scene_of_the_version_before_is_played_on_with_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    playing, after = of(CHAT, ChatOptions(), 2), replace(CHAT, version=4)
    before = scene_at(playing, playing.standing)
    monkeypatch.setitem(KINDS, "chat", after)
    assert play_of(before) is None
    monkeypatch.setitem(KINDS_BEFORE, ("chat", 3), CHAT)
    found = play_of(before)
    assert found is not None
    assert found.kind is CHAT


WORDS = {"title", "description"}
SHAPES = {
    ("chat", 1): "e3a365c89b3a",
    ("chat", 2): "c67902ad9466",
    ("chat", 3): "c67902ad9466",
    ("council", 1): "c845dbfd247c",
    ("council", 2): "ea238451e8a4",
    ("council", 3): "201025106d3f",
    ("landlord", 1): "908941771910",
    ("village", 1): "f0d2e1e13caf",
    ("werewolf", 1): "555f4a4a4891",
}


def test_a_kind_whose_state_is_otherwise_made_has_another_version() -> None:
    """What was begun before is folded again by these rules, and its digests would differ."""
    every = (*KINDS.values(), *KINDS_BEFORE.values())
    assert {(one.kind, one.version): _shape(one.state) for one in every} == SHAPES


def _shape(state: type[State]) -> str:
    """Give what stands for the names and types of a state's fields, whatever is said of them in words."""
    return digest_of({"fields": _fields(state.model_json_schema())})[:12]


def _fields(part: Json) -> Json:
    if isinstance(part, list):
        return [_fields(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {name: _fields(one) for name, one in part.items() if not (name in WORDS and isinstance(one, str))}
