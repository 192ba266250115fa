"""What one person asks about themselves costs nobody else: Discord is asked little, and one is forgotten at a time."""

import asyncio
import json
from datetime import timedelta
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest

from bot.core.errors import Rejected
from bot.core.keeping import Readable
from bot.core.records import AgentId, Person, Room, Snowflake
from bot.engine.front_desk import FrontDesk
from bot.engine.front_desk.office import MOST_THREADS
from bot.engine.front_desk.privacy import LAST_TRACES
from tests.engine.test_moderation import front_desk
from tests.engine.town import ADA, Town, town
from tests.factories import GUILD_ID, by_person, person
from tests.fakes import START
from tests.storage.lines import hear, said

MIRA, EVE = person("mira", 501), person("eve", 666)
NOWHERE = Readable(rooms=frozenset())


class Asked:
    """Notes which threads it is asked about, and lets everybody read them."""

    def __init__(self) -> None:
        self.threads: list[AgentId] = []

    async def __call__(self, thread: Room) -> bool:
        self.threads.append(thread.id)
        return True


async def export(desk: FrontDesk, who: Person, asked: Asked) -> dict[str, Any]:
    pieces: list[str] = []
    await desk.privacy.write_down(GUILD_ID, who, NOWHERE, pieces.append, may_read=asked)
    return cast(dict[str, Any], json.loads("".join(pieces)))


async def opened(here: Town, count: int, who: Person = MIRA) -> list[AgentId]:
    ids = []
    async with here.store.writing(here.community_id) as write:
        for number in range(count):
            channel = Snowflake(7_700_000_000_000_000 + who.id * 1_000 + number)
            id = await write.rooms.add_thread(here.community_id, ADA, channel, name="Plans", at=START)
            line = said("oak", who.id * 1_000 + number, room_id=id, sender=by_person(who.username, who.id))
            await hear(write.talk, here.community_id, line)
            ids.append(id)
    return ids


async def test_an_export_asks_only_of_threads_in_which_the_person_was_and_never_of_many() -> None:
    async with town() as here:
        desk, asked = front_desk(here), Asked()
        theirs = await opened(here, MOST_THREADS + 5)
        await export(desk, EVE, asked)
        assert asked.threads == []
        data = await export(desk, MIRA, asked)
        assert sorted(asked.threads) == theirs[5:]
        assert isinstance(data["messages"], list)
        assert len(data["messages"]) == MOST_THREADS
        assert data["where_you_may_not_read"] == {"messages": 5, "reactions": 0}


async def test_threads_that_we_left_are_nobodys_to_read_and_not_asked_of() -> None:
    async with town() as here:
        desk, asked = front_desk(here), Asked()
        left, kept = await opened(here, 2)
        async with here.store.writing(here.community_id) as write:
            await write.rooms.leave_thread(here.community_id, left)
        found = await desk.messages.search(GUILD_ID, "oak", room_ids=[ADA], may_read=asked)
        assert ([one.room_id for one, _ in found], asked.threads) == ([kept], [kept])
        await export(desk, MIRA, asked)
        assert asked.threads == [kept, kept]


async def test_threads_that_one_may_not_read_hide_nothing_of_those_that_one_may() -> None:
    async with town() as here:
        desk = front_desk(here)
        mine, *closed = await opened(here, MOST_THREADS // 10)
        async with here.store.writing(here.community_id) as write:
            for number in range(200):
                at: dict[str, Any] = {
                    "room_id": closed[number % len(closed)],
                    "sent_at": START + timedelta(days=1, seconds=number),
                }
                await hear(write.talk, here.community_id, said("oak", 90_000 + number, **at))

        async def mine_alone(thread: Room) -> bool:
            return thread.id == mine

        found = await desk.messages.search(GUILD_ID, "oak", room_ids=[ADA], may_read=mine_alone)
        assert {one.room_id for one, _ in found} == {mine}
        asked = Asked()
        await desk.messages.search(GUILD_ID, "oak", room_ids=[ADA], may_read=asked)
        assert len(asked.threads) <= MOST_THREADS


@pytest.mark.parametrize("is_whole", [True, False])
async def test_who_is_forgotten_is_told_where_bytes_are_left(monkeypatch: pytest.MonkeyPatch, is_whole: bool) -> None:
    async with town() as here:
        monkeypatch.setattr(here.store, "gone_for_good", AsyncMock(return_value=is_whole))  # PostgreSQL never says so
        told = await front_desk(here).privacy.forget(GUILD_ID, MIRA)
        assert (LAST_TRACES in told) is not is_whole


async def test_one_person_at_a_time_is_forgotten() -> None:
    async with town() as here:
        desk = front_desk(here)
        first, second = await asyncio.gather(
            desk.privacy.forget(GUILD_ID, MIRA), desk.privacy.forget(GUILD_ID, EVE), return_exceptions=True
        )
        assert isinstance(first, str)
        assert isinstance(second, Rejected)
        assert "try again in a minute" in str(second)
        assert "It is done" in await desk.privacy.forget(GUILD_ID, EVE)
