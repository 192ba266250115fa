"""Both databases give back what was stored in them, exactly."""

from datetime import UTC, datetime, timedelta
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Table

from bot.core.actions import AlterAgent
from bot.core.changes import AgentColumns, KeyColumns, MembershipColumns, MessageColumns, RoomColumns
from bot.core.records import AccessKey, Agent, Membership, Message, Room
from storage.columns import from_microseconds, to_microseconds
from storage.convert import LYING_OTHERWISE
from storage.tables import AGENTS, KEYS, MEMBERSHIPS, MESSAGES, ROOMS

SOON, FAR = datetime(1970, 1, 1), datetime(2240, 1, 1)  # noqa: DTZ001 - hypothesis adds the zone


@given(st.datetimes(SOON, FAR, timezones=st.just(UTC)))
def test_a_moment_comes_back_to_the_microsecond(moment: datetime) -> None:
    assert from_microseconds(to_microseconds(moment)) == moment
    assert from_microseconds(to_microseconds(moment)).utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("columns", "record", "table"),
    [
        (AgentColumns, Agent, AGENTS),
        (RoomColumns, Room, ROOMS),
        (MembershipColumns, Membership, MEMBERSHIPS),
        (MessageColumns, Message, MESSAGES),
        (KeyColumns, AccessKey, KEYS),
    ],
)
def test_what_can_be_set_is_named_and_typed_as_in_its_record_and_lies_in_its_table(
    columns: type, record: type, table: Table
) -> None:
    types, whole = get_type_hints(columns), get_type_hints(record)
    assert types == {name: whole.get(name) for name in types}
    assert types.keys() - set(LYING_OTHERWISE) <= set(table.c.keys())


def test_an_agent_is_altered_by_the_names_of_its_columns() -> None:
    others = {"type", "agent_id", "background_prompt"}
    assert AlterAgent.model_fields.keys() - others <= AgentColumns.__annotations__.keys()
