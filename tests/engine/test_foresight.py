"""What is told of a heartbeat is true: the next beat comes no sooner than told, and then it comes."""

import asyncio
import random
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.core.actions import SetSetting
from bot.core.actor import Actor
from bot.core.changes import PutReason, UpdateAgent, UpdateMembership, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.kinds import Doing, ReasonKind, State
from bot.core.models import Ceilings
from bot.core.next_beat import NextBeat, Waiting
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import Agent, AgentId, Reason
from bot.core.spending import Limit, day_of, next_day
from bot.engine.foresight import foreseen
from bot.engine.performer import ActionContext, Performer
from bot.engine.timelines.chance import settle
from tests.engine.hearts import EagerModel, Hearts, answer, hearts
from tests.engine.test_replaying import LINES, PEOPLE, moody
from tests.factories import person
from tests.fakes import PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

ONE = AgentId(1)


async def told(home: Hearts) -> Mapping[AgentId, NextBeat]:
    async with home.store.reading() as read:
        (community,) = await read.communities.all()
        return (await foreseen(read, community, models=home.model, clock=home.clock))[1]


async def everyone(home: Hearts) -> Mapping[AgentId, Agent]:
    return (await home.view()).agents


async def comes_when_told(home: Hearts, waiting: Waiting, id: AgentId = ONE) -> NextBeat:
    """Hold the agent to what is told of it: no beat before, a beat within a slot after."""
    look = (await told(home))[id]
    assert look.waiting is waiting, look
    assert look.at is not None
    before = (await everyone(home))[id].last_beat_at
    await home.run((look.at - home.clock.now()).total_seconds() - 0.05)
    assert (await everyone(home))[id].last_beat_at == before
    await home.run(1.05)
    after = (await everyone(home))[id].last_beat_at
    assert after is not None
    assert timedelta(0) <= after - look.at <= timedelta(seconds=1)
    return look


async def test_somebody_who_speaks_to_it_is_let_finish() -> None:
    async with hearts(1) as home:
        await home.hear("Agent1, listen")
        look = await comes_when_told(home, Waiting.SETTLE)
        assert look.words == "the person to finish who speaks to it in Agent1's room"


async def test_what_is_overheard_waits_for_its_own_pace_and_then_for_its_patience() -> None:
    async with hearts(2) as home:
        await home.crowd()
        await home.apply(UpdateMembership(agent_id=AgentId(2), room_id=ONE, fields={"patience_seconds": None}))
        await home.apply(UpdateAgent(agent_id=AgentId(2), fields={"last_beat_at": home.clock.now()}))
        await home.hear("lovely weather")
        look = await comes_when_told(home, Waiting.INTERVAL, AgentId(2))
        assert "something was said where it listens in Agent1's room" in look.words
        await home.hear("is it not?", who="rob", id=502)
        look = await comes_when_told(home, Waiting.PATIENCE, AgentId(2))
        assert look.words == "a later look: it had nothing to say lately in Agent1's room"


async def test_who_comes_after_two_others_waits_for_the_floor() -> None:
    async with hearts(3, model=EagerModel()) as home:
        await home.hear("Agent1, Agent2, Agent3, what do you think?")
        await home.slot(1)
        (third,) = [id for id, look in (await told(home)).items() if look.waiting is Waiting.FLOOR]
        look = (await told(home))[third]
        assert look.at == home.clock.now() + timedelta(seconds=1)
        assert look.words == "the floor: others speak in Agent1's room"
        await home.run(10)
        assert (await everyone(home))[third].last_reason is ReasonKind.ADDRESSED


async def test_a_failed_model_is_left_alone_whatever_is_said_meanwhile() -> None:
    async with hearts(1, script=[ModelUnreachable("It is down.")] * 4) as home:
        await home.hear("hi there")
        await home.slot(1)
        assert (await told(home))[ONE].waiting is Waiting.BACK_OFF
        for _ in range(2):
            await home.run(4)
        calls = len(home.model.calls)
        await home.hear("are you there?")
        look = await comes_when_told(home, Waiting.BACK_OFF)
        assert look.words == f"its model, which failed {calls} times in a row"
        assert len(home.model.calls) == calls + 1


async def test_too_many_beats_of_its_own_making_end_an_hour_after_the_first_of_them() -> None:
    async with hearts(1, config=CommunityConfig(self_caused_per_hour=3)) as home:
        for _ in range(4):
            now = home.clock.now()
            woken = Reason(kind=ReasonKind.WOKEN, by_agent_id=AgentId(2), since=now, due_at=now)
            await home.apply(PutReason(agent_id=ONE, reason=woken))
            await home.slot()
            await home.clock.advance(60)
        look = await comes_when_told(home, Waiting.LIMIT)
        assert look.words == "a person: it had 3 beats in an hour that no person caused"
        assert len(home.model.calls) == 4


async def test_the_end_of_its_sleep_and_the_sleep_of_who_has_no_reason() -> None:
    async with hearts(2) as home:
        until = home.clock.now() + timedelta(minutes=5)
        timer = Reason(kind=ReasonKind.TIMER, since=home.clock.now(), due_at=until)
        await home.apply(
            UpdateAgent(agent_id=ONE, fields={"asleep_until": until}), PutReason(agent_id=ONE, reason=timer)
        )
        await home.apply(UpdateAgent(agent_id=AgentId(2), fields={"asleep_until": until}))
        looks = await told(home)
        assert looks[AgentId(2)].waiting is Waiting.SLEEP
        assert looks[AgentId(2)].words == "waking at 10:05:00 UTC, or to be mentioned"
        assert (await comes_when_told(home, Waiting.SLEEP)).at == until


async def test_without_money_it_waits_for_midnight_and_with_little_it_waits_longer() -> None:
    async with hearts(2, config=CommunityConfig(usd_per_day=Decimal("1"))) as home:
        await home.crowd()
        await home.apply(UpdateAgent(agent_id=AgentId(2), fields={"last_beat_at": home.clock.now()}))
        await home.apply(UpdateMembership(agent_id=AgentId(2), room_id=ONE, fields={"patience_seconds": None}))
        await home.hear("one thing", who="rob", id=502)
        today = day_of(home.clock.now())
        async with home.store.writing(home.community_id) as write:
            await write.money.reserve(home.community_id, today, usd=Decimal("0.97"), tokens=0)
        began, interval = home.clock.now(), (await everyone(home))[AgentId(2)].interval_seconds
        look = await comes_when_told(home, Waiting.BUDGET, AgentId(2))
        assert look.at is not None
        assert look.at - began >= timedelta(seconds=4 * interval)
        async with home.store.writing(home.community_id) as write:
            await write.money.reserve(home.community_id, today, usd=Decimal("0.5"), tokens=0)
        await home.hear("Agent1, are you rich?")
        assert (await comes_when_told(home, Waiting.BUDGET)).at == next_day(home.clock.now() - timedelta(hours=2))


async def test_more_money_ends_the_rest_at_once() -> None:
    config = CommunityConfig(usd_per_day=Decimal("0.0001"))
    async with hearts(1, config=config, script=[answer({1: [(1, "Here.")]})]) as home:
        await home.hear("are you there?")
        await home.run(60)
        assert (await told(home))[ONE].waiting is Waiting.BUDGET
        await set_budget(home, "5")
        await home.run(30)
        assert ("1", "Here.") in await home.lines()


async def set_budget(home: Hearts, usd: str) -> None:
    async with home.store.writing(home.community_id) as write:
        (outcome,) = await Performer(cipher=PlainCipher(), tokenizer=WordTokenizer()).perform(
            write,
            home.community_id,
            Actor.person(person(is_architect=True)),
            [SetSetting(name="usd_per_day", value=usd)],
            ActionContext(now=home.clock.now(), random=SeededRandom()),
        )
    assert outcome.accepted, outcome.why


async def test_initiative_is_told_when_it_is_on() -> None:
    async with hearts(1, config=CommunityConfig(initiative=True)) as home:
        now = home.clock.now()
        begin = Reason(kind=ReasonKind.INITIATIVE, room_id=ONE, since=now, due_at=now + timedelta(minutes=30))
        await home.apply(PutReason(agent_id=ONE, reason=begin))
        await comes_when_told(home, Waiting.INITIATIVE)


async def test_who_is_hushed_paused_or_tired_of_banter_says_so_and_waits_without_end() -> None:
    async with hearts(1) as home:
        now = home.clock.now()
        await home.apply(UpdateRoom(room_id=ONE, fields={"hushed_until": now + timedelta(minutes=10)}))
        assert (await told(home))[ONE] == NextBeat(
            waiting=Waiting.HUSH, words="the end of the hush in the room of Agent1 at 10:10:00 UTC"
        )
        await home.apply(UpdateRoom(room_id=ONE, fields={"hushed_until": None, "agent_run": 6}))
        assert (await told(home))[ONE] == NextBeat(
            waiting=Waiting.BANTER,
            words="a person to speak or react in the room of Agent1: agents said 6 messages in a row",
        )
        await home.apply(UpdateAgent(agent_id=ONE, fields={"paused_reason": "paused by @mira"}))
        assert (await told(home))[ONE] == NextBeat(
            waiting=Waiting.PAUSED, words="someone to resume it (paused by @mira)", state=State.PAUSED
        )
        await home.apply(UpdateAgent(agent_id=ONE, fields={"retired_at": now}))
        assert (await told(home))[ONE].waiting is Waiting.RETIRED


async def test_who_is_asked_waits_for_the_model_and_who_has_nothing_new_for_that() -> None:
    class Slow(ScriptedModel):
        async def answer(self, call: ModelCall) -> ModelAnswer:
            await home.clock.sleep(30)
            return await super().answer(call)

    async with hearts(1, model=Slow()) as home:
        assert (await told(home))[ONE] == NextBeat(waiting=Waiting.NEWS, words="something new to happen")
        await home.hear("hello?")
        await home.clock.advance(1)
        running = asyncio.create_task(home.heartbeat.slot(home.clock.now()))
        while not home.clock.sleeping:
            await settle()
        assert (await told(home))[ONE] == NextBeat(
            waiting=Waiting.MODEL,
            words="its model's answer",
            state=State.THINKING,
            doing={ONE: Doing.THINKING},
        )
        while not running.done():
            await home.clock.advance(10)
        after = (await told(home))[ONE]
        assert after.waiting is Waiting.NEWS


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
async def test_no_beat_comes_before_it_was_told(seed: int) -> None:
    """Whatever people say and agents do: who beats was told to by then, and who was told to and did not says why."""
    chance = random.Random(seed)  # noqa: S311 - a chat, not a secret
    config = CommunityConfig(usd_per_day=None, self_caused_per_hour=5, banter=3)
    async with hearts(4, config=config) as home:
        home.model.script.extend([moody, moody, ModelUnreachable("It is down.")] * 999)
        beats = 0
        for _ in range(10):
            who, id = chance.choice(PEOPLE)
            await home.hear(chance.choice(LINES), who=who, id=id, room_id=chance.choice((1, 1, 2)))
            for _ in range(chance.choice((2, 8, 25))):
                beats += await _second(home)
        assert beats > 5


async def _second(home: Hearts) -> int:
    """Let a second pass and hold everyone to what was told of them; gives how many beat."""
    await home.clock.advance(1)
    await home.deliver()
    now, looks = home.clock.now(), await told(home)
    calls = len(home.model.calls)
    await home.slot()
    then = await told(home)
    called = "".join(call.input for call in home.model.calls[calls:])
    beats = 0
    for id, look in looks.items():
        due = look.at is not None and look.at <= now
        if f"(ID: {id}, Model" in called:
            assert due, (id, look)
            beats += 1
        elif due:
            assert then[id].at != look.at, (id, look, then[id])
    return beats


async def test_who_rests_by_the_installations_ceiling_is_told_so_before_anybody_speaks_to_it() -> None:
    model = EagerModel()
    model.paid = Ceilings(usd_each=Decimal(1))
    async with hearts(1, model=model, config=CommunityConfig(usd_per_day=None)) as home:
        async with home.store.writing(home.community_id) as write:
            await write.money.reserve(home.community_id, day_of(home.clock.now()), usd=Decimal(1), tokens=10, paid=True)
        look = (await told(home))[ONE]
        assert (look.waiting, Limit.CEILING[1:] in look.words) == (Waiting.BUDGET, True)
        await home.hear("Agent1, are you there?")
        await comes_when_told(home, Waiting.BUDGET)


async def test_who_rests_for_its_familys_share_is_told_so_and_others_are_not() -> None:
    async with hearts(3, config=CommunityConfig(usd_per_day=Decimal(1))) as home:
        child, day = AgentId(2), day_of(home.clock.now())
        await home.apply(UpdateAgent(agent_id=child, fields={"created_by": ONE}))
        async with home.store.writing(home.community_id) as write:
            await write.money.reserve(home.community_id, day, usd=Decimal("0.5"), tokens=10, agents={child: 1})
        looks = await told(home)
        assert [looks[AgentId(id)].waiting for id in (1, 2, 3)] == [Waiting.BUDGET, Waiting.BUDGET, Waiting.NEWS]
        assert Limit.SHARE[1:] in looks[ONE].words


async def test_where_no_model_may_be_asked_everyone_waits_for_one() -> None:
    async with hearts(1) as home:
        home.model.missing = "Nobody pays here."
        look = (await told(home))[ONE]
        assert (look.waiting, look.at) == (Waiting.PROVIDER, None)
