"""What cannot be stored, sent or shown is left out of data, whoever wrote it."""

import pytest

from bot.core.actions import Append, Set
from bot.core.records import Json
from bot.core.storable import cleaned
from cogs.knowledge import value_of


def test_what_can_be_kept_stays_as_it_is() -> None:
    whole: Json = {"a": [1, 2.5, True, None, "tea\n\tand 🦊"], "b": {"c": -(10**29)}}
    assert cleaned(whole) == whole


@pytest.mark.parametrize(
    ("odd", "kept"),
    [
        (float("inf"), "inf"),
        ([float("-inf")], ["-inf"]),
        ({"a": {"b": float("nan")}}, {"a": {"b": "nan"}}),
        (10**30, "a very large number"),
        ("a\x00b\x1b[31m", "ab[31m"),
        ({"half\ud800": "\udfff"}, {"half?": "?"}),
    ],
)
def test_what_cannot_is_left_out(odd: Json, kept: Json) -> None:
    assert cleaned(odd) == kept


@pytest.mark.parametrize("typed", ["1e400", "[-1e999]", '{"a": {"b": 1e400}}', "9" * 3_000])
def test_no_manager_can_type_a_value_that_is_no_json(typed: str) -> None:
    for action in (Set(path="a", value=value_of(typed)), Append(path="a", value=value_of(typed))):
        assert action.value == cleaned(value_of(typed)) != value_of(typed)
