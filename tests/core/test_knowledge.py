import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.errors import Rejected
from bot.core.hud.knowledge import Known, Tally
from bot.core.knowledge import MISSING, appended, assigned, check_room, deleted, depth_of, parse_path, read
from bot.core.records import Json
from tests.fakes import CountedTokenizer, WordTokenizer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
WHOLE = st.dictionaries(st.text("abc", min_size=1, max_size=3), JSON, max_size=4)
PATHS = st.text('abc."[]0 1\\', max_size=12)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("people.Bob.trust", ("people", "Bob", "trust")),
        ('people."Ann Lee".trust', ("people", "Ann Lee", "trust")),
        ('"a.b"', ("a.b",)),
        ('"say \\"hi\\""', ('say "hi"',)),
        ("list[0][12].x", ("list", 0, 12, "x")),
        ("größe.日本", ("größe", "日本")),
        ("with space", ("with space",)),
    ],
)
def test_paths_are_split_at_dots(path: str, steps: tuple[str | int, ...]) -> None:
    assert parse_path(path) == steps


@pytest.mark.parametrize(
    "path", ["", ".a", "a.", "a..b", "[0]", "a[", "a[x]", "a]b", '"open', 'a"b"', "a" * 101, "a." * 12 + "a", "a[0]b"]
)
def test_a_path_that_cannot_be_read_is_rejected(path: str) -> None:
    with pytest.raises(Rejected):
        parse_path(path)


def test_set_makes_missing_objects_but_no_lists() -> None:
    assert assigned({}, "people.Bob.trust", 0.8).whole == {"people": {"Bob": {"trust": 0.8}}}
    with pytest.raises(Rejected, match="append makes one"):
        assigned({}, "list[0]", 1)
    assert assigned({"list": [1, 2]}, "list[1]", 3).whole == {"list": [1, 3]}
    with pytest.raises(Rejected, match="append adds one"):
        assigned({"list": [1, 2]}, "list[2]", 3)


def test_setting_under_a_scalar_or_through_a_list_is_rejected() -> None:
    with pytest.raises(Rejected, match='a plain value at "b"'):
        assigned({"a": 1}, "a.b", 2)
    with pytest.raises(Rejected, match='a list at "b"'):
        assigned({"a": [1]}, "a.b", 2)


def test_a_weight_is_kept_beside_the_value() -> None:
    assert assigned({}, "a", "x", 0.9).whole == {"a": {"v": "x", "w": 0.9}}
    assert appended({"a": {"v": [1], "w": 0.9}}, "a", 2).whole == {"a": {"v": [1, 2], "w": 0.9}}


def test_append_makes_a_list_of_nothing_and_of_a_scalar() -> None:
    assert appended({}, "a.b", 1).whole == {"a": {"b": [1]}}
    assert appended({"a": "x"}, "a", "y").whole == {"a": ["x", "y"]}
    assert appended({"a": None}, "a", "y").whole == {"a": [None, "y"]}
    with pytest.raises(Rejected, match="an object"):
        appended({"a": {"b": 1}}, "a", 2)


def test_delete_of_nothing_is_fine_and_of_an_item_closes_the_gap() -> None:
    assert deleted({"a": 1}, "b.c").whole == {"a": 1}
    assert deleted({"a": [1, 2, 3]}, "a[1]").whole == {"a": [1, 3]}
    assert deleted({"a": [{"b": 1, "c": 2}]}, "a[0].b").whole == {"a": [{"c": 2}]}
    assert deleted({"a": {"b": 1}}, "a.b").whole == {"a": {}}


def test_no_more_than_twelve_levels_and_a_hundred_characters_a_key() -> None:
    deep: Json = 1
    for _ in range(11):
        deep = {"x": deep}
    assert depth_of(assigned({}, "a", deep).whole) == 12
    with pytest.raises(Rejected, match="at most 12"):
        assigned({}, "a.b", deep)
    with pytest.raises(Rejected, match="1 to 100"):
        assigned({}, "a", {"k" * 101: 1})
    assert depth_of(appended({}, "a." * 10 + "a", "x").whole) == 12
    with pytest.raises(Rejected, match="at most 12"):
        appended({}, "a." * 11 + "a", "x")


def test_over_the_allocation_only_what_makes_it_smaller_is_taken() -> None:
    check_room(90, 100, 100)
    check_room(200, 150, 100)
    with pytest.raises(Rejected, match="free 20 tokens"):
        check_room(90, 120, 100)
    with pytest.raises(Rejected, match="free 20 tokens"):
        check_room(120, 120, 100)


@given(WHOLE, PATHS, JSON)
def test_what_was_set_is_read_back_and_the_old_whole_is_untouched(
    whole: dict[str, Json], path: str, value: Json
) -> None:
    before = json.dumps(whole)
    try:
        edit = assigned(whole, path, value)
    except Rejected:
        assert json.dumps(whole) == before
        return
    assert read(edit.whole, path) == value
    assert json.dumps(whole) == before
    undone = deleted(edit.whole, path) if edit.before is None else assigned(edit.whole, path, edit.before)
    assert undone.after == edit.before


@given(WHOLE, PATHS)
def test_after_a_delete_there_is_nothing_or_the_next_item(whole: dict[str, Json], path: str) -> None:
    try:
        there = read(whole, path)
        edit = deleted(whole, path)
    except Rejected:
        return
    assert (edit.whole == whole) is (there is MISSING)


def tallied(whole: dict[str, Json]) -> tuple[Tally, CountedTokenizer]:
    tokenizer = CountedTokenizer(WordTokenizer())
    tally = Tally(tokenizer)
    assert all(pause is None for pause in tally.fill(whole))
    return tally, tokenizer


@settings(deadline=None)
@given(WHOLE, st.lists(st.tuples(st.sampled_from(["set", "append", "delete"]), PATHS, JSON), max_size=6))
def test_a_tally_of_changes_comes_to_what_counting_all_anew_gives(
    whole: dict[str, Json], edits: list[tuple[str, str, Json]]
) -> None:
    tally, _ = tallied(whole)
    for what, path, value in edits:
        try:
            if what == "set":
                edit = assigned(whole, path, value, 0.5)
            else:
                edit = deleted(whole, path) if what == "delete" else appended(whole, path, value)
        except Rejected:
            continue
        tally.change(whole, edit.whole, path, 10_000)
        whole = edit.whole
        assert tally.tokens == Known(WordTokenizer(), whole).tokens


def test_of_fifty_changes_only_what_changed_is_counted() -> None:
    whole: dict[str, Json] = {f"key {number}": f"tea number {number} of the day" for number in range(2_000)}
    tally, tokenizer = tallied(whole)
    counted = tokenizer.characters
    for number in range(50):
        edit = assigned(whole, f"new{number}", "cake")
        tally.change(whole, edit.whole, f"new{number}", 100_000)
        whole = edit.whole
    assert 0 < tokenizer.characters - counted < 50 * 20


@pytest.mark.parametrize(("value", "taken"), [("word " * 1_000, 20), ("a", 50), ({"v": "x" * 6_000}, 16)])
def test_one_answer_changes_so_much_and_no_more(value: Json, taken: int) -> None:
    whole: dict[str, Json] = {}
    tally, tokenizer = tallied(whole)
    done = 0
    for number in range(50):
        edit = assigned(whole, f"k{number}", value)
        try:
            tally.change(whole, edit.whole, f"k{number}", 10**9)
        except Rejected as error:
            assert "next beat" in error.sentence
            continue
        whole, done = edit.whole, done + 1
    assert taken - 2 <= done <= taken
    assert tokenizer.characters <= 100_000


def test_no_value_grows_without_end_and_no_mind() -> None:
    whole: dict[str, Json] = {"l": ["word " * 100] * 19}
    tally, _ = tallied(whole)
    with pytest.raises(Rejected, match="at most 10,000 characters with its path"):
        tally.change(whole, appended(whole, "l", "word " * 100).whole, "l", 10**9)
    tally.change(whole, assigned(whole, "l", "less").whole, "l", 10**9)
    full: dict[str, Json] = {f"k{number}": number for number in range(10_000)}
    tally, _ = tallied(full)
    with pytest.raises(Rejected, match="at most 10,000 values"):
        tally.change(full, assigned(full, "more", 1).whole, "more", 10**9)
    tally.change(full, deleted(full, "k1").whole, "k1")
