"""Archives that people are handed and hand in: no key opens with them, and they come only where nobody lives."""

import io
import json
import threading
import zipfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from secrets import token_hex

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core import cards
from bot.core.cards import kept_with, read_card
from bot.core.changes import SetOverride, UpdateAgent, WholeAgentColumns
from bot.core.errors import BadSetting
from bot.core.models import OwnProvider
from bot.core.records import AgentId, Community, CommunityId, Json, Lorebook, LoreEntry, Snowflake
from storage.database import Database
from storage.forgetting import MESSAGES_AT_ONCE
from storage.moving import archive, handed, incoming
from storage.moving.arrival import admitted
from storage.moving.handed import MOST_AGENTS, HandedArchives, looked_through
from storage.session import Session
from storage.store import SqlStore
from storage.tables import MESSAGES, METADATA
from storage.talking import Indexed, put_into_index
from tests.factories import person
from tests.fakes import START, OpenBench, PlainCipher
from tests.storage.lines import forget, said
from tests.storage.test_moving import FIRST, OTHER_GUILD, lively

__all__ = ["lively"]  # the community that every test here takes
PLENTY = 50_000_000
Files = dict[str, bytes]


@pytest.fixture
def archives(store: SqlStore) -> HandedArchives:
    return HandedArchives(store.database, OpenBench(), PlainCipher())


@pytest.fixture
async def empty(store: SqlStore) -> Community:
    """A server into which the bot has just come."""
    async with store.writing() as write:
        return await write.communities.add(OTHER_GUILD, "The Others")


async def arrived(store: SqlStore) -> CommunityId:
    """Give the community that took the empty one's place."""
    async with store.reading() as read:
        there = await read.communities.of_guild(OTHER_GUILD)
    assert there is not None
    return there.id


async def packed(archives: HandedArchives, lively: CommunityId) -> bytes:
    data, _ = await archives.pack(lively, most_bytes=PLENTY)
    return data


def changed(data: bytes, change: Callable[[Files], None]) -> bytes:
    """Give an archive that somebody has tampered with."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        files = {name: old.read(name) for name in old.namelist()}
    change(files)
    anew = io.BytesIO()
    with zipfile.ZipFile(anew, "w") as new:
        for name, text in files.items():
            new.writestr(name, text)
    return anew.getvalue()


def lines(files: Files, table: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in files[f"{table}.jsonl"].splitlines()]


def with_lines(files: Files, table: str, rows: list[dict[str, object]]) -> None:
    files[f"{table}.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    manifest = json.loads(files["manifest.json"])
    manifest["counts"][table] = len(rows)
    files["manifest.json"] = json.dumps(manifest).encode()


async def test_a_handed_archive_names_its_keys_and_holds_nothing_that_opens_one(
    archives: HandedArchives, lively: CommunityId
) -> None:
    data, held = await archives.pack(lively, most_bytes=PLENTY)
    assert (held.agents, held.messages) == (3, 10)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        [key] = [json.loads(line) for line in archive.read("keys.jsonl").splitlines()]
        assert (key["label"], key["ciphertext"], key["digest"]) == ("spare", "", "")
        assert "seal" not in json.loads(archive.read("manifest.json"))


async def test_one_that_discord_would_not_take_is_given_up_as_soon_as_it_is_too_large(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with store.writing(lively) as write:
        await write.talk.add(lively, [said(token_hex(1_000), 100 + number) for number in range(400)])
    monkeypatch.setattr(archive, "PIECE_CHARACTERS", 10_000)
    sizes: list[int] = []

    class Watched(io.BytesIO):
        def close(self) -> None:
            sizes.append(self.tell())
            super().close()

    monkeypatch.setattr(handed, "TemporaryFile", Watched)
    with pytest.raises(BadSetting, match=r"takes more than the 0\.0 MB that can be sent here: ask whoever runs"):
        await archives.pack(lively, most_bytes=10_000)
    assert 10_000 < sizes[0] < 200_000, "the lines alone are 400,000 bytes"


async def test_it_moves_into_an_empty_community_whose_own_choices_stay(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    async with store.writing(empty.id) as write:
        await write.people.put(empty.id, person("ned", id=9))
        await write.people.decide_about(empty.id, replace(person("ned", id=9), muted=True))
        own = [SetOverride(name="managers_channel_id", value=55), SetOverride(name="floor", value=1)]
        await write.apply(empty.id, own)
        await write.providers.keep(empty.id, OwnProvider(base_url=None, api="chat", sealed_key=b"sealed"))
        await write.money.reserve(empty.id, START.date(), usd=Decimal("0.4"), tokens=10, paid=True)
    held = await archives.unpack(empty, await packed(archives, lively))
    here = await arrived(store)
    assert (held.agents, held.messages) == (3, 10)
    async with store.reading() as read:
        view = await read.views.whole(here, room_ids=[FIRST])
        assert [one.id for one in view.agents.values()] == [1, 2, 3]
        assert (view.config.managers_channel_id, view.config.floor) == (55, 3)
        ned = await read.people.find(here, Snowflake(9))
        assert ned is not None and ned.muted
        assert await read.providers.of(here) is not None
        assert (await read.money.spent(here, START.date()))[0] >= Decimal("0.4")
        assert view.rooms[FIRST].room.channel_id is None  # it gets one in this server
    with pytest.raises(BadSetting, match="live here already"):
        await archives.unpack(empty, await packed(archives, lively))


async def test_what_came_in_is_found_by_its_words_though_its_index_is_written_apart(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = await packed(archives, lively)
    async with store.reading() as read:
        said_there = [one.content for one in await read.talk.history(lively, FIRST)]
    written: list[int] = []
    real = put_into_index

    async def noting(session: Session, community_id: int, lines: Sequence[Indexed]) -> None:
        written.append(len(lines))
        await real(session, community_id, lines)

    monkeypatch.setattr(incoming, "put_into_index", noting)
    await archives.unpack(empty, data)
    here = await arrived(store)
    assert (sum(written) == 0) == store.database.is_sqlite
    async with store.reading() as read:
        word = next(word for content in said_there for word in content.split() if word.isalpha())
        assert await read.talk.search(here, word, room_ids=[FIRST]) != []


async def test_who_was_forgotten_here_does_not_come_back_with_an_archive(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    async with store.reading() as read:
        (speaker,) = {one.sender.person_id for one in await read.talk.history(lively, FIRST) if one.sender.person_id}
    async with store.writing(empty.id) as write:
        await write.people.put(empty.id, person("mira", id=speaker))
        await forget(write.personal, empty.id, Snowflake(speaker), START)
    await archives.unpack(empty, await packed(archives, lively))
    here = await arrived(store)
    async with store.reading() as read:
        assert await read.talk.history(lively, FIRST)
        assert [one for one in await read.talk.history(here, FIRST) if one.sender.person_id == speaker] == []


async def test_who_said_very_much_is_forgotten_in_short_turns(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All at once would keep everybody waiting for minutes; what a kill leaves is carried on (engine.upkeep)."""
    async with store.writing(lively) as write:
        await write.talk.add(lively, [said(f"line {number}", 100 + number) for number in range(200)])
    async with store.reading() as read:
        (speaker,) = {one.sender.person_id for one in await read.talk.history(lively, FIRST) if one.sender.person_id}
    async with store.writing(empty.id) as write:
        await write.people.put(empty.id, person("mira", id=speaker))
        await forget(write.personal, empty.id, Snowflake(speaker), START)
    turns: list[int] = []
    real = Database.writing

    @asynccontextmanager
    async def noted(database: Database) -> AsyncIterator[AsyncConnection]:
        async with real(database) as connection:
            its = (MESSAGES.c.community_id != lively, MESSAGES.c.sender_person_id == speaker)
            count = select(func.count()).select_from(MESSAGES).where(*its)
            before = int(await Session(connection).value(count))
            yield connection
            turns.append(before - int(await Session(connection).value(count)))

    data = await packed(archives, lively)
    monkeypatch.setattr(Database, "writing", noted)
    await archives.unpack(empty, data)
    assert sum(turns) == 0, "what came in went again"
    assert 0 < max(turns) <= MESSAGES_AT_ONCE


def monster() -> dict[str, Json]:
    """What a card may at most have that only its export needs."""
    book: dict[str, Json] = {"entries": [[] for _ in range(cards.MOST_KEPT - 100)]}
    book["notes"] = "[," * ((cards.LARGEST_KEPT - 4 * cards.MOST_KEPT) // 2 - 1_000)
    return book


@pytest.mark.slow
async def test_whatever_cards_hold_a_community_that_is_exported_comes_in_again(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    card = read_card(json.dumps({"name": "Ada", "description": "She.", "book": monster()}).encode())
    async with store.writing(lively) as write:
        for agent_id in range(1, 6):
            await write.notes.keep(lively, kept_with(AgentId(agent_id)), card.kept)
    data = await packed(archives, lively)
    await archives.look_into(empty.id, data)
    await archives.unpack(empty, data)
    async with store.reading() as read:
        assert await read.notes.find(await arrived(store), kept_with(AgentId(5))) == card.kept


async def test_a_lorebook_comes_in_again_and_one_that_is_none_does_not(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    lore = Lorebook(entries=(LoreEntry(name="mill", keys=("old mill",), content="It burnt down."),), recursive=True)
    fields: WholeAgentColumns = {"lore": lore}
    async with store.writing(lively) as write:
        await write.apply(lively, [UpdateAgent(agent_id=AgentId(1), fields=fields)])
    data = await packed(archives, lively)

    def of_numbers(files: Files) -> None:
        with_lines(files, "agents", [row | {"lore": {"entries": [{"keys": [1]}]}} for row in lines(files, "agents")])

    with pytest.raises(BadSetting):
        await archives.look_into(empty.id, changed(data, of_numbers))
    await archives.unpack(empty, data)
    async with store.reading() as read:
        there = await read.views.roster(await arrived(store), agent_ids=[AgentId(1)])
    assert there.whole_agent(AgentId(1)).lore == lore


async def test_of_what_is_kept_by_name_only_what_cards_said_comes_in_from_just_anybody(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    async with store.writing(lively) as write:
        for name in ("card:1", "opened"):
            await write.notes.keep(lively, name, {"first_mes": "hi"})
    await archives.unpack(empty, await packed(archives, lively))
    here = await arrived(store)
    async with store.reading() as read:
        assert await read.notes.find(here, "card:1") == {"first_mes": "hi"}
        assert (await read.notes.find(here, "opened"), await read.notes.find(here, "home")) == (None, None)


async def test_settings_that_there_are_not_are_looked_at_by_nobody_later(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    def crowded(files: Files) -> None:
        known = lines(files, "overrides")
        with_lines(files, "overrides", [*known, *({"name": f"x{number}", "value": 1} for number in range(500))])

    await archives.unpack(empty, changed(await packed(archives, lively), crowded))
    async with store.reading() as read:
        community = await read.communities.of_guild(OTHER_GUILD)
    assert community is not None
    assert dict(community.overrides) == {"floor": 3}


async def test_no_address_that_we_would_ask_comes_in(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    def aimed(files: Files) -> None:
        files_of_messages = [row | {"url": "http://127.0.0.1/secret.png"} for row in lines(files, "attachments")]
        agents = [row | {"avatar_url": "http://127.0.0.1/secret.png"} for row in lines(files, "agents")]
        with_lines(files, "attachments", files_of_messages)
        with_lines(files, "agents", agents)
        manifest = json.loads(files["manifest.json"])
        manifest["kept"] = {"card:1": {"first_mes": "hi"}, "opened": "no such thing", "home": {"x": 1}}
        files["manifest.json"] = json.dumps(manifest).encode()

    await archives.unpack(empty, changed(await packed(archives, lively), aimed))
    here = await arrived(store)
    async with store.reading() as read:
        history = await read.talk.history(here, FIRST)
        assert {file.url for message in history for file in message.attachments} == {""}
        view = await read.views.whole(here)
        assert {one.avatar_url for one in view.agents.values()} == {None}
        assert await read.notes.find(here, "card:1") == {"first_mes": "hi"}
        assert (await read.notes.find(here, "opened"), await read.notes.find(here, "home")) == (None, None)


async def test_what_makes_no_sense_is_refused_before_anything_is_written(
    archives: HandedArchives, lively: CommunityId
) -> None:
    whole = await packed(archives, lively)
    assert looked_through(whole).agents == 3

    def crowded(files: Files) -> None:
        first = lines(files, "agents")[0]
        with_lines(files, "agents", [first | {"id": number} for number in range(1, MOST_AGENTS + 2)])

    def nameless(files: Files) -> None:
        with_lines(files, "agents", [{"id": 1}])

    def empty_of_agents(files: Files) -> None:
        del files["agents.jsonl"]

    for wrong, told in (
        (b"PK no archive", "damaged"),
        (whole[: len(whole) // 2], "damaged"),
        (changed(whole, crowded), "more than any community"),
        (changed(whole, nameless), "damaged"),
        (changed(whole, empty_of_agents), "damaged"),
    ):
        with pytest.raises(BadSetting, match=told):
            await archives.look_into(lively, wrong)


async def test_what_would_keep_everybody_waiting_is_not_taken_in(
    archives: HandedArchives, lively: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However short rows are, each takes its time; messages of which nobody knows where they were go one by one."""
    whole = await packed(archives, lively)

    def untold(files: Files) -> None:
        first = lines(files, "messages")[0] | {"thread_id": 5, "thread_name": None, "discord_id": None}
        with_lines(files, "messages", [first | {"id": number} for number in range(1, 12)])

    monkeypatch.setattr(handed, "MOST_UNTOLD", 10)
    with pytest.raises(BadSetting, match="keeping everybody waiting: ask whoever runs Selfroom"):
        await archives.look_into(lively, changed(whole, untold))
    assert looked_through(whole).agents == 3
    monkeypatch.setattr(handed, "MOST_ROWS", 10)
    with pytest.raises(BadSetting, match="keeping everybody waiting: ask whoever runs Selfroom"):
        await archives.look_into(lively, whole)


async def test_of_an_archive_with_pictures_none_is_unpacked_where_nobody_takes_them(
    archives: HandedArchives, lively: CommunityId, empty: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may be 64 MB, and all others would wait."""

    def pictured(files: Files) -> None:
        manifest = json.loads(files["manifest.json"]) | {"images": ["one"]}
        files.update({"manifest.json": json.dumps(manifest).encode(), "images/one": b"picture"})

    data, read = changed(await packed(archives, lively), pictured), list[object]()
    whole = zipfile.ZipFile.read

    def noted(archive: zipfile.ZipFile, name: str) -> bytes:
        read.append((name, threading.current_thread() is threading.main_thread()))
        return whole(archive, name)

    monkeypatch.setattr(zipfile.ZipFile, "read", noted)
    await archives.unpack(empty, data)
    assert read == [("manifest.json", False)]


async def test_one_that_a_database_refuses_leaves_the_empty_community_as_it_was(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    def stray(files: Files) -> None:
        with_lines(files, "memberships", [row | {"agent_id": 99} for row in lines(files, "memberships")])

    async with store.writing(empty.id) as write:
        await write.apply(empty.id, [SetOverride(name="floor", value=1)])
    with pytest.raises(BadSetting, match="damaged"):
        await archives.unpack(empty, changed(await packed(archives, lively), stray))
    async with store.reading() as read:
        view = await read.views.whole(empty.id)
        assert (dict(view.agents), view.config.floor) == ({}, 1)


async def test_nothing_is_handed_out_while_somebody_is_being_forgotten(
    store: SqlStore, archives: HandedArchives, lively: CommunityId
) -> None:
    mira = Snowflake(501)
    async with store.writing(lively) as write:
        await write.personal.begin_forgetting(lively, mira, START)
    with pytest.raises(BadSetting, match="being forgotten"):
        await packed(archives, lively)
    async with store.writing(lively) as write:
        while await write.personal.forget_on(lively, mira) is None:
            pass
    await store.gone_for_good()
    assert b"mira" not in await packed(archives, lively)


def with_many(files: Files, table: str, number: int, **columns: object) -> None:
    """Put rows into a table that are like its first but for their ids, and for what is given."""
    first, *_ = rows = lines(files, table)
    with_lines(files, table, rows + [{**first, "id": 10_000 + at, **columns} for at in range(number)])


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("messages", "reactions", [["👍", 1]] * 3_000),
        ("messages", "reactions", [["a" * 190, 1]] * 200),
        ("minds", "knowledge", {"all": [0] * 20_001}),
        ("minds", "focus", {"notes": ["n"] * 2_001}),
        ("journal", "after", {"all": [0] * 20_001}),
        ("audit", "what", "w" * 20_001),
        ("actions", "why", "w" * 20_001),
        ("checkpoints", "text", "w" * 50_001),
        ("scenes", "standing", "{" + "x" * 20_000),
        ("scene_moves", "standing", "{" + "x" * 20_000),
        ("scenes", "options", {"topic": "t" * 20_000}),
        ("scenes", "outcome", "o" * 2_001),
        ("scene_seats", "why", "w" * 1_001),
    ],
    ids=lambda one: one if isinstance(one, str) and len(one) < 20 else "",
)
def test_nobody_hands_in_rows_that_are_larger_than_any_that_is_written_here(
    table: str, column: str, value: object
) -> None:
    with pytest.raises((BadSetting, ValueError)):
        admitted(METADATA.tables[table], {column: value}, handed=True)


TOPIC: dict[str, object] = {"room_id": FIRST, "kind": "topic", "payload": {"topic": "t"}, "message_id": None}


@pytest.mark.parametrize("state", ["waiting", "held"])
async def test_nobody_hands_in_more_than_a_look_at_one_room_can_read(
    archives: HandedArchives, lively: CommunityId, state: str
) -> None:
    data = await packed(archives, lively)
    data = changed(data, lambda files: with_many(files, "letters", 201, **TOPIC, state=state))
    with pytest.raises(BadSetting, match="than can come in here without keeping everybody waiting"):
        looked_through(data)


async def test_what_is_over_is_read_by_nobody_and_comes_in(archives: HandedArchives, lively: CommunityId) -> None:
    data = await packed(archives, lively)
    data = changed(data, lambda files: with_many(files, "letters", 201, **TOPIC, state="sent"))
    assert looked_through(data).agents == 3


def test_files_that_wait_and_what_was_looked_up_stay_behind() -> None:
    row = {"kind": "post", "state": "waiting", "payload": {"files": [["a.txt", "x" * 500_000]]}}
    assert admitted(METADATA.tables["letters"], row, handed=True)["payload"] == {}
    found = admitted(METADATA.tables["lookups"], {"answer": [[0]] * 50_000}, handed=True)
    assert "stayed behind" in str(found["answer"])


async def test_fields_of_cards_that_nobody_can_write_again_do_not_come_in(
    archives: HandedArchives, lively: CommunityId
) -> None:
    deep: list[object] = []
    for _ in range(30):
        deep = [deep]

    def change(files: Files) -> None:
        manifest = json.loads(files["manifest.json"])
        files["manifest.json"] = json.dumps(manifest | {"kept": {"card:1": {"x": deep}}}).encode()

    with pytest.raises(BadSetting, match="more than any community"):
        looked_through(changed(await packed(archives, lively), change))
