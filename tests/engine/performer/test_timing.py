"""When agents beat and speak: sleep, pace, pause, and what is said later."""

from datetime import timedelta

from bot.core.actions import (
    CancelScheduled,
    Pause,
    Resume,
    ScheduleMessage,
    SetInterval,
    SetTopic,
    Sleep,
    WakeAgent,
)
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId
from tests.core.hud.worlds import hud
from tests.engine.performer.house import ADA, BO, BOSS, CY, House


async def test_sleep_ends_at_its_time_or_by_a_neighbour(house: House) -> None:
    until = house.now + timedelta(hours=2)
    assert await house.one(BO, Sleep(until=until)) == ""
    view = await house.view(BO)
    assert view.agents[BO].asleep_until == until
    assert (view.reasons[BO][0].kind, view.reasons[BO][0].due_at) == (ReasonKind.TIMER, until)
    assert await house.one(CY, WakeAgent(agent_id=BO)) == "You share no room with an agent 2."
    assert await house.one(ADA, WakeAgent(agent_id=BO)) == ""
    view = await house.view(BO)
    assert view.agents[BO].asleep_until is None
    assert ReasonKind.WOKEN in {reason.kind for reason in view.reasons[BO]}


async def test_one_sleeps_into_the_near_future_only(house: House) -> None:
    assert (await house.one(BO, Sleep(until=house.now))).startswith("That time is past")
    assert await house.one(BO, Sleep(until=house.now + timedelta(days=8))) == "That is more than 7 days away."


async def test_a_paused_agent_does_nothing_until_it_is_resumed(house: House) -> None:
    await house.ask(BOSS, Pause(), subject=BO)
    assert (await house.view()).agents[BO].paused_reason == "paused by The Architect (@boss)"
    assert await house.one(BO, SetTopic(topic="x")) == "You are paused."
    assert await house.one(ADA, WakeAgent(agent_id=BO)) == "Bo is paused."
    resumed, again = await house.ask(BOSS, Resume(), Resume(), subject=BO)
    assert (resumed.accepted, again.why) == (True, "Bo is not paused.")


async def test_managers_set_how_fast_an_agent_beats(house: House) -> None:
    await house.ask(BOSS, SetInterval(seconds=2, resting_seconds=8), subject=BO)
    agent = (await house.view()).agents[BO]
    assert (agent.interval_seconds, agent.resting_interval_seconds) == (2, 8)
    (nothing,) = await house.ask(BOSS, SetInterval(), subject=BO)
    assert not nothing.accepted


async def test_ten_messages_wait_at_most(house: House) -> None:
    at = house.now + timedelta(hours=1)
    later = [ScheduleMessage(room_id=ADA, message=f"line {n}", at=at) for n in range(6)]
    assert all(one.accepted for one in await house.act(BO, *later))
    outcomes = await house.act(BO, *later)
    assert [one.accepted for one in outcomes] == [True] * 4 + [False] * 2
    assert outcomes[-1].why == "10 messages are scheduled already: no more can be until one is said."


async def test_what_waits_to_be_said_is_seen_by_whoever_said_it_and_can_be_taken_back(house: House) -> None:
    at = house.now + timedelta(hours=1)
    await house.act(BO, *(ScheduleMessage(room_id=ADA, message=f"line {n}", at=at) for n in range(2)))

    async def seen(id: AgentId) -> str:
        async with house.store.reading() as read:
            view = await read.views.whole(house.community_id, agent_ids=[id], minds=None)
        return hud(view, id).input

    assert 'scheduled: 1 at 2026-11-20 11:00:00 "line 0"; 2 at 2026-11-20 11:00:00 "line 1"' in await seen(BO)
    assert "scheduled" not in await seen(ADA)
    assert await house.one(ADA, CancelScheduled(id=1)) == "No message 1 waits to be said."
    (done,) = await house.act(BO, CancelScheduled(id=1))
    assert (done.accepted, done.result) == (True, "Message 1 will not be said.")
    assert await house.one(BO, CancelScheduled(id=1)) == "No message 1 waits to be said."
    assert 'scheduled: 2 at 2026-11-20 11:00:00 "line 1"' in await seen(BO)
    (by_manager,) = await house.ask(BOSS, CancelScheduled(id=2), subject=BO)
    assert by_manager.accepted
