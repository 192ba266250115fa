"""Where a beat, a letter and a message spend their time, and how many statements each takes on each database."""

import asyncio
import cProfile
import pstats
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from bot.core.changes import PutReason, Say
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId, MessageId, Reason, Snowflake
from tests.bench import Figure
from tests.bench.listening import CountingModel
from tests.engine.hearts import Hearts, answer, asked, hearts
from tests.factories import by_agent
from tests.founding import statements
from tests.storage.databases import postgresql_database

TIMES = 60
SAID_BEFORE = 60  # messages in the room
AGENTS = 20
PLACES = (  # where a function lies, and what it is called here; the first that fits
    ("/sqlalchemy/", "sqlalchemy"),
    ("sqlite3", "sqlite3"),
    ("/aiosqlite/", "sqlite3"),
    ("/storage/inline", "sqlite3"),
    ("asyncpg", "asyncpg"),
    ("/storage/", "storage"),
    ("/tiktoken/", "tokenizer"),
    ("CoreBPE", "tokenizer"),
    ("/bot/core/hud/", "HUD"),
    ("/bot/core/", "core"),
    ("/bot/engine/", "engine"),
    ("/asyncio/", "asyncio"),
    ("select.epoll", "asyncio"),
    ("/json/", "json"),
    ("/tests/", "tests"),
)
SAY = Console().print
Work = Callable[[Hearts, int], Awaitable[None]]


class Nodder(CountingModel):
    """Lets every agent of a call answer in the first one's room."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        whole = await super().answer(call)
        return ModelAnswer(text=answer({id: [(1, "Yes, I see.")] for id in asked(call)}), usage=whole.usage)


@dataclass(frozen=True, slots=True)
class Statements:
    """What reached the database: statements, those that begin or mark a part of a transaction counted apart."""

    said: Sequence[str]

    @property
    def count(self) -> int:
        """How many that read or write rows."""
        return sum(not is_mark(one) for one in self.said)


def is_mark(statement: str) -> bool:
    """Tell whether a statement only begins a transaction, or sets or drops a savepoint."""
    return statement.startswith(("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK"))


async def message(home: Hearts, number: int) -> None:
    """A person who is known says a line to nobody in particular, in a room of many agents."""
    await home.hear(f"line {number}, and it says what lines say", who=("mira", "rob")[number % 2], id=501 + number % 2)


async def call(home: Hearts, number: int) -> None:
    """A person who is known calls one of the agents."""
    await home.hear(f"Agent{2 + number % (AGENTS - 1)}, and now?", who=("mira", "rob")[number % 2], id=501 + number % 2)


async def write_letter(home: Hearts, number: int) -> None:
    """Let an agent have something to post."""
    async with home.store.writing(home.community_id) as write:
        said = Say(
            message_id=MessageId(write.ids.take("message")),
            room_id=AgentId(1),
            sender=by_agent(1 + number % AGENTS),
            content=f"Line {number}, and it says what lines say.",
            sent_at=home.clock.now(),
        )
        await write.apply(home.community_id, [said])


async def letter(home: Hearts, number: int) -> None:
    """A letter that waits is posted."""
    assert await home.delivery.run_once(home.clock.now()) == 1


async def call_one(home: Hearts, number: int) -> None:
    """Let a person have called one agent."""
    await _call(home, [AgentId(1 + number % AGENTS)])


async def call_all(home: Hearts, number: int) -> None:
    """Let a person have called everyone."""
    await _call(home, [AgentId(id) for id in range(1, AGENTS + 1)])


async def _call(home: Hearts, ids: Sequence[AgentId]) -> None:
    await home.deliver()
    await home.clock.advance(60)
    now = home.clock.now()
    reason = Reason(kind=ReasonKind.ADDRESSED, room_id=AgentId(1), person_id=Snowflake(501), since=now, due_at=now)
    await home.apply(*(PutReason(agent_id=id, reason=reason) for id in ids))


async def beat(home: Hearts, number: int) -> None:
    """Whoever is due beats: let through, shown its room, asked, and what it says is stored."""
    await home.heartbeat.slot(home.clock.now())


async def nothing(home: Hearts, number: int) -> None:
    """Nothing has to be made ready."""


KINDS: Mapping[str, tuple[Work, Work, int]] = {  # what makes ready, what is measured, and how many of it that is
    "message": (nothing, message, 1),
    "call": (nothing, call, 1),
    "letter": (write_letter, letter, 1),
    "beat": (call_one, beat, 1),
    "beat_of_20": (call_all, beat, AGENTS),
}


@asynccontextmanager
async def lived_in(url: str) -> AsyncIterator[Hearts]:
    """Open a room of many agents in which something has been said."""
    config = CommunityConfig(usd_per_day=None)
    async with hearts(AGENTS, model=Nodder(), url=url, config=config) as home:
        for number in range(SAID_BEFORE):
            await home.clock.advance(20)
            await message(home, number)
        yield home


async def counted(home: Hearts, kind: str) -> Statements:
    """Give the statements of one, as it is when it is not the first."""
    ready, work, _ = KINDS[kind]
    for number in range(2):
        await ready(home, number)
        await work(home, number)
    await ready(home, 2)
    with statements(home.store) as said:
        await work(home, 2)
    return Statements(list(said))


async def _timed(home: Hearts, kind: str) -> tuple[float, Mapping[str, float]]:
    """Give the seconds of our CPU time that one takes, and how they are spent as a profiler sees it, by place."""
    ready, work, many = KINDS[kind]
    seconds, profile = 0.0, cProfile.Profile()
    for number in range(TIMES):
        await ready(home, number)
        began = time.process_time()
        await work(home, number)
        seconds += time.process_time() - began
    for number in range(TIMES):
        await ready(home, number)
        profile.enable()
        await work(home, number)
        profile.disable()
    return seconds / TIMES / many, _by_place(profile)


def _by_place(profile: cProfile.Profile) -> Mapping[str, float]:
    """Add up the time that functions spend themselves; a built-in one's is its callers'."""
    spent: defaultdict[str, float] = defaultdict(float)
    stats: Mapping[tuple[str, int, str], tuple[int, int, float, float, dict[tuple[str, int, str], object]]]
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for (path, _, name), (_, _, own, _, callers) in stats.items():
        known = _place(f"{path} {name}")
        if known is not None or path != "~":
            spent[known or "other"] += own
            continue
        for (by, _, caller), how in callers.items():
            spent[_place(f"{by} {caller}") or "other"] += how[2]  # type: ignore[index]
    return spent


def _place(function: str) -> str | None:
    return next((name for part, name in PLACES if part in function), None)


def _show(database: str, kind: str, seconds: float, spent: Mapping[str, float], said: Statements) -> None:
    all_of_it = sum(spent.values())
    shares = ", ".join(
        f"{name} {100 * own / all_of_it:.0f} %" for name, own in sorted(spent.items(), key=lambda one: -one[1])[:8]
    )
    SAY(
        f"\n{database}, a {kind}: {1_000 * seconds:.2f} ms of CPU, {said.count} statements"
        f" and {len(said.said) - said.count} marks; {shares}"
    )
    for number, one in enumerate(one for one in said.said if not is_mark(one)):
        SAY(f"  {number + 1:2} {' '.join(one.split())[:150]}", markup=False, highlight=False)


async def _measure(database: str) -> list[Figure]:
    figures: list[Figure] = []
    for kind, (_, _, many) in KINDS.items():
        async with _url(database) as url, lived_in(url) as home:
            said = await counted(home, kind)
            seconds, spent = await _timed(home, kind)
        _show(database, kind, seconds, spent, said)
        name = f"profile.{database}.{kind}"
        figures.append(Figure(name=f"{name}_statements", value=said.count / many, unit="statements"))
        figures.append(Figure(name=f"{name}_ms", value=1_000 * seconds, unit="ms of CPU"))
    return figures


@asynccontextmanager
async def _url(database: str) -> AsyncIterator[str]:
    """Give an empty database of its own."""
    if database == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{Path(folder) / 'profile.db'}"
        return
    async with postgresql_database() as made:
        assert made is not None
        yield made.url


async def _all() -> list[Figure]:
    async with postgresql_database() as made:
        there = made is not None
    figures = await _measure("sqlite")
    return [*figures, *(await _measure("postgresql") if there else ())]


def run() -> list[Figure]:
    """Measure both databases."""
    return asyncio.run(_all())
