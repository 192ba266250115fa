"""How soon commands answer in a large server: suggestions, first answers and pictures."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from bot.adapters.clock import SystemClock
from bot.core.changes import AddAgent
from bot.core.records import AgentId, Snowflake
from cogs.ui.pictures import Bar, drawn
from tests.bench import Figure
from tests.e2e.sharing import Cast, shared_home
from tests.factories import agent, room

AGENTS = 450
TIMES = 40
PAUSE_SECONDS = 0.002
COMMANDS: tuple[tuple[str, dict[str, object]], ...] = (
    ("agent show", {"agent": "Resident0400"}),
    ("agent list", {}),
    ("room info", {}),
    ("attention show", {"agent": "Wren"}),
    ("heartbeat status", {}),
    ("usage by-agent", {}),
    ("help", {}),
    ("audit", {}),
)


def run() -> list[Figure]:
    """Measure all of it."""
    return [*asyncio.run(_at_commands()), _pictures()]


async def _at_commands() -> list[Figure]:
    with TemporaryDirectory() as folder:
        async with shared_home(Path(folder)) as cast:
            await _crowd(cast)
            suggested = [await _timed(cast, _suggestion(cast)) for _ in range(TIMES)]
            first, whole = [], []
            for turn in range(TIMES):
                path, options = COMMANDS[turn % len(COMMANDS)]
                begun = time.perf_counter()
                seen = len(cast.you.heard)
                await cast.manager.start(path, **options)
                first.append(await _heard(cast, seen, begun))
                await cast.manager.answer(seen)
                whole.append(time.perf_counter() - begun)
    return [
        _p95("discord.autocomplete_450_p95", suggested, 100),
        _p95("discord.first_answer_p95", first, 300),
        _p95("discord.whole_answer_p95", whole, None),
    ]


def _pictures() -> Figure:
    rows = [Bar(label=f"Resident {number}", share=number / 20, note=f"{number:.1f} s idle") for number in range(20)]
    spent = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        drawn("Heartbeats", rows)
        spent.append(time.perf_counter() - begun)
    return _p95("discord.picture_p95", spent, 400)


async def _crowd(cast: Cast) -> None:
    """Let many agents live here, without channels."""
    store, now = cast.home.house.client.store, SystemClock().now()
    async with store.reading() as read:
        community = await read.community_of_guild(Snowflake(int(cast.you.about["guild_id"])))
    assert community is not None
    async with store.writing(community.id) as write:
        for number in range(AGENTS):
            id = AgentId(write.ids.take("agent"))
            one = agent(id, name=f"Resident{number:04}", created_at=now, community_id=community.id)
            await write.apply(community.id, [AddAgent(agent=one, room=room(id, community_id=community.id))])


async def _timed(cast: Cast, ask: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    await ask()
    return time.perf_counter() - begun


def _suggestion(cast: Cast) -> Callable[[], Awaitable[object]]:
    async def ask() -> None:
        seen = len(cast.you.heard)
        await cast.manager.type_into("agent show", "agent", "resident04")
        while not any(kind.endswith("AUTOCOMPLETE_RESPONSE") for kind, _ in cast.you.heard[seen:]):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_SECONDS)

    return ask


async def _heard(cast: Cast, seen: int, begun: float) -> float:
    """Wait for the first sign of an answer, which may be that the bot thinks."""
    while not any(kind == "INTERACTION_SUCCESS" for kind, _ in cast.you.heard[seen:]):  # noqa: ASYNC110
        await asyncio.sleep(PAUSE_SECONDS)
    return time.perf_counter() - begun


def _p95(name: str, seconds: list[float], target: float | None) -> Figure:
    return Figure(name=name, value=quantiles(seconds, n=20)[-1] * 1_000, unit="ms", target=target)
