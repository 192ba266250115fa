"""Private threads that people open without end do not become places without end."""

import pytest

from bot.core.records import AgentId, Snowflake
from bot.engine import channel_events
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import person

FIRST = 7_700_000_000_000_000


async def speak(here: Town, number: int, who: int = 501) -> None:
    author = person(f"guest{who}", who)
    await here.hear(
        "psst", author=author, channel_id=Snowflake(FIRST + number), private_in=ADAS, thread_name=f"t{number}"
    )


async def threads(here: Town) -> list[AgentId]:
    async with here.store.reading() as read:
        return list(await read.rooms.threads_in(here.community_id, ADA))


async def test_one_person_opens_few_an_hour_and_others_go_on() -> None:
    async with town() as here:
        for number in range(channel_events.MOST_AN_HOUR + 3):
            await speak(here, number)
        assert len(await threads(here)) == channel_events.MOST_AN_HOUR
        await speak(here, 100, who=502)
        await speak(here, 0)  # those that are there are still read
        assert len(await threads(here)) == channel_events.MOST_AN_HOUR + 1


async def test_a_room_has_so_many_at_a_time_and_another_when_one_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel_events, "MOST_LIVING", 2)
    async with town() as here:
        for number in range(3):
            await speak(here, number)
        first, _ = await threads(here)
        async with here.store.writing(here.community_id) as write:
            await write.rooms.leave_thread(here.community_id, first)
        await speak(here, 3)
        assert len(await threads(here)) == 3


async def test_who_is_not_heard_opens_none() -> None:
    async with town() as here:
        async with here.store.writing(here.community_id) as write:
            await write.people.put(here.community_id, person("guest501", 501))
            await write.people.decide_about(here.community_id, person("guest501", 501, muted=True))
        await speak(here, 0)
        assert await threads(here) == []
