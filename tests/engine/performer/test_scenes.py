"""Lobbies and seats: who may sit, leave, begin and direct."""

from bot.core.actions import DirectScene, LeaveSeat, StartScene, TakeSeat
from bot.core.changes import UpdateAgent
from bot.core.records import AgentId
from bot.core.scenes.kind import LONGEST_OPTIONS
from bot.core.scenes.records import SceneStatus
from tests.engine.theatre import MIRA, SCENE, theatre


async def test_an_agent_that_is_taken_from_its_seat_is_not_waited_for_and_another_may_sit_there() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2, turns=40)
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=2))
        assert "Agent2 is away." in await stage.lines()
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=3, seat=2))
        scene = await stage.scene()
        assert scene.seats[1].agent_id == 3
        assert await stage.replays()


async def test_a_paused_or_retired_agent_is_away_and_somebody_else_may_take_its_seat() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2, turns=40)
        await stage.house.apply(UpdateAgent(agent_id=AgentId(2), fields={"paused_reason": "tired"}))
        await stage.run(6)
        assert "Agent2 is away." in await stage.lines()


async def test_the_lobby_says_what_is_missing_and_refuses_what_cannot_be() -> None:
    async with theatre() as stage:
        assert "chat or council" in await stage.refused(StartScene(room_id=1, kind="chess"))
        long = StartScene(room_id=1, kind="chat", options={"briefs": {"1": "x" * LONGEST_OPTIONS}})
        assert "say it shorter" in await stage.refused(long)
        wrong = StartScene(room_id=1, kind="chat", options={"turns": 0})
        assert (await stage.refused(wrong)).startswith("turns: ")
        assert "manage the server" in await stage.refused(StartScene(room_id=1, kind="chat"), MIRA)
        await stage.done(StartScene(room_id=1, kind="council"))
        begin = DirectScene(scene_id=SCENE, what="begin")
        assert await stage.refused(begin) == "It needs 2 seats taken: 2 more."
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=1))
        assert "sits here already" in await stage.refused(TakeSeat(scene_id=SCENE, agent_id=1))
        await stage.done(TakeSeat(scene_id=SCENE), MIRA)
        assert "have a seat here" in await stage.refused(TakeSeat(scene_id=SCENE), MIRA)
        assert "two members beside the host" in await stage.refused(begin)
        assert "Only who started" in await stage.refused(DirectScene(scene_id=SCENE, what="stop"), MIRA)
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        assert (await stage.scene()).taken == (1,)
        await stage.house.clock.advance(31 * 60)
        await stage.deadlines.run()
        scene = await stage.scene()
        assert (scene.status, scene.outcome) == (SceneStatus.STOPPED, "It was stopped: nobody began it in time.")
