"""Payloads are stored small and read back the same."""

import pytest

from bot.core.errors import BadSetting
from bot.core.kinds import LetterKind
from bot.core.letters import (
    LANE,
    PAYLOADS,
    NoticePayload,
    Payload,
    PermissionPayload,
    ReactPayload,
    TopicPayload,
    is_marked,
    opening_topic,
    parse_payload,
    without_marker,
)
from bot.core.records import AgentId, MessageId, Snowflake


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (LetterKind.REACT, ReactPayload(message_id=MessageId(4), emoji="👍", added=False)),
        (LetterKind.TOPIC, TopicPayload(topic="Gardening")),
        (LetterKind.TOPIC, TopicPayload()),
        (LetterKind.PERMISSION, PermissionPayload(person_id=Snowflake(501), allowed=True)),
        (LetterKind.NOTICE, NoticePayload(text="Look here.")),
    ],
)
def test_a_payload_is_read_back_as_it_was_written(kind: LetterKind, payload: Payload) -> None:
    assert parse_payload(kind, payload.stored()) == payload


def test_every_kind_of_letter_has_a_payload_and_a_lane() -> None:
    assert set(PAYLOADS) == set(LANE) == set(LetterKind)


def test_a_payload_of_another_kind_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadSetting, match="react letter cannot be read"):
        parse_payload(LetterKind.REACT, {"text": "no"})


def test_a_topic_is_given_without_its_mark() -> None:
    agent_id = AgentId(12)
    assert without_marker(opening_topic("Roses", "Ada", agent_id), agent_id) == "Roses"
    assert without_marker("Roses [agent 12]", agent_id) == "Roses"  # as it once was
    assert without_marker("Roses", agent_id) == "Roses"


def test_a_channel_is_known_by_its_topic_in_the_old_words_too() -> None:
    topic = opening_topic("", "Wren", AgentId(1))
    assert topic == "Wren's room (agent 1)"
    assert is_marked(topic, AgentId(1))
    assert is_marked("Roses [agent 1]", AgentId(1))
    assert not is_marked(opening_topic("", "Wren", AgentId(11)), AgentId(1))
