"""Parts of nested values: what has another shape is as good as nothing."""

import pytest

from bot.core.hud.values import entries, fields
from bot.core.records import Json


@pytest.mark.parametrize("value", [None, 1, "a", True, [], [1, "b"]])
def test_what_is_no_object_has_no_fields(value: Json) -> None:
    assert fields(value) == {}
    assert fields({"a": value}) == {"a": value}


def test_entries_are_the_objects_of_a_list() -> None:
    assert entries([{"a": 1}, 2, None, {"b": []}]) == [{"a": 1}, {"b": []}]
    others: list[Json] = [None, {"a": 1}, "a", 3]
    assert [entries(value) for value in others] == [[]] * len(others)
