"""What a deletion owes is worked off in short turns, and nobody sees it meanwhile."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.changes import AddMembership, Change, EndBeat, RecordAction
from bot.core.errors import BadSetting
from bot.core.records import PUBLIC_SIDE, ActionRecord, AgentId, Beat, BeatId, CommunityId, Snowflake
from storage.database import Database
from storage.faults import Troubles
from storage.index_purging import OWED, Purger
from storage.owed import HUDS_EMPTIED, NOTES_AT_ONCE, TEXTS_READ, Debt, debts_in, owe, work_off
from storage.questions import RECENT_ACTIONS
from storage.session import Session
from storage.store import SqlStore
from storage.tables import ACTIONS, BEATS, KEPT, TOMBSTONES
from tests.factories import membership, person
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import forget, kept_beats, last_beat, said
from tests.storage.test_beats import beat as whole_beat

ROOM, GUEST, STRANGER = AgentId(1), AgentId(2), AgentId(3)
SECRET = "the lighthouse is at the end of the pier"
SEEN = "what it saw"
MUCH = 2 * HUDS_EMPTIED + 3  # HUDs that may hold it, and actions that do


def beat(id: int, **fields: object) -> Beat:
    return whole_beat(id, **{"hud": SEEN, **fields})


@pytest.fixture
def put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be worked off by itself, as if the process had been killed."""
    monkeypatch.setattr(Purger, "start", lambda purger: None)


async def live(store: SqlStore, community_id: CommunityId) -> None:
    """Let a secret be said, seen and repeated often, and something else be seen before it and elsewhere."""

    def did(agent_id: AgentId, words: str) -> RecordAction:
        record = ActionRecord(type="hud_note", at=START, parameters={"text": words}, accepted=True, result="Done.")
        return RecordAction(agent_id=agent_id, side=PUBLIC_SIDE, record=record)

    def saw(id: int, agent_id: AgentId, seconds: int) -> EndBeat:
        return EndBeat(beat=beat(id, agent_id=agent_id, at=START + timedelta(seconds=seconds)))

    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(SECRET, 10), said("something else", 11)])
        changes: list[Change] = [AddMembership(membership=membership(GUEST, ROOM))]
        changes += [saw(1, GUEST, 5), saw(2, STRANGER, 20), *(saw(3 + n, GUEST, 20 + n) for n in range(MUCH))]
        for _ in range(2 + MUCH):
            write.ids.take("beat")  # theirs
        changes += [did(GUEST, f"{n}: she said {SECRET}") for n in range(MUCH)]
        changes += [did(GUEST, "tea at four"), did(STRANGER, SECRET)]
        await write.apply(community_id, changes)


async def delete(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        assert await write.talk.delete(community_id, [Snowflake(1010)], START + timedelta(hours=1)) == 1


async def stored(store: SqlStore) -> tuple[int, int]:
    """Give how many HUDs and how many actions with the secret lie in the database."""
    kept = select(func.count()).select_from(BEATS).where(BEATS.c.hud.is_not(None))
    async with store.database.reading() as connection:
        huds = int((await connection.execute(kept)).scalar_one())
        told = (await connection.execute(select(ACTIONS.c.parameters))).scalars().all()
    return huds, sum(SECRET in str(one) for one in told)


@pytest.mark.usefixtures("put_off")
async def test_what_may_hold_deleted_words_is_not_shown_before_they_are_taken_out(
    store: SqlStore, community_id: CommunityId
) -> None:
    await live(store, community_id)
    await delete(store, community_id)
    huds, told = await stored(store)
    assert (huds, told) == (MUCH + 2, MUCH + 1 - RECENT_ACTIONS + 1), "at once only what agents see goes"
    async with store.reading() as read:
        newest = await kept_beats(read.beats, community_id, GUEST, limit=MUCH + 1)
        assert [one.hud for one in newest if one.hud] == [SEEN] == [newest[-1].hud]
        assert {(one.answer, one.thoughts) for one in newest[:-1]} == {("", "")}
        found = await read.beats.find(community_id, BeatId(3))
        firsts = await read.beats.first(community_id, [GUEST, STRANGER], START + timedelta(seconds=10))
        first = {id_: await read.beats.find(community_id, one.id) for id_, one in firsts.items()}
        view = await read.views.whole(community_id, agent_ids=[GUEST])
    assert found is not None
    assert [one.hud for one in (found, first[GUEST], first[STRANGER]) if one is not None] == ["", "", SEEN]
    assert SECRET not in str(view.mind_of(GUEST).recent_actions)


@pytest.mark.usefixtures("put_off")
async def test_what_is_owed_is_worked_off_in_short_turns(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    await live(store, community_id)
    await delete(store, community_id)
    turns: list[int] = []
    writing = Database.writing

    @asynccontextmanager
    async def counted(database: Database) -> AsyncIterator[AsyncConnection]:
        rows = 0

        def count(_: object, cursor: object, *__: object) -> None:
            nonlocal rows
            rows += getattr(cursor, "rowcount", 0)

        async with writing(database) as connection:
            event.listen(connection.sync_connection, "after_cursor_execute", count)
            yield connection
        turns.append(rows)

    monkeypatch.setattr(Database, "writing", counted)
    await work_off(store.database)
    assert len(turns) > MUCH // HUDS_EMPTIED + MUCH // TEXTS_READ
    assert max(turns) <= max(HUDS_EMPTIED, 2 * TEXTS_READ)
    assert await stored(store) == (2, 1), "what came before, and what strangers saw and did, stays"
    async with store.database.reading() as connection:
        assert await debts_in(Session(connection)) == {}


async def test_what_a_killed_run_owed_is_worked_off_by_the_next(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'selfroom.db'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Purger, "start", lambda purger: None)
        async with await SqlStore.open(url) as store:
            community_id = await founded(store, guild_id=1)
            await live(store, community_id)
            await delete(store, community_id)
    async with await SqlStore.open(url) as store:
        assert await store.gone_for_good()
        assert await stored(store) == (2, 1)


@pytest.mark.usefixtures("put_off")
async def test_huds_are_not_shown_before_a_forgotten_name_has_left_them(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.apply(
            community_id, [EndBeat(beat=beat(1, hud="@mira spoke", at=START)), EndBeat(beat=beat(2, agent_id=GUEST))]
        )
        await forget(write.personal, community_id, Snowflake(501), START - timedelta(days=1))
        assert [(await last_beat(write.beats, community_id, one)) for one in (ROOM, GUEST)]
    async with store.reading() as read:
        for agent_id in (ROOM, GUEST):
            seen = await last_beat(read.beats, community_id, agent_id)
            assert seen is not None
            assert seen.hud == ""
    await work_off(store.database)
    async with store.reading() as read:
        left = [await last_beat(read.beats, community_id, agent_id) for agent_id in (ROOM, GUEST)]
    assert [one.hud for one in left if one] == ["", SEEN]


async def test_a_beat_that_was_under_way_while_something_was_deleted_keeps_no_hud(
    store: SqlStore, community_id: CommunityId
) -> None:
    await live(store, community_id)
    await delete(store, community_id)
    late = replace(beat(900, agent_id=GUEST), at=START + timedelta(minutes=59))
    async with store.writing(community_id) as write:
        await write.apply(community_id, [EndBeat(beat=late)])
        await write.apply(community_id, [EndBeat(beat=replace(late, id=BeatId(901), at=START + timedelta(hours=2)))])
        later, seen = await kept_beats(write.beats, community_id, GUEST, limit=2)
    assert (seen.id, seen.hud, seen.answer, seen.thoughts) == (900, "", "", "")
    assert later.hud == SEEN


async def test_an_archive_holds_nothing_that_is_still_owed(
    store: SqlStore, community_id: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Purger, "start", lambda purger: None)
    await live(store, community_id)
    await delete(store, community_id)
    await store.export(community_id, tmp_path / "one.zip")
    assert await stored(store) == (2, 1)

    async def nothing(database: Database) -> Troubles:
        """Another message is deleted at the last moment."""
        return {}

    monkeypatch.setattr("storage.store.work_off", nothing)
    async with store.writing(community_id) as write:
        await write.talk.delete(community_id, [Snowflake(1011)], START)
    with pytest.raises(BadSetting, match="try again in a minute; nothing was exported"):
        await store.export(community_id, tmp_path / "two.zip")


async def test_a_beat_finds_the_newest_deletion_by_an_index_however_many_there_are(store: SqlStore) -> None:
    if not store.database.is_sqlite:
        return
    asked = str(select(func.max(TOMBSTONES.c.at)).where(TOMBSTONES.c.community_id == 1))
    async with store.database.reading() as connection:
        plan = (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked.replace(':community_id_1', '1')}")).all()
    assert [step.detail for step in plan] == [
        "SEARCH tombstones USING COVERING INDEX ix_tombstones_community_id_at (community_id=?)"
    ]


async def test_of_postgresql_it_is_not_said_that_all_bytes_are_gone_but_its_rows_are(
    store: SqlStore, community_id: CommunityId
) -> None:
    await live(store, community_id)
    await delete(store, community_id)
    assert await store.gone_for_good() is store.database.is_sqlite
    async with store.database.reading() as connection:
        assert await Session(connection).value(select(KEPT.c.value).where(KEPT.c.name == OWED)) is None
        if store.database.is_sqlite:
            return
        dead = text("SELECT last_vacuum IS NOT NULL FROM pg_stat_user_tables WHERE relname = 'messages'")
        assert await Session(connection).value(dead)


async def test_however_much_one_community_deletes_another_has_its_turn(
    store: SqlStore, community_id: CommunityId, put_off: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await founded(store, guild_id=10)
    async with store.database.writing() as connection:
        for mark in range(3 * NOTES_AT_ONCE):
            await owe(Session(connection), community_id, f"{mark:03}", Debt())
        await owe(Session(connection), other, "1", Debt())
    turns: list[int] = []

    async def looked(database: Database, its: int, debts: Sequence[Debt]) -> None:
        turns.append(its)

    monkeypatch.setattr("storage.owed._silence_notices", looked)
    await work_off(store.database)
    assert turns == [community_id, other, community_id, community_id]
