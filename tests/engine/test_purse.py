"""Money is set aside before calls and settled after them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.hud.call import BuiltCall
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.records import CommunityId, Usage
from bot.engine.planner import Kind, PlannedCall
from bot.engine.purse import Purse
from storage.store import SqlStore
from tests.fakes import START, ScriptedModel
from tests.founding import founded

LIMITED = CommunityConfig(usd_per_day=Decimal("0.0080"))  # two calls of 0.0033 each fit, a third does not
KIND = Kind(
    model="gpt-4o-mini",
    temperature=0.7,
    input_format=InputFormat.TEXT,
    output_format=OutputFormat.JSON,
    structured=True,
    cell="public",
)
BUILT = BuiltCall(instructions="", input="", tokens=2_000, parts=(), cache_key="")
CALL = PlannedCall(kind=KIND, ready=(), built=BUILT, answer_tokens=5_000)


@asynccontextmanager
async def purse() -> AsyncIterator[tuple[SqlStore, CommunityId, Purse]]:
    async with await SqlStore.open("sqlite://", config=LIMITED) as store:
        community_id = await founded(store, 0)
        yield store, community_id, Purse(store, schema_tokens=100)


async def spent(store: SqlStore, community_id: CommunityId) -> tuple[Decimal, int]:
    async with store.reading() as read:
        return await read.spent(community_id, START.date())


async def test_input_schema_and_the_largest_answer_are_set_aside_at_list_price() -> None:
    async with purse() as (store, community_id, kept):
        await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL], START)
        assert await spent(store, community_id) == (Decimal("0.003315"), 7_100)


async def test_what_was_used_takes_the_place_of_what_was_set_aside() -> None:
    async with purse() as (store, community_id, kept):
        (booked,) = await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL], START)
        await kept.settle(community_id, booked, Usage(input_tokens=2_100, output_tokens=50, cost_usd=Decimal("0.0004")))
        assert await spent(store, community_id) == (Decimal("0.0004"), 2_150)


async def test_a_call_that_does_not_fit_waits_for_what_the_others_leave() -> None:
    async with purse() as (store, community_id, kept):
        first, second, third = await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL] * 3, START)
        assert [booked.reservation is not None for booked in (first, second, third)] == [True, True, False]
        assert third.soon
        for booked in (first, second):
            await kept.settle(community_id, booked, Usage(cost_usd=Decimal("0.0039")))
        (fourth,) = await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL], START)
        assert (fourth.reservation, fourth.soon) == (None, False)
        assert await spent(store, community_id) == (Decimal("0.0078"), 0)
