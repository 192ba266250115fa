"""The bell between processes: tasks of taskiq's on NATS JetStream, of which nothing is kept for longer than seconds.

JetStream may lose what it acknowledged. Nothing depends on it: whoever hears a hint looks into the database, and
whoever hears none looks there by itself.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import astuple
from typing import Literal

import structlog
from nats.errors import Error as NatsError
from nats.js.api import AckPolicy, ConsumerConfig, StorageType, StreamConfig
from taskiq import BrokerMessage, TaskiqMessage, TaskiqMiddleware
from taskiq.exceptions import TaskiqError
from taskiq.receiver import Receiver
from taskiq_nats import PullBasedJetStreamBroker

from bot.core.hints import Hint, HintKind
from bot.core.ports import Metrics
from bot.core.records import AgentId, BeatId, CommunityId
from bot.core.terminal import without_secrets

CONNECT_SECONDS = 3.0
AGAIN_SECONDS = 1.0  # until it is tried anew
HINT_SECONDS = 5.0  # a hint is kept, and given to another where nobody took it: by then they have looked
SEND_SECONDS = 2.0
MOST_WAITING = 1_000  # hints; further ones are dropped
MOST_KEPT = 1_000
WHOLE = 1 << 63  # no id is larger
TASK = "hint"
Ear = Literal["minds", "gateway"]  # who hears a hint: any one of all minds, or the one gateway
OF: dict[HintKind, Ear] = {HintKind.DUE: "minds", HintKind.BEGUN: "gateway", HintKind.WRITTEN: "gateway"}
AWAY = (NatsError, TaskiqError, OSError, TimeoutError)
Hears = Callable[[Hint], Awaitable[None]]
log = structlog.get_logger(__name__)
for quiet in ("nats", "taskiq", "taskiq_nats"):  # they repeat what anybody may have sent, at every try
    logging.getLogger(quiet).setLevel(logging.CRITICAL)


class NatsBell:
    """Keeps the `Bell` port for one process; `database` names the one that all of them share.

    Raises nothing: while no NATS is there hints are dropped.
    """

    def __init__(self, url: str, database: str, ear: Ear, metrics: Metrics) -> None:
        self._url, self._shown_url = url, without_secrets(url)
        self._ear: Ear = ear
        self._stream = f"selfroom_{hashlib.sha256(database.encode()).hexdigest()[:12]}"
        self._metrics = metrics
        self._waiting: asyncio.Queue[Hint] = asyncio.Queue(MOST_WAITING)
        self._was_told = False
        self.is_up = False

    def ring(self, hint: Hint) -> None:
        """Send a hint as soon as may be, or drop it."""
        if not self.is_up or self._waiting.full():
            self._metrics.count("hints_dropped")
            return
        self._waiting.put_nowait(hint)

    async def serve(self, hears: Hears) -> None:
        """Carry hints for as long as it is let; `hears` is told each that is for this process, one after the other."""
        while True:
            try:
                await self._connected(hears)
            except* AWAY as group:
                self._tell_away(group)
            except* Exception:
                log.exception("the bell broke")
            await asyncio.sleep(AGAIN_SECONDS)

    def _tell_away(self, group: BaseExceptionGroup[BaseException]) -> None:
        if not self._was_told:
            why = ", ".join(sorted({type(one).__name__ for one in group.exceptions}))
            log.warning("the bell is away: who is due is looked for now and then", url=self._shown_url, why=why)
        self._was_told = True

    async def _connected(self, hears: Hears) -> None:
        """Carry hints until the line breaks; what is needed at the server is made each time, for it may be wiped."""
        gone = asyncio.Event()
        broker = _Broker(self._url, self._stream, self._ear, gone)
        broker.add_middlewares(_Unlabelled())
        task = broker.register_task(self._heard_by(hears), task_name=TASK)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await broker.startup()
            log.info("the bell rings", url=self._shown_url)
            self.is_up, self._was_told = True, False
            async with asyncio.TaskGroup() as group:
                group.create_task(self._listen(broker))
                group.create_task(_until(gone))
                while True:
                    hint = await self._waiting.get()
                    async with asyncio.timeout(SEND_SECONDS):
                        await task.kicker().with_broker(broker).with_labels(ear=OF[hint.kind]).kiq(*astuple(hint))
                    self._metrics.count("hints_rung")
        finally:
            self.is_up = False
            while not self._waiting.empty():
                self._waiting.get_nowait()
            with suppress(*AWAY):
                async with asyncio.timeout(CONNECT_SECONDS):
                    await broker.shutdown()

    async def _listen(self, broker: "_Broker") -> None:
        receiver = Receiver(broker, validate_params=False, max_async_tasks=1, run_startup=False)
        async for message in broker.listen():
            await receiver.callback(message)

    def _heard_by(self, hears: Hears) -> Callable[..., Awaitable[None]]:
        async def heard(*given: object) -> None:
            if (hint := read_hint(given)) is None or OF[hint.kind] != self._ear:
                self._metrics.count("hints_unread")
                return
            self._metrics.count("hints_heard")
            await hears(hint)

        return heard


async def _until(gone: asyncio.Event) -> None:
    await gone.wait()
    raise ConnectionError("the line to NATS broke")


def read_hint(given: tuple[object, ...]) -> Hint | None:
    """Read what came as a hint; None for what is none, whoever sent it."""
    if len(given) != 4 or given[0] not in list(HintKind):
        return None
    kind, *ids = given
    numbers = [one if isinstance(one, int) and not isinstance(one, bool) and 0 <= one < WHOLE else None for one in ids]
    if numbers != ids:
        return None
    community, agent, token = numbers
    return Hint(
        kind=HintKind(str(kind)),
        community_id=CommunityId(community) if community is not None else None,
        agent_id=AgentId(agent) if agent is not None else None,
        token=BeatId(token) if token is not None else None,
    )


class _Unlabelled(TaskiqMiddleware):
    """Takes from what came all that could tell taskiq what to do with it: anybody may have sent it."""

    def pre_execute(self, message: TaskiqMessage) -> TaskiqMessage:
        return message.model_copy(update={"labels": {}})


class _Broker(PullBasedJetStreamBroker):
    """One line for both ways: it listens at one ear, and kicks each task to the ear that its label names."""

    def __init__(self, url: str, stream: str, ear: Ear, gone: asyncio.Event) -> None:
        async def lost(*_: object) -> None:
            gone.set()

        async def quiet(_: Exception) -> None:
            """What is lost is told once, by who notices."""

        super().__init__(
            url,
            subject=f"{stream}.{ear}",
            stream_name=stream,
            durable=ear,
            stream_config=StreamConfig(
                name=stream,
                subjects=[f"{stream}.*"],
                storage=StorageType.MEMORY,
                max_age=HINT_SECONDS,
                max_msgs=MOST_KEPT,
            ),
            consumer_config=ConsumerConfig(
                durable_name=ear,
                filter_subject=f"{stream}.{ear}",
                ack_policy=AckPolicy.EXPLICIT,
                ack_wait=HINT_SECONDS,
                max_deliver=2,
            ),
            pull_consume_timeout=HINT_SECONDS,
            allow_reconnect=False,
            connect_timeout=CONNECT_SECONDS,
            error_cb=quiet,
            disconnected_cb=lost,
            closed_cb=lost,
        )

    async def kick(self, message: BrokerMessage) -> None:
        """Send a task to the ear that it is for."""
        await self.js.publish(f"{self.stream_name}.{message.labels['ear']}", payload=message.message)
