"""What agents carry is read for few of them at a time, and no more of it than their beats show."""

import json
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager

import pytest

from bot.core.changes import PutReason, SetKnowledge
from bot.core.kinds import ReasonKind
from bot.core.knowledge import LARGEST_KNOWN
from bot.core.name_redaction import Trace, TraceKind
from bot.core.records import PUBLIC_SIDE, AgentId, Json, Reason, Side
from bot.engine import carried
from tests.engine.hearts import Hearts, asked, everyone_says, hearts
from tests.engine.test_moderation import front_desk
from tests.engine.town import ADA, Town, town
from tests.factories import GUILD_ID, person

MOST_BYTES = 64_000_000
MANY = 16


def nested(characters: int = LARGEST_KNOWN) -> dict[str, Json]:
    """Give what takes the most memory for its length: objects in objects."""
    knowledge: dict[str, Json] = {}
    for number in range(characters // 80):
        value: Json = "zoe"
        for _ in range(9):
            value = {"a": value}
        knowledge[f"key{number}"] = value
    return knowledge


async def fill(home: Hearts | Town, *minds: tuple[int, int], characters: int = LARGEST_KNOWN) -> None:
    for agent_id, side in minds:
        now, whole = home.clock.now(), nested(characters)
        known = {"path": "key0", "before": None, "after": "x", "by": "me", "at": now}
        await home.apply(SetKnowledge(agent_id=AgentId(agent_id), side=Side(side), knowledge=whole, **known))  # type: ignore[arg-type]


async def wake(home: Hearts, agents: Sequence[int]) -> None:
    now = home.clock.now()
    for id_ in map(AgentId, agents):
        woken = Reason(kind=ReasonKind.WOKEN, room_id=id_, since=now, due_at=now)
        await home.apply(PutReason(agent_id=id_, reason=woken))


async def most_bytes(done: Awaitable[object]) -> int:
    """Give how much memory something takes at most."""
    tracemalloc.start()
    try:
        await done
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
async def test_a_slot_of_full_minds_takes_no_more_memory_than_a_few_of_them() -> None:
    async with hearts(MANY, together=False) as home:
        home.model.script += [everyone_says("Here.")] * MANY
        await fill(home, *((id_, PUBLIC_SIDE) for id_ in range(1, MANY + 1)))
        await wake(home, range(1, MANY + 1))
        assert await most_bytes(home.heartbeat.slot(home.clock.now())) < MOST_BYTES
        assert sorted(id_ for call in home.model.calls for id_ in asked(call)) == list(range(1, MANY + 1))


@pytest.mark.long
async def test_a_beat_reads_no_mind_that_it_cannot_show() -> None:
    async with hearts(1) as home:
        home.model.script += [everyone_says("Here.")]
        await fill(home, *((1, -side) for side in range(1, MANY + 1)))
        await wake(home, [1])
        assert await most_bytes(home.heartbeat.slot(home.clock.now())) < MOST_BYTES // 4
        assert len(home.model.calls) == 1


@asynccontextmanager
async def five_at_once(script: str) -> AsyncIterator[Hearts]:
    async with hearts(5, together=False) as home:
        home.model.script += [everyone_says(script)] * 5
        for id_ in range(1, 6):
            await fill(home, (id_, PUBLIC_SIDE), characters=8_000)
        await wake(home, range(1, 6))
        yield home


async def test_who_does_not_fit_beside_the_others_is_asked_in_the_same_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    async with five_at_once("Here.") as home:
        monkeypatch.setattr(carried, "MOST_AT_ONCE", 18_000)
        await home.heartbeat.slot(home.clock.now())
        assert [asked(call) for call in home.model.calls] == [[1, 2], [3, 4], [5]]
        assert all("key0" in call.input for call in home.model.calls)


async def test_who_does_not_fit_at_all_is_asked_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async with five_at_once("Here.") as home:
        monkeypatch.setattr(carried, "MOST_AT_ONCE", 1)
        await home.heartbeat.slot(home.clock.now())
        assert [asked(call) for call in home.model.calls] == [[id_] for id_ in range(1, 6)]


@pytest.mark.long
async def test_whoever_looks_into_a_mind_reads_no_other() -> None:
    async with town() as here:
        desk = front_desk(here)
        await fill(here, *((ADA, -side) for side in range(MANY)))
        whole = nested()
        assert await most_bytes(desk.minds.of(GUILD_ID, ADA)) < MOST_BYTES // 4
        assert (await desk.minds.of(GUILD_ID, ADA)).knowledge == whole
        assert await most_bytes(desk.community.view(GUILD_ID, ADA)) < MOST_BYTES // 16


@pytest.mark.long
async def test_what_is_shown_of_many_minds_is_no_more_than_can_be_held() -> None:
    async with town() as here:
        desk = front_desk(here)
        await fill(here, *((ADA, side) for side in range(MANY)))
        sides = [Side(side) for side in range(MANY)]
        assert await most_bytes(desk.minds.held(GUILD_ID, ADA, sides)) < MOST_BYTES // 2
        shown, more = await desk.minds.held(GUILD_ID, ADA, sides)
        assert [one.side for one in shown] == sides[: len(shown)]
        assert len(shown) + more == MANY
        assert 0 < len(shown) < MANY


@pytest.mark.long
async def test_a_name_is_taken_out_of_one_mind_after_the_other() -> None:
    async with town() as here:
        desk, trace = front_desk(here), Trace(kind=TraceKind.KNOWLEDGE, id=ADA)
        await fill(here, *((ADA, side) for side in range(MANY)))
        manager = person("boss", 900, is_architect=True)
        assert await most_bytes(desk.traces.empty(GUILD_ID, manager, trace, "zoe")) < MOST_BYTES
        async with here.store.reading() as read:
            left = [
                '"x"' in json.dumps(mind.knowledge) async for mind in read.views.each_mind(here.community_id, [ADA])
            ]
        assert left == [False] * MANY
