"""What only some seats may hear, told at once to who watches a game in which only agents sit."""

import pytest
from sqlalchemy import select

from bot.core.actions import DirectScene, LeaveSeat, TakeSeat
from bot.core.config import CommunityConfig
from storage.tables import MESSAGES
from tests.engine.test_closed_scenes import SECRET, knowing, until
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre


def told(stage: Theatre, words: str) -> list[tuple[object, str]]:
    """Give the bot's own notices with these words, each with the channel it stands in."""
    notices = [(what[1], str(what[2])) for what in stage.house.publisher.done if what[0] == "notify"]
    return [(where, text) for where, text in notices if words in text]


async def test_who_watches_agents_among_themselves_hears_at_once_what_only_some_of_them_do() -> None:
    async with theatre(Player(knowing), agents=8) as stage:
        await stage.opened("werewolf", 8)
        state = await until(stage, "talk")
        scene = await stage.scene()
        assert scene.status.is_open
        wolves = ", ".join(f"Agent{one.agent_id}" for one in scene.seats if one.seat in state.wolves)
        whispered = told(stage, SECRET)
        assert whispered
        assert {where for where, _ in whispered} == {scene.thread_id}
        assert all(text.startswith(f"-# 🤫 {wolves} · Agent") for _, text in whispered)
        assert told(stage, "is a wolf") or told(stage, "is not a wolf")


async def test_what_is_told_aside_is_no_message_and_nothing_to_agents_elsewhere() -> None:
    async with theatre(Player(knowing), agents=8) as stage:
        await stage.opened("werewolf", 8)
        await until(stage, "talk")
        assert told(stage, SECRET)
        async with stage.house.store.database.reading() as connection:
            kept = (await connection.execute(select(MESSAGES.c.content))).all()
        assert kept
        assert SECRET not in str(kept)
        await stage.done(DirectScene(scene_id=SCENE, what="stop"))
        stage.house.model.calls.clear()
        await stage.house.hear("Good evening, Agent1!", who="mira", id=MIRA.id)
        await stage.run(20)
        assert stage.house.model.calls
        assert not [call for call in stage.house.model.calls if SECRET in call.input]


@pytest.mark.slow
async def test_where_a_person_sits_nothing_is_told_aside_until_they_left() -> None:
    async with theatre(Player(knowing), agents=7) as stage:
        await stage.opened("werewolf", 7, MIRA)
        await until(stage, "talk")
        assert any(SECRET in (one.text or "") for one in await stage.events())
        assert told(stage, "🤫") == []
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        await until(stage, "night")
        await until(stage, "talk")
        assert told(stage, "🤫")


async def test_nothing_is_told_aside_where_that_is_switched_off() -> None:
    async with theatre(Player(knowing), agents=8, config=CommunityConfig(scene_asides=False)) as stage:
        await stage.opened("werewolf", 8)
        await until(stage, "talk")
        assert told(stage, "🤫") == []


async def test_no_person_sits_down_where_who_watched_was_told_all() -> None:
    async with theatre(Player(knowing), agents=7) as stage:
        await stage.opened("werewolf", 7, BOSS)
        await stage.done(LeaveSeat(scene_id=SCENE), BOSS)
        assert "no person sits down" in await stage.refused(TakeSeat(scene_id=SCENE, seat=8), BOSS)
    async with theatre(agents=2) as stage:
        await stage.opened("chat", 2)
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=2))
        assert "You sit in seat 2" in await stage.done(TakeSeat(scene_id=SCENE, seat=2), BOSS)
