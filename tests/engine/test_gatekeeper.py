"""Who is let through: whoever has a reason, once, and nobody for longer than their lease."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from bot.core.records import AgentId
from bot.engine.gatekeeper import Gatekeeper
from tests.engine.hearts import Hearts, hearts
from tests.fakes import PlainCipher

LEASE_SECONDS = 60.0
BOTH = (AgentId(1), AgentId(2))


def gatekeeper(house: Hearts) -> Gatekeeper:
    return Gatekeeper(house.store, house.model, cipher=PlainCipher(), lease_seconds=LEASE_SECONDS)


async def let_through(house: Hearts, now: datetime) -> Sequence[AgentId]:
    batch = await gatekeeper(house).let_in(house.community_id, BOTH, now)
    return [one.agent_id for one in batch.ready] if batch else []


async def addressed(house: Hearts) -> datetime:
    """Say something to the first agent, and give when it may answer."""
    await house.hear("Agent1, are you there?")
    await house.clock.advance(10)
    return house.clock.now()


async def test_who_is_addressed_is_let_through_and_who_is_not_stays() -> None:
    async with hearts(2, together=False) as house:
        assert await let_through(house, await addressed(house)) == [1]


async def test_two_who_ask_at_once_let_an_agent_through_once() -> None:
    async with hearts(2, together=False) as house:
        now = await addressed(house)
        assert await let_through(house, now) == [1]
        assert await let_through(house, now) == []


async def test_who_was_let_through_and_never_came_back_is_let_through_again_after_the_lease() -> None:
    async with hearts(2, together=False) as house:
        now = await addressed(house)
        assert await let_through(house, now) == [1]
        assert await let_through(house, now + timedelta(seconds=LEASE_SECONDS - 1)) == []
        assert await let_through(house, now + timedelta(seconds=LEASE_SECONDS + 1)) == [1]


async def test_when_what_they_are_to_see_cannot_be_read_they_wait_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hearts(2, together=False) as house:
        now = await addressed(house)

        async def broken(*given: object) -> None:
            raise OSError("the disk is away")

        with monkeypatch.context() as patch:
            patch.setattr(Gatekeeper, "_view", broken)
            with pytest.raises(OSError, match="the disk is away"):
                await let_through(house, now)
        assert await let_through(house, now) == [1]
