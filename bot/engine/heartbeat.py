"""One slot: who is due, who goes, what they are asked, and what their answers do (docs/heartbeat.md#one-beat)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.core.errors import StoreError
from bot.core.gate import Ready
from bot.core.hints import Hint, HintKind
from bot.core.ports import Bell, Cipher, Clock, Metrics, Models, Planned, Store, Workshop
from bot.core.records import AgentId, BeatId, CommunityId, Reason, Snowflake
from bot.core.spans import SpanKind
from bot.core.view import Outline
from bot.engine import planner
from bot.engine.applying import Applier, RandomFor
from bot.engine.aside import aside
from bot.engine.calling import Caller
from bot.engine.carried import by_size, without_minds
from bot.engine.gatekeeper import Batch, Gatekeeper
from bot.engine.moderation import Objections
from bot.engine.performer import Performer
from bot.engine.planner import PlannedCall
from bot.engine.purse import Purse, metrics_of
from bot.engine.spans import Spans, open_beats

AT_ONCE = 2_000  # agents looked at in one slot; who is left comes first in the next
CALL_SECONDS = 200.0  # longer than the model port's own timeouts and retries
TYPING_AGAIN_SECONDS = 20.0  # before what was begun ends by itself
SPARE_SECONDS = 60.0  # a lease lasts for a call, one more alone, and this
Claimed = tuple[CommunityId, BeatId]
Then = Callable[[], Awaitable[None]] | None
log = structlog.get_logger(__name__)


def _nothing() -> None:
    """Nobody waits for letters."""


class Heartbeat:
    """Makes agents beat. `slot` carries one slot out to its end; `run_due` begins one and comes back at once.

    `objections`: asked of moderation also for what delivery carries. `random_for` gives the chance of a beat,
    `on_typing` shows the bot typing in a channel, `on_letters` is called when there may be something to deliver,
    `planned` is told when the next slot is due, `at_once`: agents looked at in one. `lease_seconds`: beside others on
    the same database a claim lasts so long, is renewed while it is carried out (`renew`), and is never freed by others;
    no more than `at_once` are then carried. `bell`: by which others hear for whom somebody waits, and who was too many.
    """

    def __init__(
        self,
        store: Store,
        models: Models,
        performer: Performer,
        clock: Clock,
        random_for: RandomFor,
        metrics: Metrics,
        *,
        workshop: Workshop,
        objections: Objections | None = None,
        cipher: Cipher | None = None,
        planned: Planned | None = None,
        on_typing: Callable[[Snowflake, Snowflake], None] | None = None,
        on_letters: Callable[[], None] = _nothing,
        on_beat: Callable[[], None] = _nothing,
        bell: Bell | None = None,
        call_seconds: float = CALL_SECONDS,
        lease_seconds: float | None = None,
        at_once: int = AT_ONCE,
    ) -> None:
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._spans = Spans(metrics, clock)
        self._planned, self._at_once = planned, at_once
        self._on_typing, self._bell = on_typing, bell
        self._lease_seconds = lease_seconds
        lasts = lease_seconds or 2 * call_seconds + SPARE_SECONDS
        self._gatekeeper = Gatekeeper(store, models, cipher=cipher, lease_seconds=lasts)
        self._purse = Purse(store)
        self._applier = Applier(store, performer, clock, random_for, metrics, models=models, on_beat=on_beat)
        self._caller = Caller(
            store,
            self._purse,
            self._applier,
            clock,
            metrics,
            workshop,
            objections or Objections(clock),
            call_seconds=call_seconds,
            renews=lease_seconds is not None,
            on_letters=on_letters,
        )
        self._door = asyncio.Lock()  # one slot is collected at a time
        self._carried, self._entering = set[Claimed](), set[Claimed]()  # whose calls are carried out, and planned
        self._unsure = False  # a transaction broke off: it may have claimed somebody for whom nothing runs
        self._running: set[asyncio.Task[None]] = set()
        self._wanted = self._closed = False  # a slot was asked for; none is begun any more
        self._looking, self._freed = False, asyncio.Event()  # for who is due; somebody who was carried is no more

    async def slot(self, now: datetime) -> None:
        """Carry one slot out: everyone due at that time, until the last answer is applied."""
        await self._carry_out(await self._collect(now))

    async def run_due(self) -> None:
        """Begin a slot now and come back at once: a slow call delays only its own agents, a slow look nobody else."""
        self._wanted = True
        if not self._closed and not self._looking:
            self._looking = True
            self._start(self._look())

    async def hear(self, hint: Hint) -> None:
        """Look who is due, for somebody rang; who can carry no more passes it on, and hears no further one yet."""
        if self._may_claim() > 0:
            await self.run_due()
        elif self._bell is not None:
            self._bell.ring(hint)
        while self._may_claim() <= 0 and not self._closed:
            self._freed.clear()
            await self._freed.wait()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _look(self) -> None:
        """Collect who is due, and once more when that was asked for meanwhile."""
        try:
            while self._wanted and not self._closed:
                self._wanted = False
                await self._caller.let_go_overtaken()
                if batches := await self._collect(self._clock.now()):
                    self._start(self._carry_out(batches, then=self.run_due))
            may_claim = self._may_claim() > 0  # else the end of a call lets it look again, not a time that has passed
            if self._planned is not None and may_claim and (at := await self.next_wake()) is not None:
                self._planned.nudge(at)
        except StoreError as error:  # it is tried again at the next tick; a line a second is enough
            self._unsure = True
            self._metrics.count("slots_broken")
            log.error("who is due could not be found out", why=error.sentence)
        except Exception:
            self._unsure = True
            self._metrics.count("slots_broken")
            log.exception("who is due could not be found out")
        finally:
            self._looking = False

    async def next_wake(self) -> datetime | None:
        """Give the time at which the next agent is due; None when nothing is waited for."""
        async with self._store.reading() as read:
            return await read.claims.next_due_at()

    async def close(self, seconds: float) -> None:
        """Begin nothing more, wait a while for answers, then put the agents back that are still waiting for one."""
        self._closed = True
        self._freed.set()
        try:
            async with self._clock.timeout(seconds):
                while self._running:
                    await asyncio.wait(list(self._running))
        except TimeoutError:
            log.info("closing before all answers came", calls=len(self._running))
        left = list(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _collect(self, now: datetime) -> list[tuple[Batch, Sequence[PlannedCall]]]:
        """Let agents through and plan their calls, community by community; a fault of one stays its own."""
        async with self._door:
            await self._caller.free_stuck()
            await self._free_unsure()
            if (most := self._may_claim()) <= 0:
                return []
            async with self._store.reading() as read:
                due = await read.claims.due(now, limit=most)
            by_community: dict[CommunityId, list[AgentId]] = {}
            for community_id, agent_id in due:
                by_community.setdefault(community_id, []).append(agent_id)
            try:
                entered = [await self._enter(community_id, ids, now) for community_id, ids in by_community.items()]
                batches = [one for one in entered if one is not None]
                self._carried |= _claims(batches)
            finally:
                self._entering.clear()
        return batches

    def _may_claim(self) -> int:
        """Give how many agents to look at: beside others no more than can be carried, for they would wait here."""
        return self._at_once if self._lease_seconds is None else self._at_once - len(self._carried)

    async def _free_unsure(self) -> None:
        """Free agents that a broken transaction may have claimed: nobody else would before their leases end.

        Beside others it is waited for that: who is claimed may be theirs.
        """
        if not self._unsure or self._lease_seconds is not None:
            return
        async with self._store.writing() as write:
            await write.claims.abandon(keeping=self._carried)
        self._unsure = False

    async def renew(self) -> None:
        """Let the claims that are being carried out last longer; where that fails, others take over in time."""
        if self._lease_seconds is None:
            return
        until = self._clock.now() + timedelta(seconds=self._lease_seconds)
        try:
            async with self._store.writing() as write:
                await write.claims.renew(self._carried | self._entering, until)
        except StoreError as error:
            log.warning("claims could not be renewed", claims=len(self._carried), why=error.sentence)

    async def _enter(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], now: datetime
    ) -> tuple[Batch, Sequence[PlannedCall]] | None:
        try:
            since = self._clock.now()
            batch = await self._gatekeeper.let_in(community_id, agent_ids, now)
            if batch is None:
                return None
            self._entering |= {(community_id, one.claim.beat_id) for one in batch.ready}
            if not (batch := await self._afforded(batch)).ready:
                return None
            self._spans.note(SpanKind.CLAIM, batch.view.community, open_beats(batch.ready), since)
        except Exception:
            self._unsure = True
            self._metrics.count("slots_broken")
            log.exception("a slot could not be collected", community=community_id)
            return None
        self._show_typing(batch, batch.ready)
        self._tell_begun(batch)
        for ready in batch.ready:
            late = max(0.0, (now - ready.first.due_at).total_seconds())
            metrics_of([ready], self._metrics).observe("lateness_seconds", late)
        return await self._plan(batch)

    async def _afforded(self, batch: Batch) -> Batch:
        """Let those rest whose family has used up its share of the day; the others go on."""
        over = await self._purse.overspent(batch.view, batch.model.source.ceilings, batch.at)
        if over & {one.agent_id for one in batch.ready}:
            await self._caller.rest(batch, [one for one in batch.ready if one.agent_id in over])
        return replace(batch, ready=tuple(one for one in batch.ready if one.agent_id not in over))

    async def _plan(self, batch: Batch) -> tuple[Batch, Sequence[PlannedCall]] | None:
        try:
            view, model = batch.view, batch.model
            calls: list[PlannedCall] = []
            note, since = self._spans.note, self._clock.now()
            async for seen, ready in by_size(self._store, view, batch.ready):
                read_at = note(SpanKind.VIEW, view.community, open_beats(ready), since)
                write = planner.builder(seen, model, batch.at, turns=batch.turns)
                planned = planner.plan(seen, ready, model, write, batch.at)
                while (call := await aside(next, planned, None)) is not None:  # to write a large one takes a second
                    calls.append(planner.with_images(view, model, call))
                since = note(SpanKind.HUD, view.community, open_beats(ready), read_at)
            booked = await self._purse.reserve(batch.community_id, model, view.config, calls, batch.at, view.agents)
            return replace(batch, view=without_minds(view)), booked
        except Exception:
            self._metrics.count("slots_broken")
            log.exception("calls could not be planned", community=batch.community_id)
            await self._caller.give_up(batch)
            return None

    async def _keep_typing(self, batch: Batch, call: PlannedCall) -> None:
        """Show typing for as long as the call goes on."""
        while self._on_typing is not None and any(one.addressed_by_person for one in call.ready):
            await self._clock.sleep(TYPING_AGAIN_SECONDS)
            self._show_typing(batch, call.ready)

    def _show_typing(self, batch: Batch, agents: Sequence[Ready]) -> None:
        """Show the bot typing where a person waits for an answer."""
        if self._on_typing is None:
            return
        places = {_heard_in(batch.view, ready.first) for ready in agents if ready.addressed_by_person}
        for place in sorted(place for place in places if place is not None):
            self._on_typing(batch.view.community.guild_id, place)

    def _tell_begun(self, batch: Batch) -> None:
        """Ring for those for whom a person waits: who speaks to Discord shows it there."""
        if self._bell is None:
            return
        for one in batch.ready:
            if one.addressed_by_person:
                its, token = batch.community_id, one.claim.beat_id
                self._bell.ring(Hint(kind=HintKind.BEGUN, community_id=its, agent_id=one.agent_id, token=token))

    async def _carry_out(self, batches: Sequence[tuple[Batch, Sequence[PlannedCall]]], *, then: Then = None) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for batch, calls in batches:
                    for call in calls:
                        group.create_task(self._one(batch, call, then))
        finally:
            self._carried -= _claims(batches)
            self._freed.set()

    async def _one(self, batch: Batch, call: PlannedCall, then: Then) -> None:
        """Carry one call out; who was called while it ran need not wait for the next tick."""
        typing = asyncio.create_task(self._keep_typing(batch, call))
        try:
            await self._caller.carry_out(batch, call)
        finally:
            typing.cancel()
            self._carried -= {(batch.community_id, one.claim.beat_id) for one in call.ready}
            self._freed.set()
            for one in call.ready:
                self._spans.note(
                    SpanKind.BEAT, batch.view.community, open_beats([one]), batch.at, reason=one.first.kind
                )
        if then is not None:
            await then()


def _heard_in(view: Outline, reason: Reason) -> Snowflake | None:
    """Give the channel or the thread in which somebody called an agent."""
    room = view.rooms.get(reason.room_id) if reason.room_id is not None else None
    if room is None or room.room.channel_id is None:
        return None
    calling = next((one for one in reversed(room.messages) if one.id == reason.message_id), None)
    return (calling.thread_id if calling else None) or room.room.channel_id


def _claims(batches: Sequence[tuple[Batch, Sequence[PlannedCall]]]) -> set[Claimed]:
    return {(batch.community_id, one.claim.beat_id) for batch, _ in batches for one in batch.ready}
