"""The clearing of a room: step by step, over crashes and stops, and never more than was asked for."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import cast

import pytest

from bot.core.actions import ClearRoom, StopClearing
from bot.core.changes import SetOverride
from bot.core.errors import Forbidden, Limited, Rejected
from bot.core.records import Snowflake
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.performer import Performer
from tests.engine.recording import LOST_AFTER, LOST_BEFORE, Trouble
from tests.engine.town import ADA, Town, town
from tests.factories import GUILD_ID, person
from tests.fakes import PlainCipher, SeededRandom, WordTokenizer

BOSS = person(is_architect=True)
LATEST = 2**62


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        await made.apply(SetOverride(name="managers_channel_id", value=55))
        yield made


@pytest.fixture
def desk(here: Town) -> FrontDesk:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    return FrontDesk(Office(here.store, performer, here.clock, SeededRandom(1), on_done=here.delivery.wake))


async def clear(desk: FrontDesk, messages: int) -> None:
    await desk.actions.take(GUILD_ID, BOSS, ClearRoom(messages=messages, before=LATEST), subject=ADA)


async def told(desk: FrontDesk) -> str:
    cleared = await desk.rooms.cleared(GUILD_ID, ADA)
    assert cleared is not None
    return cleared.told()


def lines(here: Town, count: int) -> list[Snowflake]:
    """Have so many lines said, and give their ids."""
    here.publisher.lines = [here.publisher.id() for _ in range(count)]
    return list(here.publisher.lines)


def steps(here: Town) -> list[int]:
    """How many were deleted at a time."""
    return [len(done) - 1 for done in here.publisher.done if done[0] == "remove"]


async def test_hundreds_go_a_hundred_at_a_time_and_the_managers_hear_of_it(here: Town, desk: FrontDesk) -> None:
    said = lines(here, 400)
    here.publisher.pinned = {said[-1], said[200]}
    await clear(desk, 250)
    assert await told(desk) == "0 of 250 messages deleted; `/room clear` tells how far it is."
    await here.deliver()
    assert steps(here) == [99, 99, 52]
    assert set(here.publisher.lines) == set(said[:148]) | here.publisher.pinned
    assert await told(desk) == "Deleted: 250 messages."
    notices = [cast(str, done[2]) for done in here.publisher.done if done[0] == "notify"]
    assert len(notices) == 1
    assert notices[0].startswith("🧹 250 messages deleted in <#")
    assert f"as <@{BOSS.id}> asked" in notices[0]


async def test_of_old_messages_few_go_at_a_time(here: Town, desk: FrontDesk) -> None:
    lines(here, 25)
    await here.clock.advance(timedelta(days=15).total_seconds())
    await clear(desk, 1_000)
    await here.deliver()
    assert steps(here) == [10, 10, 5]
    assert await told(desk) == "Deleted: 25 messages."
    assert [done for done in here.publisher.done if done[0] == "notify"] == []


@pytest.mark.parametrize("trouble", [LOST_BEFORE, LOST_AFTER, Trouble(Limited("Later.", retry_after_seconds=5))])
async def test_what_became_of_a_step_may_be_unknown_and_still_no_more_goes_than_asked(
    here: Town, desk: FrontDesk, trouble: Trouble
) -> None:
    said = lines(here, 400)
    here.publisher.trouble.extend([None, trouble, trouble])
    await clear(desk, 250)
    for _ in range(20):
        await here.deliver(10)
    assert here.publisher.lines == said[:150]
    assert await told(desk) == "Deleted: 250 messages."


async def test_it_can_be_stopped_and_then_begun_anew(here: Town, desk: FrontDesk) -> None:
    said = lines(here, 400)
    await clear(desk, 300)
    for _ in range(2):
        await here.delivery.run_once(here.clock.now())
    with pytest.raises(Rejected, match="cleared already"):
        await clear(desk, 5)
    await desk.actions.take(GUILD_ID, BOSS, StopClearing(), subject=ADA)
    await here.deliver()
    assert here.publisher.lines == said[:300]
    assert await told(desk) == "It ended early: 100 of 300 messages deleted."
    with pytest.raises(Rejected, match="not being cleared"):
        await desk.actions.take(GUILD_ID, BOSS, StopClearing(), subject=ADA)
    await clear(desk, 5)
    await here.deliver()
    assert here.publisher.lines == said[:295]


async def test_a_stop_while_a_step_is_under_way_ends_it_after_that_step(here: Town, desk: FrontDesk) -> None:
    said = lines(here, 400)
    await clear(desk, 300)
    await here.delivery.run_once(here.clock.now())
    remove = here.publisher.remove

    async def stopped_meanwhile(guild_id: Snowflake, channel_id: Snowflake, *ids: Snowflake) -> None:
        await desk.actions.take(GUILD_ID, BOSS, StopClearing(), subject=ADA)
        await remove(guild_id, channel_id, *ids)

    here.publisher.remove = stopped_meanwhile  # type: ignore[method-assign]
    await here.deliver()
    assert here.publisher.lines == said[:300]


async def test_where_discord_refuses_it_ends_and_the_managers_are_told_why(here: Town, desk: FrontDesk) -> None:
    lines(here, 20)
    here.publisher.trouble.extend([Trouble(Forbidden("Discord does not let me delete messages."))] * 3)
    await clear(desk, 10)
    for _ in range(5):
        await here.deliver(5)
    assert await told(desk) == "It ended early: 0 of 10 messages deleted."
    assert "Discord does not let me delete messages." in str(here.publisher.done)
