"""What of a world may come into life, and by what it is chosen."""

import json
import sys

import pytest

from bot.core.actions import Append, Set
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId, Focus, Json, Mind, Side
from bot.core.timelines.merging import MOST_TAKEN, Item, What, chosen, offered, origin_of
from bot.core.timelines.records import NodeId, TreeId

WREN = AgentId(1)
HERE = (WREN, Side(0))


def mind(side: int = 0, focus: Focus | None = None, **knowledge: Json) -> Mind:
    return Mind(agent_id=WREN, side=Side(side), knowledge=knowledge, focus=focus or Focus())


def knowing(knowledge: dict[str, Json]) -> Mind:
    return Mind(agent_id=WREN, side=Side(0), knowledge=knowledge)


def told(fork: Mind, live: Mind, node: Mind) -> list[Item]:
    return offered({HERE: fork}, {HERE: live}, {HERE: node})


def test_only_what_is_in_the_world_and_neither_at_the_fork_nor_live_is_offered() -> None:
    assert told(mind(a=1, b=2), mind(a=1, b=2), mind(a=1)) == []  # what is gone there stays here
    assert told(mind(a=1), mind(a=5), mind(a=1)) == []  # what only life changed is life's
    assert told(mind(a=1), mind(a=2), mind(a=2)) == []
    (one,) = told(mind(a=1), mind(a=1), mind(a=2))
    assert (one.what, one.name, one.fork, one.live, one.node, one.is_changed) == (What.KNOWLEDGE, "a", 1, 1, 2, False)
    assert told(mind(a=1), mind(a=3), mind(a=2))[0].is_changed


def test_an_object_that_is_new_comes_whole_and_a_list_that_grew_grows_here() -> None:
    (one,) = told(mind(), mind(), mind(people={"mira": {"trust": 1, "role": "cook"}}))
    assert one.actions == (Set(path="people", value={"mira": {"trust": 1, "role": "cook"}}),)
    (one,) = told(mind(people={"bo": 1}), mind(people={"bo": 1}), mind(people={"bo": 1, "mira": {"trust": 1}}))
    assert one.name == "people.mira"
    (one,) = told(mind(seen=["fox"]), mind(seen=["fox", "owl"]), mind(seen=["fox", "bear"]))
    assert one.actions == (Append(path="seen", value="bear"),)


def test_nothing_of_a_closed_scene_is_offered() -> None:
    side = Side(-3)
    assert offered({}, {}, {(WREN, side): mind(side=-3, role="wolf")}) == []


def test_a_mark_is_another_once_anything_is_otherwise_and_a_name_has_to_mean_one() -> None:
    items = told(mind(), mind(), mind(mood="wild", focus=Focus(notes=("mood",))))
    known, note = items
    assert chosen(items, f"{known.mark}+{note.mark}") == items
    with pytest.raises(Rejected, match="Several are called that"):
        chosen(items, "Mood")
    for gone in ("abcdef", f"{known.mark}+abcdef", told(mind(), mind(mood="calm"), mind(mood="wild"))[0].mark):
        with pytest.raises(NotFound, match="look again"):
            chosen(items, gone)
    assert chosen(items, "all") == items
    assert origin_of(TreeId(3), NodeId(14)) == "what-if 3/14"


class Word(str):
    """A text that counts how often any is hashed or compared."""

    looked_at = 0

    def __hash__(self) -> int:
        Word.looked_at += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        Word.looked_at += 1
        return super().__eq__(other)


def work(monkeypatch: pytest.MonkeyPatch, *minds: Mind) -> int:
    """Give what is called, hashed and compared to work out what is offered, which no load of the machine changes."""
    calls, write = 0, json.dumps

    def called(frame: object, event: str, of: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    with monkeypatch.context() as patch:
        patch.setattr(json, "dumps", lambda value, **how: Word(write(value, **how)))
        Word.looked_at = 0
        sys.setprofile(called)
        try:
            told(*minds)
        finally:
            sys.setprofile(None)
    return calls + Word.looked_at


def test_what_takes_long_grows_no_faster_than_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def known(many: int, value: str) -> Mind:
        return knowing({Word(f"k{number}"): Word(value) for number in range(many)})

    def listed(many: int, word: str) -> Mind:
        items: Json = [Word(f"{word} {number}") for number in range(many)]
        return mind(seen=items)

    def wide(many: int) -> int:
        return work(monkeypatch, mind(), known(many, "was"), known(many, "is"))

    def long(many: int) -> int:
        return work(monkeypatch, mind(seen=[]), listed(many, "life"), listed(many, "world"))

    for one in (wide, long):
        assert 100 < one(100) < one(800) < 8 * 1.05 * one(100)


def test_a_list_that_grew_by_several_leaves_one_line_of_history() -> None:
    (one,) = told(mind(seen=["fox"]), mind(seen=["fox", "owl"]), mind(seen=["fox", "bear", "owl", "hare"]))
    assert one.actions == (Set(path="seen", value=["fox", "owl", "bear", "hare"]),)
    assert told(mind(seen=["fox"]), mind(seen=["fox", "owl", "bear"]), mind(seen=["fox", "bear"])) == []


def test_what_no_path_leads_to_keeps_nothing_else_from_being_offered() -> None:
    deep: Json = 1
    for _ in range(3):
        deep = {"\u200b" * 100: deep}
    odd: dict[str, Json] = {"a\nb": 1, "deep": {"er": deep}}
    found = told(
        mind(deep={"er": {"\u200b" * 100: {"\u200b" * 100: {}}}}),
        mind(deep={"er": {"\u200b" * 100: {}}}),
        knowing({"mood": "wild", **odd}),
    )
    assert "mood" in [one.name for one in found]
    assert all(len(one.name) <= 1_500 for one in found)


def test_more_than_comes_over_in_a_moment_is_refused() -> None:
    items = told(mind(), mind(), knowing({f"k{number}": number for number in range(MOST_TAKEN + 1)}))
    with pytest.raises(Rejected, match="501 things, of 500 at most"):
        chosen(items, "all")
    assert len(chosen(items[1:], "all")) == MOST_TAKEN
