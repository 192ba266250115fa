"""What a gateway does for the minds beside it."""

from datetime import timedelta

import pytest

from bot.core.hints import Hint, HintKind
from bot.core.records import AgentId, Snowflake
from bot.engine.beside import Beside
from tests.engine.hearts import Hearts, hearts
from tests.factories import GUILD_ID

PLACE = Snowflake(7_000_000_000_000_001)


class Bell:
    """Keeps what was rung."""

    def __init__(self) -> None:
        self.rung: list[Hint] = []

    def ring(self, hint: Hint) -> None:
        self.rung.append(hint)


class Typing:
    """Keeps where typing was begun."""

    def __init__(self) -> None:
        self.begun: list[tuple[Snowflake, Snowflake]] = []

    def begin(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        self.begun.append((guild_id, channel_id))


def beside(home: Hearts, bell: Bell | None = None) -> tuple[Beside, Typing]:
    typing = Typing()
    return Beside(home.store, home.clock, home.metrics, typing, home.nudges, bell), typing


async def test_who_is_due_is_rung_for_once_and_again_when_nobody_came() -> None:
    async with hearts(2, together=False) as home:
        bell = Bell()
        gateway, _ = beside(home, bell)
        await home.hear("hi there", room_id=2)
        await gateway.run()
        assert bell.rung == []  # it is not due before it was waited for more
        assert home.nudges.at[-1] > home.clock.now()
        await home.clock.advance(1.0)
        await gateway.run()
        await gateway.run()
        due = Hint(kind=HintKind.DUE, community_id=home.community_id, agent_id=AgentId(2))
        assert bell.rung == [due]
        await home.clock.advance(1.0)
        await gateway.run()
        assert bell.rung == [due, due]
        await home.slot()
        await home.clock.advance(1.0)
        await gateway.run()
        assert bell.rung == [due, due]


async def test_who_asks_for_a_person_is_seen_typing_whether_or_not_a_bell_is_there() -> None:
    async with hearts(2, together=False, lease_seconds=30.0) as home:
        gateway, typing = beside(home)
        await home.hear("Room 1, what is the weather like?")
        await home.clock.advance(1.0)
        await gateway.run()
        assert typing.begun == []  # nobody has claimed it yet
        now = home.clock.now()
        async with home.store.writing(home.community_id) as write:
            until = now + timedelta(seconds=25)
            (claim,) = await write.claims.take(home.community_id, [AgentId(1)], now=now, lease_until=until)
        await gateway.run()
        await gateway.run()
        assert typing.begun == [(GUILD_ID, PLACE)]
        await home.clock.advance(21.0)
        await gateway.run()
        assert len(typing.begun) == 2  # before it would end by itself
        async with home.store.writing(home.community_id) as write:
            await write.claims.release(claim)
        await home.clock.advance(21.0)
        await gateway.run()
        assert len(typing.begun) == 2


async def test_nobody_is_seen_typing_whose_claim_has_ended_or_for_whom_no_person_waits() -> None:
    async with hearts(2, lease_seconds=30.0) as home:
        gateway, typing = beside(home)
        await home.hear("good morning everyone")
        await home.clock.advance(60.0)
        now = home.clock.now()
        async with home.store.writing(home.community_id) as write:
            until = now + timedelta(seconds=5)
            claims = await write.claims.take(home.community_id, [AgentId(2)], now=now, lease_until=until)
        called = [one for claim in claims for one in claim.reasons if one.is_a_persons_call]
        await gateway.run()
        assert typing.begun == [(GUILD_ID, PLACE)] * len(called) == []


async def test_a_store_that_is_away_is_looked_into_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.core.errors import StoreError

    async with hearts(1) as home:
        gateway, _ = beside(home, Bell())

        def away() -> None:
            raise StoreError("The database is away.")

        with monkeypatch.context() as patched:
            patched.setattr(type(home.store), "reading", lambda _: away())
            await gateway.run()
        assert home.metrics.counts["slots_broken"] == 1
        await gateway.run()
        assert home.metrics.counts["slots_broken"] == 1
