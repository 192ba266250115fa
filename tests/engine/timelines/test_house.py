"""The house pays for worlds apart from grants of the day's money, and for nothing else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.models import Ceilings, ModelAnswer, ModelCall, Source
from bot.core.records import Snowflake
from bot.core.spending import day_of
from bot.core.timelines.records import TreeId
from bot.engine.purse import CallPrice, set_aside
from bot.engine.timelines.answers import GrantSpent
from bot.engine.timelines.house import Estimate, Treasury
from tests.engine.hearts import Hearts, everyone_says, hearts
from tests.engine.timelines.garden import Garden, garden
from tests.fakes import ScriptedModel

CALL = ModelCall(
    model="gpt-4o-mini",
    instructions="",
    input="hello",
    temperature=None,
    answer_tokens=1_000,
    schema=None,
    cache_key="",
)


@asynccontextmanager
async def treasury(folder: Path) -> AsyncIterator[tuple[Treasury, Garden]]:
    async with garden(folder, everyone_says("Here.")) as grown:
        home = grown.home
        yield Treasury(home.store, home.model, grown.trees, home.clock, places=8), grown


async def spent(grown: Garden) -> Decimal:
    async with grown.home.store.reading() as read:
        return (await read.money.spent(grown.key.community_id, day_of(grown.home.clock.now())))[0]


async def test_a_grant_is_set_aside_and_what_is_left_of_it_given_back(tmp_path: Path) -> None:
    async with treasury(tmp_path) as (house, grown):
        estimate = Estimate(usd=Decimal("0.001"), granted_usd=Decimal("0.01"), tokens=100)
        grant = await house.grant(grown.key, estimate)
        assert grant is not None
        assert await spent(grown) == Decimal("0.01")
        (root,) = await grown.trees.nodes(grown.key)
        await house.give(grown.key, grant, [root])
        answer = await house.answer(grown.key, root.id, CALL)
        await house.changed(grown.key, root.id, root)
        assert await spent(grown) == answer.usage.cost_usd > 0
        with pytest.raises(GrantSpent):
            await house.answer(grown.key, root.id, CALL)


async def test_a_grant_holds_no_call_that_may_cost_more_than_is_left_of_it(tmp_path: Path) -> None:
    async with treasury(tmp_path) as (house, grown):
        price = grown.home.model.list_price("gpt-4o-mini", input_tokens=2, output_tokens=1_000)
        grant = await house.grant(grown.key, Estimate(usd=price, granted_usd=price * 2 - Decimal("0.000001"), tokens=9))
        assert grant is not None
        (root,) = await grown.trees.nodes(grown.key)
        await house.give(grown.key, grant, [root])
        grant.spent = replace(grant.spent, cost_usd=price)
        with pytest.raises(GrantSpent):
            await house.answer(grown.key, root.id, CALL)
        assert grown.home.model.calls == []


async def test_what_the_day_or_the_tree_does_not_hold_is_refused_with_what_is_left(tmp_path: Path) -> None:
    poor = CommunityConfig(usd_per_day=Decimal("0.12"))
    async with hearts(1, config=poor) as home, treasury(tmp_path) as (_, grown):
        house = Treasury(home.store, home.model, grown.trees, home.clock, places=8)
        key = replace(grown.key, community_id=home.community_id)
        estimate = Estimate(usd=Decimal("0.34"), granted_usd=Decimal("0.34"), tokens=9)
        why = r"The day's money does not hold this: about 0\.34 USD, 0\.12 left\."
        with pytest.raises(Rejected, match=why):
            await house.grant(key, estimate)
        with pytest.raises(Rejected, match=r"This tree's money does not hold this: about 0\.34 USD, 0\.20 left\."):
            await house.held(grown.key, estimate, Decimal("0.20"))


A_DOLLAR = CommunityConfig(usd_per_day=Decimal(1))


async def take_up(home: Hearts, usd: str) -> None:
    """Let life spend so much of the day."""
    price = CallPrice(usd=Decimal(usd), tokens=9)
    async with home.store.writing(home.community_id) as write:
        booked = await set_aside(write.money, home.community_id, A_DOLLAR, day_of(home.clock.now()), price)
    assert isinstance(booked, int)


async def test_from_80_percent_of_the_day_no_run_begins_and_at_95_those_that_run_are_asked_no_more(
    tmp_path: Path,
) -> None:
    async with hearts(1, config=A_DOLLAR) as home, treasury(tmp_path) as (_, grown):
        house = Treasury(home.store, home.model, grown.trees, home.clock, places=8)
        key = replace(grown.key, community_id=home.community_id)
        wanted = Estimate(usd=Decimal("0.05"), granted_usd=Decimal("0.10"), tokens=9)
        grant = await house.grant(key, wanted)
        assert grant is not None
        (root,) = await grown.trees.nodes(grown.key)
        await house.give(key, grant, [root])
        await take_up(home, "0.69")
        below = await house.grant(key, replace(wanted, granted_usd=Decimal("0.01")))
        assert below is not None
        await house.give(key, below, [])
        await take_up(home, "0.01")
        with pytest.raises(Rejected, match="Most of the day's money is spent: no timeline is run until tomorrow"):
            await house.grant(key, wanted)
        await take_up(home, "0.14")
        home.model.script.append("Here.")
        assert (await house.answer(key, root.id, CALL)).text == "Here."
        await take_up(home, "0.01")
        with pytest.raises(GrantSpent, match="The day's money is nearly spent"):
            await house.answer(key, root.id, CALL)


class Mixed(ScriptedModel):
    """The installation pays for gpt-4o-mini, and the community has models of its own beside it."""

    @property
    def source(self) -> Source:
        return Source(ceilings=None)

    def ceilings(self, model: str) -> Ceilings | None:
        return None if model.startswith("own/") else self.paid


async def test_a_provider_of_ones_own_lifts_no_ceiling_off_what_the_installation_pays_for_a_run(tmp_path: Path) -> None:
    rich = CommunityConfig(usd_per_day=Decimal(10_000))
    mixed = Mixed()
    mixed.paid = Ceilings(usd_each=Decimal("0.05"), usd_all=Decimal(1))
    async with hearts(1, config=rich, model=mixed) as home, treasury(tmp_path) as (_, grown):
        house = Treasury(home.store, mixed, grown.trees, home.clock, places=8)
        key = replace(grown.key, community_id=home.community_id)
        with pytest.raises(Rejected, match=r"0\.05 left"):
            await house.grant(key, Estimate(usd=Decimal(5), granted_usd=Decimal(10), tokens=9))
        assert await house.grant(key, Estimate(usd=Decimal("0.02"), granted_usd=Decimal("0.03"), tokens=9)) is not None
        async with home.store.reading() as read:
            here, everywhere = await read.money.paid(home.community_id, day_of(home.clock.now()))
        assert here == everywhere == Decimal("0.03")


async def test_a_run_that_was_begun_on_ones_own_money_asks_no_model_that_the_installation_pays_for(
    tmp_path: Path,
) -> None:
    mixed = Mixed()
    mixed.paid = Ceilings(usd_each=Decimal("0.05"))
    rich = CommunityConfig(usd_per_day=Decimal(100), model="own/small")
    async with hearts(1, config=rich, model=mixed, llm="own/small") as home, treasury(tmp_path) as (_, grown):
        house = Treasury(home.store, mixed, grown.trees, home.clock, places=8)
        key = replace(grown.key, community_id=home.community_id)
        grant = await house.grant(key, Estimate(usd=Decimal(5), granted_usd=Decimal(10), tokens=9))
        assert grant is not None
        (root,) = await grown.trees.nodes(grown.key)
        await house.give(key, grant, [root])
        assert (await house.answer(key, root.id, replace(CALL, model="own/small"))).text
        with pytest.raises(GrantSpent):
            await house.answer(key, root.id, CALL)
        assert [call.model for call in mixed.calls] == ["own/small"]


class Hanging(Mixed):
    """A model of a community's own never answers; what the installation pays for does."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        if call.model.startswith("own/"):
            await asyncio.Event().wait()
        return await super().answer(call)


async def test_a_model_of_ones_own_that_hangs_leaves_the_runs_of_others_their_places(tmp_path: Path) -> None:
    hanging = Hanging()
    rich = CommunityConfig(usd_per_day=Decimal(100), model="own/small")
    async with hearts(1, config=rich, model=hanging, llm="own/small") as home, treasury(tmp_path) as (_, grown):
        house = Treasury(home.store, hanging, grown.trees, home.clock, places=2)
        async with home.store.writing() as write:
            other = (await write.communities.add(Snowflake(77), "Others")).id
        theirs, mine = (replace(grown.key, community_id=one) for one in (home.community_id, other))
        (root,) = await grown.trees.nodes(grown.key)
        for key in (theirs, mine):
            grant = await house.grant(key, Estimate(usd=Decimal(1), granted_usd=Decimal(2), tokens=9))
            assert grant is not None
            grant.ceilings = None if key is theirs else Ceilings()
            await house.give(key, grant, [root])
        hanging.paid = Ceilings()
        calls = [asyncio.create_task(house.answer(theirs, root.id, replace(CALL, model="own/small"))) for _ in range(9)]
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(30):
                assert (await house.answer(mine, root.id, CALL)).text
        finally:
            for one in calls:
                one.cancel()
            await asyncio.gather(*calls, return_exceptions=True)


async def test_operations_at_the_same_time_spend_no_more_than_the_tree_may(tmp_path: Path) -> None:
    cap = Decimal("0.50")
    async with treasury(tmp_path) as (house, grown):
        made = await grown.grow("multi", 0, siblings=2)
        thought = Estimate(usd=Decimal("0.20"), granted_usd=Decimal("0.40"), tokens=9)
        first = await house.held(grown.key, thought, cap)
        grant = await house.grant(grown.key, first)
        assert grant is not None
        await house.give(grown.key, grant, made)
        with pytest.raises(Rejected, match="This tree's money does not hold this"):
            await house.held(grown.key, thought, cap)
        second = await house.held(grown.key, replace(thought, usd=Decimal("0.05")), cap)
        assert first.granted_usd + second.granted_usd <= cap
        assert house.turn_at(grown.key) is not house.turn_at(replace(grown.key, id=TreeId(77)))
        for node in made:
            await house.changed(grown.key, node.id, node)
        assert (await house.held(grown.key, thought, cap)).granted_usd == Decimal("0.40")
