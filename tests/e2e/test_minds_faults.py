"""What goes wrong among minds: whoever of them, of the database or of the bell falls, each agent answers, and once."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from bot.adapters.bell import NatsBell
from bot.core.hints import Hint, HintKind
from bot.core.records import AgentId, BeatId, CommunityId
from tests.chaos.cluster import cluster
from tests.e2e.apart import POSTS, Apart, apart
from tests.e2e.visitor import until
from tests.fakes import CountedMetrics
from tests.nats import nats_server

RESTING = "SELECT count(*) FROM reasons WHERE due_at > now() + interval '10 seconds'"
PAID = "127.0.0.2"  # this machine by a name under which it is not taken for it: there models have prices
pytestmark = pytest.mark.e2e


@asynccontextmanager
async def locked(here: Apart, statement: str) -> AsyncIterator[None]:
    """Hold a lock against minds, in a transaction that is then undone."""
    line = await asyncpg.connect(here.settings["SELFROOM_DATABASE_URL"])
    try:
        await line.execute("BEGIN")
        await line.execute(statement)
        yield
    finally:
        await line.close()


async def answered_once(here: Apart) -> None:
    """Wait for the end of all beats, and see that each agent had one and posted once."""
    await here.at_rest()
    assert await here.beats() == [1] * len(here.communities)
    assert await here.line.fetchval(POSTS) == len(here.communities)


async def test_a_mind_that_is_killed_before_its_call_costs_nothing(tmp_path: Path) -> None:
    async with apart(tmp_path) as here:
        here.model.may_answer.set()
        first = await here.mind()
        async with locked(here, "LOCK TABLE reservations IN SHARE MODE"):  # nothing is set aside: nothing can be asked
            await here.wake()
            await here.somebody_waits()
            assert await here.line.fetchval("SELECT count(*) FROM agents WHERE beat_id IS NOT NULL") == 1
            first.process.kill()
        assert here.model.calls == []
        await here.mind()
        await answered_once(here)
        assert len(here.model.calls) == 1


@pytest.mark.parametrize("lock", ["SELECT 1 FROM communities FOR UPDATE", "LOCK TABLE beats IN SHARE MODE"])
async def test_a_mind_that_is_killed_with_its_answer_in_hand_is_asked_for_by_another(tmp_path: Path, lock: str) -> None:
    async with apart(tmp_path) as here:
        first = await here.mind()
        await here.wake()
        await here.asked(1)
        async with locked(here, lock):
            here.model.may_answer.set()
            await here.somebody_waits()
            first.process.kill()
        await here.mind()
        await answered_once(here)
        assert len(here.model.calls) == 2


async def test_a_mind_that_is_stopped_amid_calls_puts_them_back_for_others_at_once(tmp_path: Path) -> None:
    async with apart(tmp_path, communities=3, more={"SELFROOM_LEASE_SECONDS": "600"}) as here:
        first = await here.mind()
        await here.wake()
        await here.asked(1)
        first.process.send_signal(signal.SIGTERM)
        assert await first.ends() == 0
        here.model.may_answer.set()
        await here.mind()
        await answered_once(here)


async def test_hints_that_come_thrice_late_out_of_order_and_forged_change_nothing(tmp_path: Path) -> None:
    chance = random.Random(20)  # noqa: S311 - a test's chance
    async with nats_server(tmp_path / "nats") as server, apart(tmp_path, communities=8) as here:
        here.settings["SELFROOM_NATS_URL"] = server.url
        here.model.may_answer.set()
        bell = NatsBell(server.url, here.settings["SELFROOM_DATABASE_URL"], "gateway", CountedMetrics())
        serving = asyncio.create_task(bell.serve(nothing))
        for mind in (await here.mind(), await here.mind()):
            await mind.says("the bell rings")
        await until(lambda: up(bell), "a bell that rings")
        numbers = [*here.communities, CommunityId(99)]
        hints = [
            Hint(kind=kind, community_id=community_id, agent_id=AgentId(agent_id), token=token)
            for community_id in numbers
            for agent_id in (1, 7)
            for kind, token in ((HintKind.DUE, None), (HintKind.DUE, BeatId(1)), (HintKind.DUE, BeatId(10**9)))
        ] * 3
        chance.shuffle(hints)
        for hint in hints[::2]:
            bell.ring(hint)  # before anybody is due
        await here.wake()
        for hint in hints:
            bell.ring(hint)
        await answered_once(here)
        calls = len(here.model.calls)
        assert calls == 8
        for hint in hints:
            bell.ring(hint)  # when all is long done
        await server.kill(wiped=True)
        await here.wake()
        await here.at_rest()
        await server.start()
        await until(lambda: up(bell), "a bell that rings again")
        await here.wake()
        for hint in hints:
            bell.ring(hint)
        await here.at_rest()
        assert (await here.beats(), len(here.model.calls)) == ([3] * 8, 3 * calls)
        serving.cancel()
        await asyncio.wait([serving])


async def nothing(_: Hint) -> None:
    """Hear nothing."""


async def up(bell: NatsBell) -> bool:
    return bell.is_up


class Way:
    """A way to a server that can be cut."""

    def __init__(self, host: str, port: int) -> None:
        self._there = (host, port)
        self._lines: set[asyncio.StreamWriter] = set()
        self._is_cut = False
        self.port = 0

    async def __aenter__(self) -> "Way":
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut()
        self._server.close()

    def cut(self) -> None:
        """Let nothing through any more."""
        self._is_cut = True
        for line in list(self._lines):
            line.transport.abort()

    def heal(self) -> None:
        """Let through what comes from now on."""
        self._is_cut = False

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.add(writer)
        if self._is_cut:
            writer.transport.abort()
            return
        there, on = await asyncio.open_connection(*self._there)
        self._lines.add(on)
        await asyncio.gather(self._pump(reader, on), self._pump(there, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(65_536):
                writer.write(piece)
        except ConnectionError:
            return
        finally:
            writer.close()
            self._lines.discard(writer)


async def test_a_mind_that_cannot_reach_the_database_is_overtaken_and_goes_on_once_it_can(tmp_path: Path) -> None:
    async with apart(tmp_path) as here:
        parts = urlsplit(here.settings["SELFROOM_DATABASE_URL"])
        async with Way(parts.hostname or "", parts.port or 5432) as way:
            by_way = parts._replace(netloc=f"{parts.username}@127.0.0.1:{way.port}").geturl()
            first = await here.mind(SELFROOM_DATABASE_URL=by_way)
            await here.wake()
            await here.asked(1)
            way.cut()
            second = await here.mind()
            here.model.may_answer.set()
            await answered_once(here)
            second.process.send_signal(signal.SIGTERM)
            assert await second.ends() == 0
            way.heal()
            await here.wake()
            await here.at_rest()
            assert (await here.beats(), await here.line.fetchval(POSTS)) == ([2], 2)
            first.process.send_signal(signal.SIGTERM)
            assert await first.ends() == 0


async def test_a_database_that_crashes_or_has_no_connection_left_is_waited_for(tmp_path: Path) -> None:
    async with cluster() as server:
        if server is None:
            pytest.skip("PostgreSQL is not installed here")
        async with apart(tmp_path, communities=4, url=server.url) as here:
            for _ in range(2):
                await here.mind()
            await here.wake()
            await here.asked(4)
            await server.end()
            here.model.may_answer.set()
            await here.minds[0].says("database")
            await server.start()
            here.line = await asyncpg.connect(server.url)
            here.stack.push_async_callback(here.line.close)
            await answered_once(here)
            async with here.store.reading():  # it keeps the connection that the next line but one needs
                """Nothing is read."""
            taken = [await asyncpg.connect(server.url) for _ in range(await room_left(here.line))]
            await here.wake()  # whose connection is one of the pool's
            for line in taken:
                await line.close()
            await here.at_rest()
            assert await here.beats() == [2] * 4


async def room_left(line: asyncpg.Connection) -> int:
    """Give how many connections a server has left."""
    most = int(await line.fetchval("SHOW max_connections"))
    used = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    return max(0, most - int(await line.fetchval(used)) - 1)


async def test_four_minds_never_spend_more_than_the_day_allows(tmp_path: Path) -> None:
    limit = Decimal("0.2")
    more = {"SELFROOM_CEILING_ALL_USD_PER_DAY": str(limit)}
    async with apart(tmp_path, communities=24, host=PAID, more=more) as here:
        day = await here.line.fetchval("SELECT (now() AT TIME ZONE 'utc')::date")
        async with here.store.writing(here.communities[0]) as write:
            await write.money.reserve(here.communities[0], day, usd=limit * 99 / 100, tokens=10, paid=True)
        here.model.usage = {"prompt_tokens": 4_000, "completion_tokens": 100}
        here.model.may_answer.set()
        for _ in range(4):
            await here.mind()
        await here.wake()

        async def all_are_done_or_rest() -> bool:
            claimed = await here.line.fetchval("SELECT count(*) FROM agents WHERE beat_id IS NOT NULL")
            resting = await here.line.fetchval(
                "SELECT count(*) FROM reasons WHERE due_at > now() + interval '10 seconds'"
            )
            return not claimed and sum(await here.beats()) + int(resting) == 24

        await until(all_are_done_or_rest, "agents that rest")
        rest = await here.line.fetch("SELECT community_id, kind, due_at - now() AS left, held_for FROM reasons")
        async with here.store.reading() as read:
            _, used = await read.money.paid(here.communities[0], day)
        assert limit * 99 / 100 < used <= limit, rest
        assert 0 < sum(await here.beats()) < 24


async def test_minds_together_ask_a_server_no_more_at_once_than_it_does(tmp_path: Path) -> None:
    async with apart(tmp_path, communities=12, more={"SELFROOM_CALLS_PER_PROVIDER": "2"}) as here:
        for _ in range(3):
            await here.mind()
        await here.wake()
        await here.asked(2)
        here.model.seconds = 0.1
        here.model.may_answer.set()
        await answered_once(here)
        assert here.model.most_at_once == 2
