"""While an agent's own model fails, its spare one answers, and it shows."""

import pytest

from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId, Snowflake
from tests.engine.hearts import Hearts, everyone_says, hearts
from tests.fakes import ScriptedModel

MAIN, SPARE, OTHER = "gpt-4o-mini", "local/tiny", "gpt-4o"


class Moody(ScriptedModel):
    """A provider some of whose models are down, and known to be once they were asked."""

    def __init__(self, *down: str) -> None:
        super().__init__()
        self.down = set(down)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        if call.model in self.down:
            self.failing.add(call.model)
            self.calls.append(call)
            raise ModelUnreachable("Nothing answers.")
        self.failing.discard(call.model)
        self.script.append(everyone_says(f"I speak by {call.model}."))
        return await super().answer(call)


async def spared(home: Hearts, *spares: str) -> None:
    await home.apply(UpdateAgent(agent_id=AgentId(1), fields={"spare_models": spares or (SPARE,)}))


async def told(home: Hearts) -> list[str]:
    return [str(done[-1]) for done in home.publisher.done if done[0] == "notify"]


async def test_the_spare_takes_over_while_the_main_fails_and_the_managers_are_told_once() -> None:
    model = Moody(MAIN)
    config = CommunityConfig(managers_channel_id=Snowflake(9_000))
    async with hearts(1, model=model, config=config) as home:
        await spared(home)
        for number in range(2):
            await home.hear(f"hi there, for the {number}. time")
            await home.run(20)
        assert [call.model for call in model.calls] == [MAIN, SPARE, SPARE]
        assert [text for who, text in await home.lines() if who == "1"] == [f"I speak by {SPARE}."] * 2
        beat = await home.last_beat()
        assert beat is not None and beat.model == SPARE
        (notice,) = await told(home)
        assert notice.startswith(f"{MAIN} fails: {SPARE} answers for Agent1 until it is back")


async def test_the_main_answers_again_when_it_is_back_and_its_next_fault_is_told_anew() -> None:
    model = Moody(MAIN)
    config = CommunityConfig(managers_channel_id=Snowflake(9_000))
    async with hearts(1, model=model, config=config) as home:
        await spared(home)
        for is_down in (True, False, True):
            model.down = {MAIN} if is_down else set()
            model.failing.clear()
            await home.hear("hi there")
            await home.run(20)
        assert [call.model for call in model.calls] == [MAIN, SPARE, MAIN, MAIN, SPARE]
        assert len(await told(home)) == 2


@pytest.mark.slow
async def test_that_another_agent_of_the_room_answers_by_its_own_model_makes_nothing_told_twice() -> None:
    model = Moody(MAIN)
    config = CommunityConfig(managers_channel_id=Snowflake(9_000))
    async with hearts(2, model=model, config=config) as home:
        await spared(home)
        await home.apply(UpdateAgent(agent_id=AgentId(2), fields={"model": OTHER}))
        for number in range(3):
            await home.hear(f"Agent1, hi there for the {number}. time")
            await home.run(20)
            await home.hear(f"Agent2, hi there for the {number}. time")
            await home.run(20)
        assert {call.model for call in model.calls} == {MAIN, SPARE, OTHER}
        assert len(await told(home)) == 1


async def test_when_both_fail_the_main_is_tried_and_the_room_told_as_ever() -> None:
    model = Moody(MAIN, SPARE)
    async with hearts(1, model=model) as home:
        await spared(home)
        await home.hear("hi there")
        await home.run(60)
        assert [call.model for call in model.calls][:3] == [MAIN, SPARE, MAIN]
        assert any("cannot answer just now" in one for one in await told(home))


async def test_the_next_spare_takes_over_while_those_before_it_fail_and_the_first_that_is_back_answers_again() -> None:
    model = Moody(MAIN, SPARE)
    config = CommunityConfig(managers_channel_id=Snowflake(9_000))
    async with hearts(1, model=model, config=config) as home:
        await spared(home, SPARE, OTHER)
        await home.hear("hi there")
        await home.run(60)
        assert [call.model for call in model.calls] == [MAIN, SPARE, OTHER]
        assert [text for who, text in await home.lines() if who == "1"] == [f"I speak by {OTHER}."]
        (notice,) = await told(home)
        assert notice.startswith(f"{MAIN} fails: {OTHER} answers for Agent1 until it is back")
        model.down = {MAIN}
        model.failing = {MAIN}
        await home.hear("hi again")
        await home.run(20)
        assert [call.model for call in model.calls][3:] == [SPARE]
        assert len(await told(home)) == 1


async def test_each_model_of_the_list_has_its_turn_while_none_gives_an_answer_that_can_be_used() -> None:
    model = ScriptedModel(['{"agents" ]]} <<<'] * 30)
    async with hearts(1, model=model, config=CommunityConfig(unusable_told=1)) as home:
        await spared(home, SPARE, OTHER)
        for number in range(4):
            await home.hear(f"hi there, for the {number}. time")
            await home.run(100)
        asked = [call.model for call in model.calls if "\nmend: " not in call.input]
        assert asked == [MAIN, SPARE, OTHER, MAIN]


async def test_a_model_whose_answers_cannot_be_used_is_spared_as_well() -> None:
    model = ScriptedModel(['{"agents" ]]} <<<'] * 6)
    async with hearts(1, model=model) as home:
        await spared(home)
        for number in range(4):
            await home.hear(f"hi there, for the {number}. time")
            await home.run(100)
        assert [call.model for call in model.calls] == [MAIN] * 6 + [SPARE]
