"""What an answer does: each agent's part by itself, and only while its claim is held (docs/heartbeat.md#one-beat)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from bot.core.actions import Action, Play, Reply, SendMessage
from bot.core.actor import Actor
from bot.core.after_beat import (
    FAILURES_TOLD,
    answered,
    backoff_until,
    failed,
    looked,
    misunderstood,
    seen,
    spoken,
    undone,
    widened,
)
from bot.core.answers import AgentAnswer
from bot.core.changes import AgentColumns, Change, ClearLookups, EndBeat, RecordAction, UpdateAgent
from bot.core.errors import Broken, ModelError
from bot.core.floor import after_saying, may_speak
from bot.core.gate import Claim, Ready
from bot.core.hud.call import AgentPart
from bot.core.key_redaction import LONGEST_KEPT, KeyRedactor
from bot.core.kinds import HeldFor, ReasonKind
from bot.core.models import Models
from bot.core.ports import Clock, Expected, Metrics, Random, Store, Writing
from bot.core.records import AgentId, Beat, BeatId, CommunityId, Lookup, Usage
from bot.core.scenes.records import SceneStatus
from bot.core.spending import added
from bot.core.turn_answers import NO_MOVE, SCENE_MOVE
from bot.core.view import Glance, Outline
from bot.core.wording import as_words, retold
from bot.engine.performer import ActionContext, Outcome, Performer
from bot.engine.planner import PlannedCall
from bot.engine.purse import Bill, ceilings_of, metrics_of, settle
from bot.engine.stage import PASSED, opened

RandomFor = Callable[[CommunityId, BeatId], Random]
LONGEST_RESPONSE_ID = 500  # a provider may say anything
LOOKED_BACK = 20  # messages of each room: enough to find the person's message that is answered
AT_ONCE = 16  # replies in one transaction, so that nobody else waits long to write
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answered:
    """One agent's part of an answer; `usage` is its share, `hud` the call's text as kept.

    `blots` hide keys in our own words, `raw_blots` also whatever the answer may have meant for one in its words: those
    an answer can make so many that none of its words are kept, but never what it did.
    """

    ready: Ready
    call: PlannedCall
    reply: AgentAnswer
    usage: Usage
    text: str
    hud: str
    beside: tuple[tuple[str, int], ...] = ()  # what a call takes beside its agents' own sections, in tokens
    response_id: str = ""
    failed: str = ""
    is_secret: bool = False  # of what it saw and said in the turn nothing is kept: that would tell its vote
    useless: bool = False  # nothing of it could be used: whoever waits is told
    is_anew: bool = False  # of a shared call, where what it is asked again alone takes the place of all of it
    redactor: KeyRedactor = field(default_factory=KeyRedactor)
    raw_blots: KeyRedactor = field(default_factory=KeyRedactor)

    @property
    def part(self) -> AgentPart:
        """What the agent was shown."""
        return next(part for part in self.call.built.parts if part.agent_id == self.ready.agent_id)


class Applier:
    """Writes what agents said and did."""

    def __init__(
        self,
        store: Store,
        performer: Performer,
        clock: Clock,
        random_for: RandomFor,
        metrics: Metrics,
        *,
        models: Models,
        on_beat: Callable[[], None],
    ) -> None:
        self._store = store
        self._performer = performer
        self._clock = clock
        self._random_for = random_for
        self._metrics = metrics
        self._models = models
        self._on_beat = on_beat

    async def apply(
        self,
        community_id: CommunityId,
        answered: Sequence[Answered],
        let_through_at: datetime,
        bill: Bill | None = None,
    ) -> list[Ready]:
        """Apply the replies of one community's agents in order; gives those whose reply could not be applied.

        Each has its own part of a transaction, which is undone alone; one whose claim has passed on changes nothing.
        The call's `bill` is settled in the first of these transactions.
        """
        broken: list[Ready] = []
        for start in range(0, max(1, len(answered)), AT_ONCE):
            some = answered[start : start + AT_ONCE]
            broken += await self._apply_some(community_id, some, let_through_at, None if start else bill)
        return broken

    async def _apply_some(
        self, community_id: CommunityId, answered: Sequence[Answered], let_through_at: datetime, bill: Bill | None
    ) -> list[Ready]:
        now = self._clock.now()
        broken: list[Ready] = []
        ids = [one.ready.agent_id for one in answered]
        async with self._store.writing(community_id, Expected(ends_beats=bool(answered))) as write:
            if bill is not None:
                await settle(write.money, community_id, bill.reservation, bill.usage)
            if not answered:
                return broken
            view = await write.views.glance(community_id, agent_ids=ids, messages=LOOKED_BACK)
            for one in answered:
                try:
                    async with write.savepoint():
                        view = await self._apply_one(write, view, one, let_through_at, now)
                except Exception:
                    log.exception("a reply could not be applied", agent=one.ready.agent_id, beat=one.ready.beat_id)
                    broken.append(one.ready)
                if not _only_talks(view, one.reply.actions):
                    view = await write.views.glance(community_id, agent_ids=ids, messages=LOOKED_BACK)
        return broken

    async def _apply_one(
        self, write: Writing, view: Glance, one: Answered, let_through_at: datetime, now: datetime
    ) -> Glance:
        """Apply one reply; gives the view as it is then, as far as plain talk changed it."""
        claim = one.ready.claim
        if not _is_held(view, claim):
            metrics_of([one.ready], self._metrics).count("beats_lost")
            log.warning("a claim had ended before its answer came", agent=claim.agent_id, beat=claim.beat_id)
            return view
        if one.ready.is_turn:
            await self._apply_turn(write, view, one, let_through_at, now)
            return await write.views.glance(claim.community_id, agent_ids=[claim.agent_id], messages=LOOKED_BACK)
        one = replace(one, ready=widened(view, one.ready, one.part.seen_until))
        before = [*_before(one), *one.call.looked_up]
        if one.call.looked_up or not _only_talks(view, one.reply.actions):  # what is looked up now was not shown
            await write.apply(claim.community_id, before)
            before = []
        outcomes = await self._perform(write, view, one, let_through_at, now)
        after = _after(view, one, outcomes, let_through_at, now)
        await write.apply(claim.community_id, [*before, *after])
        spoke_in = _spoken(outcomes)
        self._on_beat()
        self._metrics.count("beats", reason=one.ready.first.kind, silent=str(not spoke_in).lower())
        return after_saying(view, one.ready, spoke_in, now)

    async def _apply_turn(
        self, write: Writing, view: Glance, one: Answered, let_through_at: datetime, now: datetime
    ) -> None:
        """Apply the move of a turn: no floor is asked, no room was seen, and what came to no move is asked again."""
        ready, community_id = one.ready, one.ready.claim.community_id
        agent = view.agents[ready.agent_id]
        await write.apply(community_id, seen(ready))
        outcomes: Sequence[Outcome] = []
        if agent.paused_reason is None and agent.retired_at is None:
            outcomes = await self._performer.perform(
                write,
                community_id,
                Actor.agent(ready.agent_id),
                one.reply.actions,
                ActionContext(
                    now=now,
                    random=self._random_for(community_id, ready.beat_id),
                    side=ready.side,
                    rooms_shown=frozenset(),
                    beat_id=ready.beat_id,
                    reasons=ready.reasons,
                    redactor=one.redactor,
                    feels=one.call.built.emotions,
                ),
            )
        moved = [outcome for outcome in outcomes if isinstance(outcome.action, Play)]
        if not any(outcome.accepted for outcome in moved):
            no_move = next((why for what, why in one.reply.rejected if what == SCENE_MOVE), NO_MOVE)
            why = next((outcome.why for outcome in moved), one.failed or no_move)
            await self._fumbled(write, view, ready, why, now)
        fields: AgentColumns = {"failures_in_a_row": 0, "backs_off_until": None}
        after: list[Change] = [UpdateAgent(agent_id=ready.agent_id, fields=fields)]
        await write.apply(community_id, [*after, EndBeat(beat=_beat(one, outcomes, let_through_at, silent=True))])
        self._on_beat()
        metrics_of([ready], self._metrics).count("beats", reason=ready.first.kind, silent="false")

    async def _fumbled(self, write: Writing, view: Glance, ready: Ready, why: str, now: datetime) -> None:
        scene_id = ready.first.scene_id
        if scene_id is None:
            return
        community_id = ready.claim.community_id
        ceilings = await ceilings_of(self._models, write.providers, view.community)
        stage = await opened(write, community_id, scene_id, config=view.config, ceilings=ceilings, now=now)
        seat = stage.scene.seat_of(agent_id=ready.agent_id)
        if seat is None or why == PASSED or stage.scene.status is not SceneStatus.RUNNING:
            return
        await stage.fumbled(seat.seat, why)
        await write.apply(community_id, stage.changes)

    async def look_up(
        self, call: PlannedCall, actions: Sequence[Action], redactor: KeyRedactor
    ) -> list[tuple[Lookup, RecordAction]]:
        """Give what an agent's look-ups find now, and write nothing; for one whose claim has passed on none is made."""
        (ready,), (part,) = call.ready, call.built.parts
        claim, now = ready.claim, self._clock.now()
        async with self._store.writing(claim.community_id) as write:
            if not await write.claims.holds(claim):
                return []
            context = self._context(ready, part, now, redactor=redactor)
            return await self._performer.look_up(write, claim.community_id, claim.agent_id, actions, context)

    def _context(self, ready: Ready, part: AgentPart, now: datetime, *, redactor: KeyRedactor) -> ActionContext:
        return ActionContext(
            now=now,
            random=self._random_for(ready.claim.community_id, ready.beat_id),
            side=ready.side,
            rooms_shown=frozenset(part.room_ids),
            beat_id=ready.beat_id,
            reasons=ready.reasons,
            redactor=redactor,
        )

    async def failed(self, ready: Ready, error: ModelError) -> None:
        """Put an agent back whose model failed: its reasons stay and are tried again after a while."""
        now = self._clock.now()
        claim = ready.claim
        async with self._store.writing(claim.community_id) as write:
            if not await write.claims.holds(claim):
                return
            view = await write.views.glance(claim.community_id, agent_ids=[claim.agent_id], messages=0)
            failures = view.agents[claim.agent_id].failures_in_a_row + 1
            until = backoff_until(failures, now, error)
            changes = failed(view, ready, error, now, until)
            if isinstance(error, Broken) and failures >= FAILURES_TOLD:
                changes += seen(ready)  # it would break again, and cost a call each time
            await write.apply(claim.community_id, changes)
            await write.claims.release(claim, until=until)

    async def let_go(self, ready: Ready, *, until: datetime | None = None, extra: Sequence[Change] = ()) -> None:
        """Put an agent back as it was, with its reasons, when its beat cannot be carried out, or (`until`) paid."""
        claim = ready.claim
        async with self._store.writing(claim.community_id) as write:
            if not await write.claims.holds(claim):
                return
            view = await write.views.glance(claim.community_id, agent_ids=[claim.agent_id], messages=0)
            fields = undone(ready, view.agents[claim.agent_id])
            await write.apply(claim.community_id, [UpdateAgent(agent_id=claim.agent_id, fields=fields), *extra])
            await write.claims.release(claim, until=until, held_for=HeldFor.BUDGET if until is not None else None)

    async def _perform(
        self, write: Writing, view: Glance, one: Answered, let_through_at: datetime, now: datetime
    ) -> Sequence[Outcome]:
        ready = one.ready
        agent = view.agents[ready.agent_id]
        if agent.paused_reason is not None or agent.retired_at is not None:
            return []
        addressed = any(reason.kind is ReasonKind.ADDRESSED for reason in ready.reasons)
        if not one.reply.actions and not one.reply.rejected and not addressed:
            return []  # what was brought to an agent is noticed even by one that says nothing
        speech = _Speech(view=view, ready=ready, let_through_at=let_through_at, now=now)
        context = self._context(ready, one.part, now, redactor=one.redactor)
        context = replace(context, let_through_at=let_through_at, may_speak=speech.allowed)
        return await self._performer.perform(
            write,
            ready.claim.community_id,
            Actor.agent(ready.agent_id),
            one.reply.actions,
            context,
            refused=one.reply.rejected,
            view=view if _only_talks(view, one.reply.actions) else None,
        )


class _Speech:
    """Asks the floor for each message of one beat, its earlier ones counted."""

    def __init__(self, *, view: Glance, ready: Ready, let_through_at: datetime, now: datetime) -> None:
        self._view = view
        self._ready = ready
        self._at = let_through_at
        self._now = now
        self._said: dict[AgentId, int] = {}

    def allowed(self, room_id: AgentId) -> str:
        """Give "" or the sentence that tells why the agent may not speak there now."""
        said = self._said.get(room_id, 0)
        why = may_speak(
            self._view,
            self._ready.agent_id,
            room_id,
            reasons=self._ready.reasons,
            let_through_at=self._at,
            now=self._now,
            said=said,
        )
        if not why:
            self._said[room_id] = said + 1
        return why


def _is_held(view: Outline, claim: Claim) -> bool:
    agent = view.agents.get(claim.agent_id)
    return agent is not None and agent.beat_id == claim.beat_id


def _only_talks(view: Outline, actions: Sequence[Action]) -> bool:
    """Whether the light view is all that the actions need."""
    return all(isinstance(action, SendMessage | Reply) and action.room_id in view.rooms for action in actions)


def _before(one: Answered) -> list[Change]:
    return [*seen(one.ready), ClearLookups(agent_id=one.ready.agent_id, side=one.ready.side)]


def _after(
    view: Outline, one: Answered, outcomes: Sequence[Outcome], let_through_at: datetime, now: datetime
) -> list[Change]:
    spoke_in = tuple(dict.fromkeys(_spoken(outcomes)))
    changes = looked(view, one.ready, one.part.seen_until, one.part.window_starts)
    changes += spoken(view, one.ready, spoke_in, now, model=one.call.kind.model, useless=one.useless)
    for room_id in spoke_in:
        changes += answered(view, one.ready, room_id, now)
    if one.useless:
        changes += misunderstood(view, one.ready, one.call.kind.model, now)
    return [*changes, EndBeat(beat=_beat(one, outcomes, let_through_at, silent=not spoke_in))]


def _spoken(outcomes: Sequence[Outcome]) -> tuple[AgentId, ...]:
    """The room of each message that stands."""
    return tuple(
        AgentId(outcome.action.room_id)
        for outcome in outcomes
        if outcome.accepted and isinstance(outcome.action, SendMessage | Reply)
    )


def _beat(one: Answered, outcomes: Sequence[Outcome], let_through_at: datetime, *, silent: bool) -> Beat:
    ready = one.ready
    people = [reason.person_id for reason in ready.reasons if reason.person_id is not None]
    refused = [f"Rejected ({as_words(what)}): {retold(why, ready.agent.name)}" for what, why in one.reply.rejected]
    looked_up = [f"Looked up within the beat: {as_words(done.record.type)}." for done in one.call.looked_up]
    done = (*looked_up, *(_in_words(outcome, ready.agent.name) for outcome in outcomes), *refused)
    return Beat(
        id=ready.beat_id,
        agent_id=ready.agent_id,
        at=let_through_at,
        reason=ready.first.kind,
        person_id=people[0] if people else None,
        side=ready.side,
        room_id=ready.first.room_id,
        scene_id=ready.first.scene_id,
        model=one.call.kind.model,
        input_format=one.call.kind.input_format,
        agents_in_call=len(one.call.ready),
        hud="" if one.is_secret else one.hud,
        answer="" if one.is_secret else one.raw_blots.answer(one.text, was_read=not one.failed),
        thoughts="" if one.is_secret else one.raw_blots.beginning(one.reply.thoughts, LONGEST_KEPT),
        sections=(*one.beside, *one.part.sections),
        usage=one.usage,
        response_id=one.response_id[:LONGEST_RESPONSE_ID],
        outcome=tuple(map(one.redactor.text, done)),
        silent=silent,
        failed=one.failed,
    )


def _in_words(outcome: Outcome, name: str) -> str:
    if outcome.accepted:
        return retold(outcome.result, name) or f"Done: {as_words(outcome.action.definition.name)}."
    return f"Rejected ({as_words(outcome.action.definition.name)}): {retold(outcome.why, name)}"


def alone_only(action: Action) -> bool:
    """Tell whether an action is not accepted from a call that several agents share."""
    return action.definition.alone_only


def what_stands(before: Answered) -> Answered:
    """What stands of a shared answer when there is no money to ask again."""
    return replace(before, failed="", reply=_merged(before.reply, AgentAnswer(agent_id=before.ready.agent_id)))


def joined(before: Answered, own: Answered) -> Answered:
    """Give an agent's own answer with what may be kept of its part of the shared one, where that stands."""
    reply = own.reply if before.is_anew else _merged(before.reply, own.reply)
    return replace(own, reply=reply, usage=added(own.usage, before.usage))


def _merged(shared: AgentAnswer, own: AgentAnswer) -> AgentAnswer:
    """From the shared answer everything that may be shared, from the agent's own answer only the rest."""
    kept = [action for action in shared.actions if not alone_only(action)]
    added = [action for action in own.actions if alone_only(action)]
    return replace(shared, actions=(*kept, *added))
