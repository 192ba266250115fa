"""A HUD in the `text` format is read back by the lines it was written with."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.hud.formats.text import read_store
from bot.standin.memory import facts_of


def test_a_store_is_read_from_its_lines() -> None:
    lines = [
        'people."ann.lee".tea: "green: very"',
        'people."a \\"b\\"".trust: 0.8 (w 0.5)',
        'notes: ["a", "b"]',
        "(hidden for want of space: 3; read them with get: x)",
        "(empty)",
    ]
    held = {"people": {"ann.lee": {"tea": "green: very"}, 'a "b"': {"trust": 0.8}}, "notes": ["a", "b"]}
    assert read_store(lines) == held


def test_of_two_values_at_one_path_the_first_stands() -> None:
    assert read_store(["a.b: 1", "a.b: 2", "a: 3", "a.b.c: 4"]) == {"a": {"b": 1}}


def test_a_weighted_value_counts_as_its_value() -> None:
    assert list(facts_of({"a": {"b": {"v": 1, "w": 0.5}}})) == [(("a", "b"), 1)]


@given(st.text(max_size=200))
def test_any_text_can_stand_where_a_store_is_read(text: str) -> None:
    list(facts_of(read_store(text.splitlines())))
