"""Reactions, billboards, topics, names, channels, permissions and notices reach Discord."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.adapters.discord.boards import written
from bot.core.actions import DirectScene, Play, StartScene
from bot.core.actor import Actor
from bot.core.changes import AddLetter, AgentColumns, SetOverride, UpdateAgent, UpdateRoom
from bot.core.events import ThreadDeleted
from bot.core.kinds import LetterKind, SenderKind, Visibility
from bot.core.letters import (
    BillboardPayload,
    NoticePayload,
    Payload,
    PermissionPayload,
    ReactPayload,
    RenamePayload,
    TopicPayload,
)
from bot.core.records import Sender, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import board_of
from bot.engine.performer import ActionContext
from bot.engine.posting import content_of
from bot.engine.scene_posts import names_of
from tests.engine.recording import LOST_AFTER
from tests.engine.theatre import BOSS, MIRA, SCENE, theatre
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID, message
from tests.fakes import SeededRandom


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


LINK = "[discord.com](https://evil.example/log-in)"


async def test_a_thread_that_is_deleted_pauses_the_scene_and_another_one_is_opened() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        thread_id = (await stage.scene()).thread_id
        assert thread_id is not None
        stage.house.publisher.gone.add(int(thread_id))
        stage.house.publisher.threads.clear()
        await stage.run(8)
        scene = await stage.scene()
        assert (scene.status, scene.thread_id) == (SceneStatus.PAUSED, None)
        board = stage.house.publisher.boards[-1]  # in the room, where it is found
        assert (board.status, board.is_homeless, scene.board_post_id is not None) == (SceneStatus.PAUSED, True, True)
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))
        await stage.house.deliver()
        assert ("remove", scene.board_post_id) in stage.house.publisher.done
        scene = await stage.scene()
        assert scene.thread_id not in (None, thread_id)
        assert isinstance(scene.board_post_id, int)


async def test_a_lobby_whose_thread_is_deleted_opens_in_another_one() -> None:
    async with theatre() as stage:
        await stage.done(StartScene(room_id=1, kind="chat", title="Tea"))
        await stage.house.deliver()
        thread_id = (await stage.scene()).thread_id
        assert thread_id is not None
        stage.house.publisher.gone.add(int(thread_id))
        stage.house.publisher.threads.clear()
        room = Snowflake(7_000_000_000_000_001)
        await stage.house.intake.take(ThreadDeleted(guild_id=GUILD_ID, channel_id=room, thread_id=thread_id))
        await stage.run(4)
        scene = await stage.scene()
        assert scene.status is SceneStatus.LOBBY
        assert scene.thread_id not in (None, thread_id)
        assert scene.board_post_id is not None


async def test_no_link_that_a_player_wrote_hides_where_it_leads() -> None:
    """Neither on the board nor in what System tells: both are the bot's own posts, which Discord lets hide links."""
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        scene = await stage.scene()
        async with stage.house.store.reading() as read:
            names, events = await names_of(read, scene), await read.scenes.events(scene.community_id, scene.id)
        board = board_of(replace(scene, title=LINK, status=SceneStatus.LOBBY), events, {**names, 1: LINK})
        assert "](" not in written(board)
        assert "discord.com]\\(https://evil.example" in written(board)
        told = message(1, f"@mira: {LINK}", sender=Sender(kind=SenderKind.SYSTEM), scene_id=scene.id)
        assert "](" not in content_of(told)
        assert LINK in content_of(replace(told, scene_id=None))


@pytest.mark.parametrize("kind", ["chat", "council"])
async def test_the_board_is_drawn_at_most_once_in_two_seconds(kind: str) -> None:
    async with theatre() as stage:
        await stage.opened(kind, 3, turns=12)
        before = len(stage.house.publisher.boards)
        began = stage.house.clock.now()
        await stage.run(30)
        seconds = (stage.house.clock.now() - began).total_seconds()
        assert len(stage.house.publisher.boards) - before <= seconds / 2 + 1


async def test_what_happens_while_the_board_is_drawn_is_on_the_next_one() -> None:
    async with theatre(agents=1) as stage:
        await stage.opened("chat", 0, BOSS, MIRA, turns=40)
        await stage.run(5)
        for who in (BOSS, MIRA):
            await stage.move(who, "say", text="Quite so.")
        await stage.run(3)
        scene = await stage.scene()
        assert scene.board_at is not None
        began = scene.board_at - timedelta(seconds=0.3)  # and is written when that board is drawn already
        say = Play(scene_id=SCENE, window=scene.window_step, move="say", arguments={"text": "And so."})
        async with stage.house.store.writing(stage.house.community_id) as write:
            context = ActionContext(now=began, random=SeededRandom())
            (told,) = await stage.performer.perform(write, stage.house.community_id, Actor.person(BOSS), [say], context)
        assert told.accepted
        await stage.run(5)
        assert "**Turns left**: 37" in stage.house.publisher.boards[-1].lines
