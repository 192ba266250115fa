"""How soon commands answer in a large server: suggestions, the first sign of every command's answer, and pictures."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from bot.adapters.clock import SystemClock
from bot.core.changes import AddAgent
from bot.core.records import AgentId, Snowflake
from tests.bench import Figure
from tests.cogs.trees import commands_sent, leaves
from tests.e2e.filling import attempts, needs_file
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Json
from tests.factories import agent, room

AGENTS, MEMBERS = 450, 5_000
TIMES = 40
ROUNDS = 3  # of every command
PAUSE_SECONDS = 0.002
PICTURES = ("agent show", "heartbeat status", "attention show", "usage today", "usage by")
TRIALS = {"setup try"}  # plays thirty situations, and tells how far it is
NAMED = {"agent": "Resident0400", "room": "Ledger", "request": "1", "time_zone": "UTC", "value": "40", "label": "one"}
SUGGESTED = (
    ("agent show", "agent", "resident04"),
    ("room info", "room", "res"),
    ("agent create", "model", "gpt"),
    ("setup words", "time_zone", "eu"),
)
Seconds = dict[str, list[float]]  # by the name of a command


def run() -> list[Figure]:
    """Measure all of it."""
    return asyncio.run(_at_commands())


async def _at_commands() -> list[Figure]:
    with TemporaryDirectory() as folder:
        async with shared_home(Path(folder)) as cast:
            await _crowd(cast)
            suggested = [await _suggested(cast, *SUGGESTED[turn % len(SUGGESTED)]) for turn in range(TIMES)]
            first, whole = await _every_command(cast)
    slowest = max(first, key=lambda name: median(first[name]))
    longest = max(whole.keys() - TRIALS, key=lambda name: median(whole[name]))
    return [
        _p95(f"discord.autocomplete_{AGENTS}_p95", suggested, 100),
        _p95("discord.first_answer_p95", _all(first), 300),
        Figure(
            name=f"discord.first_answer_slowest ({slowest})",
            value=median(first[slowest]) * 1_000,
            unit="ms",
            target=300,
        ),
        _p95("discord.whole_answer_p95", _all(whole), 1_000),
        Figure(
            name=f"discord.whole_answer_slowest ({longest})",
            value=median(whole[longest]) * 1_000,
            unit="ms",
            target=1_000,
        ),
        _p95("discord.picture_p95", _all({name: whole[name] for name in PICTURES}), 400),
    ]


async def _every_command(cast: Cast) -> tuple[Seconds, Seconds]:
    """Use everything there is, some rounds; gives the seconds to the first sign, and to the whole answer."""
    said = await cast.you.say(cast.manager.channel_id, "Ledger, here I am")
    first: Seconds = {}
    whole: Seconds = {}
    for name, ask in [each for _ in range(ROUNDS) for each in _uses(cast, await commands_sent(), said)]:
        begun, seen = time.perf_counter(), len(cast.you.heard)
        answering = asyncio.create_task(ask())
        first.setdefault(name, []).append(await _heard(cast, seen, begun))
        await answering
        whole.setdefault(name, []).append(time.perf_counter() - begun)
    return first, whole


def _uses(
    cast: Cast, commands: list[Json], said: Json
) -> Iterator[tuple[str, Callable[[], Coroutine[None, None, Json]]]]:
    """Give a way to use each command, and each entry of a message's menu."""
    for path, command in leaves(commands):
        name = " ".join(path)
        if command.get("type") == 3:
            yield name, lambda name=name: cast.manager.menu(name, said)  # type: ignore[misc]
        else:
            options = next(attempts(command, cast.guest.visitor.user["id"], NAMED))
            file = ("card.json", b"{}") if needs_file(command) else None
            yield name, lambda name=name, options=options, file=file: cast.manager.run(name, file=file, **options)  # type: ignore[misc]


async def _crowd(cast: Cast) -> None:
    """Let many people come, and many agents live here, without channels."""
    for number in range(MEMBERS):
        async with cast.home.session.post(f"{cast.home.url}/playground/people", json={"name": f"p{number}"}) as made:
            assert made.status == 200
    store, now = cast.home.house.client.store, SystemClock().now()
    async with store.reading() as read:
        community = await read.communities.of_guild(Snowflake(int(cast.you.about["guild_id"])))
    assert community is not None
    async with store.writing(community.id) as write:
        for number in range(AGENTS):
            id = AgentId(write.ids.take("agent"))
            one = agent(id, name=f"Resident{number:04}", created_at=now, community_id=community.id)
            await write.apply(community.id, [AddAgent(agent=one, room=room(id, community_id=community.id))])


async def _suggested(cast: Cast, path: str, option: str, typed: str) -> float:
    """Give the seconds until something is suggested."""
    begun, seen = time.perf_counter(), len(cast.you.heard)
    await cast.manager.type_into(path, option, typed)
    while not any(kind.endswith("AUTOCOMPLETE_RESPONSE") for kind, _ in cast.you.heard[seen:]):  # noqa: ASYNC110
        await asyncio.sleep(PAUSE_SECONDS)
    return time.perf_counter() - begun


async def _heard(cast: Cast, seen: int, begun: float) -> float:
    """Give the seconds to the first sign of an answer, which may be that the bot thinks."""
    while not any(kind == "INTERACTION_SUCCESS" for kind, _ in cast.you.heard[seen:]):  # noqa: ASYNC110
        await asyncio.sleep(PAUSE_SECONDS)
    return time.perf_counter() - begun


def _all(seconds: Seconds) -> list[float]:
    return [each for times in seconds.values() for each in times]


def _p95(name: str, seconds: list[float], target: float | None) -> Figure:
    return Figure(name=name, value=quantiles(seconds, n=20)[-1] * 1_000, unit="ms", target=target)
