"""What happens when a model fails, a claim is lost, or the program stops in the middle of a beat."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from bot.core.errors import ModelBusy, ModelError, ModelUnreachable, StoreError
from bot.core.ports import Expected, ModelAnswer, ModelCall
from bot.core.records import Agent, AgentId, CommunityId
from bot.engine.performer import Outcome, Performer
from storage.parts import SqlWriting
from tests.engine.hearts import Hearts, answer, hearts
from tests.engine.town import until
from tests.fakes import PlainCipher, ScriptedModel, WordTokenizer

DOWN = ModelUnreachable("Nothing answers at the model's address.")


async def agent_of(home: Hearts, id: int = 1) -> Agent:
    return (await home.view()).agents[AgentId(id)]


async def notices(home: Hearts) -> list[str]:
    return [str(done[-1]) for done in home.publisher.done if done[0] == "notify"]


async def test_a_failed_call_leaves_the_agent_and_its_reasons_as_they_were() -> None:
    async with hearts(1, script=[DOWN, answer({1: [(1, "Here I am.")]})]) as home:
        await home.hear("hi there")
        before = await agent_of(home)
        await home.slot(1)
        after = await agent_of(home)
        assert (after.interval_seconds, after.last_beat_at) == (before.interval_seconds, before.last_beat_at)
        assert (after.failures_in_a_row, after.beat_id) == (1, None)
        await home.run(20)
        assert ("1", "Here I am.") in await home.lines()
        assert (await agent_of(home)).failures_in_a_row == 0


async def test_it_backs_off_twice_as_long_each_time_up_to_a_minute() -> None:
    async with hearts(1, script=[DOWN] * 9) as home:
        await home.hear("hi there")
        await home.slot(1)
        waits = []
        for _ in range(8):
            due = (await agent_of(home)).next_beat_at
            assert due is not None
            waits.append((due - home.clock.now()).total_seconds())
            await home.slot(waits[-1])
        assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


async def test_it_waits_as_long_as_the_provider_asks() -> None:
    async with hearts(1, script=[ModelBusy("Too many requests.", retry_after_seconds=20)]) as home:
        await home.hear("hi there")
        await home.slot(1)
        assert (await agent_of(home)).next_beat_at == home.clock.now() + timedelta(seconds=20)


async def test_after_five_failures_the_room_is_told_once_until_it_works_again() -> None:
    script: list[str | ModelError] = [DOWN] * 8
    async with hearts(1, script=[*script, answer({}), *script]) as home:
        await home.hear("hi there")
        await home.run(14)
        assert await notices(home) == []
        await home.run(1_000)
        assert [text for text in await notices(home) if "keeps trying" in text] == [
            "Agent1 cannot answer just now: Nothing answers at the model's address. It keeps trying."
        ]
        await home.hear("and now?")
        await home.run(1_000)
        assert len([text for text in await notices(home) if "keeps trying" in text]) == 2


class SlowModel(ScriptedModel):
    """Answers after some seconds of the virtual clock."""

    def __init__(self, seconds: float, text: str) -> None:
        super().__init__([text] * 9)
        self.seconds = seconds
        self.home: Hearts | None = None

    async def answer(self, call: ModelCall) -> ModelAnswer:
        answer = await super().answer(call)
        assert self.home is not None
        await self.home.clock.sleep(self.seconds)
        return answer


async def test_closing_in_the_middle_of_a_call_keeps_the_beat_for_later() -> None:
    model = SlowModel(60, answer({1: [(1, "At last.")]}))
    async with hearts(1, model=model) as home:
        model.home = home
        await home.hear("hi there")
        await home.clock.advance(1)
        await home.heartbeat.run_due()
        await until(lambda: model.calls and not home.heartbeat._looking)
        closing = asyncio.create_task(home.heartbeat.close(5))
        await asyncio.sleep(0)
        await home.clock.advance(6)
        await closing
        agent = await agent_of(home)
        assert (agent.beat_id, agent.failures_in_a_row) == (None, 0)
        assert agent.next_beat_at is not None
        assert await home.lines() == [("@mira", "hi there")]


async def test_an_answer_that_comes_after_its_claim_has_passed_on_is_dropped() -> None:
    model = SlowModel(60, answer({1: [(1, "Only once.")]}))
    async with hearts(1, model=model) as home:
        model.home = home
        await home.hear("hi there")
        await home.clock.advance(1)
        first = asyncio.create_task(home.heartbeat.slot(home.clock.now()))
        await until(lambda: len(model.calls) == 1)
        late = home.clock.now() + timedelta(hours=1)  # as if the first program had died
        second = asyncio.create_task(home.heartbeat.slot(late))
        await until(lambda: len(model.calls) == 2)
        await home.clock.advance(61)
        await asyncio.gather(first, second)
        await home.run(4_000)
        assert [line for line in await home.lines() if line[0] == "1"] == [("1", "Only once.")]
        assert home.metrics.counts["beats_lost"] == 1


async def test_an_answer_that_nobody_can_read_is_paid_kept_and_asked_for_only_once_more() -> None:
    async with hearts(1, script=["]]} ..."] * 3) as home:
        await home.hear("hi there")
        await home.run(600)
        beat = await home.last_beat()
        assert beat is not None
        assert beat.failed
        assert beat.usage.input_tokens > 0
        assert len(home.model.calls) == 2  # once more, for a person waits


async def test_who_is_missing_in_a_broken_shared_answer_is_asked_again_alone_once() -> None:
    async with hearts(3) as home:
        await home.crowd()
        cut = '{"agents": [{"agent_id": 1, "responses": [{"room_id": 1, "message": "Me"}]}, {"agent_id": 2, "resp'
        alone = [answer({2: [(1, "And me")]}), "nonsense"]
        home.model.script.extend([cut, *alone])
        await home.hear("what a day, everyone")
        while not home.model.calls:
            await home.run(1)
        assert len(home.model.calls) == 3
        await home.run(10)
        assert [text for who, text in await home.lines() if who in "123"] == ["Me", "And me"]


async def test_a_failed_request_for_one_leaves_what_the_others_said() -> None:
    async with hearts(2) as home:
        await home.crowd()
        cut = '{"agents": [{"agent_id": 1, "responses": [{"room_id": 1, "message": "Me"}]}, {"agent_id": 2, "resp'
        home.model.script.extend([cut, DOWN])
        await home.hear("what a day, everyone")
        while not home.model.calls:
            await home.run(1)
        await home.run(5)
        assert ("1", "Me") in await home.lines()
        assert (await agent_of(home, 2)).failures_in_a_row + len(home.model.calls) >= 3


async def test_an_answer_that_breaks_us_is_tried_a_few_times_and_then_left() -> None:
    class Clumsy(Performer):
        async def perform(self, *args: Any, **how: Any) -> list[Outcome]:  # noqa: ANN401
            raise RuntimeError("a fault of ours")

    async with hearts(1, script=[answer({1: [(1, "Hello.")]})] * 99) as home:
        home.heartbeat._applier._performer = Clumsy(cipher=PlainCipher(), tokenizer=WordTokenizer())
        await home.hear("hi there")
        await home.run(3_600)
        assert len(home.model.calls) == 5
        assert (await agent_of(home)).beat_id is None


async def test_what_may_not_be_shared_is_asked_for_again_alone() -> None:
    async with hearts(2) as home:
        await home.crowd()
        topic = {"type": "set_topic", "topic": "Weather"}
        shared = answer({1: [(1, "Nice.")], 2: []}, {1: [topic]})
        own = answer({1: [(1, "Not twice.")]}, {1: [topic]})
        home.model.script.extend([shared, own])
        await home.hear("what a day, everyone")
        while not home.model.calls:
            await home.run(1)
        await home.run(8)
        assert [text for who, text in await home.lines() if who == "1"] == ["Nice."]
        assert (await home.view()).all_rooms[AgentId(1)].topic == "Weather"


async def test_a_store_that_was_away_when_an_answer_came_delays_it_by_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    away = False

    def full(_: ModelCall) -> str:
        nonlocal away
        away = True
        return answer({1: [(1, "Lost with the disk.")]})

    async with hearts(1, script=[full, answer({1: [(1, "Here I am.")]})]) as home:
        writing = home.store.writing

        @asynccontextmanager
        async def faulty(
            community_id: CommunityId | None = None, expected: Expected | None = None
        ) -> AsyncIterator[SqlWriting]:
            if away:
                raise StoreError("The disk is full: make room.")
            async with writing(community_id, expected) as write:
                yield write

        monkeypatch.setattr(home.store, "writing", faulty)
        await home.hear("hi there")
        await home.slot(1)
        away = False
        await home.slot(1)
        assert (await agent_of(home)).beat_id is None
        await home.run(10)
        assert [line for sender, line in await home.lines() if sender == "1"] == ["Here I am."]


async def test_a_claim_of_which_nobody_heard_does_not_wait_for_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hearts(1, script=[answer({1: [(1, "Here I am.")]})]) as home:
        writing = home.store.writing

        @asynccontextmanager
        async def cut_off(community_id: CommunityId | None = None, expected: Expected | None = None) -> Any:  # noqa: ANN401
            async with writing(community_id, expected) as write:
                yield write
            monkeypatch.setattr(home.store, "writing", writing)
            raise StoreError("The connection to the database was lost.")  # and yet it was written

        await home.hear("hi there")
        monkeypatch.setattr(home.store, "writing", cut_off)
        await home.slot(1)
        assert (await agent_of(home)).beat_id is not None
        await home.slot(1)
        await home.run(5)
        assert ("1", "Here I am.") in await home.lines()
