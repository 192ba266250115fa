"""However much was said and kept in what goes for good, it goes in short transactions, also after a stop."""

from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from sqlalchemy import func, select

from bot.core.cards import kept_with
from bot.core.changes import AddMembership, Change, EndBeat, RecordAction, SetFocus, UpdateRoom
from bot.core.errors import BadSetting
from bot.core.records import ActionRecord, AgentId, BeatId, CommunityId, Focus, Side, Snowflake
from storage import emptying, erasing
from storage.moving.archive import write_archive
from storage.session import Rows, Session
from storage.store import SqlStore
from storage.tables import ACTIONS, BEATS, MESSAGES, MINDS
from tests.factories import membership
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import said
from tests.storage.test_beats import beat

HOST, GUEST = AgentId(1), AgentId(2)
THREAD = Snowflake(77)
COUNT = 25
DONE = ActionRecord(type="sleep", at=START, parameters={}, accepted=True)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emptying, "AT_ONCE", 10)
    monkeypatch.setattr(emptying, "LOOKED_THROUGH", 10)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> dict[Session, list[str]]:
    """What was erased in each transaction."""
    made: dict[Session, list[str]] = {}
    remove = erasing._erase

    async def counting(session: Session, community_id: int, found: Rows, aged: bool, at: datetime | None) -> None:
        made.setdefault(session, []).extend(row.content for row in found)
        await remove(session, community_id, found, aged, at)

    monkeypatch.setattr(erasing, "_erase", counting)
    return made


async def filled(store: SqlStore, community_id: CommunityId) -> None:
    """Let the guest hear and keep much in the host's room, on its side and in the open."""
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"line {number}", number) for number in range(COUNT)])
        room = UpdateRoom(room_id=HOST, fields={"channel_id": Snowflake(5)})
        changes: list[Change] = [room, AddMembership(membership=membership(GUEST, HOST))]
        changes.append(SetFocus(agent_id=GUEST, side=Side(HOST), focus=Focus(notes=("oak",))))
        for number in range(COUNT):
            changes.append(RecordAction(agent_id=HOST, side=Side(0), record=DONE))
            side = Side(HOST if number % 2 else 0)
            changes.append(EndBeat(beat=beat(2 * number + 1, agent_id=HOST)))
            changes.append(EndBeat(beat=beat(2 * number + 2, agent_id=GUEST, side=side)))
        await write.apply(community_id, changes)


async def left(store: SqlStore) -> tuple[int, ...]:
    """Count the host's lines and actions, the guest's minds on its side, and all beats."""
    async with store.reading() as read:
        tables = (MESSAGES, ACTIONS, MINDS, BEATS)
        return tuple([await read.session.value(select(func.count()).select_from(table)) for table in tables])


async def test_a_deleted_agent_goes_in_short_transactions_and_nobody_sees_its_room_meanwhile(
    store: SqlStore, community_id: CommunityId, turns: dict[Session, list[str]]
) -> None:
    await filled(store, community_id)
    async with store.writing(community_id) as write:
        await write.agents.delete(community_id, HOST, START)
        assert await write.agents.is_going(community_id, HOST)
        view = await write.views.whole(community_id, agent_ids=[GUEST])
        assert HOST not in view.rooms
        assert view.agents[HOST].retired_at == START
        assert await write.rooms.of_channel(community_id, Snowflake(5)) is None
    with TemporaryFile() as file, pytest.raises(BadSetting, match="still being taken out"):
        await write_archive(store.database, community_id, file)
    await store.gone_for_good()
    assert [len(contents) for contents in turns.values()] == [10, 10, 5]
    assert await left(store) == (0, 0, 0, 13)  # the guest's own, in the open
    async with store.writing(community_id) as write:
        assert HOST not in (await write.views.whole(community_id)).agents
        assert not await write.agents.is_going(community_id, HOST)


async def test_with_an_agent_goes_what_its_card_said(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        for agent_id in (HOST, GUEST):
            await write.notes.keep(community_id, kept_with(agent_id), {"creator_notes": "by Mira"})
        await write.agents.delete(community_id, HOST, START)
    await store.gone_for_good()
    async with store.reading() as read:
        assert await read.notes.find(community_id, kept_with(HOST)) is None
        assert await read.notes.find(community_id, kept_with(GUEST)) is not None


async def test_a_thread_that_is_not_for_the_open_goes_bit_by_bit_the_newest_first(
    store: SqlStore, community_id: CommunityId, turns: dict[Session, list[str]]
) -> None:
    async with store.writing(community_id) as write:
        lines = [said(str(number), number, thread_id=THREAD) for number in range(COUNT)]
        await write.talk.add(community_id, [*lines, said("in the open", 99)])
    async with store.writing(community_id) as write:
        assert not await write.rooms.forget_thread(community_id, HOST, THREAD)
        assert [one.content for one in await write.talk.history(community_id, HOST)][-2:] == ["14", "in the open"]
    await store.gone_for_good()
    assert [len(contents) for contents in turns.values()] == [10, 10, 5]
    async with store.writing(community_id) as write:
        assert [one.content for one in await write.talk.history(community_id, HOST)] == ["in the open"]
        await write.talk.add(community_id, [lines[0]])  # read on, it comes back as what it is
        assert len(await write.talk.history(community_id, HOST)) == 2


async def test_it_goes_on_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/selfroom.db"
    with monkeypatch.context() as stopped:
        async with await SqlStore.open(url) as store:
            community_id = await founded(store, guild_id=9)
            await filled(store, community_id)
            stopped.setattr(store._purger, "start", lambda: None)
            async with store.writing(community_id) as write:
                await write.agents.delete(community_id, HOST, START)
            assert (await left(store))[0] == COUNT - 10
    async with await SqlStore.open(url) as store:
        await store.gone_for_good()
        assert await left(store) == (0, 0, 0, 13)


async def test_a_beat_that_ends_while_its_agent_goes_leaves_nothing(store: SqlStore, community_id: CommunityId) -> None:
    await filled(store, community_id)
    async with store.writing(community_id) as write:
        await write.agents.delete(community_id, HOST, START)
        await write.apply(community_id, [EndBeat(beat=beat(BeatId(900), agent_id=HOST))])
    await store.gone_for_good()
    assert (await left(store))[3] == 13
