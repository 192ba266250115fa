"""Money is set aside before calls and settled after them."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from decimal import Decimal

import pytest

from bot.core.actions import LEAN
from bot.core.config import CommunityConfig
from bot.core.hud.call import BuiltCall
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.ports import Expected, ModelAnswer, ModelCall, Writing
from bot.core.records import CommunityId, Usage
from bot.core.schema import LeanForm, answer_schema
from bot.core.spending import Limit, Short
from bot.engine.planner import CallKind, PlannedCall
from bot.engine.purse import Purse
from storage.store import SqlStore
from tests.engine.hearts import everyone_says, hearts
from tests.fakes import START, ScriptedModel, WordTokenizer
from tests.founding import founded

LIMITED = CommunityConfig(usd_per_day=Decimal("0.0080"))  # two calls of 0.0033 each fit, a third does not
KIND = CallKind(
    model="gpt-4o-mini",
    temperature=0.7,
    input_format=InputFormat.TEXT,
    output_format=OutputFormat.JSON,
    structured=False,
    cell="public",
)
BUILT = BuiltCall(instructions="", input="", tokens=2_100, parts=(), cache_key="")
CALL = PlannedCall(kind=KIND, ready=(), built=BUILT, answer_tokens=5_000)


@asynccontextmanager
async def purse() -> AsyncIterator[tuple[SqlStore, CommunityId, Purse]]:
    async with await SqlStore.open("sqlite://", config=LIMITED) as store:
        community_id = await founded(store, 0)
        yield store, community_id, Purse(store)


async def spent(store: SqlStore, community_id: CommunityId) -> tuple[Decimal, int]:
    async with store.reading() as read:
        return await read.money.spent(community_id, START.date())


async def test_input_and_the_largest_answer_are_set_aside_at_list_price() -> None:
    async with purse() as (store, community_id, kept):
        await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL], START)
        assert await spent(store, community_id) == (Decimal("0.003315"), 7_100)


@pytest.mark.parametrize("lean", [None, LeanForm(LEAN, in_one_room=True)])
async def test_the_schema_of_a_call_is_set_aside_with_it(lean: LeanForm | None) -> None:
    held = replace(CALL, kind=replace(KIND, structured=True), built=replace(BUILT, lean=lean))
    async with purse() as (store, community_id, kept):
        await kept.reserve(community_id, ScriptedModel(), LIMITED, [held], START)
        schema = json.dumps(answer_schema(lean=lean))
        assert (await spent(store, community_id))[1] == 7_100 + WordTokenizer().count(schema)


async def test_pictures_are_set_aside_as_well() -> None:
    async with purse() as (store, community_id, kept):
        seeing = replace(CALL, images=("https://cdn.example/1.png", "https://cdn.example/2.png"))
        await kept.reserve(community_id, ScriptedModel(), LIMITED, [seeing], START)
        assert (await spent(store, community_id))[1] == 7_100 + 2 * 3_000


async def test_what_was_used_takes_the_place_of_what_was_set_aside() -> None:
    async with purse() as (store, community_id, kept):
        (booked,) = await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL], START)
        await kept.settle(community_id, booked, Usage(input_tokens=2_100, output_tokens=50, cost_usd=Decimal("0.0004")))
        assert await spent(store, community_id) == (Decimal("0.0004"), 2_150)


async def test_a_call_that_does_not_fit_waits_for_what_the_others_leave() -> None:
    async with purse() as (store, community_id, kept):
        first, second, third = await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL] * 3, START)
        assert [booked.reservation is not None for booked in (first, second, third)] == [True, True, False]
        assert third.short is not None and third.short.soon
        for booked in (first, second):
            await kept.settle(community_id, booked, Usage(cost_usd=Decimal("0.0039")))
        (fourth,) = await kept.reserve(community_id, ScriptedModel(), LIMITED, [CALL], START)
        assert fourth.short == Short(limit=Limit.BUDGET)
        assert await spent(store, community_id) == (Decimal("0.0078"), 0)


class Counting(ScriptedModel):
    """Counts the transactions that are written once it has answered."""

    written = 0
    used = Usage()

    async def answer(self, call: ModelCall) -> ModelAnswer:
        answer = await super().answer(call)
        self.written, self.used = 0, answer.usage
        return answer


async def test_what_an_answer_does_and_costs_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, writing = Counting([everyone_says("Yes.")]), SqlStore.writing

    def counted(
        store: SqlStore, community_id: CommunityId | None = None, expected: Expected | None = None
    ) -> AbstractAsyncContextManager[Writing]:
        model.written += 1
        return writing(store, community_id, expected)

    monkeypatch.setattr(SqlStore, "writing", counted)
    async with hearts(1, model=model) as home:
        await home.hear("hello")
        await home.clock.advance(60)
        await home.heartbeat.slot(home.clock.now())
        assert (len(model.calls), model.written) == (1, 1)
        used = model.used
        assert await spent(home.store, home.community_id) == (used.cost_usd, used.input_tokens + used.output_tokens)
