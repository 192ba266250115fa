"""Seats in scenes that nobody waits for, and how they come to be waited for again."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from bot.core.actions import DirectScene, LeaveSeat, TakeSeat
from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.records import AgentId, Json
from bot.core.scenes.play import Rule
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import begun
from bot.core.spending import day_of
from bot.engine.masks import check_may_look, rooms_shut_to
from bot.engine.stage import opened
from tests.engine.test_closed_scenes import knowing, until, village
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre


async def away(stage: Theatre) -> tuple[int, ...]:
    """Give who is not waited for."""
    found = begun(await stage.scene())
    assert found is not None
    return found[1].state.away


async def sent_away(stage: Theatre, seat: int) -> None:
    """Let nobody wait for a seat any more, as after three misses."""
    of = stage.house.community_id
    async with stage.house.store.writing(of) as write:
        played = await opened(write, of, SCENE, config=CommunityConfig(), now=stage.house.clock.now())
        await played.rule(Rule.AWAY, seat)
        await write.apply(of, played.changes)


async def spend(stage: Theatre, agent_id: int, usd: Decimal) -> None:
    """Let an agent have spent so much today."""
    of, today = stage.house.community_id, day_of(stage.house.clock.now())
    async with stage.house.store.writing(of) as write:
        await write.money.reserve(of, today, usd=usd, tokens=0, agents={AgentId(agent_id): 1})


async def test_a_person_who_was_away_is_back_with_a_line_in_the_thread_even_when_not_asked() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, MIRA)
        await sent_away(stage, 3)
        thread_id = (await stage.scene()).thread_id
        await stage.house.hear("Here I am again.", thread_id=thread_id, who="mira", id=MIRA.id)
        assert "@mira is back." in await stage.lines()
        assert "@mira: Here I am again." not in await stage.lines()
        assert await away(stage) == ()
        assert await stage.replays()


async def test_a_person_who_was_away_is_back_with_a_move_that_is_refused() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, MIRA)
        await sent_away(stage, 3)
        assert await stage.move(MIRA, "say", text="Hello.") == "You are not asked now."
        assert await away(stage) == ()
        assert await stage.replays()


async def test_where_nobody_waits_for_anybody_the_move_itself_stands() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, MIRA, ordering="free")
        await sent_away(stage, 3)
        assert await stage.move(MIRA, "say", text="Hello.") == ""
        assert "@mira: Hello." in await stage.lines()
        assert await stage.replays()


async def test_a_person_who_was_away_is_back_by_sitting_down_again() -> None:
    async with theatre() as stage:
        await stage.opened("council", 1, BOSS, MIRA, host=False)
        assert "have a seat here" in await stage.refused(TakeSeat(scene_id=SCENE), MIRA)
        await sent_away(stage, 3)
        assert await stage.done(TakeSeat(scene_id=SCENE), MIRA) == "You sit in seat 3 of Council 1: Tea again."
        assert await away(stage) == ()


async def test_an_agent_that_missed_too_much_is_back_once_it_is_seated_again() -> None:
    async with theatre(Player(lambda *_: "no move")) as stage:
        await stage.opened("chat", 2, BOSS)
        async with stage.house.store.writing(stage.house.community_id) as write:
            scene = await stage.scene()
            standing: dict[str, Any] = {**scene.standing, "misses": {"2": 3}}
            standing["state"] = {**standing["state"], "away": [2]}
            await write.scenes.keep(replace(scene, standing=standing))
        await stage.run(20)
        assert await away(stage) == (2,)
        assert "Only who started" in await stage.refused(TakeSeat(scene_id=SCENE, agent_id=2), MIRA)
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=2, seat=2))
        assert await away(stage) == ()


async def test_an_agent_that_was_paused_is_asked_again_once_it_goes_on() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 2, BOSS, turns=40)
        await stage.house.apply(UpdateAgent(agent_id=AgentId(2), fields={"paused_reason": "tired"}))
        await stage.run(6)
        assert await away(stage) == (2,)
        await stage.house.apply(UpdateAgent(agent_id=AgentId(2), fields={"paused_reason": None}))
        assert await stage.move(BOSS, "say", text="Go on.") == ""
        await stage.run(8)
        assert (await stage.lines())[-1] == "Agent2: Quite so."
        assert await stage.replays()


async def test_an_agent_whose_family_has_spent_its_share_of_the_day_is_away() -> None:
    config = CommunityConfig(usd_per_day=Decimal(1))
    async with theatre(config=config) as stage:
        await stage.house.apply(UpdateAgent(agent_id=AgentId(2), fields={"created_by": AgentId(1)}))
        await spend(stage, 1, Decimal("0.6"))
        await stage.opened("chat", 2, BOSS, turns=40)
        assert await away(stage) == (1, 2)


async def test_by_night_nobody_is_told_that_somebody_is_there_again() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        assert village(await stage.scene()).phase == "night"
        await sent_away(stage, 7)
        thread_id = (await stage.scene()).thread_id
        await stage.house.hear("Still here.", thread_id=thread_id, who="mira", id=MIRA.id)
        assert await away(stage) == (7,)
        await until(stage, "talk")
        await stage.house.hear("Still here.", thread_id=thread_id, who="mira", id=MIRA.id)
        assert await away(stage) == ()


async def test_who_left_a_closed_scene_still_sits_with_its_agents_for_what_is_shown() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        async with stage.house.store.reading() as read:
            with pytest.raises(Rejected, match="sits in a scene with you"):
                await check_may_look(read, stage.house.community_id, MIRA.id, AgentId(1))
            await check_may_look(read, stage.house.community_id, BOSS.id, AgentId(1))
            assert await rooms_shut_to(read, stage.house.community_id, MIRA.id)


async def test_so_do_they_when_an_agent_took_their_seat() -> None:
    async with theatre(Player(knowing), agents=7) as stage:
        await stage.opened("werewolf", 6, MIRA)
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=7, seat=7))
        assert (await stage.scene()).seats[6].agent_id == 7
        async with stage.house.store.reading() as read:
            with pytest.raises(Rejected, match="sits in a scene with you"):
                await check_may_look(read, stage.house.community_id, MIRA.id, AgentId(1))


async def test_free_looks_are_calls_too_and_the_last_of_them_ends_the_turn() -> None:
    def look(text: str, moves: dict[str, Any]) -> dict[str, Json]:
        return {"type": "talk", "text": "Hm."} if "talk" in moves else {"type": "look" if "look" in moves else "rest"}

    async with theatre(Player(look)) as stage:
        await stage.opened("village", 2, MIRA)
        await stage.run(4)
        async with stage.house.store.reading() as read:
            log = list(await read.scenes.log(stage.house.community_id, SCENE))
        assert [(one.seat, one.move) for one in log][:4] == [(1, "talk"), (1, "talk"), (1, "look"), (0, "skip")]


@pytest.mark.slow
async def test_whoever_is_to_name_the_next_has_the_whole_time_again_after_a_pause() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 2, ordering="controlled", choosing_minutes=10)
        await stage.run(601)
        paused = await stage.scene()
        assert (paused.status, paused.seconds_left) == (SceneStatus.PAUSED, 600)
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))
        await stage.run(300)
        assert (await stage.scene()).status is SceneStatus.RUNNING
