"""Minds beside one another on one PostgreSQL: how many times as many beats, and how soon one takes over from another.

The model takes a second and is asked eight at a time by each mind, so that two cores show it. Beats are silent and of
communities of one agent: neither letters nor Discord are in these figures. The bell is a NATS of the bench's own, rung
by what a gateway rings with. From hint to claim is until another transaction sees it, asked for every millisecond.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import asyncpg
from aiohttp import web
from sqlalchemy import text

from bot.adapters.bell import NatsBell
from bot.adapters.clock import SystemClock
from bot.adapters.metrics import PrometheusMetrics
from bot.core.changes import PutReason
from bot.core.hints import Hint, HintKind
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, CommunityId, Reason, Snowflake
from bot.engine.beside import Beside
from storage.store import SqlStore
from tests.bench import Figure
from tests.founding import founded
from tests.nats import nats_server
from tests.storage.databases import postgresql_database

AGENTS, PLACES, CALL_SECONDS, LEASE_SECONDS = 192, 8, 1.0, 4.0
SILENT = '{"thoughts": "", "responses": [], "actions": []}'
DOUBLED = "SELECT count(*) - count(DISTINCT (community_id, agent_id)) FROM beats"
TIMES = {1: None, 2: 1.9, 4: 3.6}  # by minds: what was promised
CLAIMED_OR_DONE = (
    "SELECT EXISTS (SELECT FROM agents WHERE community_id = $1 AND beat_id IS NOT NULL)"
    " OR EXISTS (SELECT FROM beats WHERE community_id = $1)"
)
HINTS = 100
PATIENCE_SECONDS = 300.0
HOME = Path(__file__).parents[2]
MINDS = count(1)


class Model:
    """A server of Chat Completions that takes its time, and remembers when it was asked."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.seconds = CALL_SECONDS

    async def was_asked(self, times: int) -> None:
        """Wait until it was asked so often."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(self.asked) < times:  # noqa: ASYNC110 - another process asks
                await asyncio.sleep(0.01)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer with silence."""
        await request.read()
        self.asked.append(time.perf_counter())
        await asyncio.sleep(self.seconds)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": SILENT}}
        usage = {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520}
        told = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini", "choices": [choice]}
        return web.json_response(told | {"usage": usage})


def run() -> list[Figure]:
    """Measure all."""
    return asyncio.run(_measured())


async def _measured() -> list[Figure]:
    figures: list[Figure] = []
    seconds: dict[int, float] = {}
    for minds, times in TIMES.items():
        seconds[minds], doubled = await _through(minds)
        a_second = AGENTS / seconds[minds]
        figures.append(Figure(name=f"scale.beats_a_second_{minds}", value=a_second, unit="beats/s", better="higher"))
        figures.append(Figure(name=f"scale.beats_doubled_{minds}", value=doubled, unit="beats", target=0))
        if times is not None:
            ratio = seconds[1] / seconds[minds]
            figures.append(Figure(name=f"scale.times_{minds}", value=ratio, unit="×", target=times, better="higher"))
    leases = (await _taken_over()) / LEASE_SECONDS
    figures.append(Figure(name="scale.taken_over_after", value=leases, unit="leases", target=2))
    figures.append(Figure(name="scale.ends_after", value=await _ended(), unit="s", target=10))
    return [*figures, *await _rung()]


async def _rung() -> list[Figure]:
    """Measure what the bell brings: how soon a hint is a claim, and what is left of the throughput without it."""
    with tempfile.TemporaryDirectory() as folder:
        async with nats_server(Path(folder)) as server:
            heard = sorted(await _heard(server.url))
            with_bell, doubled = await _through_rung(server.url)
            await server.kill()
            without, doubled_without = await _through_rung(server.url)
    p95 = heard[int(len(heard) * 0.95)] * 1000
    return [
        Figure(name="scale.hint_to_claim_p50", value=heard[len(heard) // 2] * 1000, unit="ms"),
        Figure(name="scale.hint_to_claim_p95", value=p95, unit="ms", target=50),
        Figure(name="scale.without_bell", value=with_bell / without, unit="×", target=0.5, better="higher"),
        Figure(name="scale.beats_doubled_bell", value=doubled + doubled_without, unit="beats", target=0),
    ]


async def _heard(url: str) -> list[float]:
    """Ring for one agent after the other; gives the seconds until each is seen to be claimed."""
    seconds: list[float] = []
    async with _town() as (stack, store, model, environment):
        model.seconds = 0.0
        bell = await stack.enter_async_context(_bell(url, environment))
        rung = {"SELFROOM_NATS_URL": url, "SELFROOM_SWEEP_SECONDS": "60"}
        await stack.enter_async_context(_mind(environment | rung))
        async with store.reading() as read:
            communities = await read.communities.all()
        connection = await asyncpg.connect(environment["SELFROOM_DATABASE_URL"])
        stack.push_async_callback(connection.close)
        for done, community in enumerate(communities[:HINTS]):
            await _call_one(store, community.id)
            started = time.perf_counter()
            bell.ring(Hint(kind=HintKind.DUE, community_id=community.id, agent_id=AgentId(1)))
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not await connection.fetchval(CLAIMED_OR_DONE, community.id):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.001)
            seconds.append(time.perf_counter() - started)
            await _until(store, done + 1)
    return seconds


async def _through_rung(url: str) -> tuple[float, int]:
    """Let two minds carry everybody through one beat, rung for as a gateway does, or in vain; seconds from the call."""
    async with _town() as (stack, store, _, environment):
        bell = await stack.enter_async_context(_bell(url, environment, waits=False))
        for _ in range(2):
            await stack.enter_async_context(_mind(environment | {"SELFROOM_NATS_URL": url}))
        gateway = Beside(store, SystemClock(), PrometheusMetrics(), _Nobody(), _Nobody(), bell)
        await _call(store)
        started = time.perf_counter()
        ringing = asyncio.create_task(_ring(gateway))
        await _until(store, AGENTS)
        ringing.cancel()
        return time.perf_counter() - started, await _count(store, DOUBLED)


async def _ring(gateway: Beside) -> None:
    """Look once a second, as a gateway does."""
    while True:
        await gateway.run()
        await asyncio.sleep(1.0)


class _Nobody:
    """Is shown nothing, and waits for nothing."""

    def begin(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Show nothing."""

    def nudge(self, at: datetime) -> None:
        """Wait for nothing."""


@asynccontextmanager
async def _bell(url: str, environment: dict[str, str], *, waits: bool = True) -> AsyncIterator[NatsBell]:
    """Ring as a gateway does; `waits`: until it can."""

    async def hear(_: Hint) -> None:
        """Hear nothing."""

    bell = NatsBell(url, environment["SELFROOM_DATABASE_URL"], "gateway", PrometheusMetrics())
    serving = asyncio.create_task(bell.serve(hear))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while waits and not bell.is_up:  # noqa: ASYNC110 - another process answers
            await asyncio.sleep(0.01)
    yield bell
    serving.cancel()
    await asyncio.wait([serving])


async def _through(minds: int) -> tuple[float, int]:
    """Let so many minds carry everybody through one beat; gives the seconds of it, and beats that are there twice."""
    async with _town() as (stack, store, model, environment):
        for _ in range(minds):
            await stack.enter_async_context(_mind(environment))
        await _call(store)
        await _until(store, AGENTS)
        return time.perf_counter() - model.asked[0], await _count(store, DOUBLED)


async def _taken_over() -> float:
    """Kill a mind while its call goes on; gives the seconds until another asks the same agent."""
    async with _town() as (stack, store, model, environment):
        model.seconds = 3_600.0
        first = await stack.enter_async_context(_mind(environment))
        await _call(store, agents=1)
        await model.was_asked(1)
        await stack.enter_async_context(_mind(environment))
        killed = time.perf_counter()
        first.kill()
        await model.was_asked(2)
        return model.asked[1] - killed


async def _ended() -> float:
    """Tell a mind to end while its call goes on; gives the seconds until it has."""
    async with _town() as (stack, store, model, environment):
        model.seconds = 3_600.0
        first = await stack.enter_async_context(_mind(environment))
        await _call(store, agents=1)
        await model.was_asked(1)
        told = time.perf_counter()
        first.terminate()
        await first.wait()
        return time.perf_counter() - told


@asynccontextmanager
async def _town() -> AsyncIterator[tuple[AsyncExitStack, SqlStore, Model, dict[str, str]]]:
    """Found communities of one agent each, and start a model for their minds."""
    model = Model()
    app = web.Application()
    app.router.add_post("/{mind}/v1/chat/completions", model.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with postgresql_database() as made, AsyncExitStack() as stack:
        stack.push_async_callback(runner.cleanup)
        if made is None:
            raise SystemExit("This part needs a PostgreSQL server on this machine.")
        store = await stack.enter_async_context(await SqlStore.open(made.url))
        for number in range(AGENTS):
            await founded(store, 1, guild_id=1000 + number)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SELFROOM_", "OPENAI_"))}
        yield (
            stack,
            store,
            model,
            kept
            | {
                "SELFROOM_DATABASE_URL": made.url,
                "SELFROOM_SECRET": "a secret of this bench alone",
                "SELFROOM_SPONSORED_SERVERS": "*",
                "SELFROOM_OPENAI_BASE_URL": f"http://127.0.0.1:{port}/mind/v1",
                "SELFROOM_OPENAI_API": "chat",
                "SELFROOM_CALLS_PER_PROVIDER": str(PLACES),
                "SELFROOM_LEASE_SECONDS": str(LEASE_SECONDS),
            },
        )


@asynccontextmanager
async def _mind(environment: dict[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a mind with a model server of its own, for minds share the places at one, and wait until it is ready."""
    own = environment["SELFROOM_OPENAI_BASE_URL"].replace("/mind/", f"/mind{next(MINDS)}/")
    environment = environment | {"SELFROOM_OPENAI_BASE_URL": own}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "mind", cwd=HOME, env=environment, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        while b"ready" not in (line := await process.stdout.readline()):
            if not line:
                raise SystemExit("A mind ended before it was ready.")
        reading = asyncio.create_task(process.stdout.read())
        yield process
        reading.cancel()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _call(store: SqlStore, agents: int = AGENTS) -> None:
    """Give everybody something to beat for."""
    async with store.reading() as read:
        communities = await read.communities.all()
    for community in communities[:agents]:
        await _call_one(store, community.id)


async def _call_one(store: SqlStore, community_id: CommunityId) -> None:
    now = datetime.now(UTC)
    async with store.writing(community_id) as write:
        why = Reason(kind=ReasonKind.WOKEN, room_id=AgentId(1), since=now, due_at=now)
        await write.apply(community_id, [PutReason(agent_id=AgentId(1), reason=why)])


async def _until(store: SqlStore, beats: int) -> None:
    """Wait until so many beats are kept."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            if await _count(store, "SELECT count(*) FROM beats") >= beats:
                return
            await asyncio.sleep(0.05)


async def _count(store: SqlStore, question: str) -> int:
    async with store.database.reading() as connection:
        return int((await connection.execute(text(question))).scalar_one())
