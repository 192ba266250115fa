"""Many calls at once: one beat at a time for each agent, nobody starves, what is slow or broken delays only itself."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.kinds import ReasonKind
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId
from bot.engine.heartbeat import Heartbeat
from bot.engine.performer import Performer
from tests.engine.hearts import Hearts, answer, asked, hearts
from tests.engine.test_replaying import LINES, PEOPLE
from tests.engine.town import until
from tests.fakes import CountedMetrics, OpenBench, PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

BREATHS = 8  # reads of the store, between which everything else gets on


class TimedModel(ScriptedModel):
    """Takes as long as `takes` says for each call, and keeps who is being asked."""

    def __init__(self, home: "Callable[[], Hearts]", takes: Callable[[ModelCall], float]) -> None:
        super().__init__()
        self._home = home
        self.takes = takes
        self.asking: Counter[int] = Counter()
        self.most: Counter[int] = Counter()
        self.open = self.most_open = 0
        self.context = 128_000

    def context_tokens(self, model: str) -> int:
        return self.context

    async def answer(self, call: ModelCall) -> ModelAnswer:
        ids = asked(call)
        self.asking.update(ids)
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        self.most |= self.asking
        try:
            await self._home().clock.sleep(self.takes(call))
            return await super().answer(call)
        finally:
            self.asking.subtract(ids)
            self.open -= 1


async def live(home: Hearts, seconds: float, *, step: float = 1.0, heartbeat: Heartbeat | None = None) -> None:
    """Let time pass as the scheduler does: a slot is begun each second, and none waits for another's answers."""
    for _ in range(int(seconds / step)):
        await home.clock.advance(step)
        await (heartbeat or home.heartbeat).run_due()
        for _ in range(BREATHS):
            async with home.store.reading() as read:
                await read.claims.next_due_at()
        await home.deliver()


@asynccontextmanager
async def timed(
    agents: int,
    takes: Callable[[ModelCall], float],
    **how: Any,  # noqa: ANN401
) -> AsyncIterator[tuple[TimedModel, Hearts]]:
    """Open a community whose model takes its time; at the end what still runs is put back."""
    homes: list[Hearts] = []
    model = TimedModel(lambda: homes[0], takes)
    async with hearts(agents, model=model, **how) as home:
        homes.append(home)
        yield model, home
        await closed(home)


async def closed(home: Hearts) -> None:
    """Close as at the end of a run."""
    closing = asyncio.create_task(home.heartbeat.close(1))
    await until(lambda: home.heartbeat._closed)
    await home.clock.advance(2)
    await closing


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
async def test_an_agent_is_in_one_beat_at_a_time_and_everyone_is_served_in_the_end(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a chat, not a secret

    def sometimes(call: ModelCall) -> str:
        if chance.random() < 0.15:
            raise ModelUnreachable("It is down.")
        return answer({id: [(1, "Well.")] for id in asked(call) if chance.random() < 0.5})

    config = CommunityConfig(usd_per_day=None, addressed_per_person=1_000)
    async with timed(5, lambda _: chance.choice((0.1, 1, 5, 30)), config=config) as (model, home):
        model.script.extend([sometimes] * 9_999)
        for _ in range(25):
            who, id = chance.choice(PEOPLE)
            await home.hear(chance.choice(LINES), who=who, id=id, room_id=chance.choice((1, 1, 2)))
            await live(home, chance.choice((1, 3, 8)))
        model.takes, model.script = (lambda _: 0.1), type(model.script)()
        await live(home, 400, step=2)
        assert max(model.most.values()) == 1
        view = await home.view(1, 2, 3, 4, 5)
        assert not any(reasons for reasons in view.reasons.values())
        newest = max(one.id for one in view.rooms[AgentId(1)].messages if one.sender.is_human)
        assert all(view.memberships[AgentId(id), AgentId(1)].seen_until >= newest for id in range(1, 6))


async def test_a_slow_model_delays_only_those_who_use_it() -> None:
    async with timed(2, lambda call: 100 if call.model == "slow" else 0.1, together=False) as (model, home):
        model.script.extend([lambda call: answer({id: [(id, "Here.")] for id in asked(call)})] * 99)
        await home.apply(UpdateAgent(agent_id=AgentId(1), fields={"model": "slow"}))
        await home.hear("hello")
        await home.hear("hello", room_id=2)
        await live(home, 10)
        assert ("2", "Here.") in await home.lines(2)
        await home.hear("and again", room_id=2)
        await live(home, 10)
        assert [who for who, _ in await home.lines(2)].count("2") == 2
        assert model.asking[1] == 1
        await live(home, 100, step=5)
        assert ("1", "Here.") in await home.lines(1)


async def test_who_is_asked_again_alone_waits_for_nobody_else_who_is() -> None:

    def talk(call: ModelCall) -> str:
        return "nonsense" if len(asked(call)) > 1 else answer({id: [(1, f"I am {id}.")] for id in asked(call)})

    async with timed(3, lambda call: 90 if asked(call) == [1] else 0.1) as (model, home):
        model.script.extend([talk] * 99)
        for id in (1, 2, 3):
            await home.apply(UpdateAgent(agent_id=AgentId(id), fields={"last_beat_silent": True}))
        await home.hear("Agent1, Agent2: hello")
        await live(home, 12)
        assert ("2", "I am 2.") in await home.lines()
        assert ("1", "I am 1.") not in await home.lines()
        await live(home, 95, step=5)
        assert ("1", "I am 1.") in await home.lines()


async def test_what_does_not_fit_in_one_call_is_asked_at_the_same_time_in_others() -> None:
    async with timed(12, lambda _: 0) as (model, home):
        model.context = 8_000
        await home.crowd()
        began, model.takes = home.clock.now(), lambda _: 5
        await home.hear("good evening, everyone", who="rob", id=502)
        for _ in range(150):
            await live(home, 1)
            if model.calls:
                break
        assert model.most_open >= 2
        assert sorted(id for call in model.calls for id in asked(call)) == list(range(1, 13))
        assert (home.clock.now() - began).total_seconds() < 150


@pytest.mark.slow
async def test_an_agent_that_is_too_large_for_its_model_sees_less() -> None:
    async with timed(1, lambda _: 0) as (model, home):
        for number in range(200):
            await home.hear(f"This is line {number} of a long afternoon, and it is about nothing in particular.")
        await home.slot(1)
        await home.clock.advance(600)
        model.context = 5_600
        await home.hear("Agent1, do you still see me?")
        await home.slot(1)
        first, second = model.calls
        small, large = (WordTokenizer().count(call.instructions + call.input) for call in (second, first))
        assert large + 600 > model.context
        assert small + 600 <= model.context
        assert "do you still see me?" in second.input


async def test_after_a_crash_the_floor_is_free_and_typing_begins_again() -> None:
    async with timed(3, lambda _: 10_000) as (model, home):
        await home.hear("Agent1, Agent2, Agent3: hello")
        await live(home, 3)
        assert sum(model.asking.values()) == 2  # they hold the floor for ever, so to speak
        async with home.store.writing() as write:
            await write.claims.abandon()  # as the next start does
        told: set[int] = set()

        def once(call: ModelCall) -> str:
            new = set(asked(call)) - told
            told.update(new)
            return answer({id: [(1, f"I am {id}.")] for id in new})

        answers = ScriptedModel([once] * 99)
        typing: list[int] = []
        performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
        again = Heartbeat(
            home.store,
            answers,
            performer,
            home.clock,
            lambda community_id, beat_id: SeededRandom(hash((community_id, beat_id))),
            CountedMetrics(),
            workshop=OpenBench(),
            on_typing=lambda _, channel_id: typing.append(channel_id),
        )
        await live(home, 25, heartbeat=again)
        said = [text for who, text in await home.lines() if who in "123"]
        assert sorted(said) == ["I am 1.", "I am 2.", "I am 3."]
        assert typing
        model.takes = lambda _: 0.0
        await home.clock.advance(10_000)  # the answers of before arrive, and nobody waits for them
        await until(lambda: model.open == 0)
        await again.close(5)
        await home.deliver()
        assert sorted(text for who, text in await home.lines() if who in "123") == sorted(said)


async def test_closing_while_some_are_asked_again_alone_keeps_all_their_reasons() -> None:
    async with timed(2, lambda call: 0.1 if len(asked(call)) > 1 else 10_000) as (model, home):
        model.script.extend(["nonsense"] * 9)
        await home.hear("Agent1, Agent2: hello")
        await live(home, 5)
        assert sum(model.asking.values()) == 2
        await closed(home)
        view = await home.view(1, 2)
        assert all(view.agents[AgentId(id)].beat_id is None for id in (1, 2))
        kinds = {id: [reason.kind for reason in reasons] for id, reasons in view.reasons.items()}
        assert kinds == {1: [ReasonKind.ADDRESSED], 2: [ReasonKind.ADDRESSED]}


async def test_who_is_called_while_it_is_in_a_call_is_asked_as_soon_as_that_ends() -> None:
    async with timed(1, lambda _: 20.3) as (model, home):
        await home.hear("Agent1, hello")
        await live(home, 5)
        await home.hear("Agent1, one thing more", who="rob", id=502)
        await live(home, 16)
        await home.clock.advance(0.9)  # no tick since the answer came, and none until it has been asked again
        await until(lambda: model.asking[1] == 1 and len(model.calls) == 1)
