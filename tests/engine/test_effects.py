"""Reactions, billboards, topics, names, channels, permissions and notices reach Discord."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.core.changes import AddLetter, AgentColumns, SetOverride, UpdateAgent, UpdateRoom
from bot.core.kinds import LetterKind, Visibility
from bot.core.letters import (
    BillboardPayload,
    NoticePayload,
    Payload,
    PermissionPayload,
    ReactPayload,
    RenamePayload,
    TopicPayload,
)
from bot.core.records import Snowflake
from tests.engine.recording import LOST_AFTER
from tests.engine.town import ADA, ADAS, Town, town


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        yield made


async def send(here: Town, kind: LetterKind, payload: Payload | None = None) -> None:
    stored: dict[str, Any] = payload.stored() if payload else {}
    await here.apply(AddLetter(kind=kind, room_id=ADA, payload=stored, not_before=here.clock.now()))


async def test_an_agents_reaction_is_the_bots_on_the_message(here: Town) -> None:
    event = await here.hear("Nice, Ada!")
    [heard] = await here.history()
    await send(here, LetterKind.REACT, ReactPayload(message_id=heard.id, emoji="❤️"))
    await here.deliver()
    assert here.publisher.done == [("react", event.message_id, "❤️", True)]


async def test_of_several_topics_only_the_newest_is_sent(here: Town) -> None:
    for topic in ("one", "two", "three"):
        await here.apply(UpdateRoom(room_id=ADA, fields={"topic": topic}))
        await send(here, LetterKind.TOPIC, TopicPayload(topic=topic))
    await here.deliver()
    assert here.publisher.done == [("channel", None, "three")]


async def test_a_billboard_is_shown_and_taken_down(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"billboard": "Roses today"}))
    await send(here, LetterKind.BILLBOARD, BillboardPayload(text="Roses today"))
    await here.deliver()
    await here.apply(UpdateRoom(room_id=ADA, fields={"billboard": ""}))
    await send(here, LetterKind.BILLBOARD, BillboardPayload())
    await here.deliver()
    assert here.publisher.done == [("billboard", "Roses today"), ("billboard", "")]


async def test_a_new_name_renames_the_channel(here: Town) -> None:
    await here.apply(UpdateAgent(agent_id=ADA, fields={"name": "Rosa"}))
    await send(here, LetterKind.RENAME, RenamePayload(name="Rosa"))
    await here.deliver()
    assert here.publisher.done == [("channel", "Rosa", None)]


async def test_a_channel_is_made_once_though_the_answer_was_lost(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": None, "visibility": Visibility.PRIVATE}))
    here.publisher.trouble.append(LOST_AFTER)
    await send(here, LetterKind.CHANNEL)
    await here.deliver()
    await here.deliver(10)
    [(topic, made)] = here.publisher.channels.items()
    assert topic.startswith("Ada's room (agent 1 #")
    assert (await here.view()).all_rooms[ADA].channel_id == made


@pytest.mark.parametrize("topic", ["Roses", ""])
async def test_the_mark_leaves_the_topic_when_the_channel_is_known(here: Town, topic: str) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": None, "topic": topic}))
    await send(here, LetterKind.CHANNEL)
    await here.deliver()
    await here.deliver()
    assert here.publisher.done == [("channel", None, topic)]


async def test_what_is_said_before_the_channel_is_there_waits_for_it(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": None}))
    await here.say(ADA, "My first words.")
    await here.deliver()
    assert here.publisher.said() == []
    await send(here, LetterKind.CHANNEL)
    await here.deliver()
    await here.deliver(3)
    assert here.publisher.said() == ["My first words."]


async def test_a_channel_that_is_never_made_is_not_waited_for_without_end(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": None}))
    await here.say(ADA, "My first words.")
    await here.deliver(23 * 3_600)
    assert len(await here.waiting()) == 1
    await here.deliver(2 * 3_600)
    assert await here.waiting() == []


async def test_a_person_is_let_in_and_out(here: Town) -> None:
    await send(here, LetterKind.PERMISSION, PermissionPayload(person_id=Snowflake(501), allowed=True))
    await send(here, LetterKind.PERMISSION, PermissionPayload(person_id=None, allowed=False))
    await here.deliver()
    assert here.publisher.done == [("allow", 501, True), ("allow", None, False)]


async def test_a_retired_agents_channel_is_read_only(here: Town) -> None:
    await here.apply(UpdateAgent(agent_id=ADA, fields={"retired_at": here.clock.now()}))
    await send(here, LetterKind.PERMISSION, PermissionPayload(allowed=True))
    await here.deliver()
    await here.apply(UpdateAgent(agent_id=ADA, fields={"retired_at": None}))
    await send(here, LetterKind.PERMISSION, PermissionPayload(allowed=True))
    await here.deliver()
    assert here.publisher.done == [("allow", None, True, "read-only"), ("allow", None, True)]


async def test_notices_go_to_the_managers_the_room_or_one_person(here: Town) -> None:
    await here.apply(SetOverride(name="managers_channel_id", value=55))
    await send(here, LetterKind.NOTICE, NoticePayload(text="one"))
    await send(here, LetterKind.NOTICE, NoticePayload(text="two", to_managers=False))
    await send(here, LetterKind.NOTICE, NoticePayload(text="three", person_id=Snowflake(501)))
    await here.deliver()
    assert here.publisher.done == [("notify", 55, "one"), ("notify", ADAS, "two"), ("tell", 501, "three")]


async def test_without_a_managers_channel_a_notice_is_only_in_the_log(here: Town) -> None:
    await send(here, LetterKind.NOTICE, NoticePayload(text="one"))
    await here.deliver()
    assert here.publisher.done == []
    assert await here.waiting() == []


async def test_letters_of_a_retired_agent_without_a_channel_are_let_go(here: Town) -> None:
    retired = AgentColumns(retired_at=here.clock.now())
    await here.apply(UpdateRoom(room_id=ADA, fields={"channel_id": None}), UpdateAgent(agent_id=ADA, fields=retired))
    await send(here, LetterKind.TOPIC, TopicPayload())
    await here.say(ADA, "Farewell.")
    await here.deliver()
    assert await here.waiting() == []


async def test_the_channel_of_a_deleted_agent_goes_when_that_was_asked_for(here: Town) -> None:
    left = PermissionPayload(allowed=True, left_channel_id=Snowflake(77), removed=True)
    await send(here, LetterKind.PERMISSION, left)
    await here.deliver()
    assert here.publisher.done == [("remove_channel", 77)]


async def test_a_new_channel_gets_the_billboard_that_its_room_has(here: Town) -> None:
    await here.apply(UpdateRoom(room_id=ADA, fields={"billboard": "Roses today", "channel_id": None}))
    await send(here, LetterKind.CHANNEL)
    await here.deliver()
    await here.deliver()
    assert here.publisher.done == [("channel", None, ""), ("billboard", "Roses today")]
