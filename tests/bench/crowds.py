"""A hundred thousand agents, of whom a thousand a second get a reason to beat."""

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import text

from bot.core.changes import AddAgent, PutReason
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, CommunityId, Reason, Snowflake
from bot.engine.gatekeeper import Gatekeeper
from storage.store import SqlStore
from tests.bench import Figure
from tests.factories import agent, room
from tests.fakes import ScriptedModel

COMMUNITIES, AGENTS_EACH = 250, 400
REASONS_AT_ONCE, TRANSACTIONS_A_SECOND, SECONDS = 100, 10, 10
SLOT_SECONDS = 1.0
CLONED = {"agents": "id", "rooms": "id", "memberships": "agent_id"}


def crowd_figures() -> list[Figure]:
    """Measure all."""
    return asyncio.run(_crowd())


async def _crowd() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{Path(folder) / 'crowd.db'}"
        async with await SqlStore.open(url, config=CommunityConfig(usd_per_day=None)) as store:
            communities = [await _settle(store, number) for number in range(COMMUNITIES)]
            return await _live(store, communities)


async def _settle(store: SqlStore, number: int) -> CommunityId:
    """Make a community of one agent and clone it."""
    async with store.writing() as write:
        community = await write.communities.add(Snowflake(10**15 + number), f"Community {number}")
    async with store.writing(community.id) as write:
        one = AgentId(write.ids.take("agent"))
        await write.apply(community.id, [AddAgent(agent=agent(one), room=room(one, channel_id=None))])
    await clone(store, community.id, AGENTS_EACH)
    return community.id


async def clone(store: SqlStore, community_id: CommunityId, agents: int) -> None:
    """Make so many agents of the only one, each with a room."""
    async with store.database.writing() as connection:
        for table, key in CLONED.items():
            names = [row[1] for row in await connection.execute(text(f"PRAGMA table_info({table})"))]
            made = {
                key: "n",
                "room_id": "n",
                "channel_id": "channel_id + n",
                "name": "'Agent' || n",
                "name_key": "'agent' || n",
            }
            columns = ", ".join(made.get(name, name) for name in names)
            numbers = "WITH RECURSIVE counted(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < :last)"
            copy = f"INSERT INTO {table} {numbers} SELECT {columns} FROM {table}, counted WHERE community_id = :it"  # noqa: S608
            await connection.execute(text(copy), {"last": agents, "it": community_id})


async def _live(store: SqlStore, communities: Sequence[CommunityId]) -> list[Figure]:
    chance = random.Random(1)  # noqa: S311 - a benchmark's chance, not a secret
    entrance = Gatekeeper(store, ScriptedModel(), cipher=None, lease_seconds=600)
    late: list[float] = []
    cpu, began = time.process_time(), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        feeding = group.create_task(_feed(store, communities, chance))
        group.create_task(_look(store, entrance, feeding, late))
    share = (time.process_time() - cpu) / (time.perf_counter() - began)
    p99 = statistics.quantiles(late, n=100)[98]
    return [
        Figure(name="heartbeat.crowd_core", value=100 * share, unit="% of a core", target=80),
        Figure(name="heartbeat.crowd_lateness_p99", value=p99, unit="s", target=1.3),
        Figure(name="heartbeat.crowd_let_through", value=len(late) / SECONDS, unit="agents/s"),
    ]


async def _feed(store: SqlStore, communities: Sequence[CommunityId], chance: random.Random) -> None:
    """Store reasons at their pace, each for another agent."""
    turns = [(id, list(range(1, AGENTS_EACH + 1))) for id in communities]
    began = time.perf_counter()
    for number in range(TRANSACTIONS_A_SECOND * SECONDS):
        community_id, ids = turns[number % len(turns)]
        now = datetime.now(UTC)
        changes = [_reason(AgentId(id), now) for id in chance.sample(ids, REASONS_AT_ONCE)]
        async with store.writing(community_id) as write:
            await write.apply(community_id, changes)
        await asyncio.sleep(max(0.0, began + (number + 1) / TRANSACTIONS_A_SECOND - time.perf_counter()))


def _reason(id: AgentId, now: datetime) -> PutReason:
    why = Reason(kind=ReasonKind.ADDRESSED, room_id=id, person_id=Snowflake(501), since=now, due_at=now)
    return PutReason(agent_id=id, reason=why)


async def _look(store: SqlStore, entrance: Gatekeeper, feeding: asyncio.Task[None], late: list[float]) -> None:
    """Let agents through slot by slot, until nobody is left; stopped before the call."""
    while True:
        over, now = feeding.done(), datetime.now(UTC)
        async with store.reading() as read:
            due = await read.claims.due(now, limit=2_000)
        by_community: dict[CommunityId, list[AgentId]] = {}
        for community_id, agent_id in due:
            by_community.setdefault(community_id, []).append(agent_id)
        for community_id, ids in by_community.items():
            let_in = await entrance.let_in(community_id, ids, now)
            done = datetime.now(UTC)
            late += [(done - one.first.due_at).total_seconds() for one in (let_in.ready if let_in else ())]
        if over and not due:
            return
        await asyncio.sleep(max(0.0, SLOT_SECONDS - (datetime.now(UTC) - now).total_seconds()))
