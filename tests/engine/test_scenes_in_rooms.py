"""A scene that takes place in a room itself: what is said there is the scene's, and the room's own talk rests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import select

from bot.core.actions import DirectScene, StartScene
from bot.core.changes import PutReason
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Reason, SceneId, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.registry import KINDS
from storage.tables import MESSAGES
from tests.engine.theatre import BOSS, MIRA, SCENE, Theatre, theatre
from tests.storage.lines import kept_beats

CHANNEL = Snowflake(7_000_000_000_000_001)


@asynccontextmanager
async def played_here(**options: object) -> AsyncIterator[Theatre]:
    """Let Mira, the boss and an agent talk in the room of that agent, by turns."""
    async with theatre(agents=2) as stage:
        await stage.house.hear("The kettle is old.")
        await stage.run(3)
        await stage.opened("chat", 1, MIRA, BOSS, place="room", turns=9, **options)  # type: ignore[arg-type]
        yield stage


async def kept(stage: Theatre) -> str:
    async with stage.house.store.database.reading() as connection:
        rows = (await connection.execute(select(MESSAGES.c.content).where(MESSAGES.c.scene_id.is_(None)))).all()
    return str(rows)


async def test_board_and_speech_stand_in_the_channel_and_no_thread_is_opened() -> None:
    async with played_here() as stage:
        await stage.run(10)
        assert stage.house.publisher.threads == {}
        assert (await stage.scene()).thread_id == CHANNEL
        said = [post for _, post in stage.house.publisher.posts if post.content == "Quite so."]
        assert [(post.channel_id, post.thread_id) for post in said] == [(CHANNEL, None)]


async def test_a_line_in_the_room_is_the_move_of_whose_turn_it_is_and_any_other_is_nothing_to_anybody() -> None:
    async with played_here() as stage:
        await stage.run(10)
        stage.house.model.calls.clear()
        await stage.house.hear("Agent1, what about you?", who="boss", id=BOSS.id)  # it is Mira's turn
        await stage.run(5)
        assert not stage.house.model.calls
        await stage.house.hear("It should be mended.")
        assert any(one.text == "It should be mended." for one in await stage.events())
        assert "should be mended" not in await kept(stage)
        assert "what about you" not in str([await kept(stage), await stage.events()])


async def test_an_agent_is_shown_what_was_said_in_the_room_before() -> None:
    async with played_here() as stage:
        await stage.run(10)
        turns = [call.input for call in stage.house.model.calls if "==== SCENE ====" in call.input]
        assert turns
        assert all("==== SAID HERE BEFORE ====\n@mira: The kettle is old.\n" in text for text in turns)


async def test_the_rooms_own_talk_goes_on_while_it_is_paused_and_when_it_is_over() -> None:
    async with played_here() as stage:
        await stage.run(10)
        await stage.done(DirectScene(scene_id=SCENE, what="pause"))
        await stage.house.hear("A pause, Agent1.")
        assert "A pause" in await kept(stage)
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))
        await stage.house.hear("On we go, Agent1.", who="boss", id=BOSS.id)
        assert "On we go" not in await kept(stage)
        during = stage.house.clock.now()
        await stage.run(2)
        await stage.done(DirectScene(scene_id=SCENE, what="stop"))
        await stage.run(2)
        await stage.house.hear("This comes in late.", who="boss", id=BOSS.id, sent_at=during)
        assert "comes in late" not in await kept(stage)
        stage.house.model.calls.clear()
        await stage.house.hear("Good night, Agent1!")
        await stage.run(10)
        assert [call for call in stage.house.model.calls if "Good night" in call.input]


async def test_who_plays_in_a_room_does_nothing_else_there_but_answers_who_called_it_before() -> None:
    async with played_here() as stage:
        await stage.run(10)  # it is Mira's turn

        async def beats() -> dict[int, int]:
            async with stage.house.store.reading() as read:
                found = {id_: await kept_beats(read.beats, stage.house.community_id, AgentId(id_)) for id_ in (1, 2)}
            return {id_: len([one for one in some if one.scene_id is None]) for id_, some in found.items()}

        before, now = await beats(), stage.house.clock.now()
        overheard = Reason(kind=ReasonKind.AMBIENT, room_id=AgentId(1), since=now, due_at=now)
        await stage.house.apply(*(PutReason(agent_id=AgentId(id_), reason=overheard) for id_ in (1, 2)))
        await stage.run(5)
        assert await beats() == {1: before[1], 2: before[2] + 1}
        called = Reason(kind=ReasonKind.ADDRESSED, room_id=AgentId(1), person_id=MIRA.id, since=now, due_at=now)
        await stage.house.apply(PutReason(agent_id=AgentId(1), reason=called))
        await stage.run(5)
        assert (await beats())[1] == before[1] + 1


async def test_two_scenes_do_not_take_place_in_one_room() -> None:
    async with played_here() as stage:
        here = StartScene(room_id=1, kind="council", title="", options={"place": "room"})
        assert "in that room itself already" in await stage.refused(here)
        assert "in a thread of" in await stage.done(StartScene(room_id=1, kind="council", title="", options={}))
        async with stage.house.store.reading() as read:
            other = await read.scenes.find(stage.house.community_id, SceneId(2))
        assert other is not None
        assert other.status is SceneStatus.LOBBY


def test_only_open_kinds_take_place_in_a_room_itself() -> None:
    assert {kind.kind for kind in KINDS.values() if "place" in kind.options.model_fields} == {"chat", "council"}
