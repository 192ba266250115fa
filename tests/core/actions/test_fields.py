"""Parameters are read leniently and then held to their limits."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from bot.core.actions.fields import (
    LARGEST_FILE,
    LARGEST_ID,
    AgentRef,
    Count,
    DiscordId,
    FileText,
    Id,
    Label,
    Number,
    Percent,
    Secret,
    UtcTime,
    as_text,
)


def read(kind: Any, value: object) -> Any:  # noqa: ANN401 - each kind gives its own type
    return TypeAdapter(kind).validate_python(value)


def why(kind: Any, value: object) -> str:  # noqa: ANN401
    with pytest.raises(ValidationError) as refused:
        read(kind, value)
    return str(refused.value.errors()[0]["msg"])


@pytest.mark.parametrize("given_as", [12, "12", " #12 ", "#12"])
def test_an_id_may_be_written_as_people_write_it(given_as: object) -> None:
    assert read(Id, given_as) == 12


@pytest.mark.parametrize("kind", [Id, DiscordId, Count, Number])
@pytest.mark.parametrize("value", [True, False])
def test_yes_and_no_are_no_numbers(kind: object, value: bool) -> None:
    assert why(kind, value) == "Value error, give a number"


def test_numbers_have_ends() -> None:
    for kind, least, most in ((Id, 1, LARGEST_ID), (DiscordId, 1, 2**63 - 1), (Count, 1, 50)):
        assert (read(kind, least), read(kind, most)) == (least, most)
        assert why(kind, least - 1)
        assert why(kind, most + 1)
    for endless in ("nan", "inf", "-inf"):
        assert why(Number, endless)


def test_the_id_of_people_is_no_agents() -> None:
    for zero in (0, "0", " 0 "):
        assert "The Architect, who is no agent" in why(AgentRef, zero)
    assert read(AgentRef, "3") == 3


@pytest.mark.parametrize(
    ("value", "kept"),
    [("40", "40"), (40, "40"), (40.0, "40"), (" 40 % ", "40"), ("007", "7"), ("0", "0"), ("100", "100")]
    + [(word, "%*") for word in ("%*", "*", "*%", "Dynamic", "% *")],
)
def test_attention_is_a_percentage_or_dynamic(value: object, kept: str) -> None:
    assert read(Percent, value) == kept


@pytest.mark.parametrize("value", ["101", "-1", "4.5", "", "much", "²", "9" * 500])
def test_other_attention_is_refused(value: str) -> None:
    assert 'give "0" to "100"' in why(Percent, value)


def test_times_are_taken_to_utc() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert read(UtcTime, "2026-11-20T12:00:00") == noon
    assert read(UtcTime, "2026-11-20T14:00:00+02:00") == noon
    assert read(UtcTime, "2026-11-20T14:00:00+02:00").tzinfo is UTC
    assert "within this century" in why(UtcTime, "0001-01-01T00:00:00+02:00")


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-1_439, 1_439))  # noqa: DTZ001
def test_a_time_with_an_offset_is_the_same_moment(moment: datetime, minutes: int) -> None:
    there = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert read(UtcTime, there) == there


def test_labels_and_secrets_can_be_seen() -> None:
    for kind in (Label, Secret):
        assert read(kind, "guests of Ada ☂") == "guests of Ada ☂"
        assert why(kind, "guests\u202e!") == "Value error, use printable characters only"
    assert why(Secret, "abc")
    assert why(Label, "")
    assert why(Label, "x" * 65)


def test_a_file_is_measured_in_bytes() -> None:
    assert read(FileText, "é" * (LARGEST_FILE // 2))
    assert why(FileText, "é" * (LARGEST_FILE // 2) + "x") == "Value error, give at most 200 kB"


def test_a_number_is_taken_for_the_text_that_it_is() -> None:
    assert [as_text(value) for value in (3, 4.5, "five", True, None)] == ["3", "4.5", "five", True, None]
