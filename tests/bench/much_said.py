"""The memory of a process with a thousand agents, each with a thousand messages stored: run as a program of its own."""

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path

import psutil
from sqlalchemy import text

from bot.core.changes import PutReason
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Reason, Snowflake
from tests.bench.crowds import clone
from tests.bench.listening import CountingModel
from tests.engine.hearts import Hearts, hearts

AGENTS, MESSAGES, BEATING = 1_000, 1_000, 50

STORED = """
WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < :messages)
INSERT INTO messages (community_id, id, room_id, sender_kind, sender_person_id, sender_name, content, type, sent_at,
                      discord_id, tokens, answers_from_agents, shown)
SELECT rooms.community_id, rooms.id * 10000 + n, rooms.id, 'person', 501, 'mira',
       'This is line ' || n || ', and it says what lines say on a quiet afternoon.', 'text',
       :at + n * 1000000, 10000000 * rooms.id + n, 25, 0, 1
FROM rooms, counted
"""


async def measure(folder: str) -> float:
    """Store it all, let some agents beat, and give the resident memory in MB."""
    config = CommunityConfig(usd_per_day=None)
    url = f"sqlite+aiosqlite:///{Path(folder) / 'said.db'}"
    async with hearts(1, model=CountingModel(), url=url, config=config) as home:
        await clone(home.store, home.community_id, AGENTS)
        began = home.clock.now() - timedelta(hours=1)
        async with home.store.database.writing() as connection:
            await connection.execute(text(STORED), {"messages": MESSAGES, "at": int(began.timestamp() * 1_000_000)})
        for first in range(1, AGENTS + 1, BEATING):
            await home.apply(*(_reason(home, AgentId(id)) for id in range(first, first + BEATING)))
            await home.heartbeat.slot(home.clock.now())
        assert home.metrics.counts["beats"] == AGENTS
    return float(psutil.Process().memory_info().rss) / 1e6


def _reason(home: Hearts, id: AgentId) -> PutReason:
    now = home.clock.now()
    why = Reason(kind=ReasonKind.ADDRESSED, room_id=id, person_id=Snowflake(501), since=now, due_at=now)
    return PutReason(agent_id=id, reason=why)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(asyncio.run(measure(place)))  # noqa: T201 - it is what the program is for
