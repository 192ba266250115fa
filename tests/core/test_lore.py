"""Lorebooks: what is read of a card's, and what brings it up."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.lore import (
    BOOK,
    LONGEST_BOOK,
    LONGEST_CONTENT,
    MOST_ENTRIES,
    as_card,
    as_kept,
    chosen,
    lorebook_of,
    triggered,
)
from bot.core.records import NO_LORE, Json, Lorebook

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


def entry(*keys: str, content: str = "It burnt down in 1902.", **more: Json) -> dict[str, Json]:
    return {"keys": list(keys), "content": content, "enabled": True, "insertion_order": 0, "extensions": {}, **more}


def read(*entries: dict[str, Json], **book: Json) -> Lorebook:
    return lorebook_of({"entries": [*entries], **book}, lambda text: text.replace("{{char}}", "Wren")).book


def called(book: Lorebook, *words: str) -> list[str]:
    return [one.content for one in triggered(book, words)]


def test_an_entry_comes_up_while_one_of_its_words_is_spoken_of() -> None:
    book = read(entry("old mill", "Tom's mill"))
    assert called(book, "Nobody goes to the OLD\nmill now") == ["It burnt down in 1902."]
    assert called(book, "and Tom's  mill?") == ["It burnt down in 1902."]
    assert called(book, "the old windmill", "an old, proud mill-er") == []


@pytest.mark.parametrize(("words", "comes"), [("the Mill", True), ("the mill", False)])
def test_an_entry_may_look_at_capitals(words: str, *, comes: bool) -> None:
    assert bool(called(read(entry("Mill", case_sensitive=True)), words)) is comes


def test_words_of_scripts_without_blanks_are_found_within_others() -> None:
    assert called(read(entry("水車")), "昔の水車小屋へ行こう")


def test_a_selective_entry_wants_a_word_of_either_list() -> None:
    book = read(entry("mill", selective=True, secondary_keys=["fire", "smoke"]))
    assert called(book, "the mill") == []
    assert called(book, "smoke over the mill") != []
    loose = read(entry("mill", selective=False, secondary_keys=["fire"]))
    assert called(loose, "the mill") != []


def test_what_comes_up_may_bring_up_more_twice_and_no_further() -> None:
    chain = [entry(name, content=f"See {after}.") for name, after in zip("abcd", "bcde", strict=True)]
    for one, name in zip(chain, ["aa", "bb", "cc", "dd"], strict=True):
        one["keys"], one["content"] = [name], f"See {chr(ord(name[0]) + 1) * 2}."
    assert called(read(*chain, recursive_scanning=True), "aa") == ["See bb.", "See cc.", "See dd."]
    assert called(read(*chain), "aa") == ["See bb."]


def test_what_is_always_known_comes_up_by_itself() -> None:
    assert called(read(entry(constant=True)), "hello") == ["It burnt down in 1902."]


def test_what_fits_is_chosen_by_priority_and_shown_in_order() -> None:
    book = read(
        entry("x", content="first", insertion_order=1, priority=1),
        entry("x", content="second", insertion_order=2, priority=9),
        entry("x", content="third", insertion_order=3, priority=5),
    )
    assert [one.content for one in chosen(book, triggered(book, ["x"]), lambda _: 10, 25)] == ["second", "third"]
    assert chosen(book, triggered(book, ["x"]), lambda _: 10, 0) == ()


@pytest.mark.parametrize(
    "row",
    [
        entry("mill", enabled=False),
        entry("mill", content="  "),
        entry(),
        entry("!!!"),
        entry("mill", use_regex=True),
        entry("/mill|tower/i"),
        {"keys": "mill", "content": "x"},
        {"keys": ["mill"], "content": 3},
    ],
    ids=["off", "empty", "no words", "no letters", "regular expression", "written as one", "no list", "no text"],
)
def test_what_cannot_come_up_is_left_out(row: dict[str, Json]) -> None:
    assert read(row) == NO_LORE


def test_a_world_by_number_is_read_as_well() -> None:
    world: Mapping[str, Json] = {
        "0": {"key": ["mill"], "keysecondary": [], "content": "Burnt.", "comment": "The mill", "disable": False}
    }
    book = lorebook_of({"entries": dict(world)}, str).book
    assert [(one.name, one.keys) for one in book.entries] == [("The mill", ("mill",))]


def test_placeholders_are_filled_in_and_decorators_left_out() -> None:
    book = read(entry("{{char}}", content="@@depth 4\n{{char}} was born here."))
    assert called(book, "wren?") == ["Wren was born here."]


def test_of_a_book_with_very_many_words_those_of_the_first_entries_count() -> None:
    rows = [entry(*(f"word{n} {at}" for at in range(10)), selective=True, secondary_keys=["x"] * 9) for n in range(90)]
    assert len(read(*rows).entries) == 26


def test_a_huge_book_is_used_as_far_as_it_goes_the_most_important_first() -> None:
    rows = [entry(f"word{n}", content="y" * LONGEST_CONTENT, priority=n) for n in range(500)]
    found = lorebook_of({"entries": [*rows]}, str)
    assert found.there == 500
    assert len(found.book.entries) <= MOST_ENTRIES
    assert sum(len(one.content) for one in found.book.entries) <= LONGEST_BOOK
    assert found.book.entries[0].priority == 499


@given(JSON)
def test_whatever_a_card_holds_becomes_a_book_that_can_be_kept(value: Json) -> None:
    book = lorebook_of({"entries": [value], "scan_depth": value, "token_budget": value}, str).book
    kept = as_kept(book)
    assert (BOOK.validate_json(json.dumps(kept)) if kept is not None else NO_LORE) == book
    assert 1 <= book.depth <= 20
    triggered(book, ["some words"])


def test_a_book_goes_out_as_it_came_in() -> None:
    book = read(
        entry("mill", name="The mill", selective=True, secondary_keys=["fire"], priority=3, insertion_order=7),
        entry(constant=True, content="Always."),
        scan_depth=9,
        token_budget=300,
        recursive_scanning=True,
    )
    assert lorebook_of(as_card(book), str).book == book
