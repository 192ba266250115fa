"""A community in another server: what lies in the old one is left behind, and its rooms ask for channels."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from sqlalchemy import BigInteger, Column, func, select

from bot.core.changes import AddLetter, Change, Say, SetOverride, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import LetterKind, LetterState, SenderKind, Visibility
from bot.core.letters import BillboardPayload, ChannelPayload, NoticePayload, Payload, PermissionPayload
from bot.core.records import AgentId, CommunityId, LetterId, MessageId, Snowflake
from storage.moving.contents import TABLES
from storage.moving.rehoming import PLACES
from storage.rooms import SqlRooms
from storage.session import Session
from storage.store import SqlStore
from storage.tables import LETTERS, MESSAGES, ROOMS
from tests.factories import by_agent, person
from tests.fakes import START
from tests.storage.lines import said
from tests.storage.scenes import a_council

ADA, GRACE, WREN = AgentId(1), AgentId(2), AgentId(3)
OLD, OTHER = Snowflake(9), Snowflake(77)
THREAD, UNNAMED, PRIVATE = Snowflake(5_001), Snowflake(5_002), Snowflake(5_003)
NO_PLACES = {  # of the columns that can hold an id of Discord's
    *("people.id", "messages.sender_person_id", "beats.person_id", "reasons.person_id"),
    *("requests.requester_person_id", "key_failures.person_id"),
    *("attachments.size_bytes", "reservations.tokens"),
    *("scenes.started_by", "scenes.usd_cap", "scene_seats.person_id"),
    *("usage.input_tokens", "usage.cached_tokens", "usage.cache_write_tokens", "usage.output_tokens"),
}


def places() -> Iterator[Column[object]]:
    """Give every column that can hold the id of a place: whoever adds one says what becomes of it elsewhere."""
    for table in TABLES:
        for column in table.columns:
            if isinstance(column.type, BigInteger) and f"{table.name}.{column.name}" not in NO_PLACES:
                yield column


async def filled(store: SqlStore, community_id: CommunityId) -> set[str]:
    """Give those of the columns of places in which something stands."""
    found: set[str] = set()
    async with store.database.reading() as connection:
        for column in places():
            its = column.table.c.community_id == community_id
            if await Session(connection).value(select(func.count(column)).where(its)):
                found.add(f"{column.table.name}.{column.name}")
    return found


async def post(store: SqlStore, community_id: CommunityId, content: str, *parts: int, state: LetterState) -> None:
    async with store.writing(community_id) as write:
        id = MessageId(write.ids.take("message"))
        said_by_ada = Say(message_id=id, room_id=ADA, sender=by_agent(ADA), content=content, sent_at=START)
        await write.apply(community_id, [said_by_ada])
        letter = LetterId(await write.session.value(select(func.max(LETTERS.c.id))))
        await write.letters.move(
            community_id, letter, state, posted_as=[Snowflake(part) for part in parts], attempts=2, at=START
        )


def letter(kind: LetterKind, payload: Payload) -> AddLetter:
    return AddLetter(kind=kind, room_id=ADA, payload=payload.stored(), not_before=START)


@pytest.fixture
async def settled(store: SqlStore, community_id: CommunityId) -> CommunityId:
    """A community of which something of each kind lies in its server; Grace's room is private, Wren is retired."""
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", is_architect=True))
        lines = [
            said("in the open", 1),
            said("in a thread", 2, thread_id=THREAD, thread_name="tea"),
            said("who knows where", 3, thread_id=UNNAMED),
            said("an answer", 4, reply_to=Snowflake(1)),
            said("taken back", 5),
        ]
        await write.talk.add(community_id, lines)
        await write.talk.delete(community_id, [lines[-1].discord_id], START)
        await write.talk.edit(community_id, Snowflake(6), content="early", edited_at=START, tokens=1)
        await write.rooms.add_thread(community_id, ADA, PRIVATE, name="secret", at=START)
        changes: list[Change] = [
            UpdateRoom(room_id=GRACE, fields={"visibility": Visibility.PRIVATE}),
            UpdateAgent(agent_id=WREN, fields={"retired_at": START}),
            letter(LetterKind.BILLBOARD, BillboardPayload(text="Roses today")),
            letter(LetterKind.NOTICE, NoticePayload(text="a fault")),
            letter(LetterKind.PERMISSION, PermissionPayload(left_channel_id=Snowflake(8), removed=True)),
            *(SetOverride(name=name, value="8") for name in PLACES),
            SetOverride(name="floor", value=3),
        ]
        await write.apply(community_id, changes)
        await write.notes.keep(community_id, "unread:1", "5000")
        await a_council(write, community_id)
        await write.notes.keep(community_id, "home", {"x": 1})
    await post(store, community_id, "long ago", 11, 12, state=LetterState.SENT)
    await post(store, community_id, "half of it", 13, state=LetterState.SENDING)
    return community_id


@pytest.fixture
async def moved(store: SqlStore, settled: CommunityId, tmp_path: Path) -> CommunityId:
    await store.export(settled, tmp_path / "community.zip")
    return (await store.import_archive(tmp_path / "community.zip", guild_id=OTHER)).community_id


async def test_no_id_of_a_place_in_the_old_server_comes_along(
    store: SqlStore, settled: CommunityId, moved: CommunityId
) -> None:
    assert await filled(store, settled) == {f"{column.table.name}.{column.name}" for column in places()}
    assert await filled(store, moved) == set()
    async with store.reading() as read:
        view = await read.views.whole(moved, messages=9)
        assert await read.notes.find(moved, "unread:1") is None
        assert await read.notes.find(moved, "home") == {"x": 1}
    assert view.community.guild_id == OTHER
    assert view.community.overrides == {"floor": 3}


async def test_what_was_said_stays_but_for_threads_that_may_be_private(store: SqlStore, moved: CommunityId) -> None:
    async with store.reading() as read:
        said_there = await read.talk.history(moved, ADA, limit=9)
        mira = await read.people.find(moved, person("mira").id)
    contents = ["in the open", "in a thread", "an answer", "long ago"]
    assert sorted(one.content for one in said_there) == sorted(contents)
    assert mira is not None
    assert not mira.is_architect  # there she was; here Discord tells
    async with store.database.reading() as connection:
        kinds = {row[0] for row in await Session(connection).rows(select(MESSAGES.c.sender_kind))}
    assert SenderKind.AGENT in kinds


async def test_who_lives_asks_for_a_channel_and_what_waits_is_said_there(store: SqlStore, moved: CommunityId) -> None:
    async with store.database.reading() as connection:
        its = LETTERS.c.community_id == moved
        rows = await Session(connection).mappings(select(LETTERS).where(its).order_by(LETTERS.c.id))
    found = [(row["kind"], row["room_id"], row["state"], row["payload"]) for row in rows]
    doors = [(room_id, payload) for kind, room_id, state, payload in found if kind == "channel" and state == "waiting"]
    assert doors == [(ADA, ChannelPayload(private=False).stored()), (GRACE, ChannelPayload(private=True).stored())]
    assert {kind for kind, *_ in found} == {"channel", "billboard", "post"}
    assert all(row["state"] == "waiting" and row["attempts"] == 0 and not row["posted_as"] for row in rows)
    async with store.reading() as read:
        rooms = (await read.views.whole(moved, messages=0)).all_rooms
    assert {id: rooms[id].visibility for id in (ADA, GRACE)} == dict.fromkeys((ADA, GRACE), Visibility.PRIVATE)
    async with store.writing(moved) as write:
        assert write.ids.take("letter") == max(row["id"] for row in rows) + 1


async def test_agents_have_left_the_private_threads_of_the_old_server(store: SqlStore, moved: CommunityId) -> None:
    async with store.reading() as read:
        view = await read.views.action_view(moved, agent_ids=[ADA, GRACE, WREN], room_ids=(), doors=False)
    async with store.database.reading() as connection:
        inside = (ROOMS.c.community_id == moved, ROOMS.c.thread_of.in_((ADA, GRACE, WREN)))
        threads = (await connection.execute(select(ROOMS.c.id).where(*inside))).scalars().all()
    assert len(threads) == 1
    assert not [key for key in view.memberships if key[1] in threads]


async def test_in_the_same_server_everything_stays_as_it_is(
    store: SqlStore, settled: CommunityId, tmp_path: Path
) -> None:
    await store.export(settled, tmp_path / "community.zip")
    for guild_id in (None, OLD):
        async with await SqlStore.open("sqlite:///:memory:") as other:
            again = await other.import_archive(tmp_path / "community.zip", guild_id=guild_id)
            assert await filled(other, again.community_id) == await filled(store, settled)


def test_every_setting_that_names_a_place_is_left_behind() -> None:
    ids = {name for name, hint in get_type_hints(CommunityConfig).items() if "Snowflake" in str(hint)}
    assert ids - set(PLACES) <= {"listened_bots"}  # programs, which are users or webhooks of everybody's


async def test_very_many_threads_are_left_in_few_statements(
    store: SqlStore, settled: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive may name any number of them, and who writes keeps all others waiting."""
    asked: list[object] = []
    real = Session.run

    async def noted(self: Session, *given: Any) -> int:  # noqa: ANN401
        asked.append(given[0])
        return await real(self, *given)

    async with store.writing(settled) as write:
        for number in range(60):
            await write.rooms.add_thread(settled, ADA, Snowflake(9_000 + number), name="tea", at=START)
    async with store.writing(settled) as write:
        monkeypatch.setattr(Session, "run", noted)
        threads = await write.rooms.living_threads(settled, ADA)
        await SqlRooms(write.session).leave_threads(settled, threads)
        assert await write.rooms.living_threads(settled, ADA) == frozenset()
    assert len(asked) < 10


async def test_lines_come_without_their_old_places_and_are_not_written_twice(
    store: SqlStore, settled: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be very many, and who writes keeps all others waiting."""
    changed: list[int] = []
    real = Session.run

    async def noted(self: Session, *given: Any) -> int:  # noqa: ANN401
        count = await real(self, *given)
        changed.extend([count] if getattr(given[0], "is_update", False) and given[0].table is MESSAGES else ())
        return count

    await store.export(settled, tmp_path / "community.zip")
    monkeypatch.setattr(Session, "run", noted)
    await store.import_archive(tmp_path / "community.zip", guild_id=OTHER)
    assert changed == []
