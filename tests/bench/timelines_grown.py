"""What worlds apart cost with the whole engine in them, how they hold when they are run again, and what pages see."""

import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from bot.adapters.tree_streams import LOOK_SECONDS
from bot.core.config import CommunityConfig
from bot.core.errors import SelfroomError
from bot.core.models import ModelCall
from bot.core.records import AgentId
from bot.core.timelines.growth import Growth, Limits
from bot.core.timelines.records import EventKind, NodeId, Status, Told
from bot.engine.timelines import looking
from bot.seclusion import Seclusion
from cogs.ui.tree_picture import tree_picture
from cogs.ui.trees import board_text
from storage.timelines.tree_file import tree_path
from tests.adapters.test_tree_streams import heard, read, served
from tests.bench import Figure
from tests.bench.storage import line
from tests.engine.front_desk.test_timelines import GUILD, desk
from tests.engine.hearts import Hearts, answer, asked
from tests.engine.test_replaying import moody
from tests.engine.timelines.garden import BOSS, EVENT, Garden, garden
from tests.storage.timelines.orchard import Orchard

Json = dict[str, Any]

DEEP = 120
RERUN, PLANTED = 500, 100
SIBLINGS, TURNS = 8, 20
PRAGMAS = ("page_count", "freelist_count", "page_size")
A_MOMENT = timedelta(milliseconds=1)
RECONNECTS, TOLD = 1_000, 100
TALKATIVE = CommunityConfig(usd_per_day=None, banter=10_000, self_caused_per_hour=10_000)  # nobody falls silent
WIDE = Limits(nodes=2 * RERUN, depth=2 * DEEP)


def chatty(call: ModelCall) -> str:
    """Let everyone ask somebody else something that nobody asked before, so that nobody falls silent."""
    mark = sha256(call.input.encode()).hexdigest()[:8]
    return answer({id: [(1, f"Agent{id % 3 + 1}, what do you think of {mark}?")] for id in asked(call)})


def much_said(messages: int) -> Callable[[Hearts], Awaitable[None]]:
    """Give what fills a room with so many lines."""

    async def fill(home: Hearts) -> None:
        chance = random.Random(1)  # noqa: S311
        for first in range(0, messages, 1_000):
            lines = [
                replace(line(chance, number, 1), sent_at=home.clock.now() + number * A_MOMENT)
                for number in range(first, first + 1_000)
            ]
            async with home.store.writing(home.community_id) as write:
                await write.talk.add(home.community_id, lines)
        await home.clock.advance(messages * A_MOMENT.total_seconds())

    return fill


def used(path: Path) -> int:
    """Give how many bytes of a tree's file hold something, with what is in its log."""
    with closing(sqlite3.connect(path)) as connection:
        count, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in PRAGMAS)
        return int((count - free) * size)


async def deep() -> list[Figure]:
    """Grow a chain of one-turn nodes with the whole engine, and compare at its end."""
    with tempfile.TemporaryDirectory() as folder:
        async with garden(Path(folder), chatty, before=much_said(10_000), config=TALKATIVE) as grown:
            (node,) = await grown.grow("branch", 0, changes=EVENT)
            path = tree_path(Path(folder), grown.key.community_id, grown.key.id)
            first = await asyncio.to_thread(used, path)
            work = []
            for _ in range(DEEP):
                begun = time.process_time()
                (node,) = await grown.grow("advance", node.id, limits=WIDE)
                work.append(time.process_time() - begun)
                if (node.status, node.turns) != (Status.DONE, 1):
                    raise RuntimeError(f"a node ended {node.status}: {node.outcome}")
            begun = time.perf_counter()
            await looking.difference(grown.trees, grown.key, NodeId(1), node.id, "USD")
            compared = time.perf_counter() - begun
            size = await asyncio.to_thread(used, path) - first
    early, late = statistics.median(work[5:25]), statistics.median(work[-20:])
    return [
        Figure(name="timelines.node_with_engine_at_10000_messages", value=size / DEEP / 1e3, unit="kB", target=8.0),
        Figure(
            name="timelines.own_work_of_a_turn_with_engine",
            value=statistics.median(work) * 1e3,
            unit="ms",
            target=60.0,
        ),
        Figure(name="timelines.node_120_beside_node_10_with_engine", value=late / early, unit="times", target=1.2),
        Figure(name="timelines.compare_at_depth_120", value=compared * 1e3, unit="ms", target=300.0),
    ]


async def again() -> list[Figure]:
    """Grow random nodes and run each again; then plant other answers, and see whether each is noticed."""
    chance = random.Random(5)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        async with garden(Path(folder), moody) as grown:
            await grown.grow("branch", 0, changes=EVENT)
            nodes = await grown.trees.nodes(grown.key)
            while sum(one.status is Status.DONE for one in nodes) <= RERUN:
                what = chance.choice(("advance", "multi", "chain", "branch"))
                changes = EVENT if what == "branch" else ()
                try:
                    await grown.grow(
                        what,  # type: ignore[arg-type]
                        chance.choice(nodes).id,
                        turns=chance.randint(1, 3),
                        siblings=2,
                        changes=changes,
                        limits=WIDE,
                    )
                except SelfroomError:
                    continue  # that one was quiet
                nodes = await grown.trees.nodes(grown.key)
            done = [one for one in nodes if one.parent is not None and one.status is Status.DONE]
            differing = [one.id for one in done if await grown.operations.rerun(grown.key, one.id)]
            played = [one.id for one in done if one.turns]
            unseen = [id_ for id_ in chance.sample(played, PLANTED) if not await _planted(grown, id_, chance)]
    return [
        Figure(name="timelines.nodes_run_again", value=len(done), unit="nodes", target=RERUN, better="higher"),
        Figure(name="timelines.nodes_that_differed_when_run_again", value=len(differing), unit="nodes", target=0),
        Figure(name="timelines.planted_divergences_not_noticed", value=len(unseen), unit=f"of {PLANTED}", target=0),
    ]


async def _planted(grown: Garden, node_id: NodeId, chance: random.Random) -> bool:
    """Make one recorded call of a node another one; tells whether a re-run names just that call."""
    kept = [one for one in await grown.trees.recorded(grown.key, node_id) if one.call > 1]
    call = chance.choice(kept).call
    change = "UPDATE answers SET request = ? WHERE node = ? AND call = ?"

    def plant(connection: object) -> None:
        connection.execute(change, ("0" * 64, node_id, call))  # type: ignore[attr-defined]

    await grown.trees._write(grown.key, plant)
    return f"Call {call} asks otherwise" in await grown.operations.rerun(grown.key, node_id)


class Paying:
    """The house that a process asks: a scripted model, and no money."""

    def __init__(self, grown: Garden) -> None:
        self.answer = grown.house.answer
        self.facts = grown.house.facts
        self.over = asyncio.Event()
        self.left = 0

    async def changed(self, *_: object) -> None:
        """Count what is over."""
        self.left -= 1
        if not self.left:
            self.over.set()


@asynccontextmanager
async def secluded(grown: Garden, folder: Path) -> AsyncIterator[tuple[Seclusion, Paying]]:
    """Run nodes in the process in which they run in life."""
    house = Paying(grown)
    grower = Seclusion(folder, TALKATIVE, house)  # type: ignore[arg-type]
    try:
        yield grower, house
    finally:
        await grower.close()


def peak_of(pid: int | None) -> float:
    """Give the most memory that a process has had, in MB."""
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1e3


async def side_by_side() -> list[Figure]:
    """Let siblings play in a process of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with garden(folder, chatty, config=TALKATIVE) as grown, secluded(grown, folder) as (grower, house):
            (event,) = await grown.grow("branch", 0, changes=EVENT)
            await grower.read(grown.key, event.id)  # it is there
            house.left = SIBLINGS
            begun = time.perf_counter()
            growth = Growth(what="multi", by=BOSS, nodes=(event.id,), siblings=SIBLINGS, turns=TURNS)
            await grower.grow(grown.key, growth)
            await house.over.wait()
            took = time.perf_counter() - begun
            memory = peak_of(grower.pid)
            turns = sum(one.turns for one in await grown.trees.nodes(grown.key))
    return [
        Figure(name=f"timelines.{SIBLINGS}_siblings_x_{TURNS}_turns", value=took, unit="s", target=20.0),
        Figure(name="timelines.their_turns", value=turns, unit="turns", target=SIBLINGS * TURNS, better="higher"),
        Figure(name="timelines.memory_of_their_process", value=memory, unit="MB", target=400.0),
    ]


async def to_the_board(messages: int) -> float:
    """Fork a room of so many messages, and draw its board; gives the seconds."""
    with tempfile.TemporaryDirectory() as folder:
        async with garden(Path(folder), chatty, before=much_said(messages)) as grown:
            there = desk(grown)
            begun = time.perf_counter()
            timeline = await there.fork(GUILD, BOSS, AgentId(1), title="bench", rooms=(AgentId(1),))
            shown = await there.shown(timeline)
            board_text(shown)
            await tree_picture(shown.nodes)
            return time.perf_counter() - begun


async def forked() -> list[Figure]:
    """Fork at two sizes; Discord's own time is not in it."""
    name = "timelines.fork_to_board_at_{}_messages"
    return [
        Figure(name=name.format(size), value=await to_the_board(size), unit="s", target=most)
        for size, most in ((10_000, 3.0), (100_000, 5.0))
    ]


async def _grow(there: Orchard, many: int) -> None:
    for _ in range(many):
        await there.grow(0)


async def let_in(session: ClientSession, path: str) -> list[Json]:
    """Read one event of a stream; while those that one has left still count, come back later, as the page does."""
    while True:
        async with session.get(path) as response:
            if response.status == HTTPStatus.OK:
                return await heard(response, 1)
            assert response.status == HTTPStatus.SERVICE_UNAVAILABLE, await response.text()
        await asyncio.sleep(LOOK_SECONDS)


async def streamed() -> list[Figure]:
    """Read a tree's events with a new connection for each, and measure how late an event is."""
    with tempfile.TemporaryDirectory() as folder:
        async with served(Path(folder)) as (there, session):
            growing = asyncio.create_task(_grow(there, RECONNECTS // 3 + 1))
            seen: list[int] = []
            while len(seen) < RECONNECTS:
                after = seen[-1] if seen else 0
                seen += [one["seq"] for one in await let_in(session, f"/trees/1/events?after={after}")]
            await growing
            told: list[int] = []
            while page := await there.trees.events(there.key, after=told[-1] if told else 0):
                told += [one.seq for one in page]
            wrong = sum(one != other for one, other in zip(seen, told, strict=False))
            late = []
            for _ in range(TOLD):
                newest, _ = await there.trees.snapshot(there.key)
                path = f"/trees/1/nodes/1/events?after={newest}"
                reading = asyncio.create_task(read(session, path, 1))
                await asyncio.sleep(0.01 + random.random() / 5)  # noqa: S311  # at any moment between two looks
                begun = time.perf_counter()
                await there.trees.tell(there.key, NodeId(1), [Told(kind=EventKind.MOVE, data={"move": "vote"})])
                await reading
                late.append(time.perf_counter() - begun)
    late.sort()
    return [
        Figure(name="timelines.events_lost_or_doubled_over_1000_reconnects", value=wrong, unit="events", target=0),
        Figure(name="timelines.event_on_the_page_p95", value=late[int(TOLD * 0.95)] * 1e3, unit="ms", target=300.0),
    ]


PARTS = (deep, again, side_by_side, forked, streamed)


async def measured() -> list[Figure]:
    """Measure all of it, one after the other."""
    return [figure for part in PARTS for figure in await part()]
