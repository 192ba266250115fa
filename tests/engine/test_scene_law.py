"""What a community is told, pays and waits for in scenes: limits of a day, of scenes at once, and of speech."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from bot.core.actions import DirectScene, StartScene, TakeSeat
from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Json, SceneId, Snowflake
from bot.core.scenes import registry
from bot.core.scenes.records import SceneStatus
from bot.core.spending import day_of
from bot.engine.stage import POSTED_WITHIN_SECONDS
from tests.core.scenes.test_play import FAULTY
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre

MANAGERS = Snowflake(7_700)


async def spend(stage: Theatre, usd: str) -> None:
    of, today = stage.house.community_id, day_of(stage.house.clock.now())
    async with stage.house.store.writing(of) as write:
        await write.money.reserve(of, today, usd=Decimal(usd), tokens=0)


async def test_managers_are_told_of_a_scene_that_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.KINDS, "nobody", FAULTY)
    nods = Player(lambda text, moves: {"type": "nod"})
    async with theatre(nods, config=CommunityConfig(managers_channel_id=MANAGERS)) as stage:
        await stage.opened("nobody", 2, ordering="rules")
        await stage.run(5)
        assert (await stage.scene()).status is SceneStatus.STUCK
        told = [one for one in stage.house.publisher.done if one[:2] == ("notify", MANAGERS)]
        assert len(told) == 1
        assert "Scene 1 (nobody) got stuck" in str(told)


async def test_a_scene_pauses_once_the_days_money_is_nearly_spent() -> None:
    async with theatre(config=CommunityConfig(usd_per_day=Decimal(1))) as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.run(5)
        await spend(stage, "0.96")
        assert await stage.move(BOSS, "say", text="And you?") == ""
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.PAUSED, "the day's money is nearly spent")


@pytest.mark.parametrize(("usd", "opens"), [("0.79", True), ("0.81", False)])
async def test_no_new_scene_is_opened_once_four_fifths_of_the_day_are_spent(usd: str, opens: bool) -> None:
    async with theatre(config=CommunityConfig(usd_per_day=Decimal(1))) as stage:
        await spend(stage, usd)
        outcome = await stage.do(StartScene(room_id=1, kind="chat"))
        assert outcome.accepted is opens
        assert opens or "Four fifths of the day's money" in outcome.why


async def test_five_scenes_are_open_at_once_at_most() -> None:
    async with theatre() as stage:
        for _ in range(5):
            await stage.done(StartScene(room_id=1, kind="chat"))
        assert "5 scenes at once" in await stage.refused(StartScene(room_id=1, kind="chat"))


async def test_an_agent_that_sits_in_one_scene_is_refused_a_seat_in_another() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        await stage.done(StartScene(room_id=1, kind="chat"))
        why = await stage.refused(TakeSeat(scene_id=SceneId(2), agent_id=1))
        assert "Agent1 sits in Chat 1: Tea: an agent sits in one scene at a time." in why


async def test_the_next_turn_waits_until_the_last_speech_is_posted_and_ten_seconds_at_most() -> None:
    def talk(text: str, moves: dict[str, Any]) -> dict[str, Json]:
        return {"type": "say", "text": "So many words. " * 40}

    async with theatre(Player(talk), config=CommunityConfig(typing_at_most_seconds=60)) as stage:
        await stage.opened(agents=2)
        while not (await stage.scene()).step:
            await stage.house.slot(0.5)
        now, view = stage.house.clock.now(), await stage.house.view(1, 2)
        (turn,) = [one for one in view.reasons[AgentId(2)] if one.kind is ReasonKind.TURN]
        waits = turn.due_at - now
        assert timedelta(seconds=5) < waits <= timedelta(seconds=POSTED_WITHIN_SECONDS)


async def test_a_turn_wakes_a_sleeper() -> None:
    async with theatre() as stage:
        until = stage.house.clock.now() + timedelta(hours=2)
        await stage.house.apply(UpdateAgent(agent_id=AgentId(1), fields={"asleep_until": until}))
        await stage.opened("chat", 1, BOSS)
        await stage.run(5)
        assert "Agent1: Quite so." in await stage.lines()


async def test_refused_moves_of_people_are_counted_and_stale_buttons_are_not() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 0, BOSS, MIRA)
        assert await stage.move(BOSS, "say", text="word " * 151) != ""
        assert await stage.move(MIRA, "say", text="Hello?") == "You are not asked now."
        assert [one.refused for one in (await stage.scene()).seats] == [1, 1]
        await stage.done(DirectScene(scene_id=SCENE, what="pause"))
        assert await stage.move(MIRA, "say", text="Hello?") != ""
        assert [one.refused for one in (await stage.scene()).seats] == [1, 1]
