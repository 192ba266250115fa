"""A call for whose answer nobody waits any more is let go, and what replaces it is asked at once."""

from datetime import timedelta

import pytest

from bot.core.changes import UpdateAgent, UpdateRoom
from bot.core.records import AgentId
from tests.engine.hearts import Hearts, answer, asked
from tests.engine.test_calls_at_once import TimedModel, live, timed


def talk(model: TimedModel) -> None:
    model.script.extend([lambda call: answer({id: [(1, "Well.")] for id in asked(call)})] * 99)


async def said(home: Hearts, who: str = "1") -> int:
    return [sender for sender, _ in await home.lines()].count(who)


async def test_who_says_more_is_answered_once_to_all_of_it() -> None:
    async with timed(1, lambda _: 40) as (model, home):
        talk(model)
        await home.hear("what is my boat called?")
        await live(home, 3)
        assert model.asking[1] == 1
        await home.hear("the blue one, I mean")
        await live(home, 2)
        assert (model.open, home.metrics.counts["calls_overtaken"]) == (1, 1)
        await live(home, 41)
        (call,) = model.calls
        assert "the blue one" in call.input
        assert await said(home) == 1


async def test_who_says_more_and_more_is_not_kept_waiting_for_ever() -> None:
    async with timed(1, lambda _: 40) as (model, home):
        talk(model)
        await home.hear("hello")
        for number in range(5):
            await live(home, 8)
            await home.hear(f"and another thing, number {number}")
        await live(home, 10)
        assert home.metrics.counts["calls_overtaken"] == 1
        assert await said(home) == 1


async def test_a_hushed_rooms_call_is_let_go_and_its_person_answered_when_the_hush_ends() -> None:
    async with timed(1, lambda _: 40) as (model, home):
        talk(model)
        await home.hear("hello there")
        await live(home, 3)
        until = home.clock.now() + timedelta(minutes=2)
        await home.apply(UpdateRoom(room_id=AgentId(1), fields={"hushed_until": until}))
        await live(home, 2)
        assert (model.open, home.metrics.counts["calls_overtaken"]) == (0, 1)
        await live(home, 100, step=2)
        assert await said(home) == 0
        await live(home, 70, step=2)
        assert await said(home) == 1


async def test_a_paused_agents_call_is_let_go() -> None:
    async with timed(1, lambda _: 40) as (model, home):
        await home.hear("hello there")
        await live(home, 3)
        await home.apply(UpdateAgent(agent_id=AgentId(1), fields={"paused_reason": "by a person"}))
        await live(home, 2)
        assert model.open == 0
        assert (await home.view()).agents[AgentId(1)].beat_id is None


async def test_a_shared_call_goes_on_for_those_who_are_still_waited_for() -> None:
    async with timed(2, lambda _: 40) as (model, home):
        talk(model)
        await home.hear("Agent1, Agent2: hello")
        await live(home, 3)
        assert model.open == 1
        await home.apply(UpdateAgent(agent_id=AgentId(1), fields={"paused_reason": "by a person"}))
        await live(home, 45)
        assert (await said(home, "1"), await said(home, "2")) == (0, 1)


async def test_what_was_set_aside_for_a_call_that_was_never_sent_is_given_back() -> None:
    async with timed(1, lambda _: 40) as (_, home):
        await home.hear("hello there")
        await live(home, 3)
        await home.apply(UpdateAgent(agent_id=AgentId(1), fields={"paused_reason": "by a person"}))
        await live(home, 2)
        async with home.store.reading() as read:
            usd, tokens = await read.money.spent(home.community_id, home.clock.now().date())
        assert (int(usd), tokens) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [10, 130])
async def test_typing_is_shown_for_as_long_as_a_call_goes_on(seconds: int) -> None:
    async with timed(1, lambda _: seconds) as (_, home):
        await home.hear("hello there")
        await live(home, seconds + 3)
        assert len(home.typing) == 1 + seconds // 20
        before = len(home.typing)
        await live(home, 60)
        assert len(home.typing) == before
