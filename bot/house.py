"""Selfroom running: its parts together, from the first contact with Discord to the last post."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Literal, Protocol

import aiohttp
import discord

from bot.adapters.discord.publisher import DiscordPublisher
from bot.adapters.discord.reaching import api_trouble, gateway_trouble, token_trouble
from bot.adapters.metrics import PrometheusMetrics
from bot.adapters.web import Face
from bot.client import SelfroomClient
from bot.core.actions import CreateAgent
from bot.core.errors import BadSetting
from bot.core.hints import Hint, HintKind
from bot.core.people import HOUSEKEEPER
from bot.core.ports import Metrics
from bot.core.records import Snowflake
from bot.core.spans import Span
from bot.core.templates import FIRST_RESIDENTS, TEMPLATES
from bot.engine.beside import Beside
from bot.engine.deadlines import Deadlines
from bot.engine.delivery import Delivery
from bot.engine.front_desk import FrontDesk
from bot.engine.heartbeat import Heartbeat
from bot.engine.summaries import Summaries
from bot.engine.upkeep import Upkeep

if TYPE_CHECKING:
    from bot.adapters.bell import NatsBell

FINISH_SECONDS = 1.0  # for a running beat, and again for running posts: everything together ends within 3 s
UPKEEP_SECONDS = 5.0
DEADLINE_SECONDS = 1.0
BACKUP_SECONDS = 3_600.0
TREES_SECONDS = 600.0
OWED_SECONDS = 60.0
LAG_SECONDS = 1.0
CALL_PATIENCE = 2.5  # times what an answer may take: it may have to wait for its turn as long
Part = Coroutine[None, None, None]
Job = Callable[[], Awaitable[None]]


def stopped_by_signals() -> asyncio.Event:
    """Give an event that Ctrl-C and SIGTERM set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


def open_traces(stack: AsyncExitStack, traces_url: str | None) -> Callable[[Span], None] | None:
    """Give what takes the spans of beats, where somebody wants to follow them."""
    if traces_url is None:
        return None
    try:
        from bot.adapters.traces import traces_to  # brought by an extra, which few have
    except ModuleNotFoundError as error:
        raise BadSetting(
            "SELFROOM_TRACES_URL is set, but not what sends spans: install selfroom[traces], or unset it."
        ) from error
    traces = traces_to(traces_url, metadata.version("selfroom"))
    stack.push_async_callback(asyncio.to_thread, traces.close)
    return traces


def open_bell(
    nats_url: str | None, database: str, ear: Literal["minds", "gateway"], metrics: PrometheusMetrics
) -> "NatsBell | None":
    """Give the bell between processes on the same database, where one is set; raises BadSetting."""
    if nats_url is None:
        return None
    try:
        from bot.adapters.bell import NatsBell  # brought by an extra, which few have
    except ModuleNotFoundError as error:
        raise BadSetting(
            "SELFROOM_NATS_URL is set, but not what rings by it: install selfroom[scale], or unset it."
        ) from error
    bell = NatsBell(nats_url, database, ear, metrics)
    metrics.watch("bell_up", "1 while hints are carried between processes", lambda: bell.is_up)
    return bell


async def welcome(desk: FrontDesk, guild_id: Snowflake) -> None:
    """Create the sample agents in a community that has none yet; do nothing in one that has."""
    if await desk.agents.everyone(guild_id):
        return
    for name in FIRST_RESIDENTS:
        template = TEMPLATES[name]
        action = CreateAgent(name=name, background_prompt=template.prompt, agent_type=template.type)
        await desk.actions.take(guild_id, HOUSEKEEPER, action)
    for first in (await desk.agents.everyone(guild_id))[:1]:  # what its view loads takes long, and nobody waits yet
        await desk.minds.hud(guild_id, first)


class Ticking(Protocol):
    """What drives slots and timed jobs."""

    def start(self, slot: Job | None) -> None:
        """Begin to tick; where nobody beats, with the timed jobs alone."""

    def every(self, seconds: float, body: Job, *, name: str) -> None:
        """Run a job again and again."""

    def nudge(self, at: datetime) -> None:
        """Ask for a slot at that time."""

    def stop(self) -> None:
        """Tick no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordSite:
    """The Discord that the bot lives on; `model_url` is where the playground's scripted model is."""

    token: str
    api: str | None = None
    gateway: str | None = None
    cdn: str | None = None
    url: str = ""  # for people; empty on Discord itself
    model_url: str | None = None
    member_with: Callable[[str, int], int | None] | None = None  # the playground's person with a token, in a server

    @property
    def is_playground(self) -> bool:
        """Whether it is our own double of Discord, with first residents and a scripted model."""
        return self.model_url is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Selfroom, built and ready to be lived in."""

    site: DiscordSite
    client: SelfroomClient
    publisher: DiscordPublisher
    delivery: Delivery
    scheduler: Ticking
    heartbeat: Heartbeat | None  # of a gateway minds beside it beat
    beside: Beside | None  # what a gateway does for those
    bell: "NatsBell | None"
    upkeep: Upkeep
    summaries: Summaries
    deadlines: Deadlines
    desk: FrontDesk
    face: Face | None
    metrics: Metrics
    expire_backups: Job
    pay_off: Job

    async def serve(self, stop: asyncio.Event, *, ready: Callable[[], object]) -> None:
        """Live until told to stop; an error that ends a part ends the house."""
        named: dict[str, Part] = {
            "discord": self._connect(),
            "delivery": self.delivery.run(),
            "begin": self._begin(ready),
            "lag": watch_loop(self.metrics),
            "stop": _wait(stop),
        }
        if self.bell is not None:
            named["bell"] = self.bell.serve(self._hear)
        parts = [asyncio.create_task(part, name=name) for name, part in named.items()]
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            for part in done:
                part.result()
        finally:
            await self._close(parts)

    async def _hear(self, hint: Hint) -> None:
        """Look for what a mind rang for: there may be letters, somebody due by them, and somebody to be seen typing."""
        if hint.kind is HintKind.WRITTEN:
            self.delivery.wake()
        self.scheduler.nudge(datetime.now(UTC))

    async def _connect(self) -> None:
        try:
            await self.client.start(self.site.token)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise as_bad_setting(error, self.site) from error

    async def _begin(self, ready: Callable[[], object]) -> None:
        """Once Discord is read up to now: let first residents move into a playground, and let hearts beat."""
        await self.client.caught_up.wait()
        if self.site.is_playground:
            for guild in self.client.guilds:
                await welcome(self.desk, Snowflake(guild.id))
        await self.expire_backups()
        self.scheduler.every(BACKUP_SECONDS, self.expire_backups, name="backups")
        self.scheduler.every(UPKEEP_SECONDS, self.upkeep.run, name="upkeep")
        self.scheduler.every(DEADLINE_SECONDS, self.deadlines.run, name="deadlines")
        self.scheduler.every(UPKEEP_SECONDS, self.summaries.run, name="summaries")  # a slow model holds up nothing else
        await self.desk.timelines.go_on()
        self.scheduler.every(TREES_SECONDS, self.desk.endings.expire, name="timelines")
        self.scheduler.every(TREES_SECONDS, self.desk.runs.expire, name="runs")
        if self.heartbeat is None:
            self.scheduler.every(OWED_SECONDS, self.pay_off, name="owed")
        looks = self.heartbeat.run_due if self.heartbeat is not None else self.beside.run if self.beside else None
        self.scheduler.start(looks)
        if self.face is not None:
            self.face.is_ready = True
        ready()
        await asyncio.Event().wait()

    async def _close(self, parts: list[asyncio.Task[None]]) -> None:
        self.scheduler.stop()
        await self.summaries.close()
        if self.heartbeat is not None:
            await self.heartbeat.close(FINISH_SECONDS)
        await self.delivery.close(FINISH_SECONDS)
        await self.client.close()
        await self.publisher.close()
        for part in parts:
            part.cancel()
        await asyncio.gather(*parts, return_exceptions=True)


async def watch_loop(metrics: Metrics) -> None:
    """Measure how much later than asked for the loop comes round: what holds it holds everybody."""
    loop = asyncio.get_running_loop()
    while True:
        asked_for = loop.time() + LAG_SECONDS
        await asyncio.sleep(LAG_SECONDS)
        metrics.observe("loop_lag_seconds", max(0.0, loop.time() - asked_for))


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


def as_bad_setting(error: Exception, site: DiscordSite) -> BadSetting:
    """Word why the bot could not log in, and what to do."""
    match error:
        case discord.LoginFailure():
            return BadSetting(token_trouble(site.token))
        case discord.PrivilegedIntentsRequired():
            return BadSetting(
                "The bot may not read messages: switch on the Message Content intent in the developer portal."
            )
        case aiohttp.WSServerHandshakeError() | discord.ConnectionClosed():
            return BadSetting(gateway_trouble(error))
        case _:
            return BadSetting(api_trouble(error))
