"""How fast beats are in real time, on a database in a file."""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.core.changes import AddAgent, Change, PutReason, Say
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import SYSTEM, AgentId, MessageId, Reason, Snowflake
from tests.bench import Figure
from tests.bench.listening import CountingModel
from tests.engine.hearts import Hearts, answer, asked, hearts
from tests.factories import agent, room

BEATS = 300
IDLE_AGENTS, IDLE_SECONDS = 10_000, 10


def pace_figures() -> list[Figure]:
    """Measure all."""
    return [*asyncio.run(full_beats()), *asyncio.run(idle()), memory()]


def memory() -> Figure:
    """What a process holds that has a thousand agents and a million messages stored."""
    program = [sys.executable, "-m", "tests.bench.much_said"]
    said = subprocess.run(program, capture_output=True, text=True, check=True)
    return Figure(name="heartbeat.memory", value=float(said.stdout.split()[-1]), unit="MB", target=300)


@asynccontextmanager
async def filed(agents: int, model: CountingModel, **how: Any) -> AsyncIterator[Hearts]:  # noqa: ANN401
    """Open a community in a database file."""
    with tempfile.TemporaryDirectory() as folder:
        config = CommunityConfig(usd_per_day=None)
        url = f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}"
        async with hearts(agents, model=model, url=url, config=config, together=False, **how) as home:
            yield home


class Talker(CountingModel):
    """Lets every agent answer in its own room, at once."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        whole = await super().answer(call)
        return ModelAnswer(text=answer({id: [(id, "Yes, I see.")] for id in asked(call)}), usage=whole.usage)


async def full_beats() -> list[Figure]:
    """Agents in rooms of their own with 50 messages each: due, read, asked, applied (one slot before to warm up)."""
    async with filed(50, Talker()) as home:
        await home.apply(*_history(50, 50, home.clock.now()))
        seconds = 0.0
        for number in range(BEATS // 50 + 1):
            await home.apply(*(_call(AgentId(id), home.clock.now()) for id in range(1, 51)))
            began = time.perf_counter()
            await home.heartbeat.slot(home.clock.now())
            seconds += time.perf_counter() - began if number else 0.0
            await home.clock.advance(60)
    rate = (home.metrics.counts["beats"] - 50) / seconds
    return [Figure(name="heartbeat.full_beats", value=rate, unit="beats/s", target=150, better="higher")]


def _history(rooms: int, messages: int, at: datetime) -> list[Change]:
    return [
        Say(
            message_id=MessageId(1_000 * room + number),
            room_id=AgentId(room),
            sender=SYSTEM,
            content=f"This is line {number}, and it says what lines say on a quiet afternoon.",
            sent_at=at,
            post=False,
        )
        for room in range(1, rooms + 1)
        for number in range(messages)
    ]


def _call(id: AgentId, now: datetime) -> PutReason:
    reason = Reason(kind=ReasonKind.ADDRESSED, room_id=id, person_id=Snowflake(501), since=now, due_at=now)
    return PutReason(agent_id=id, reason=reason)


async def idle() -> list[Figure]:
    """10,000 agents of whom nobody wants anything, looked at once a second."""
    async with filed(0, CountingModel()) as home:
        await home.apply(*(AddAgent(agent=agent(id), room=room(id)) for id in range(1, IDLE_AGENTS + 1)))
        began = time.process_time()
        for _ in range(IDLE_SECONDS):
            await home.heartbeat.slot(home.clock.now())
        share = (time.process_time() - began) / IDLE_SECONDS
    return [Figure(name="heartbeat.idle_10k_core", value=100 * share, unit="% of a core", target=2)]
