"""No day's limit is passed, however many calls are reserved at the same time, on both databases."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from bot.core.config import CommunityConfig
from bot.core.hud.call import BuiltCall
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.models import Ceilings
from bot.core.records import AgentId, CommunityId, Snowflake, Usage
from bot.core.spending import Limit, day_of
from bot.engine.planner import CallKind, PlannedCall
from bot.engine.purse import CallPrice, Purse, set_aside
from storage.store import SqlStore
from tests.fakes import ScriptedModel

LATE = datetime(2026, 11, 20, 23, 59, 59, tzinfo=UTC)
TODAY = day_of(LATE)
KIND = CallKind(
    model="gpt-4o-mini",
    temperature=0.7,
    input_format=InputFormat.TEXT,
    output_format=OutputFormat.JSON,
    structured=False,
    cell="public",
)
BUILT = BuiltCall(instructions="", input="", tokens=2_000, parts=(), cache_key="")
CALL = PlannedCall(kind=KIND, ready=(), built=BUILT, answer_tokens=5_000)
PRICE = ScriptedModel().list_price("gpt-4o-mini", input_tokens=2_000, output_tokens=5_000)
MODEL = ScriptedModel()


async def spent(store: SqlStore, community_id: CommunityId, day: datetime = LATE) -> tuple[Decimal, int]:
    async with store.reading() as read:
        return await read.money.spent(community_id, day_of(day))


async def booked(
    purse: Purse, community_id: CommunityId, config: CommunityConfig, now: datetime = LATE
) -> list[PlannedCall]:
    return [*await purse.reserve(community_id, MODEL, config, [CALL], now)]


async def test_of_forty_calls_at_once_exactly_those_go_that_fit(store: SqlStore, community_id: CommunityId) -> None:
    config = CommunityConfig(usd_per_day=PRICE * 7 + PRICE / 2)
    purses = [Purse(store) for _ in range(4)]
    found = await asyncio.gather(*(booked(purses[n % 4], community_id, config) for n in range(40)))
    assert sum(one.reservation is not None for (one,) in found) == 7
    assert await spent(store, community_id) == (PRICE * 7, 7 * 7_000)


async def test_of_forty_calls_at_once_exactly_those_go_that_fit_in_tokens(
    store: SqlStore, community_id: CommunityId
) -> None:
    config = CommunityConfig(usd_per_day=None, tokens_per_day=5 * 7_000)
    found = await asyncio.gather(*(booked(Purse(store), community_id, config) for _ in range(40)))
    assert sum(one.reservation is not None for (one,) in found) == 5


@pytest.mark.parametrize("seed", range(3))
async def test_no_moment_passes_the_limit_while_calls_begin_and_end(
    store: SqlStore, community_id: CommunityId, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - not a secret
    limit = PRICE * 12
    config, purse = CommunityConfig(usd_per_day=limit), Purse(store)
    went = 0

    async def one_call() -> None:
        nonlocal went
        (one,) = await booked(purse, community_id, config)
        if one.reservation is None:
            return
        went += 1
        await asyncio.sleep(0)
        used = Usage(input_tokens=100, output_tokens=50, cost_usd=PRICE * chance.randint(0, 10) / 10)
        await purse.settle(community_id, one, used)

    async def one_summary() -> None:
        async with store.writing(community_id) as write:
            await set_aside(write.money, community_id, config, TODAY, CallPrice(usd=PRICE / 2, tokens=500))

    async def watch() -> None:
        for _ in range(60):
            usd, _ = await spent(store, community_id)
            assert usd <= limit

    calls = [one_call() for _ in range(40)] + [one_summary() for _ in range(4)]
    chance.shuffle(calls)
    await asyncio.gather(*calls, watch())
    usd, _ = await spent(store, community_id)
    assert PRICE * 2 < usd <= limit
    assert went >= 10


async def test_a_call_over_midnight_is_settled_on_the_day_it_was_reserved(
    store: SqlStore, community_id: CommunityId
) -> None:
    config, purse, tomorrow = CommunityConfig(usd_per_day=PRICE), Purse(store), LATE + timedelta(seconds=30)
    (one,) = await booked(purse, community_id, config)
    (again,) = await booked(purse, community_id, config)
    assert again.reservation is None
    (new,) = await booked(purse, community_id, config, tomorrow)
    assert new.reservation is not None
    await purse.settle(community_id, one, Usage(input_tokens=10, output_tokens=5, cost_usd=Decimal("0.0001")))
    assert await spent(store, community_id) == (Decimal("0.0001"), 15)
    assert await spent(store, community_id, tomorrow) == (PRICE, 7_000)


async def test_what_was_reserved_before_a_crash_counts_in_full_afterwards(
    store: SqlStore, community_id: CommunityId
) -> None:
    config = CommunityConfig(usd_per_day=PRICE * 2)
    await booked(Purse(store), community_id, config)  # its program is killed
    after = Purse(store)
    (one,) = await booked(after, community_id, config)
    (two,) = await booked(after, community_id, config)
    assert (one.reservation is None, two.reservation is None) == (False, True)
    await after.settle(community_id, one, Usage(cost_usd=Decimal(0)))
    assert (await spent(store, community_id))[0] == PRICE


async def test_of_calls_of_four_servers_at_once_those_go_that_the_installation_pays_for(
    store: SqlStore, community_id: CommunityId
) -> None:
    ids = [community_id]
    async with store.writing() as write:
        ids += [(await write.communities.add(Snowflake(100 + number), "More")).id for number in range(3)]
    model = ScriptedModel()
    model.paid = Ceilings(usd_each=PRICE * 3 + PRICE / 2, usd_all=PRICE * 8 + PRICE / 2)
    config = CommunityConfig(usd_per_day=Decimal(10_000))

    async def one(number: int) -> tuple[CommunityId, PlannedCall]:
        whose = ids[number % 4]
        (found,) = await Purse(store).reserve(whose, model, config, [CALL], LATE)
        return whose, found

    found = await asyncio.gather(*(one(number) for number in range(40)))
    went = [whose for whose, booked in found if booked.reservation is not None]
    assert len(went) == 8
    assert max(went.count(id) for id in ids) <= 3
    assert all(booked.short.limit is Limit.CEILING for _, booked in found if booked.short is not None)
    async with store.reading() as read:
        assert (await read.money.paid(community_id, TODAY))[1] == PRICE * 8


async def test_what_a_server_pays_itself_is_not_counted_as_paid_by_the_installation(
    store: SqlStore, community_id: CommunityId
) -> None:
    await booked(Purse(store), community_id, CommunityConfig())
    async with store.reading() as read:
        assert await read.money.paid(community_id, TODAY) == (Decimal(0), Decimal(0))


async def test_a_call_is_booked_to_its_agents_by_their_shares(store: SqlStore, community_id: CommunityId) -> None:
    ada, bob = AgentId(1), AgentId(2)
    async with store.writing(community_id) as write:
        id = await write.money.reserve(community_id, TODAY, usd=PRICE, tokens=10, agents={ada: 3, bob: 1})
        await write.money.settle(community_id, id, usd=Decimal("0.004"), tokens=9)
        used = await write.money.spent_by_agent(community_id, TODAY)
    assert [used[one].cost_usd for one in (ada, bob)] == [Decimal("0.003"), Decimal("0.001")]
    assert sum(one.input_tokens for one in used.values()) == 9
