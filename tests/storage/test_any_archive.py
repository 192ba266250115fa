"""Whatever somebody makes of an archive is refused in a sentence or taken; what was there before stays as it was."""

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from bot.adapters.workshop import ProcessWorkshop
from bot.core.errors import SelfroomError
from bot.core.records import CommunityId, Snowflake
from storage.moving.contents import MOVED
from storage.moving.handed import HandedArchives
from storage.store import SqlStore
from storage.tables import COMMUNITIES
from tests.fakes import PlainCipher
from tests.founding import founded
from tests.storage.test_moving import OTHER_GUILD, enliven, everything

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)  # an example takes long, and tells enough as it is
LATE = datetime(2200, 1, 1, tzinfo=UTC)
LONGEST_SENTENCE = 400  # characters that a person is told
Files = dict[str, bytes]


def nested(opening: str, depth: int, closing: str) -> str:
    return opening * depth + "1" + closing * depth


many = st.sampled_from([3, 61, 900, 5_000, 120_000])
RAW = st.one_of(
    st.builds(nested, st.just("["), many, st.just("]")),
    st.builds(nested, st.just('{"a":'), many, st.just("}")),
    st.builds(nested, st.sampled_from(["[", '{"a":']), many, st.just("")),
    st.builds(lambda piece, count: f"[{piece * count}0]", st.sampled_from(["[],", "{},", '"",', "0,", "1e9,"]), many),
    st.builds(lambda count: "{" + ",".join(f'"{at}":0' for at in range(count)) + "}", st.sampled_from([3, 5_000])),
    st.builds(lambda piece, count: f'"{piece * count}"', st.sampled_from(["a", "😀", "a ", "\\n", "ﷺ", "\\\\"]), many),
    st.sampled_from(['"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u202e"', '""', '" "', '"@everyone"', '"```"']),
    st.sampled_from(["null", "true", "false", "{}", "[]", '[["a"]]', '{"a":{}}', '[null,"a",1]']),
    st.sampled_from(["0", "-1", "1", "2", "3", "999", "1.5", "-0.0", "1e999", "-1e999", "NaN", "Infinity", "1e308"]),
    st.sampled_from([str(2**31 - 1), str(2**31), str(2**63 - 1), str(2**63), str(-(2**63)), "9" * 400, "9" * 5_000]),
    st.sampled_from(['"../../etc/passwd"', '"/dev/zero"', '"C:\\\\nul"', '"file:///etc/passwd"', '"http://[::1]/"']),
    st.sampled_from(['"0001-01-01"', '"9999-12-31T23:59:59+00:00"', '"2026-01-01T00:00:00"', '"2026-13-01"', '"P1D"']),
    st.sampled_from(['"waiting"', '"sending"', '"post"', '"running"', '"private"', '"agent:9999999999"', '"silence"']),
)
NAMES = st.sampled_from(
    [
        *("../../escaped.txt", "/tmp/escaped.txt", "images/../../x", "images/one", "..\\x", "", "a" * 5_000),
        *("manifest.json", "agents.jsonl", "\x00", "con", "kept.jsonl", "timelines.jsonl", "agents.jsonl/"),
    ]
)


@dataclass(frozen=True)
class Value:
    """A value of a row is another."""

    table: int
    row: int
    column: int
    raw: str

    def __call__(self, files: Files) -> None:
        """Change the archive."""
        table = MOVED[self.table % len(MOVED)]
        lines = files.get(name := f"{table.name}.jsonl", b"").splitlines()
        at = self.row % max(1, len(lines))
        if lines and is_row(lines[at]):
            row = {key: json.dumps(value) for key, value in json.loads(lines[at]).items()}
            row[list(row)[self.column % len(row)]] = self.raw
            lines[at] = as_line(row)
            files[name] = b"\n".join(lines)


@dataclass(frozen=True)
class Line:
    """A line that is no row, among the others."""

    table: int
    raw: str

    def __call__(self, files: Files) -> None:
        """Change the archive."""
        name = f"{MOVED[self.table % len(MOVED)].name}.jsonl"
        files[name] = files.get(name, b"") + self.raw.encode(errors="surrogatepass") + b"\n"


@dataclass(frozen=True)
class Again:
    """Rows again and again, with ids of their own where they have some."""

    table: int
    times: int
    renumbered: bool

    def __call__(self, files: Files) -> None:
        """Change the archive."""
        name = f"{MOVED[self.table % len(MOVED)].name}.jsonl"
        rows = [json.loads(line) for line in files.get(name, b"").splitlines()[:10] if is_row(line)]
        counted = [
            row | ({"id": 100 + at * len(rows) + number} if self.renumbered and "id" in row else {})
            for at in range(self.times)
            for number, row in enumerate(rows)
        ]
        files[name] = b"".join(json.dumps(row).encode() + b"\n" for row in [*rows, *counted])


@dataclass(frozen=True)
class Said:
    """What the archive says of itself is otherwise."""

    key: str
    raw: str

    def __call__(self, files: Files) -> None:
        """Change the archive."""
        if is_row(files["manifest.json"]):
            about = {key: json.dumps(value) for key, value in json.loads(files["manifest.json"]).items()}
            files["manifest.json"] = as_line(about | {self.key: self.raw})


@dataclass(frozen=True)
class Added:
    """A file of any name: one that unfolds to very much, too."""

    name: str
    size: int

    def __call__(self, files: Files) -> None:
        """Change the archive."""
        files[self.name] = b" " * self.size


@dataclass(frozen=True)
class Dropped:
    """A file is not there, or cut off."""

    table: int
    left: int

    def __call__(self, files: Files) -> None:
        """Change the archive."""
        name = f"{MOVED[self.table % len(MOVED)].name}.jsonl"
        files[name] = files.get(name, b"")[: self.left]


Change = Value | Line | Again | Said | Added | Dropped
place = st.integers(0, 500)
CHANGES = st.lists(
    st.one_of(
        *[st.builds(Value, place, place, place, RAW)] * 4,
        st.builds(Line, place, RAW),
        st.builds(Again, place, st.sampled_from([1, 20, 3_000]), st.booleans()),
        st.builds(Said, st.sampled_from(["format", "community", "kept", "counts", "images", "left_out", "seal"]), RAW),
        st.builds(Said, st.sampled_from(["sealed_for", "more"]), RAW),
        st.builds(Added, NAMES, st.sampled_from([0, 10, 2_000_000, 80_000_000])),
        st.builds(Dropped, place, st.sampled_from([0, 40])),
    ),
    min_size=1,
    max_size=3,
)


def is_row(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def as_line(row: Mapping[str, str]) -> bytes:
    return ("{" + ",".join(f"{json.dumps(key)}:{raw}" for key, raw in row.items()) + "}").encode(errors="surrogatepass")


def made(files: Files, changes: Sequence[Change], flips: Sequence[tuple[int, int]], *, counted: bool) -> bytes:
    """Give the archive as somebody made it; `counted`: it says truly how many rows there are."""
    files = dict(files)
    for change in changes:
        change(files)
    if counted and is_row(files["manifest.json"]):
        about = json.loads(files["manifest.json"])
        counts = {table.name: len(io.BytesIO(files.get(f"{table.name}.jsonl", b"")).readlines()) for table in MOVED}
        files["manifest.json"] = json.dumps(about | {"counts": counts}).encode()
    anew = io.BytesIO()
    with zipfile.ZipFile(anew, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name, data in files.items():
            new.writestr(zipfile.ZipInfo(name or "."), data, zipfile.ZIP_DEFLATED)
    made = bytearray(anew.getvalue())
    for at, value in flips:
        made[at % len(made)] = value
    return bytes(made)


@pytest.fixture(scope="module")
def files() -> Files:
    """Give what is in an archive of a community in which something of each kind has happened."""

    async def packed() -> bytes:
        async with await SqlStore.open("sqlite:///:memory:") as store:
            lively = await founded(store, guild_id=9)
            await enliven(store, lively)
            with TemporaryDirectory() as folder:
                await store.export(lively, path := Path(folder, "whole.zip"))
                return await asyncio.to_thread(path.read_bytes)

    with zipfile.ZipFile(io.BytesIO(asyncio.run(packed()))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as one:
        yield one


@dataclass
class House:
    """A house with a community in it and a server into which the bot has just come; anew once something moved in."""

    runner: asyncio.Runner
    store: SqlStore | None = None

    async def open(self) -> SqlStore:
        """Give it."""
        if self.store is None:
            self.store = await SqlStore.open("sqlite:///:memory:")
            await enliven(self.store, await founded(self.store, guild_id=9))
            async with self.store.writing() as write:
                await write.communities.add(OTHER_GUILD, "The Others")
        return self.store

    async def close(self) -> None:
        """Leave it."""
        if self.store is not None:
            await self.store.close()
        self.store = None


@pytest.fixture(scope="module")
def house(runner: asyncio.Runner) -> Iterator[House]:
    one = House(runner)
    yield one
    runner.run(one.close())


@pytest.fixture(scope="module")
def workshop(runner: asyncio.Runner) -> Iterator[ProcessWorkshop]:
    """Give the processes in which strangers' archives are looked through, with the bounds that they have there."""
    bounded = ProcessWorkshop()
    yield bounded
    runner.run(bounded.close())


def told(error: SelfroomError) -> None:
    """Look at how a refusal is worded."""
    assert error.sentence.strip(), "it says something"
    assert "\n" not in error.sentence and len(error.sentence) < LONGEST_SENTENCE


async def there(store: SqlStore) -> list[tuple[int, int]]:
    async with store.database.reading() as connection:
        rows = await connection.execute(select(COMMUNITIES.c.id, COMMUNITIES.c.guild_id).order_by(COMMUNITIES.c.id))
        return [(one.id, one.guild_id) for one in rows]


async def lived_with(store: SqlStore, community_id: CommunityId) -> None:
    """Read what came in as it is read day by day, with everybody else's."""
    async with store.reading() as read:
        view = await read.views.whole(community_id)
        await read.claims.due(LATE, limit=100)
        await read.agents.schedules_due(LATE, limit=100)
        await read.scenes.due(LATE, limit=100)
        await read.summaries.wanted(LATE)
        for letter in await read.letters.due(LATE, limit=100):
            await read.letters.whole(letter)
        for room_id in view.all_rooms:
            await read.talk.history(community_id, room_id, limit=100)
            await read.summaries.of_room(community_id, room_id)
        for agent_id in view.agents:
            await read.beats.newest(community_id, agent_id)
            await read.reactions.feedback(community_id, agent_id, datetime(2020, 1, 1, tzinfo=UTC))
            await read.logs.journal(community_id, agent_id)
        for scene in await read.scenes.all(community_id):
            await read.scenes.events(community_id, scene.id)
            await read.scenes.log(community_id, scene.id)
        await read.access.keys(community_id)
        await read.access.knocks(community_id)
        await read.logs.audit(community_id)


async def attacked(house: House, workshop: ProcessWorkshop, data: bytes, *, by_hand: bool) -> bool:
    """Hand an archive in, or import it as who runs Selfroom does; tells whether it was taken."""
    store = await house.open()
    (lively, _), (empty_id, _) = communities = await there(store)
    async with store.reading() as read:
        empty = await read.communities.of_id(CommunityId(empty_id))
    assert empty is not None
    before = await everything(store, CommunityId(lively))
    archives = HandedArchives(store.database, workshop, PlainCipher())
    try:
        if by_hand:
            held = await archives.look_into(empty.id, data)
            assert (await archives.unpack(empty, data)).agents == held.agents
        else:
            with TemporaryDirectory() as folder:
                await asyncio.to_thread((path := Path(folder, "foreign.zip")).write_bytes, data)
                await store.import_archive(path, guild_id=Snowflake(78))
    except SelfroomError as error:
        told(error)
        assert (await there(store), await everything(store, CommunityId(lively))) == (communities, before)
        return False
    assert await everything(store, CommunityId(lively)) == before
    for id_, _ in await there(store):
        await lived_with(store, CommunityId(id_))
    await house.close()
    return True


@pytest.mark.long
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=NO_SHRINKING)
@given(
    changes=CHANGES,
    flips=st.one_of(
        st.just([]), st.just([]), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=3)
    ),
    counted=st.sampled_from([True, True, True, False]),
    by_hand=st.sampled_from([True, True, False]),
)
def test_any_archive_is_refused_in_a_sentence_or_taken(
    files: Files,
    house: House,
    workshop: ProcessWorkshop,
    changes: list[Change],
    flips: list[tuple[int, int]],
    counted: bool,
    by_hand: bool,
) -> None:
    data = made(files, changes, flips, counted=counted)
    try:
        event("taken" if house.runner.run(attacked(house, workshop, data, by_hand=by_hand)) else "refused")
    except BaseException:
        house.runner.run(house.close())
        raise


def test_an_archive_that_nobody_touched_is_taken(files: Files, house: House, workshop: ProcessWorkshop) -> None:
    """Else nothing would be shown of any other."""
    for by_hand in (True, False):
        assert house.runner.run(attacked(house, workshop, made(files, [], [], counted=True), by_hand=by_hand))
