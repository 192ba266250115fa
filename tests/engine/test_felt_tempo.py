"""A thumb is felt: who waits tells an agent that looks every second from one that does every ten."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.core.config import CommunityConfig
from bot.core.events import ReactionChanged
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import Snowflake
from tests.engine.hearts import Hearts, answer, asked, hearts
from tests.factories import GUILD_ID, person
from tests.fakes import ScriptedModel

QUICK, RESTING, SLOW = 1.0, 5.0, 10.0
WORDS = "Good evening to you, it is late by the sea."


class Answering(ScriptedModel):
    """Answers in its own room, at once, who speaks to it; what is said to others it only reads."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        said = {} if "Rob, pass the salt" in call.input else {id: [(id, WORDS)] for id in asked(call)}
        self.script.append(answer(said, {id: [] for id in asked(call)}))
        return await super().answer(call)


@asynccontextmanager
async def living_at(seconds: float) -> AsyncIterator[Hearts]:
    config = CommunityConfig(usd_per_day=None)
    async with hearts(
        1, model=Answering(), config=config, interval_seconds=seconds, resting_interval_seconds=seconds
    ) as home:
        yield home


async def step(home: Hearts) -> None:
    """Go on to the moment at which something is next due, to the millisecond."""
    async with home.store.reading() as read:
        times = [at for at in (await read.claims.next_due_at(), await read.letters.next_due_at()) if at is not None]
    await home.slot(max(0.0, (min(times) - home.clock.now()).total_seconds()))


async def answered_after(home: Hearts, line: str) -> float:
    """Say something to the agent and give the seconds until its answer stands."""
    before, posts = home.clock.now(), len(home.publisher.posts)
    await home.hear(line)
    while len(home.publisher.posts) == posts:
        await step(home)
    return (home.clock.now() - before).total_seconds()


async def looked_after(home: Hearts) -> float:
    """Let the agent speak, then two people with each other; give the seconds until it looks at that."""
    await answered_after(home, "Agent1, hello!")
    await home.hear("Rob, pass the salt, please", who="ann", id=503)
    before, calls = home.clock.now(), len(home.model.calls)
    while len(home.model.calls) == calls:
        await step(home)
    return (home.clock.now() - before).total_seconds()


@pytest.mark.parametrize(("seconds", "after"), [(QUICK, 0.72), (RESTING, 1.8), (SLOW, 2.34)])
async def test_a_quick_agent_answers_sooner_than_a_slow_one(seconds: float, after: float) -> None:
    async with living_at(seconds) as home:
        assert await answered_after(home, "Agent1, good evening!") == pytest.approx(after, abs=0.01)


async def test_a_quick_agent_looks_sooner_at_what_is_not_for_it_than_a_slow_one() -> None:
    looked = {}
    for seconds in (QUICK, SLOW):
        async with living_at(seconds) as home:
            looked[seconds] = await looked_after(home)
    assert looked[QUICK] <= 2.0
    assert 5.0 <= looked[SLOW] <= 16.0  # its own ten seconds since it last looked, on the grid


async def test_five_thumbs_are_felt_in_the_next_answer() -> None:
    async with living_at(RESTING) as home:
        before = await answered_after(home, "Agent1, good evening!")
        post = next(one for one in reversed(await home.messages()) if one.content == WORDS)
        assert post.discord_id is not None
        for id in range(601, 606):
            fan = person(f"fan{id}", id)
            thumb = ReactionChanged(
                guild_id=GUILD_ID,
                channel_id=Snowflake(7_000_000_000_000_001),
                message_id=post.discord_id,
                user_id=fan.id,
                person=fan,
                emoji="👍",
                added=True,
                at=home.clock.now(),
            )
            await home.intake.take(thumb)
        assert await answered_after(home, "Agent1, and now?") <= before - 0.6
