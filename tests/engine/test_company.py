"""What a room sees of its agents over time: floor, banter, patience, sleep and money."""

from datetime import timedelta
from decimal import Decimal
from itertools import groupby

import pytest

from bot.core.changes import UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind
from bot.core.ports import ModelCall
from bot.core.records import AgentId, Snowflake
from tests.engine.hearts import EagerModel, Hearts, answer, asked, hearts

ONE = AgentId(1)


def longest_run(lines: list[tuple[str, str]]) -> int:
    """The longest run of agents' lines without a person's."""
    return max(
        (len(list(run)) for is_agent, run in groupby(lines, lambda line: line[0].isdigit()) if is_agent), default=0
    )


async def cues(home: Hearts) -> list[str]:
    return [str(done[-2]) for done in home.publisher.done if done[0] == "react"]


async def notices(home: Hearts) -> list[str]:
    return [str(done[-1]) for done in home.publisher.done if done[0] == "notify"]


async def test_a_message_that_addresses_nobody_gets_two_answers_from_ten_eager_agents() -> None:
    async with hearts(10) as home:
        await home.crowd()
        home.model.script.extend([lambda call: answer({id: [(1, "Oh!")] for id in asked(call)})] * 99)
        await home.hear("what a day, everyone")
        await home.run(900)
        assert [line for line in await home.lines() if line[1] == "Oh!"] == [("1", "Oh!"), ("2", "Oh!")]


async def test_agents_that_address_each_other_stop_after_six_messages() -> None:
    def chat(call: ModelCall) -> str:
        return answer({id: [(1, f"Agent{id % 5 + 1}, what do you say?")] for id in asked(call)})

    async with hearts(5) as home:
        home.model.script.extend([chat] * 999)
        await home.hear("Agent3, begin!")
        await home.run(3_600)
        assert longest_run(await home.lines()) == 6
        home.model.calls.clear()
        await home.run(24 * 3_600)
        assert home.model.calls == []


async def test_a_persons_word_lets_agents_talk_on() -> None:
    async with hearts(2, model=EagerModel()) as home:
        await home.apply(UpdateRoom(room_id=ONE, fields={"agent_run": 6}))
        await home.hear("Agent2, go on")
        await home.run(5)
        assert [who for who, _ in await home.lines()] == ["@mira", "2"]


async def test_a_hushed_room_is_silent_even_for_answers_that_were_on_their_way() -> None:
    async with hearts(1, model=EagerModel()) as home:
        await home.hear("hi there")
        await home.apply(UpdateRoom(room_id=ONE, fields={"hushed_until": home.clock.now() + timedelta(minutes=10)}))
        await home.run(300)
        await home.hear("still there?")
        await home.run(299)
        assert home.model.calls == []
        await home.run(10)
        assert len(home.model.calls) == 1


async def test_patience_makes_a_silent_agent_look_ever_more_rarely() -> None:
    async with hearts(2) as home:
        await home.crowd()
        for number in range(75):
            await home.hear(f"line {number}", who=("mira", "rob")[number % 2], id=501 + number % 2)
            await home.run(20)
        agents = [set(asked(call)) for call in home.model.calls]
        assert len(agents) <= 16  # 1,500 s at 128 s each, and some shorter waits before
        assert {1, 2} in agents[3:]


async def test_a_third_addressed_agent_comes_after_and_sees_what_was_said() -> None:
    async with hearts(3, model=EagerModel()) as home:
        await home.hear("Agent1, Agent2 and Agent3: opinions?")
        await home.slot(1)
        assert sorted(id for call in home.model.calls for id in asked(call)) == [1, 2]
        await home.run(30)
        third = next(call for call in home.model.calls if asked(call) == [3])
        assert "Indeed, number" in third.input
        assert {who for who, _ in await home.lines()} == {"@mira", "1", "2", "3"}


async def test_a_sleeper_wakes_for_its_name_and_at_its_time() -> None:
    async with hearts(1) as home:
        sleep = {"type": "sleep", "until": (home.clock.now() + timedelta(hours=2)).isoformat()}
        home.model.script.append(answer({}, {1: [sleep]}))
        await home.hear("sleep well")
        await home.run(60)
        await home.hear("psst")
        await home.run(60)
        assert len(home.model.calls) == 1
        assert await cues(home) == ["💤"]
        await home.run(2 * 3_600)
        assert len(home.model.calls) == 2
        kept = (await home.view()).agents[ONE]
        assert (kept.asleep_until, kept.last_reason) == (None, ReasonKind.TIMER)


async def test_a_mention_wakes_a_sleeper() -> None:
    async with hearts(1) as home:
        await home.apply(UpdateAgent(agent_id=ONE, fields={"asleep_until": home.clock.now() + timedelta(hours=2)}))
        await home.hear("wake up, Agent1!")
        await home.run(5)
        assert len(home.model.calls) == 1
        assert (await home.view()).agents[ONE].asleep_until is None


async def test_a_paused_agent_shows_a_sign_and_does_nothing_yet() -> None:
    async with hearts(1) as home:
        await home.apply(UpdateAgent(agent_id=ONE, fields={"paused_reason": "a person asked for it"}))
        await home.hear("Agent1?")
        await home.run(600)
        assert home.model.calls == []
        assert await cues(home) == ["⏸️"]


async def test_when_the_money_is_spent_the_room_says_so_once_a_day_and_wakes_at_midnight() -> None:
    async with hearts(1, config=CommunityConfig(usd_per_day=Decimal("0.002")), model=EagerModel()) as home:
        for _ in range(5):
            await home.hear("hi there")
            await home.run(60)
        spent = len(home.model.calls)
        assert 0 < spent < 5
        async with home.store.reading() as read:
            assert (await read.money.spent(home.community_id, home.clock.now().date()))[0] <= Decimal("0.002")
        assert len([text for text in await notices(home) if "midnight UTC, or" in text]) == 1
        assert "🪫" in await cues(home)
        await home.run(14 * 3_600)
        assert len(home.model.calls) == spent + 1


async def test_the_days_limit_holds_however_many_calls_run_at_once() -> None:
    config = CommunityConfig(usd_per_day=Decimal("0.003"), isolation="solo")
    async with hearts(8, together=False, config=config) as home:
        for id in range(1, 9):
            await home.hear("hi there", room_id=id)
        await home.slot(1)
        async with home.store.reading() as read:
            usd, _ = await read.money.spent(home.community_id, home.clock.now().date())
        assert usd <= Decimal("0.003")
        assert 0 < len(home.model.calls) < 8


async def test_beats_that_no_person_caused_are_limited_by_the_hour() -> None:
    def wake(call: ModelCall) -> str:
        other = {1: 2, 2: 1}
        return answer({}, {id: [{"type": "wake_agent", "agent_id": other[id]}] for id in (1, 2)})

    async with hearts(2, config=CommunityConfig(self_caused_per_hour=3)) as home:
        home.model.script.extend([wake] * 99)
        await home.hear("Agent1, wake Agent2 and let it wake you")
        await home.run(3_500)
        assert len(home.model.calls) <= 1 + 2 + 2 * 3
        assert len(home.model.calls) >= 4


async def test_initiative_doubles_from_half_an_hour_when_nothing_comes_of_it() -> None:
    async with hearts(1, config=CommunityConfig(initiative=True)) as home:
        await home.hear("hi there")
        await home.run(8 * 3_600)
        assert len(home.model.calls) == 1 + 4  # at 0.5, 1.5, 3.5 and 7.5 hours


@pytest.mark.long
async def test_an_eager_agent_and_another_program_do_not_talk_for_ever() -> None:
    config = CommunityConfig(listened_bots=(Snowflake(77),))
    async with hearts(2, config=config, model=EagerModel()) as home:
        await home.hear("I am a bot too, Agent2!", who="herald", id=77, is_bot=True)
        heard = 0
        for _ in range(720):
            await home.run(5)
            said = [line for line in await home.lines() if line[0].isdigit()]
            for _ in said[heard:]:
                await home.hear("How interesting, Agent2! Go on.", who="herald", id=77, is_bot=True)
            heard = len(said)
        assert heard == 6
        await home.hear("Agent2, who is that?")
        await home.run(30)
        assert len([line for line in await home.lines() if line[0].isdigit()]) > 6


async def test_eager_agents_that_look_things_up_first_give_two_answers_too() -> None:
    looked: set[int] = set()

    def look_up_first(call: ModelCall) -> str:
        new = [id for id in asked(call) if id not in looked]
        looked.update(new)
        recall = {"type": "recall", "query": "day"}
        return answer({id: [(1, "Oh!")] for id in asked(call) if id not in new}, {id: [recall] for id in new})

    async with hearts(8) as home:
        await home.crowd()
        for id in range(1, 9):
            await home.apply(UpdateAgent(agent_id=AgentId(id), fields={"interval_seconds": 1.0 + id}))
        home.model.script.extend([look_up_first] * 99)
        await home.hear("what a day, everyone")
        await home.run(400)
        assert [line[1] for line in await home.lines()].count("Oh!") == 2
