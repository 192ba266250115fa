"""What the installation pays for: nobody in a community gets round it, by settings, by models or by waiting."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.core.actions import AlterAgent, CreateAgent, DirectScene, SetSetting, StartScene
from bot.core.changes import SetOverride, UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable, Rejected
from bot.core.models import Ceilings
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId, Snowflake, Usage
from bot.core.scenes.records import SceneStatus
from bot.core.spending import Limit
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.performer import Performer
from tests.engine.hearts import EagerModel, Hearts, answer, hearts
from tests.engine.test_presence import away, spend
from tests.engine.theatre import SCENE, Player, theatre
from tests.factories import GUILD_ID, person
from tests.fakes import START, PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

TODAY = START.date()
BOSS = person("boss", 900, is_architect=True)
POOR = CommunityConfig(usd_per_day=Decimal("0.0005"))
ONE_DOLLAR = Ceilings(usd_each=Decimal(1), usd_all=Decimal(10))


def front_desk(home: Hearts) -> FrontDesk:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer(), models=home.model)
    return FrontDesk(
        Office(home.store, performer, home.clock, SeededRandom(1), on_done=home.delivery.wake, models=home.model)
    )


def sponsored(ceilings: Ceilings = ONE_DOLLAR, *allowed: str) -> EagerModel:
    model = EagerModel()
    model.paid, model.allowed = ceilings, allowed
    return model


async def spent(home: Hearts) -> tuple[Decimal, int]:
    async with home.store.reading() as read:
        return await read.money.spent(home.community_id, TODAY)


@pytest.mark.parametrize("value", ["10000", "1.01", None])
async def test_a_manager_cannot_raise_the_budget_above_what_the_installation_pays(value: str | None) -> None:
    async with hearts(1, model=sponsored(), config=CommunityConfig(usd_per_day=None)) as home:
        desk = front_desk(home)
        if value is None:  # back to a default without a limit is refused nowhere, and changes nothing
            await desk.actions.take(GUILD_ID, BOSS, SetSetting(name="usd_per_day", value=None))
            return
        with pytest.raises(Rejected, match=r"at most 1 USD a day: .*/setup provider"):
            await desk.actions.take(GUILD_ID, BOSS, SetSetting(name="usd_per_day", value=value))
        await desk.actions.take(GUILD_ID, BOSS, SetSetting(name="usd_per_day", value="0.50"))


async def test_a_manager_cannot_lift_the_list_of_models_that_the_installation_pays_for() -> None:
    async with hearts(1, model=sponsored(ONE_DOLLAR, "gpt-4o-mini", "gpt-4o")) as home:
        desk = front_desk(home)
        for value in ([], ["gpt-5.5-pro"], ["gpt-4o", "gpt-5.5-pro"]):
            with pytest.raises(Rejected, match="for gpt-4o-mini, gpt-4o only"):
                await desk.actions.take(GUILD_ID, BOSS, SetSetting(name="allowed_models", value=list(value)))
        await desk.actions.take(GUILD_ID, BOSS, SetSetting(name="allowed_models", value=["gpt-4o"]))
        for action in (
            SetSetting(name="model", value="gpt-5.5-pro"),
            AlterAgent(agent_id=1, model="gpt-5.5-pro"),
            CreateAgent(name="Rich", background_prompt="You are rich.", model="gpt-5.5-pro"),
        ):
            with pytest.raises(Rejected, match=r"Nobody pays for gpt-5\.5-pro"):
                await desk.actions.take(GUILD_ID, BOSS, action)


@pytest.mark.long
async def test_a_budget_of_a_billion_that_is_there_already_buys_no_call_above_the_ceiling() -> None:
    model = sponsored(Ceilings(usd_each=Decimal("0.02")))
    async with hearts(1, model=model) as home:
        await home.apply(SetOverride(name="usd_per_day", value="1000000000"))
        for number in range(60):
            await home.hear(f"hi there, number {number}")
            await home.run(60)
        usd, _ = await spent(home)
        assert Decimal("0.014") < usd <= Decimal("0.02")  # another call might have cost too much
        told = [str(done[-1]) for done in home.publisher.done if done[0] == "notify"]
        assert told == [f"{Limit.CEILING} is spent: agents rest until midnight UTC."]


async def test_one_community_after_the_other_cannot_pass_the_ceiling_of_all() -> None:
    model = sponsored(Ceilings(usd_each=Decimal(1), usd_all=Decimal("0.02")))
    async with hearts(1, model=model) as home:
        async with home.store.writing() as write:
            other = await write.communities.add(Snowflake(GUILD_ID + 1), "Others")
        async with home.store.writing(other.id) as write:
            await write.money.reserve(other.id, TODAY, usd=Decimal("0.0198"), tokens=10, paid=True)
        await home.hear("hi there")
        await home.run(60)
        assert home.model.calls == []
        async with home.store.writing(other.id) as write:  # what a community pays itself does not count
            await write.money.reserve(other.id, TODAY + timedelta(days=1), usd=Decimal("0.019"), tokens=10)
        await home.run(86_400)
        await home.hear("hi there")
        await home.run(60)
        assert len(home.model.calls) >= 1


async def test_a_scene_pauses_before_its_agents_have_nothing_left_of_what_the_installation_pays() -> None:
    model = Player()
    model.paid = ONE_DOLLAR
    async with theatre(model, config=CommunityConfig(usd_per_day=None)) as stage:
        await stage.opened("chat", 1, BOSS, turns=40)
        await stage.run(8)
        async with stage.house.store.writing(stage.house.community_id) as write:
            await write.money.reserve(stage.house.community_id, TODAY, usd=Decimal("0.96"), tokens=10, paid=True)
        thread_id = (await stage.scene()).thread_id
        await stage.house.hear("Go on.", thread_id=thread_id, who="boss", id=BOSS.id)
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.PAUSED, "the day's money is nearly spent")
        assert "Four fifths" in await stage.refused(StartScene(room_id=2, kind="chat"))
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))  # nothing is left still
        assert (await stage.scene()).status is SceneStatus.PAUSED


async def test_a_window_that_closes_by_itself_asks_for_what_the_installation_pays_as_well() -> None:
    model = Player()
    model.paid = ONE_DOLLAR
    async with theatre(model, config=CommunityConfig(usd_per_day=None)) as stage:
        await stage.opened("chat", 1, BOSS, turns=40)
        await stage.run(8)
        async with stage.house.store.writing(stage.house.community_id) as write:
            await write.money.reserve(stage.house.community_id, TODAY, usd=Decimal("0.96"), tokens=10, paid=True)
        await stage.run(125)
        assert (await stage.scene()).why == "the day's money is nearly spent"
        assert (await stage.scene()).seats[0].misses == 0


async def test_in_a_scene_a_family_has_its_share_of_what_the_installation_pays_alone() -> None:
    model = Player()
    model.paid = ONE_DOLLAR
    async with theatre(model, config=CommunityConfig(usd_per_day=None)) as stage:
        await stage.house.apply(UpdateAgent(agent_id=AgentId(2), fields={"created_by": AgentId(1)}))
        await spend(stage, 1, Decimal("0.6"))
        await stage.opened("chat", 2, BOSS, turns=40)
        assert await away(stage) == (1, 2)


@pytest.mark.parametrize("sent", [True, False])
@pytest.mark.parametrize("closes", [True, False])
async def test_a_call_that_ends_early_is_booked_at_what_was_set_aside_if_it_was_sent(
    *, sent: bool, closes: bool
) -> None:
    async with hearts(1, model=sponsored()) as home:
        asked = asyncio.Event()

        async def endless(call: ModelCall) -> ModelAnswer:
            if sent:
                call.on_sent()
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError("it never answers")

        home.model.answer = endless  # type: ignore[method-assign]
        await home.hear("hi there")
        await home.clock.advance(1)
        beat = asyncio.create_task(home.heartbeat.slot(home.clock.now()))
        await asked.wait()
        set_aside = await spent(home)
        assert set_aside[0] > 0
        if closes:
            beat.cancel()
        else:
            await home.clock.advance(250)
        await asyncio.gather(beat, return_exceptions=True)
        assert await spent(home) == (set_aside if sent else (0, 0))


@pytest.mark.parametrize("unsure", [True, False])
async def test_a_failure_costs_what_is_known_of_it_and_else_all_of_it(unsure: bool) -> None:
    script = [ModelUnreachable("The line broke.", unsure=unsure), answer({1: [(1, "Here.")]})]
    async with hearts(1, script=script) as home:
        await home.hear("hi there")
        await home.slot(1)
        assert ((await spent(home))[1] > 0) is unsure


async def test_an_answer_that_does_not_say_what_it_used_is_booked_at_what_was_set_aside() -> None:
    class Silent(ScriptedModel):
        async def answer(self, call: ModelCall) -> ModelAnswer:
            return replace(await super().answer(call), usage=Usage())

    async with hearts(1, model=Silent()) as home:
        await home.hear("hi there")
        await home.slot(1)
        assert (await spent(home))[1] > 2_000  # what was asked, and all that the answer might have been


async def test_trying_a_model_is_paid_for_and_ends_with_the_budget() -> None:
    async with hearts(1, model=ScriptedModel(["ok"] * 200), config=POOR) as home:
        desk = front_desk(home)
        with pytest.raises(Rejected, match="The budget for today is spent"):
            for _ in range(200):
                await desk.providers.try_model(GUILD_ID, BOSS, "gpt-4o-mini")
        assert 0 < (await spent(home))[0] <= Decimal("0.0005")


async def test_a_family_that_shares_a_call_with_others_bears_only_its_share_and_holds_nobody_up() -> None:
    config = CommunityConfig(usd_per_day=Decimal("0.03"), planner="shared", answers_to_everyone=9, floor=9)
    async with hearts(4, config=config, model=EagerModel()) as home:
        parent, child = AgentId(1), AgentId(2)
        async with home.store.writing(home.community_id) as write:
            await write.apply(home.community_id, [UpdateAgent(agent_id=child, fields={"created_by": parent})])
            await write.money.reserve(home.community_id, TODAY, usd=Decimal("0.0098"), tokens=1, agents={child: 1})
        await home.hear("Agent1, Agent2, Agent3, Agent4: hi there")
        await home.run(60)
        spoke = {sender for sender, _ in await home.lines() if sender.isdigit()}
        assert spoke == {"3", "4"}
