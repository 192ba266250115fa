"""Payloads are stored small and read back the same."""

import pytest

from bot.adapters.cipher import AesCipher
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
    channel_marks,
    is_marked,
    opening_topic,
    parse_payload,
    without_marks,
)
from bot.core.records import AgentId, CommunityId, Letter, LetterId, MessageId, Snowflake
from tests.fakes import START, PlainCipher


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
    mark, *_ = channel_marks(door(12), PlainCipher().digests)
    assert without_marks(opening_topic("Roses", "Ada", mark)) == "Roses"
    assert without_marks("Roses [agent 12]") == without_marks("(agent 3) Roses") == "Roses"  # as it once was
    assert without_marks("Roses") == "Roses"


def test_a_channel_bears_a_mark_that_only_this_installation_can_write_and_only_for_this_letter() -> None:
    ours, others = AesCipher("a secret that is long enough"), AesCipher("the secret of another machine")
    [mark] = channel_marks(door(12), ours.digests)
    assert is_marked(opening_topic("", "Wren", mark))
    assert mark not in channel_marks(door(12), others.digests)
    assert mark not in channel_marks(door(12, letter_id=2), ours.digests)
    rotated = AesCipher("the secret of another machine", "a secret that is long enough")
    assert mark in channel_marks(door(12), rotated.digests)


def door(agent_id: int, *, letter_id: int = 1) -> Letter:
    return Letter(
        id=LetterId(letter_id),
        community_id=CommunityId(1),
        room_id=AgentId(agent_id),
        kind=LetterKind.CHANNEL,
        payload={},
        not_before=START,
        created_at=START,
    )
