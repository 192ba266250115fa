"""One call: asked once, settled, and its parts applied; who could not be answered in it is asked again alone."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

import structlog
from structlog.contextvars import bound_contextvars

from bot.core.after_beat import rests
from bot.core.answer_text import LONGEST_ANSWER, is_plain
from bot.core.answers import AgentAnswer, ParsedAnswer, parse_answer
from bot.core.errors import AskedAnew, ModelError, ModelRefused, ModelUnreachable, TooMuch
from bot.core.gate import Ready, is_overtaken
from bot.core.happenings import Happened, Happening
from bot.core.hud.call import constant_tokens
from bot.core.hud.why import mending
from bot.core.key_redaction import KeyRedactor, given_in
from bot.core.kinds import OutputFormat
from bot.core.ports import Clock, Metrics, Model, ModelAnswer, ModelCall, Store, Workshop
from bot.core.records import AgentId, CommunityId, Usage
from bot.core.spans import SpanKind
from bot.core.spellings import SILENCE
from bot.core.spending import Limit, Short, added, divided, next_day, together
from bot.engine import planner
from bot.engine.applying import Answered, Applier, alone_only, joined, what_stands
from bot.engine.aside import aside
from bot.engine.carried import with_minds
from bot.engine.gatekeeper import BROKEN, Batch
from bot.engine.moderation import Objections
from bot.engine.performer.lookups import LOOK_UPS
from bot.engine.planner import PlannedCall
from bot.engine.purse import Bill, Purse, as_told, count_use, metrics_of, places_of, weights_of
from bot.engine.spans import Spans, open_beats
from bot.engine.speakers import speakers_of
from bot.engine.turn_reading import TurnReader

SAID_NOTHING = "it says nothing, though somebody waits: answer, or say [no response] to stay silent."
OTHERS_SETTLE = timedelta(seconds=5)
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What is blotted once for all agents of a call: `hud` is its text as it is kept (see Answered)."""

    redactor: KeyRedactor
    raw_blots: KeyRedactor
    hud: str


class _Overtaken(Exception):
    """Nobody waits for the answer any more."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Asked:
    """A call that is being answered; `was_sent`: it may cost something by now."""

    batch: Batch
    ready: tuple[Ready, ...]
    task: asyncio.Task[ModelAnswer]
    was_sent: bool = False
    is_overtaken: bool = False


class Caller:
    """Carries calls out; `on_letters` is called after each beat."""

    def __init__(
        self,
        store: Store,
        purse: Purse,
        applier: Applier,
        clock: Clock,
        metrics: Metrics,
        workshop: Workshop,
        objections: Objections,
        *,
        call_seconds: float,
        renews: bool = False,
        on_letters: Callable[[], None],
    ) -> None:
        self._store = store
        self._purse = purse
        self._applier = applier
        self._clock = clock
        self._metrics = metrics
        self._spans = Spans(metrics, clock)
        self._workshop = workshop
        self._turns_read = TurnReader(workshop=workshop, objections=objections)
        self._call_seconds = call_seconds
        self._renews = renews  # claims, for as long as a call goes on
        self._on_letters = on_letters
        # a community's answers are applied one after the other, in the order in which they came
        self._turns: defaultdict[CommunityId, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._asked: list[_Asked] = []
        self._stuck: list[Ready] = []  # who could not be put back: the store was away

    async def carry_out(self, batch: Batch, call: PlannedCall, before: Answered | None = None) -> None:
        """Ask, apply and settle one call; whatever goes wrong stays with its agents, which keep their reasons.

        `before`: the part of a shared answer that its one agent is asked again for.
        """
        pending = {ready.agent_id: ready for ready in call.ready}
        beats = {ready.agent_id: ready.beat_id for ready in call.ready}
        with bound_contextvars(community=batch.community_id, beats=beats):
            await self._carried_out(batch, call, pending, before)

    async def _carried_out(
        self, batch: Batch, call: PlannedCall, pending: dict[AgentId, Ready], before: Answered | None
    ) -> None:
        async with self._own_faults(batch, call, pending):
            if call.short is None:
                await self._carry_out(batch, call, pending, before)
            elif before is None:
                await self._rest_or_wait(batch, call.short, pending)
            else:
                await self._apply(batch, [what_stands(before)], pending)

    @asynccontextmanager
    async def _own_faults(self, batch: Batch, call: PlannedCall, pending: dict[AgentId, Ready]) -> AsyncIterator[None]:
        """Put back those who still wait for an answer when the block fails, and let the fault go no further."""
        try:
            yield
        except asyncio.CancelledError:
            await self._let_go(pending)
            raise
        except _Overtaken:
            metrics_of(call.ready, self._metrics).count("calls_overtaken")
            await self._let_go(pending)
        except AskedAnew as error:
            log.info("a call is put otherwise", model=call.kind.model, why=error.sentence)
            await self._let_go(pending)
        except ModelError as error:
            metrics_of(call.ready, self._metrics).count("model_failures", kind=type(error).__name__)
            log.warning("a model did not answer", model=call.kind.model, why=error.sentence)
            await self._put_back(pending.values(), error)
        except Exception:
            metrics_of(call.ready, self._metrics).count("calls_broken")
            log.exception("a call could not be carried out")
            self._purse.give_up(batch.community_id, call)
            await self._put_back(pending.values(), BROKEN)

    async def _carry_out(
        self, batch: Batch, call: PlannedCall, pending: dict[AgentId, Ready], before: Answered | None
    ) -> None:
        answer = await self._ask(batch, call)
        parsed = await self._read(batch, answer, call)
        # who was asked again alone, for an answer that could not be used, was asked once more
        may_mend = before is None or (before.is_anew and not before.useless)
        if may_mend and (trouble := _to_mend(call, answer, parsed)):
            may_mend = False
            await self._purse.settle(batch.community_id, call, as_told(answer.usage))
            call = replace(call, reservation=None)
            answer, parsed = await self._mended(batch, call, answer, parsed, trouble)
        if before is None or before.is_anew:
            call, answer, parsed = await self._looked_up(batch, call, answer, parsed, may_mend=may_mend)
        kept = await aside(_kept, batch, call, parsed, before)
        parts = [_answered(batch, call, one, answer, parsed, kept) for one in call.ready]
        again = [one for one in parts if one.is_anew or (call.shared and any(map(alone_only, one.reply.actions)))]
        final = [one if before is None else joined(before, one) for one in parts if one not in again]
        async with self._turns[batch.community_id]:
            await self._apply(batch, final, pending, Bill.of(call, as_told(answer.usage)))
            self._purse.give_up(batch.community_id, call)
        async with asyncio.TaskGroup() as group:  # side by side: none waits for another's answer
            for one in again:
                del pending[one.ready.agent_id]
                group.create_task(self._again(batch, one))

    async def _again(self, batch: Batch, before: Answered) -> None:
        """Ask one agent again alone: for all of its part, or only for what touches access, settings and agents.

        What it looked up in the shared call stands below its view then.
        """
        pending = {before.ready.agent_id: before.ready}
        async with self._own_faults(batch, before.call, pending):
            view = await with_minds(self._store, batch.view, [before.ready])
            write = planner.builder(view, batch.model, batch.at)
            own = await aside(planner.alone, view, before.ready, batch.model, write)
            if _looks_up(before.ready, before.reply):
                found = await self._applier.look_up(own, before.reply.actions, batch.redactor)
                more = await aside(planner.looked_up, view, batch.model, own, found) if found else None
                own = more or own
            own = await self._paid(batch, own)
            pending.clear()  # from here on the call answers for it
            await self.carry_out(batch, own, before)

    async def _paid(self, batch: Batch, call: PlannedCall) -> PlannedCall:
        """Set the price of one more call aside."""
        now, view = self._clock.now(), batch.view
        call = planner.with_images(view, batch.model, call)
        (one,) = await self._purse.reserve(batch.community_id, batch.model, view.config, [call], now, view.agents)
        return one

    async def _looked_up(
        self, batch: Batch, call: PlannedCall, answer: ModelAnswer, parsed: ParsedAnswer, *, may_mend: bool
    ) -> tuple[PlannedCall, ModelAnswer, ParsedAnswer]:
        """Answer the look-ups of an agent that is waited for, and ask it on; what is left to the next beat stays so."""
        for _ in range(batch.view.config.look_up_steps):
            more = await self._next_step(batch, call, parsed)
            if more is None:
                break
            await self._purse.settle(batch.community_id, call, as_told(answer.usage))
            call = replace(call, reservation=None)
            try:
                then = await self._ask(batch, more)
            except ModelError as error:
                log.warning("what was looked up was not answered", model=call.kind.model, why=error.sentence)
                break
            await self._purse.settle(batch.community_id, more, as_told(then.usage))
            then, more = replace(then, usage=added(answer.usage, then.usage)), replace(more, reservation=None)
            read = await self._read(batch, then, more)
            if may_mend and (trouble := _to_mend(more, then, read)):
                may_mend = False
                then, read = await self._mended(batch, more, then, read, trouble)
            if not read.usable:
                answer = replace(answer, usage=then.usage)
                break
            call, answer, parsed = more, then, read
        return call, answer, parsed

    async def _next_step(self, batch: Batch, call: PlannedCall, parsed: ParsedAnswer) -> PlannedCall | None:
        """Give the call that goes on where an answer consists of look-ups; None where it does not, or cannot be."""
        ready = call.ready[0]
        reply = None if call.shared else parsed.replies.get(ready.agent_id)
        left = ready.claim.lease_until - self._clock.now()
        lasts = self._renews or left > timedelta(seconds=self._call_seconds)
        if reply is None or not _looks_up(ready, reply) or not lasts:
            return None
        found = await self._applier.look_up(call, reply.actions, batch.redactor)
        more = await aside(planner.looked_up, batch.view, batch.model, call, found) if found else None
        if more is None:
            return None
        more = await self._paid(batch, more)
        if more.short is not None:
            return None
        metrics_of(call.ready, self._metrics).count("look_ups_answered", model=batch.model.counted_as(call.kind.model))
        return more

    async def _mended(
        self, batch: Batch, call: PlannedCall, first: ModelAnswer, parsed: ParsedAnswer, trouble: str
    ) -> tuple[ModelAnswer, ParsedAnswer]:
        """Ask once more for an answer that cannot be used; what came first stands where there is no better one."""
        line = mending(trouble)
        tokens = call.built.tokens + batch.model.tokenizer(call.kind.model).count(line)
        longer = replace(call.built, input=f"{call.built.input}{line}", tokens=tokens)
        more = await self._paid(batch, replace(call, built=longer, reservation=None))
        if more.short is not None:
            return first, parsed
        metrics_of(call.ready, self._metrics).count("answers_mended", model=batch.model.counted_as(call.kind.model))
        try:
            answer = await self._ask(batch, more)
        except ModelError as error:
            log.warning("an answer was not mended", model=call.kind.model, why=error.sentence)
            return first, parsed
        await self._purse.settle(batch.community_id, more, as_told(answer.usage))
        return replace(answer, usage=added(first.usage, answer.usage)), await self._read(batch, answer, more)

    async def _apply(
        self, batch: Batch, parts: Sequence[Answered], pending: dict[AgentId, Ready], bill: Bill | None = None
    ) -> None:
        """Apply parts of an answer and settle what it cost; who could not be served is put back."""
        since = self._clock.now()
        broken = await self._applier.apply(batch.community_id, parts, batch.at, bill)
        self._spans.note(SpanKind.APPLY, batch.view.community, open_beats(one.ready for one in parts), since)
        await self._put_back(broken, BROKEN)
        for part in parts:
            pending.pop(part.ready.agent_id, None)
        self._on_letters()

    async def _ask(self, batch: Batch, call: PlannedCall) -> ModelAnswer:
        """Ask the model; what was set aside is given back when it surely did not answer."""
        metrics, model = metrics_of(call.ready, self._metrics), batch.model.counted_as(call.kind.model)
        metrics.observe("agents_per_call", len(call.ready))
        metrics.count("model_calls", model=model)
        note = partial(self._spans.note, SpanKind.CALL, batch.view.community, open_beats(call.ready), self._clock.now())
        try:
            answer = await self._asking(batch, call)
        except Exception as error:
            usage = error.usage if isinstance(error, ModelError) else None
            note(model=model, usage=usage, failure=type(error).__name__)
            await self._purse.settle(batch.community_id, call, usage)
            raise
        note(model=model, usage=answer.usage)
        told = partial(Happening, kind=Happened.ANSWERED, community_id=batch.community_id)
        self._store.tell([told(agent_id=one, room_id=room_id) for one, room_id in sorted(places_of(call).items())])
        count_use(metrics, model, answer.usage)
        return answer

    async def _asking(self, batch: Batch, call: PlannedCall) -> ModelAnswer:
        """Ask beside what goes on, so that the call can be let go; raises _Overtaken when it was.

        What was not sent yet, as its server has much to do, costs nothing.
        """

        def sent() -> None:
            asked.was_sent = True

        request = replace(self._request(batch, call), on_sent=sent)
        asked = _Asked(batch=batch, ready=call.ready, task=asyncio.create_task(_answer(batch.model, request)))
        self._asked.append(asked)
        try:
            async with self._clock.timeout(self._call_seconds):
                return await asked.task
        except TimeoutError as error:
            raise ModelUnreachable("The model took too long to answer.", unsure=asked.was_sent) from error
        except asyncio.CancelledError:
            own = asyncio.current_task()
            let_go = asked.is_overtaken and own is not None and not own.cancelling()
            if let_go or not asked.was_sent:
                await self._purse.settle(batch.community_id, call, None if asked.was_sent else Usage())
            if not let_go:
                raise
            raise _Overtaken from None
        finally:
            self._asked.remove(asked)

    async def let_go_overtaken(self) -> None:
        """Let calls go for whose answers nobody waits any more: their agents are as if they had not been asked."""
        for community_id in {one.batch.community_id for one in self._asked}:
            mine = [one for one in self._asked if one.batch.community_id == community_id]
            ids = [ready.agent_id for one in mine for ready in one.ready]
            async with self._store.reading() as read:
                view = await read.views.glance(community_id, agent_ids=ids, messages=0)
            now = self._clock.now()
            for one in mine:
                if all(is_overtaken(view, ready, one.batch.at, now) for ready in one.ready):
                    one.is_overtaken = one.task.cancel()

    async def _read(self, batch: Batch, answer: ModelAnswer, call: PlannedCall) -> ParsedAnswer:
        """Read an answer; one that cannot be read in time is as good as none."""
        asked, output_format = planner.ids_of(call), call.kind.output_format
        if (turn := batch.turns.get(asked[0])) is not None and call.ready[0].is_turn:
            parsed = await self._turns_read.read(batch.community_id, answer.text, turn, asked[0], output_format)
            return await self._turns_read.looked_at(batch.community_id, parsed, turn, batch.view.config, batch.model)
        speakers = speakers_of(batch, call, answer)
        read = partial(
            parse_answer, asked=asked, output_format=output_format, speakers=speakers, complete=answer.complete
        )
        text = answer.text
        if is_plain(text, sum(one.shown for one in speakers)):
            return read(text)
        text = text[:LONGEST_ANSWER]
        try:
            return await self._workshop.done(batch.community_id, read, text)
        except TooMuch as error:
            log.warning("an answer could not be read", model=call.kind.model, characters=len(text))
            return ParsedAnswer(unusable=frozenset(asked), rejected=(error.sentence,))

    def _request(self, batch: Batch, call: PlannedCall) -> ModelCall:
        return ModelCall(
            model=call.kind.model,
            instructions=call.built.instructions,
            input=call.built.input,
            temperature=call.kind.temperature,
            answer_tokens=call.answer_tokens,
            schema=call.built.schema if call.kind.structured else None,
            cache_key=call.built.cache_key,
            wants_json=call.kind.output_format is OutputFormat.JSON,
            images=call.images,
            whose=f"{batch.community_id} {' '.join(map(str, planner.ids_of(call)))}",
            is_awaited=any(one.addressed_by_person for one in call.ready),
            redactor=batch.redactor,
        )

    async def _rest_or_wait(self, batch: Batch, short: Short, pending: dict[AgentId, Ready]) -> None:
        """There was no money for a call: those rest whose limit it is, and the others of it go without them."""
        others = {id_: pending.pop(id_) for id_ in list(pending) if short.agents and id_ not in short.agents}
        await self._let_go(others)
        await self._rest(batch, pending, short)

    async def rest(self, batch: Batch, agents: Iterable[Ready]) -> None:
        """Let agents rest until midnight whose family has used up its share of the day."""
        await self._rest(batch, {ready.agent_id: ready for ready in agents}, Short(limit=Limit.SHARE))

    async def _rest(self, batch: Batch, pending: dict[AgentId, Ready], short: Short) -> None:
        """There is no money for the call: wait for what other calls leave, or rest until midnight and say so once."""
        now = self._clock.now()
        told: set[AgentId] = set()
        for ready in list(pending.values()):
            if short.soon:
                await self._applier.let_go(ready, until=now + OTHERS_SETTLE)
            else:
                extra = rests(batch.view, ready, now, short.limit, told=told)
                await self._applier.let_go(ready, until=next_day(now), extra=extra)
                told.update(reason.room_id for reason in ready.reasons[:1] if reason.room_id is not None)
            del pending[ready.agent_id]
        self._on_letters()

    async def give_up(self, batch: Batch) -> None:
        """Put all agents of a round back whose calls could not even be planned; they try again later."""
        await self._put_back(batch.ready, BROKEN)

    async def _put_back(self, agents: Iterable[Ready], error: ModelError) -> None:
        """Let agents try again later; those that cannot even be put back wait until the store takes them."""
        for ready in agents:
            try:
                await self._applier.failed(ready, error)
            except Exception as fault:
                log.warning("an agent could not be put back yet", agent=ready.agent_id, why=str(fault))
                self._stuck.append(ready)
        self._on_letters()

    async def free_stuck(self) -> None:
        """Put back those who could not be put back when their call broke, as when the disk was full."""
        stuck, self._stuck = self._stuck, []
        if stuck:
            await self._put_back(stuck, BROKEN)

    async def _let_go(self, pending: dict[AgentId, Ready]) -> None:
        for ready in pending.values():
            await self._applier.let_go(ready)


async def _answer(model: Model, request: ModelCall) -> ModelAnswer:
    """Ask; once more without its pictures when the request is refused, for a picture may be gone."""
    try:
        return await model.answer(request)
    except ModelRefused as error:
        if not request.images or error.usage is None:
            raise
        first = error.usage
    try:
        answer = await model.answer(replace(request, images=()))
    except ModelError as error:
        error.usage = error.usage and added(first, error.usage)
        raise
    return replace(answer, usage=together(first, answer.usage))


def _looks_up(ready: Ready, reply: AgentAnswer) -> bool:
    """Tell whether an answer that somebody waits for consists of look-ups."""
    waited_for = ready.addressed_by_person or any(reason.mentioned and reason.person_id for reason in ready.reasons)
    return waited_for and bool(reply.actions) and all(isinstance(action, LOOK_UPS) for action in reply.actions)


def _trouble(call: PlannedCall, ready: Ready, answer: ModelAnswer, parsed: ParsedAnswer) -> str:
    """Say what was wrong with an agent's part; a weak mind that says nothing when asked has not chosen to be silent."""
    told, reply = parsed.trouble(ready.agent_id), parsed.replies.get(ready.agent_id)
    if told or reply is None or reply.actions or not (call.kind.lean and ready.addressed_by_person):
        return told
    return "" if any(word in answer.text.lower() for word in SILENCE if word) else SAID_NOTHING


def _to_mend(call: PlannedCall, answer: ModelAnswer, parsed: ParsedAnswer) -> str:
    """Say what was wrong with an answer for which a person waits; in a shared call each is asked again alone."""
    ready = call.ready[0]
    return "" if call.shared or not ready.addressed_by_person else _trouble(call, ready, answer, parsed)


def _kept(batch: Batch, call: PlannedCall, parsed: ParsedAnswer, before: Answered | None) -> _Kept:
    """Blot out of a call's text what the community's keys are, and the keys in what its agents really did."""
    redactor, raw_blots = (before.redactor, before.raw_blots) if before else (batch.redactor, batch.redactor)
    for reply in parsed.replies.values():  # one by one: none has so many that nothing could be kept
        redactor |= given_in(reply.actions, batch.labels)
    hud = redactor.text(f"{call.built.instructions}\n{call.built.input}")
    return _Kept(redactor=redactor, raw_blots=raw_blots | parsed.given_keys(batch.labels), hud=hud)


def _answered(
    batch: Batch, call: PlannedCall, ready: Ready, answer: ModelAnswer, parsed: ParsedAnswer, kept: _Kept
) -> Answered:
    reply = parsed.replies.get(ready.agent_id)
    turn = batch.turns.get(ready.agent_id) if ready.is_turn else None
    tokenizer = batch.model.tokenizer(call.kind.model)
    failed = "" if reply is not None else "The answer could not be read."
    useless = bool(_trouble(call, ready, answer, parsed))
    wanted = (useless and ready.addressed_by_person) or (reply is not None and _looks_up(ready, reply))
    return Answered(
        ready=ready,
        call=call,
        reply=reply or AgentAnswer(agent_id=ready.agent_id),
        usage=divided(answer.usage, weights_of(call))[ready.agent_id],
        text=answer.text,
        hud=kept.hud,
        redactor=kept.redactor,
        raw_blots=kept.raw_blots,
        beside=tuple(constant_tokens(call.built, tokenizer, structured=call.kind.structured)),
        response_id=answer.response_id,
        failed=failed,
        is_secret=turn is not None and turn.is_secret,
        useless=useless,
        is_anew=call.shared and (bool(failed) or wanted),
    )
