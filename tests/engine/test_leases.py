"""Beside other minds: claims last as long as they are carried, and no more are made than that."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.core.hints import Hint, HintKind
from bot.core.records import AgentId
from bot.engine.timelines.chance import settle
from tests.engine.hearts import Hearts, hearts
from tests.engine.test_setbacks_of_models import notices
from tests.fakes import ScriptedModel

LEASE_SECONDS = 4.0


class Holding(ScriptedModel):
    """Answers nobody before it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = asyncio.Event()

    async def answer(self, call: Any) -> Any:  # noqa: ANN401
        answered = await super().answer(call)
        await self.may_answer.wait()
        return answered


async def reached(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not what():
            await settle()


async def is_free(home: Hearts, *, after: float) -> bool:
    """Tell whether others could claim the first agent by then."""
    async with home.store.reading() as read:
        due = await read.claims.due(home.clock.now() + timedelta(seconds=after), limit=9)
    return AgentId(1) in [agent_id for _, agent_id in due]


async def test_who_carries_all_it_can_looks_again_when_a_call_ends_and_not_before() -> None:
    model = Holding()
    async with hearts(2, together=False, model=model, lease_seconds=LEASE_SECONDS, at_once=1) as home:
        for room_id in (1, 2):
            await home.hear("hi there", room_id=room_id)
        await home.clock.advance(1.0)
        home.nudges.at.clear()
        await home.heartbeat.run_due()
        await reached(lambda: len(model.calls) == 1)
        await home.heartbeat.run_due()
        await settle()
        assert (len(model.calls), home.nudges.at) == (1, [])
        model.may_answer.set()
        await reached(lambda: len(model.calls) == 2)
        await home.heartbeat.close(1.0)


async def test_a_claim_is_renewed_while_its_call_goes_on_and_no_longer() -> None:
    model = Holding()
    async with hearts(1, model=model, lease_seconds=LEASE_SECONDS) as home:
        await home.hear("hi there")
        await home.clock.advance(1.0)
        await home.heartbeat.run_due()
        await reached(lambda: len(model.calls) == 1)
        await home.clock.advance(LEASE_SECONDS - 1)
        assert await is_free(home, after=1.0)
        await home.heartbeat.renew()
        assert not await is_free(home, after=LEASE_SECONDS - 0.1)
        assert await is_free(home, after=LEASE_SECONDS)
        model.may_answer.set()
        await home.heartbeat.close(1.0)


async def test_it_is_renewed_from_when_its_call_is_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hearts(1, lease_seconds=LEASE_SECONDS) as home:
        planning, may_go_on = asyncio.Event(), asyncio.Event()
        reserve = home.heartbeat._purse.reserve

        async def slowly(*given: Any) -> Any:  # noqa: ANN401
            planning.set()
            await may_go_on.wait()
            return await reserve(*given)

        monkeypatch.setattr(type(home.heartbeat._purse), "reserve", lambda _, *given: slowly(*given))
        await home.hear("hi there")
        await home.clock.advance(1.0)
        await home.heartbeat.run_due()
        async with asyncio.timeout(20):
            await planning.wait()
        await home.clock.advance(LEASE_SECONDS - 1)
        await home.heartbeat.renew()
        assert not await is_free(home, after=LEASE_SECONDS - 0.1)
        may_go_on.set()
        await reached(lambda: len(home.model.calls) == 1)
        await home.heartbeat.close(1.0)


class Bell:
    """Keeps what was rung."""

    def __init__(self) -> None:
        self.rung: list[Hint] = []

    def ring(self, hint: Hint) -> None:
        self.rung.append(hint)


async def test_who_hears_a_hint_looks_and_who_can_carry_no_more_passes_it_on_and_hears_no_further_one() -> None:
    model, bell = Holding(), Bell()
    async with hearts(2, together=False, model=model, lease_seconds=LEASE_SECONDS, at_once=1, bell=bell) as home:
        hint = Hint(kind=HintKind.DUE, community_id=home.community_id, agent_id=AgentId(1))
        for room_id in (1, 2):
            await home.hear("hi there", room_id=room_id)
        await home.clock.advance(1.0)
        listening = asyncio.create_task(home.heartbeat.hear(hint))
        await reached(lambda: len(model.calls) == 1)
        await settle()
        begun = [one for one in bell.rung if one.kind is HintKind.BEGUN]
        assert [(one.agent_id, one.token is not None) for one in begun] == [(AgentId(1), True)]
        if listening.done():  # it came back before it was full
            listening = asyncio.create_task(home.heartbeat.hear(hint))
        await settle()
        assert not listening.done()
        model.may_answer.set()
        await reached(listening.done)
        await reached(lambda: len(model.calls) == 2)
        await home.heartbeat.close(1.0)
    assert bell.rung.count(hint) <= 1


async def test_one_that_is_full_passes_a_hint_on_once() -> None:
    model, bell = Holding(), Bell()
    async with hearts(1, model=model, lease_seconds=LEASE_SECONDS, at_once=1, bell=bell) as home:
        hint = Hint(kind=HintKind.DUE, community_id=home.community_id, agent_id=AgentId(1))
        await home.hear("hi there")
        await home.clock.advance(1.0)
        await home.heartbeat.run_due()
        await reached(lambda: len(model.calls) == 1)
        listening = asyncio.create_task(home.heartbeat.hear(hint))
        await settle()
        assert (bell.rung.count(hint), listening.done()) == (1, False)
        model.may_answer.set()
        await home.heartbeat.close(1.0)
        await reached(listening.done)


async def test_an_agent_with_whom_every_mind_ends_is_left_alone_after_five_and_told_of_once() -> None:
    async with hearts(2, together=False, lease_seconds=LEASE_SECONDS) as home:
        minds = [home.heartbeat._gatekeeper] * 5
        await home.hear("hi there")
        await home.clock.advance(1.0)
        for mind in minds:  # each claims it, and is gone
            assert await mind.let_in(home.community_id, [AgentId(1)], home.clock.now()) is not None
            await home.clock.advance(LEASE_SECONDS + 1)
        await home.slot()
        assert home.model.calls == []
        assert [text for text in await notices(home) if "just now" in text] == [
            "Agent1 cannot answer just now: Something went wrong here: the log has the details. It keeps trying."
        ]
        await home.clock.advance(120.0)
        await home.slot()
        assert home.model.calls == []  # what it was to answer is gone
        await home.hear("and now?")
        await home.run(20)
        assert len(home.model.calls) == 1  # and nothing else


async def test_who_answers_after_a_takeover_is_counted_from_the_beginning_again() -> None:
    async with hearts(2, together=False, lease_seconds=LEASE_SECONDS) as home:
        for _ in range(2):
            await home.hear("hi there")
            await home.clock.advance(30.0)
            for _ in range(4):
                assert await home.heartbeat._gatekeeper.let_in(home.community_id, [AgentId(1)], home.clock.now())
                await home.clock.advance(LEASE_SECONDS + 1)
            await home.slot()
        assert len(home.model.calls) == 2
