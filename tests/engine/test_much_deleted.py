"""However much was said in a channel or thread that people delete, nobody else waits for its removal."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import select

from bot.core.events import ChannelDeleted, ThreadDeleted
from bot.core.ports import NewMessage
from bot.core.records import Snowflake
from bot.engine import channel_events
from storage import erasing
from storage.session import OneRow, Rows, Session
from storage.tables import TOMBSTONES
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID
from tests.storage.lines import said

COUNT = 25
THREAD = Snowflake(77)


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        yield made


@pytest.mark.parametrize("what", ["channel", "thread"])
async def test_what_was_said_there_goes_in_short_transactions(
    here: Town, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    in_thread = THREAD if what == "thread" else None
    lines: list[NewMessage] = [said(str(number), number, room_id=ADA, thread_id=in_thread) for number in range(COUNT)]
    async with here.store.writing(here.community_id) as write:
        await write.talk.add(here.community_id, lines)
    turns: dict[Session, list[OneRow]] = {}
    remove = erasing._erase

    async def counting(session: Session, community_id: int, found: Rows, *rest: Any) -> None:  # noqa: ANN401
        turns.setdefault(session, []).extend(found)
        await remove(session, community_id, found, *rest)
        await here.clock.advance(1)

    monkeypatch.setattr(erasing, "_erase", counting)
    monkeypatch.setattr(channel_events, "AT_ONCE", 10)
    if what == "thread":
        await here.intake.take(ThreadDeleted(guild_id=GUILD_ID, channel_id=ADAS, thread_id=THREAD))
    else:
        await here.intake.take(ChannelDeleted(guild_id=GUILD_ID, channel_id=ADAS))
    assert await here.contents() == []
    assert [len(rows) for rows in turns.values()] == [10, 10, 5]
    async with here.store.reading() as read:
        buried = await read.session.rows(select(TOMBSTONES.c.at).distinct())
    assert len(buried) == 3, "each turn has its own time, before which beats have begun that may have seen its words"
