"""Rooms are summed up by the community's model: when it is due, within the money, and on its side of the barrier."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from bot.core.changes import Say, SetFocus, SetOverride, UpdateMembership, UpdateMessage, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.errors import ModelBusy, ModelUnreachable
from bot.core.events import MessagesDeleted
from bot.core.kinds import Visibility
from bot.core.ports import ModelCall
from bot.core.records import PUBLIC_SIDE, AgentId, Checkpoint, CommunityId, Focus, MessageId, Side, Snowflake
from bot.core.spending import day_of
from bot.engine.summaries import ROOMS_AT_ONCE, Summaries
from tests.engine.hearts import Hearts, hearts
from tests.engine.town import until
from tests.factories import GUILD_ID, agent, by_person, room
from tests.founding import founded

ONE, TWO = AgentId(1), AgentId(2)
CHUNK = CommunityConfig(summary_tokens=500, model="gpt-4o-mini")
FEAST = "Goal: a feast\nOpen: who cooks?"


@asynccontextmanager
async def remembered(
    script: Iterable[Any] = (), *, config: CommunityConfig = CHUNK, agents: int = 2
) -> AsyncIterator[tuple[Hearts, Summaries]]:
    async with hearts(agents, config=config, script=script) as home:
        yield home, Summaries(home.store, home.model, home.clock, home.metrics, config=config)


async def talk(home: Hearts, lines: int, *, room_id: int = 1, first: int = 1) -> None:
    """Let two people talk, about 25 tokens a line, so that nobody beats."""
    for number in range(first, first + lines):
        who, id = ("mira", 501) if number % 2 else ("rob", 502)
        await home.hear(
            f"line {number} of a long talk about the summer feast by the sea", room_id=room_id, who=who, id=id
        )
        await home.clock.advance(1)


async def ask_for_one(home: Hearts, room_id: AgentId = ONE) -> None:
    await home.apply(UpdateRoom(room_id=room_id, fields={"compact_asked_at": home.clock.now()}))


async def later(home: Hearts, summaries: Summaries, seconds: float = 61) -> None:
    await home.clock.advance(seconds)
    await summaries.run()
    await summaries.settled()


async def kept(home: Hearts, room_id: AgentId = ONE) -> list[Checkpoint]:
    async with home.store.reading() as read:
        return list(await read.summaries.of_room(home.community_id, room_id))


async def spent(home: Hearts) -> tuple[float, int]:
    async with home.store.reading() as read:
        usd, tokens = await read.money.spent(home.community_id, day_of(home.clock.now()))
    return float(usd), tokens


async def test_a_quiet_room_costs_nothing() -> None:
    async with remembered() as (home, summaries):
        await talk(home, 5)
        for _ in range(5):
            await later(home, summaries)
        assert (home.model.calls, await kept(home), await spent(home)) == ([], [], (0.0, 0))


async def test_a_chunk_is_summed_up_once_and_the_next_carries_it_over() -> None:
    async with remembered([FEAST, "Goal: a feast\nDone: rob cooks"]) as (home, summaries):
        await talk(home, 35)
        await later(home, summaries)
        await later(home, summaries)
        (first,) = await kept(home)
        assert (first.first_message_id, first.text) == (1, FEAST)
        assert "line 1 of" in home.model.calls[0].input
        assert home.model.calls[0].model == "gpt-4o-mini"
        await talk(home, 30, first=36)
        await later(home, summaries)
        _, second = await kept(home)
        assert second.first_message_id == first.last_message_id + 1
        assert "Earlier summary: Goal: a feast" in home.model.calls[1].input
        assert f"line {first.last_message_id} of" not in home.model.calls[1].input
        usd, tokens = await spent(home)
        assert usd > 0
        assert tokens > 500


async def test_a_wish_is_met_however_little_was_said_and_only_once() -> None:
    async with remembered([FEAST]) as (home, summaries):
        await talk(home, 3)
        await ask_for_one(home)
        await later(home, summaries, 5)
        await later(home, summaries, 5)
        (one,) = await kept(home)
        assert (one.first_message_id, one.last_message_id) == (1, 3)
        assert (await home.view()).all_rooms[ONE].compact_asked_at is None
        await ask_for_one(home)  # everything is covered: nothing to pay for
        await later(home, summaries, 5)
        assert len(home.model.calls) == 1
        assert (await home.view()).all_rooms[ONE].compact_asked_at is None


async def test_members_see_it_in_focus_without_what_it_covers_and_are_told() -> None:
    async with remembered([FEAST]) as (home, summaries):
        await home.hear("see https://feast.example/plan and more")
        await talk(home, 2)
        link = "https://feast.example/plan"
        focus = Focus(
            active_files=(link, "menu.txt"),
            notes=("Who cooks?", "buy salt"),
            next_steps=("who cooks?", "ask Bo"),
            current_task="the feast",
        )
        await home.apply(SetFocus(agent_id=TWO, side=PUBLIC_SIDE, focus=focus))
        await ask_for_one(home)
        await later(home, summaries, 5)
        mind = (await home.view(1, 2)).mind_of(TWO)
        assert (mind.focus.active_files, mind.focus.notes) == (("menu.txt",), ("buy salt",))
        assert (mind.focus.next_steps, mind.focus.current_task) == (("ask Bo",), "the feast")
        assert mind.focus.compacted_context == f"Room 1, messages 1 to 3: {FEAST}"
        (told,) = mind.recent_actions
        assert told.result == "messages 1 to 3 are summed up; 3 that it covers left your focus"


async def test_a_model_that_fails_is_asked_again_later_and_nothing_is_lost() -> None:
    script = [ModelUnreachable("down"), ModelBusy("busy", retry_after_seconds=300), "none", FEAST]
    async with remembered(script) as (home, summaries):
        await talk(home, 3)
        await ask_for_one(home)
        for wait, calls in ((5, 1), (5, 1), (30, 2), (60, 2), (300, 3), (60, 3), (120, 4)):
            await later(home, summaries, wait)
            assert len(home.model.calls) == calls
        assert [one.text for one in await kept(home)] == [FEAST]


async def test_without_money_nothing_is_asked_until_there_is_some() -> None:
    config = CommunityConfig(summary_tokens=500, tokens_per_day=1_000)
    async with remembered([FEAST], config=config) as (home, summaries):
        await talk(home, 3)
        await ask_for_one(home)
        await later(home, summaries, 5)
        assert home.model.calls == []
        assert await spent(home) == (0.0, 0)
        await set_tokens_per_day(home, 10_000)
        await later(home, summaries, 601)
        assert len(await kept(home)) == 1


async def set_tokens_per_day(home: Hearts, tokens: int) -> None:
    await home.apply(SetOverride(name="tokens_per_day", value=tokens))


async def test_the_last_of_a_days_money_is_for_talk() -> None:
    config = CommunityConfig(summary_tokens=500, tokens_per_day=10_000)
    async with remembered([FEAST], config=config) as (home, summaries):
        async with home.store.writing(home.community_id) as write:
            await write.money.reserve(home.community_id, day_of(home.clock.now()), usd=Decimal(0), tokens=8_000)
        await talk(home, 3)
        await ask_for_one(home)
        await later(home, summaries, 5)
        assert home.model.calls == []
        await later(home, summaries, 24 * 3_600)
        assert len(await kept(home)) == 1


async def delete(home: Hearts, id: int, room_id: int = 1) -> None:
    gone = (await home.messages(room_id))[id - 1].discord_id
    assert gone is not None
    channel = (await home.view()).all_rooms[AgentId(room_id)].channel_id
    assert channel is not None
    await home.intake.take(MessagesDeleted(guild_id=GUILD_ID, channel_id=channel, message_ids=(gone,)))


async def test_a_summary_of_what_is_deleted_goes_everywhere_and_is_written_anew() -> None:
    async with remembered([FEAST, "Goal: a garden"]) as (home, summaries):
        await talk(home, 4)
        await ask_for_one(home)
        await later(home, summaries, 5)
        assert FEAST in (await home.view(2)).mind_of(TWO).focus.compacted_context
        await delete(home, 2)
        assert await kept(home) == []
        assert (await home.view(2)).mind_of(TWO).focus.compacted_context == ""
        await later(home, summaries, 5)
        assert [(one.first_message_id, one.last_message_id, one.text) for one in await kept(home)] == [
            (1, 4, "Goal: a garden")
        ]
        assert "line 2 of" not in home.model.calls[1].input


async def test_what_is_deleted_while_the_model_writes_stands_in_no_summary() -> None:
    async with remembered() as (home, summaries):
        await talk(home, 4)
        await ask_for_one(home)
        asked, answered = asyncio.Event(), asyncio.Event()
        answer = home.model.answer

        async def slow(call: ModelCall) -> Any:  # noqa: ANN401
            home.model.script.append(FEAST)
            asked.set()
            await answered.wait()
            return await answer(call)

        home.model.answer = slow  # type: ignore[method-assign]
        await summaries.run()
        await asked.wait()
        await delete(home, 2)  # nothing is locked meanwhile
        answered.set()
        await summaries.settled()
        assert await kept(home) == []
        await later(home, summaries, 5)
        assert len(await kept(home)) == 1
        assert "line 2 of" not in home.model.calls[-1].input


async def test_one_rooms_fault_does_not_stop_others() -> None:
    def broken_for_one(call: ModelCall) -> str:
        if "Room: Agent1" in call.input:
            raise RuntimeError("a bug")
        return FEAST

    async with remembered([broken_for_one] * 2) as (home, summaries):
        for room_id in (ONE, TWO):
            await talk(home, 3, room_id=room_id)
            await ask_for_one(home, room_id)
        await later(home, summaries, 5)
        assert [len(await kept(home, room_id)) for room_id in (ONE, TWO)] == [0, 1]


async def make_private(home: Hearts) -> None:
    await home.apply(UpdateRoom(room_id=ONE, fields={"visibility": Visibility.PRIVATE}))


async def test_a_private_rooms_summary_stays_on_its_side_and_from_those_who_joined_later() -> None:
    async with remembered([FEAST, "Goal: lanterns"], agents=3) as (home, summaries):
        await make_private(home)
        await talk(home, 4)
        joined = UpdateMembership(agent_id=AgentId(3), room_id=ONE, fields={"joined_after": MessageId(4)})
        await home.apply(joined)
        await ask_for_one(home)
        await later(home, summaries, 5)
        view = await home.view(1, 2, 3)
        assert FEAST in view.mind_of(TWO, Side(1)).focus.compacted_context
        assert view.mind_of(TWO).focus.compacted_context == ""
        assert view.mind_of(AgentId(3), Side(1)).focus.compacted_context == ""
        await talk(home, 4, first=5)
        await ask_for_one(home)
        await later(home, summaries, 5)
        assert "feast" not in home.model.calls[1].input.split("-- 2026")[0]  # it carries nothing over the newcomer
        view = await home.view(3)
        assert "lanterns" in view.mind_of(AgentId(3), Side(1)).focus.compacted_context


async def test_a_call_never_holds_more_than_the_model_can_read() -> None:
    async with remembered([FEAST] * 50, config=CommunityConfig(summary_tokens=8_000)) as (home, summaries):
        home.model.context_tokens = lambda model: 3_000  # type: ignore[method-assign]
        await home.hear("word " * 3_000)
        await talk(home, 30, first=2)
        await ask_for_one(home)
        for _ in range(10):
            await later(home, summaries, 5)
        count = home.model.tokenizer("").count
        assert all(count(one.instructions + one.input) <= 3_000 - one.answer_tokens for one in home.model.calls)
        covered = [id for one in await kept(home) for id in range(one.first_message_id, one.last_message_id + 1)]
        assert covered == list(range(1, 32))


async def test_a_paused_community_and_a_retired_agents_room_are_left_alone() -> None:
    async with remembered([FEAST] * 9) as (home, summaries):
        await talk(home, 3)
        await ask_for_one(home)
        async with home.store.writing(home.community_id) as write:
            await write.communities.pause(home.community_id, paused=True)
        await later(home, summaries)
        assert home.model.calls == []
        async with home.store.writing(home.community_id) as write:
            await write.communities.pause(home.community_id, paused=False)
        await later(home, summaries)
        assert len(home.model.calls) == 1


async def test_rooms_that_spoke_are_found_with_about_what_no_summary_covers() -> None:
    async with remembered(agents=12) as (home, _):
        for room_id in range(1, 13):
            await talk(home, 2, room_id=room_id)
        async with home.store.reading() as read:
            found = await read.summaries.wanted(home.clock.now() - timedelta(days=1))
            assert [one.room_id for one in found] == list(range(1, 13))
            assert all(20 < one.tokens < 100 and not one.asked for one in found)
            assert await read.summaries.wanted(None) == []


async def test_a_program_that_ends_while_the_model_writes_sums_up_when_it_runs_again() -> None:
    async with remembered() as (home, summaries):
        await talk(home, 4)
        await ask_for_one(home)
        asked = asyncio.Event()
        answer = home.model.answer

        async def endless(call: ModelCall) -> Any:  # noqa: ANN401
            call.on_sent()
            asked.set()
            await asyncio.Event().wait()

        home.model.answer = endless  # type: ignore[method-assign]
        await summaries.run()
        await asked.wait()
        await summaries.close()
        _, tokens = await spent(home)
        assert tokens > 800  # nobody knows what it cost: it counts in full
        home.model.answer = answer  # type: ignore[method-assign]
        home.model.script.append(FEAST)
        await later(home, Summaries(home.store, home.model, home.clock, home.metrics, config=CHUNK), 0)
        assert [one.text for one in await kept(home)] == [FEAST]


async def test_a_model_that_never_answers_is_given_up() -> None:
    async with remembered() as (home, _):
        summaries = Summaries(home.store, home.model, home.clock, home.metrics, config=CHUNK, call_seconds=60)
        await talk(home, 4)
        await ask_for_one(home)
        asked = asyncio.Event()

        async def endless(call: ModelCall) -> Any:  # noqa: ANN401
            call.on_sent()
            asked.set()
            await asyncio.Event().wait()

        home.model.answer = endless  # type: ignore[method-assign]
        await summaries.run()
        await asked.wait()
        await home.clock.advance(61)
        await summaries.settled()
        assert await kept(home) == []
        assert (await spent(home))[0] > 0  # it may have answered all the same: all that was set aside counts


@pytest.mark.parametrize("closes", [True, False])
async def test_a_summary_that_was_never_asked_for_costs_nothing(*, closes: bool) -> None:
    async with remembered() as (home, _):
        summaries = Summaries(home.store, home.model, home.clock, home.metrics, config=CHUNK, call_seconds=60)
        await talk(home, 4)
        await ask_for_one(home)
        waits = asyncio.Event()

        async def queued(call: ModelCall) -> Any:  # noqa: ANN401
            waits.set()
            await asyncio.Event().wait()

        home.model.answer = queued  # type: ignore[method-assign]
        await summaries.run()
        await waits.wait()
        if closes:
            await summaries.close()
        else:
            await home.clock.advance(61)
            await summaries.settled()
        assert await spent(home) == (0, 0)


async def another_community(home: Hearts) -> CommunityId:
    """Found one with six rooms in each of which something was said that is to be summed up."""
    numbers = range(1, 7)
    residents = [(agent(id), room(id, channel_id=Snowflake(9_000 + id))) for id in numbers]
    community_id = await founded(home.store, residents, guild_id=GUILD_ID + 1)
    async with home.store.writing(community_id) as write:
        for id in map(AgentId, numbers):
            message_id = MessageId(write.ids.take("message"))
            said = Say(
                message_id=message_id,
                room_id=id,
                sender=by_person(),
                content="a line of a talk",
                sent_at=home.clock.now(),
                post=False,
            )
            posted = UpdateMessage(message_id=message_id, fields={"discord_id": Snowflake(8_000_000 + message_id)})
            asked = UpdateRoom(room_id=id, fields={"compact_asked_at": home.clock.now()})
            await write.apply(community_id, [said, posted, asked])
    return community_id


async def test_a_community_whose_provider_is_slow_holds_up_no_other_and_asks_it_only_so_often() -> None:
    async with remembered() as (home, summaries):
        slow_one, waiting = await another_community(home), 0
        answer = home.model.answer

        async def slow(call: ModelCall) -> Any:  # noqa: ANN401
            nonlocal waiting
            if call.cache_key.endswith(f"-{slow_one}"):
                waiting += 1
                await asyncio.Event().wait()
            home.model.script.append(FEAST)
            return await answer(call)

        home.model.answer = slow  # type: ignore[method-assign]
        await asyncio.wait_for(summaries.run(), 30)
        await until(lambda: waiting == ROOMS_AT_ONCE)
        await talk(home, 3)
        await ask_for_one(home)
        await asyncio.wait_for(summaries.run(), 30)
        await until(lambda: home.metrics.counts["summaries_written"])
        assert [one.text for one in await kept(home)] == [FEAST]
        await home.clock.advance(61)
        await summaries.run()
        assert waiting == ROOMS_AT_ONCE
        await summaries.close()
