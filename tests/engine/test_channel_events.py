"""Private threads that people open without end do not become places without end."""

import pytest
from sqlalchemy import event

from bot.core.changes import SetFocus
from bot.core.events import ChannelDeleted
from bot.core.records import AgentId, Focus, Side, Snowflake
from bot.engine import channel_events
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID, person
from tests.storage.lines import hear, said

FIRST = 7_700_000_000_000_000


async def speak(here: Town, number: int, who: int = 501) -> None:
    author = person(f"guest{who}", who)
    await here.hear(
        "psst", author=author, channel_id=Snowflake(FIRST + number), private_in=ADAS, thread_name=f"t{number}"
    )


async def threads(here: Town) -> list[AgentId]:
    async with here.store.reading() as read:
        return [room.id for room in await read.rooms.threads(here.community_id) if room.thread_of == ADA]


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


async def statements(count: int) -> int:
    """Give how many statements it takes to be rid of a channel with so many private threads in it."""
    asked: list[None] = []
    async with town() as here:
        async with here.store.writing(here.community_id) as write:
            for number in range(count):
                channel = Snowflake(FIRST + number)
                id = await write.rooms.add_thread(here.community_id, ADA, channel, name="Plans", at=here.clock.now())
                await hear(write.talk, here.community_id, said("the lamp is under the oak", number, room_id=id))
                kept = SetFocus(agent_id=ADA, side=Side(id), focus=Focus(notes=("oak",)))
                await write.apply(here.community_id, [kept])
        places = await threads(here)
        event.listen(here.store.database.engine.sync_engine, "after_cursor_execute", lambda *_: asked.append(None))
        await here.intake.take(ChannelDeleted(guild_id=GUILD_ID, channel_id=ADAS))
        taken = len(asked)
        async with here.store.reading() as read:
            view = await read.views.whole(here.community_id, agent_ids=[ADA], room_ids=places)
            assert await read.talk.search(here.community_id, "oak", room_ids=places) == []
        assert await threads(here) == []
        assert "oak" not in repr(view)
        assert (len(places), [key for key in view.memberships if key[1] in places]) == (count, [])
    return taken


async def test_a_deleted_channel_takes_any_number_of_threads_along_in_as_many_statements_as_one() -> None:
    assert await statements(60) == await statements(1)
