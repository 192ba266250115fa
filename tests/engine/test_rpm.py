"""Agents' posts in a room are held to its messages a minute: they wait, and none is dropped.

The rules are in docs/heartbeat.md#pace-of-typing.
"""

from collections.abc import AsyncIterator

import pytest

from bot.core.changes import UpdateRoom
from cogs.room.company import room_card
from tests.engine.town import ADA, BOB, BOBS, Town, town
from tests.storage.databases import postgresql_database


@pytest.fixture(params=["sqlite", "postgresql"])
async def here(request: pytest.FixtureRequest) -> AsyncIterator[Town]:
    """A town in each kind of database, Ada's room of which takes ten messages a minute."""
    if request.param == "sqlite":
        async with town() as made:
            await made.apply(UpdateRoom(room_id=ADA, fields={"rpm": 10}))
            yield made
        return
    async with postgresql_database() as database:
        if database is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        async with town(url=database.url) as made:
            await made.apply(UpdateRoom(room_id=ADA, fields={"rpm": 10}))
            yield made


async def test_what_is_too_much_for_a_minute_waits_and_is_posted_in_order(here: Town) -> None:
    for number in range(25):
        await here.say(ADA, f"line {number}")
    await here.say(BOB, "elsewhere")
    await here.deliver()
    assert [line for line in here.publisher.said() if line != "elsewhere"] == [f"line {number}" for number in range(10)]
    assert here.publisher.said(BOBS) == ["elsewhere"]
    await here.deliver(59)
    assert len(here.publisher.said()) == 11
    await here.deliver(1)
    assert len(here.publisher.said()) == 21
    await here.deliver(60)
    assert [line for line in here.publisher.said() if line != "elsewhere"] == [f"line {number}" for number in range(25)]


async def test_the_limit_counts_any_minute(here: Town) -> None:
    for number in range(9):
        await here.say(ADA, f"line {number}")
    await here.deliver()
    await here.say(ADA, "at forty seconds")
    await here.deliver(40)
    await here.say(ADA, "too soon")
    await here.deliver(19)
    assert len(here.publisher.said()) == 10
    await here.deliver(1)
    assert here.publisher.said()[-1] == "too soon"


async def test_a_room_that_takes_more_lets_out_what_waits_within_ten_seconds(here: Town) -> None:
    for number in range(13):
        await here.say(ADA, f"line {number}")
    await here.deliver()
    await here.apply(UpdateRoom(room_id=ADA, fields={"rpm": 200}))
    await here.deliver(10)
    assert here.publisher.said() == [f"line {number}" for number in range(13)]


async def test_the_queue_is_visible(here: Town) -> None:
    for number in range(13):
        await here.say(ADA, f"line {number}")
    await here.deliver()
    pace = next(
        field.value for field in room_card(await here.view(), ADA, here.clock.now(), str).fields if field.name == "Pace"
    )
    assert pace == "80 words, 10 messages a minute\n3 messages waiting to be posted"
