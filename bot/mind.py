"""`selfroom mind`: a process in which agents only beat, beside a gateway, on the same PostgreSQL (docs/scale.md).

It knows the database and the model providers, and neither Discord nor its token.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock, random_for
from bot.adapters.llm.provider import CALLS_AT_ONCE
from bot.adapters.logs import set_up_console
from bot.adapters.metrics import PrometheusMetrics
from bot.adapters.scheduler import SlotScheduler
from bot.adapters.web import Face
from bot.adapters.workshop import ProcessWorkshop
from bot.core.errors import BadSetting
from bot.core.hints import Hint, HintKind
from bot.core.ports import Metrics
from bot.engine.heartbeat import Heartbeat
from bot.engine.performer import Performer
from bot.house import CALL_PATIENCE, FINISH_SECONDS, DiscordSite, open_bell, open_traces, stopped_by_signals, watch_loop
from bot.providers import make_models
from bot.settings import Settings
from bot.tokens import tokenizer_for
from bot.vault import Say, cipher_of
from storage.store import SqlStore

if TYPE_CHECKING:
    from bot.adapters.bell import NatsBell

CARRIED_A_PLACE = 3  # agents that are claimed for each call at once: more would wait here, whom others could ask
RENEWALS = 3  # of a claim while its lease lasts: one or two may fail


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """What lets agents beat, with its clock and its pulse."""

    heartbeat: Heartbeat
    scheduler: SlotScheduler
    metrics: Metrics
    bell: "NatsBell | None"
    lease_seconds: float

    async def serve(self, stop: asyncio.Event) -> None:
        """Let agents beat until told to stop; whoever still waits for an answer then is put back for others."""
        lag = asyncio.create_task(watch_loop(self.metrics))
        self.scheduler.every(self.lease_seconds / RENEWALS, self.heartbeat.renew, name="leases")
        self.scheduler.start(self.heartbeat.run_due)
        listening = asyncio.create_task(self.bell.serve(self.heartbeat.hear)) if self.bell else None
        try:
            await stop.wait()
        finally:
            self.scheduler.stop()
            await self.heartbeat.close(FINISH_SECONDS)
            beside = [task for task in (lag, listening) if task is not None]
            for task in beside:
                task.cancel()
            await asyncio.wait(beside)


async def run_mind(settings: Settings, *, say: Say) -> None:
    """Run until Ctrl-C or SIGTERM; raises a SelfroomError when it cannot start."""
    stop = stopped_by_signals()
    set_up_console(as_json=settings.log_format == "json")
    async with mind(settings) as here:
        say("This mind is ready: agents whose next beat has come are asked from here as well.")
        await here.serve(stop)


@asynccontextmanager
async def mind(settings: Settings) -> AsyncIterator[Mind]:
    """Build one; leaving closes everything. Raises BadSetting."""
    if settings.secret is None and not (settings.data_dir / "secret").exists():
        raise BadSetting("A mind needs the gateway's secret, to open keys: set SELFROOM_SECRET in both to the same.")
    if settings.sponsored_servers == "playground":  # who has no token is in a playground, elsewhere
        settings = settings.model_copy(update={"sponsored_servers": frozenset()})
    async with AsyncExitStack() as stack:
        clock, metrics = SystemClock(), PrometheusMetrics(open_traces(stack, settings.traces_url))
        bell = open_bell(settings.nats_url, settings.database, "minds", metrics)
        store = await SqlStore.open(settings.database, config=settings.defaults, post="mind")
        stack.push_async_callback(store.close)
        cipher = cipher_of(settings)
        models = make_models(settings, DiscordSite(token=""), cipher, store)
        stack.push_async_callback(models.close)
        workshop = ProcessWorkshop()
        stack.push_async_callback(workshop.close)
        scheduler = SlotScheduler(clock, slot_seconds=settings.sweep_seconds if bell else settings.slot_seconds)
        heartbeat = Heartbeat(
            store,
            models,
            Performer(cipher=cipher, tokenizer=tokenizer_for(settings.defaults.model), models=models),
            clock,
            random_for,
            metrics,
            workshop=workshop,
            cipher=cipher,
            planned=scheduler,
            call_seconds=settings.model_total_seconds * CALL_PATIENCE,
            lease_seconds=settings.lease_seconds,
            bell=bell,
            on_letters=partial(bell.ring, Hint(kind=HintKind.WRITTEN)) if bell else lambda: None,
            at_once=CARRIED_A_PLACE * (settings.calls_per_provider or CALLS_AT_ONCE),
        )
        if settings.face_port is not None:
            face = await stack.enter_async_context(Face(store, clock, metrics, port=settings.face_port))
            face.is_ready = True
        yield Mind(
            heartbeat=heartbeat,
            scheduler=scheduler,
            metrics=metrics,
            bell=bell,
            lease_seconds=settings.lease_seconds,
        )
