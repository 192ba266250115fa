"""What happens is told as it happens: each thing once, in order, whatever the line does, and only to who may see it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import aiohttp
import pytest

from bot.console import live, streams
from bot.console.feed import KEPT, Feed
from bot.console.standing import Manager
from bot.console.streams import MOST_EACH
from bot.console.window import PROOF
from bot.core.changes import AddMembership, SetKnowledge
from bot.core.happenings import Happened, Happening
from bot.core.records import PUBLIC_SIDE, AgentId, CommunityId, Side, Snowflake
from bot.engine.timelines.chance import VirtualClock
from tests.console.house import BOSS, Open, opened
from tests.engine.town import ADA, ADAS, BOB
from tests.factories import GUILD_ID, membership
from tests.fakes import START

PATIENCE_SECONDS = 60.0
Json = dict[str, Any]


@asynccontextmanager
async def hearing(there: Open, after: int | None = None, **query: str) -> AsyncIterator[AsyncIterator[Json]]:
    """Listen as the page does."""
    asked = query | ({} if after is None else {"after": str(after)})
    address, headers = f"{there.console.url}/api/v1/events", {PROOF: there.proof}
    async with there.session.get(address, params=asked, headers=headers) as response:
        assert response.status == 200, await response.text()
        yield events(response)


async def events(response: aiohttp.ClientResponse) -> AsyncIterator[Json]:
    async for line in response.content:
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


async def some(heard: AsyncIterator[Json], count: int) -> list[Json]:
    async with asyncio.timeout(PATIENCE_SECONDS):
        return [await anext(heard) for _ in range(count)]


def knows(number: int, side: Side = PUBLIC_SIDE) -> SetKnowledge:
    known = {"number": number}
    return SetKnowledge(
        agent_id=ADA, side=side, knowledge=known, path="number", before=None, after=number, by="agent 1", at=START
    )


async def test_what_happens_is_told_in_order_once_it_is_written() -> None:
    async with opened() as there:
        after = (await there.ask("/api/v1/overview"))[1]["seq"]
        await there.here.hear("Ada, hello")
        await there.here.say(ADA, "Hello!")
        await there.here.deliver()
        async with hearing(there, after) as heard:
            told = await some(heard, 4)
        assert [(one["kind"], one["room"], one["what"]) for one in told] == [
            ("heard", ADA, ""),
            ("said", ADA, ""),
            ("letter", ADA, "post sending"),
            ("letter", ADA, "post sent"),
        ]
        assert [one["seq"] for one in told] == sorted(one["seq"] for one in told)
        assert "Hello" not in json.dumps(told)


async def test_what_is_undone_is_not_told() -> None:
    async with opened() as there:
        with pytest.raises(RuntimeError):
            async with there.here.store.writing(there.here.community_id) as write:
                await write.apply(there.here.community_id, [knows(1)])
                raise RuntimeError("undone")
        async with there.here.store.writing(there.here.community_id) as write:
            with pytest.raises(RuntimeError):
                async with write.savepoint():
                    await write.apply(there.here.community_id, [knows(2)])
                    raise RuntimeError("undone in part")
            await write.apply(there.here.community_id, [AddMembership(membership=membership(ADA, BOB))])
        async with hearing(there, there.feed.seq - 1) as heard:
            assert [one["kind"] for one in await some(heard, 1)] == ["came"]


async def test_over_many_reconnects_nothing_is_lost_or_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "TOGETHER_SECONDS", 0.0)
    async with opened() as there:
        begun = last = there.feed.seq
        seen: list[int] = []
        for number in range(40):
            there.feed.tell([happening(room_id=ADA) for _ in range(3)])
            async with hearing(there, last) as heard:
                told = await some(heard, 3 if number % 2 else 2)  # the line breaks in the midst of what is told
            seen += [one["seq"] for one in told]
            last = seen[-1]
        async with hearing(there, last) as heard:
            seen += [one["seq"] for one in await some(heard, 120 - len(seen))]
        assert seen == list(range(begun + 1, begun + 121))


def happening(kind: Happened = Happened.HEARD, community_id: int = 1, **fields: Any) -> Happening:  # noqa: ANN401
    return Happening(kind=kind, community_id=CommunityId(community_id), **fields)


async def test_only_what_is_asked_for_is_told() -> None:
    async with opened() as there:
        after = there.feed.seq
        there.feed.tell([happening(room_id=ADA), happening(Happened.KNOWLEDGE, agent_id=ADA), happening(room_id=BOB)])
        async with hearing(there, after, kinds="knowledge,letter") as heard:
            assert [one["kind"] for one in await some(heard, 1)] == ["knowledge"]


async def test_private_threads_and_who_sits_in_a_closed_scene_are_told_of_to_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as there:

        async def masked(guild_id: Snowflake) -> frozenset[AgentId]:
            return frozenset({BOB})

        monkeypatch.setattr(type(there.desk.agents), "masked", lambda _, guild_id: masked(guild_id))
        after, thread = there.feed.seq, AgentId(77)
        there.feed.tell(
            [
                happening(room_id=thread),
                happening(Happened.KNOWLEDGE, agent_id=ADA, side=Side(thread)),
                happening(Happened.BEGUN, agent_id=BOB, room_id=ADA),
                happening(community_id=2, room_id=ADA),
                happening(Happened.PLAN, agent_id=ADA),
            ]
        )
        async with hearing(there, after) as heard:
            assert [one["kind"] for one in await some(heard, 1)] == ["plan"]


async def test_a_stream_ends_with_the_session_and_with_the_right() -> None:
    async with opened() as there:
        async with hearing(there) as heard:
            there.console.revoke(GUILD_ID, BOSS)
            there.feed.tell([happening(room_id=ADA)])
            assert [one async for one in heard] == []
        await there.enter(there.link())
        async with hearing(there) as heard:
            there.server.managers.clear()
            there.feed.tell([happening(room_id=ADA)])
            assert [one async for one in heard] == []
        assert (await there.ask("/api/v1/events"))[0] == 403


async def test_nobody_opens_streams_without_end() -> None:
    async with opened() as there:
        headers = {PROOF: there.proof}
        open_ = [
            await there.session.get(f"{there.console.url}/api/v1/events", headers=headers) for _ in range(MOST_EACH)
        ]
        assert [one.status for one in open_] == [200] * MOST_EACH
        assert (await there.ask("/api/v1/events"))[0] == 503
        for one in open_:
            one.close()


async def test_who_sits_in_a_closed_scene_is_asked_once_for_all_who_look_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened() as there, AsyncExitStack() as stack:
        asked = 0

        async def masked(_: object, guild_id: Snowflake) -> frozenset[AgentId]:
            nonlocal asked
            asked += 1
            await asyncio.sleep(0)
            return frozenset()

        monkeypatch.setattr(type(there.desk.agents), "masked", masked)
        crowd = [await stack.enter_async_context(hearing(there)) for _ in range(6)]
        there.feed.tell([happening(room_id=ADA)])
        assert [one[0]["room"] for one in await asyncio.gather(*(some(heard, 1) for heard in crowd))] == [ADA] * 6
        assert asked == 1


def test_who_was_away_for_more_than_is_kept_or_for_a_restart_is_told_so() -> None:
    feed = Feed(VirtualClock(START))
    before = feed.seq
    feed.tell([happening() for _ in range(KEPT + 1)])
    assert feed.after(CommunityId(1), before) is None
    assert feed.after(CommunityId(1), before - 1) is None  # of an earlier run
    assert len(feed.after(CommunityId(1), before + 1) or ()) == KEPT


async def test_a_page_that_was_away_too_long_is_told_to_begin_anew() -> None:
    async with opened() as there, hearing(there, 5) as heard:
        (told,) = await some(heard, 1)
        assert (told["kind"], told["seq"]) == ("gap", there.feed.seq)


async def test_no_server_takes_all_streams_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_STREAMS", 3)
    other = Snowflake(GUILD_ID + 1)
    async with opened() as there:
        settings = there.desk.community.settings

        async def everywhere(guild_id: Snowflake, user_id: Snowflake, *, anew: bool) -> Manager:
            return Manager(BOSS, lambda channel_id: True)

        monkeypatch.setattr(there.server, "manager", everywhere)
        monkeypatch.setattr(type(there.desk.community), "settings", lambda _, guild_id: settings(GUILD_ID))
        address = f"{there.console.url}/api/v1/events"
        crowd = [await there.session.get(address, headers={PROOF: there.proof}) for _ in range(3)]
        assert (await there.ask("/api/v1/events"))[0] == 503
        await there.enter(there.console.link(other, BOSS).partition("#enter=")[2])
        async with hearing(there):
            async with asyncio.timeout(PATIENCE_SECONDS):
                with suppress(aiohttp.ClientError):
                    await crowd[0].read()  # ends: it was the oldest of those who had most
            assert not [one for one in crowd[1:] if one.content.at_eof()]
        for one in crowd:
            one.close()


async def test_of_a_room_that_is_closed_to_who_looks_nothing_is_told() -> None:
    async with opened() as there, hearing(there) as heard:
        there.server.closed = {ADAS}
        there.feed.tell([happening(room_id=ADA), happening(room_id=BOB)])
        assert [one["room"] for one in await some(heard, 1)] == [BOB]
