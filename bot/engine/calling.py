"""One call: asked once, settled, and its parts applied; who could not be answered in it is asked again alone."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from bot.core.aftermath import CEILING, FAMILY_SHARE, WHOLE_BUDGET, rests
from bot.core.blotting import Blots
from bot.core.errors import Broken, ModelError, ModelRefused, ModelUnreachable, TooMuch
from bot.core.hud.call import AgentPart, constant_tokens
from bot.core.hud.why import mending
from bot.core.kinds import OutputFormat, ReasonKind
from bot.core.ports import Clock, Metrics, Model, ModelAnswer, ModelCall, Workshop
from bot.core.reading import LONGEST_ANSWER, is_plain
from bot.core.records import AgentId, CommunityId, Usage
from bot.core.reply import AgentReply, ParsedReply, parse_reply
from bot.core.saying import Sole
from bot.core.schema import answer_schema
from bot.core.spending import added, divided, next_day
from bot.core.verdict import Ready
from bot.engine import planner
from bot.engine.applying import Answered, Applier, alone_only
from bot.engine.entrance import Round
from bot.engine.planner import PlannedCall
from bot.engine.purse import Booked, Purse, as_told, weights_of

BROKEN = Broken("Something went wrong here: the log has the details.")
ASKING = (ReasonKind.ADDRESSED, ReasonKind.ANSWER, ReasonKind.WOKEN)  # somebody waits for words
OTHERS_SETTLE = timedelta(seconds=5)
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What is blotted once for all agents of a call: `hud` is its text as it is kept."""

    blots: Blots
    hud: str


class Caller:
    """Carries calls out; `on_letters` is called after each beat."""

    def __init__(
        self,
        purse: Purse,
        applier: Applier,
        clock: Clock,
        metrics: Metrics,
        workshop: Workshop,
        *,
        call_seconds: float,
        on_letters: Callable[[], None],
    ) -> None:
        self._purse = purse
        self._applier = applier
        self._clock = clock
        self._metrics = metrics
        self._workshop = workshop
        self._call_seconds = call_seconds
        self._on_letters = on_letters
        # a community's answers are applied one after the other, in the order in which they came
        self._turns: defaultdict[CommunityId, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._stuck: list[Ready] = []  # who could not be put back: the store was away

    async def carry_out(self, round: Round, booked: Booked) -> None:
        """Ask, apply and settle one call; whatever goes wrong stays with its agents, which keep their reasons."""
        pending = {ready.agent_id: ready for ready in booked.call.ready}
        async with self._own_faults(round, booked, pending):
            await self._carry_out(round, booked, pending)

    @asynccontextmanager
    async def _own_faults(self, round: Round, booked: Booked, pending: dict[AgentId, Ready]) -> AsyncIterator[None]:
        """Put back those who still wait for an answer when the block fails, and let the fault go no further."""
        try:
            yield
        except asyncio.CancelledError:
            await self._let_go(pending)
            raise
        except ModelError as error:
            self._metrics.count("model_failures", kind=type(error).__name__)
            log.warning("a model did not answer", model=booked.call.kind.model, why=error.sentence)
            await self._put_back(pending.values(), error)
        except Exception:
            self._metrics.count("calls_broken")
            log.exception("a call could not be carried out", community=round.community_id)
            self._purse.give_up(round.community_id, booked)
            await self._put_back(pending.values(), BROKEN)

    async def _carry_out(self, round: Round, booked: Booked, pending: dict[AgentId, Ready]) -> None:
        call = booked.call
        if booked.reservation is None:
            await self._rest_or_wait(round, booked, pending)
            return
        answer = await self._ask(round, booked)
        parsed = await self._read(round, answer, call)
        if trouble := _to_mend(call, parsed):
            await self._purse.settle(round.community_id, booked, as_told(answer.usage))
            booked = replace(booked, reservation=None)
            answer, parsed = await self._mended(round, call, answer, parsed, trouble)
        again = [ready for ready in call.ready if call.shared and _needs_own_call(parsed, ready.agent_id)]
        alone = {ready.agent_id for ready in again}
        kept = _kept(round, call, parsed)
        parts = [_answered(round, call, one, answer, parsed, kept) for one in call.ready if one.agent_id not in alone]
        async with self._turns[round.community_id]:
            await self._purse.settle(round.community_id, booked, as_told(answer.usage))
            await self._apply(round, parts, pending)
        async with asyncio.TaskGroup() as group:  # side by side: none waits for another's answer
            for ready in again:
                del pending[ready.agent_id]
                group.create_task(self._again(round, booked, ready, answer, parsed, kept))

    async def _mended(
        self, round: Round, call: PlannedCall, first: ModelAnswer, parsed: ParsedReply, trouble: str
    ) -> tuple[ModelAnswer, ParsedReply]:
        """Ask once more for an answer that cannot be used; what came first stands where there is no better one."""
        line, view = mending(trouble), round.view
        tokens = call.built.tokens + round.model.tokenizer(call.kind.model).count(line)
        more = replace(call, built=replace(call.built, input=f"{call.built.input}{line}", tokens=tokens))
        now = self._clock.now()
        (booked,) = await self._purse.reserve(round.community_id, round.model, view.config, [more], now, view.agents)
        if booked.reservation is None:
            return first, parsed
        self._metrics.count("answers_mended", model=call.kind.model)
        try:
            answer = await self._ask(round, booked)
        except ModelError as error:
            log.warning("an answer was not mended", model=call.kind.model, why=error.sentence)
            return first, parsed
        await self._purse.settle(round.community_id, booked, as_told(answer.usage))
        return replace(answer, usage=added(first.usage, answer.usage)), await self._read(round, answer, more)

    async def _again(
        self, round: Round, booked: Booked, ready: Ready, first: ModelAnswer, shared: ParsedReply, kept: _Kept
    ) -> None:
        """Ask one agent again alone and apply what it says."""
        pending = {ready.agent_id: ready}
        async with self._own_faults(round, booked, pending):
            one = await self._ask_alone(round, ready, shared, first, booked.call, kept)
            async with self._turns[round.community_id]:
                await self._apply(round, [one], pending)

    async def _apply(self, round: Round, parts: Sequence[Answered], pending: dict[AgentId, Ready]) -> None:
        """Apply parts of an answer; who could not be served is put back."""
        await self._put_back(await self._applier.apply(parts, round.at), BROKEN)
        for part in parts:
            pending.pop(part.ready.agent_id, None)
        self._on_letters()

    async def _ask(self, round: Round, booked: Booked) -> ModelAnswer:
        """Ask the model; what was set aside is given back when it surely did not answer."""
        call = booked.call
        request = self._request(round, call)
        self._metrics.observe("agents_per_call", len(call.ready))
        self._metrics.count("model_calls", model=call.kind.model)
        try:
            async with self._clock.timeout(self._call_seconds):
                return await _answer(round.model, request)
        except TimeoutError as error:
            await self._purse.settle(round.community_id, booked, None)
            raise ModelUnreachable("The model took too long to answer.", unsure=True) from error
        except ModelError as error:
            await self._purse.settle(round.community_id, booked, error.usage)
            raise
        except Exception:
            await self._purse.settle(round.community_id, booked, None)
            raise

    async def _read(self, round: Round, answer: ModelAnswer, call: PlannedCall) -> ParsedReply:
        """Read an answer; one that cannot be read in time is as good as none."""
        asked, output_format = planner.ids_of(call), call.kind.output_format
        sole = None if call.shared else _sole(round, call, answer)
        text = answer.text
        if is_plain(text):
            return parse_reply(text, asked=asked, output_format=output_format, sole=sole)
        text = text[:LONGEST_ANSWER]
        try:
            return await self._workshop.done(
                round.community_id, parse_reply, text, asked=asked, output_format=output_format, sole=sole
            )
        except TooMuch as error:
            log.warning("an answer could not be read", model=call.kind.model, characters=len(text))
            return ParsedReply(unusable=frozenset(asked), rejected=(error.sentence,))

    def _request(self, round: Round, call: PlannedCall) -> ModelCall:
        seeing = round.model.sees_images(call.kind.model)
        return ModelCall(
            model=call.kind.model,
            instructions=call.built.instructions,
            input=call.built.input,
            temperature=call.kind.temperature,
            answer_tokens=call.answer_tokens,
            schema=answer_schema(alone=not call.shared) if call.kind.structured else None,
            cache_key=call.built.cache_key,
            wants_json=call.kind.output_format is OutputFormat.JSON,
            images=planner.new_images(round.view, call) if seeing else (),
            blots=round.blots,
        )

    async def _ask_alone(
        self,
        round: Round,
        ready: Ready,
        parts: ParsedReply,
        first: ModelAnswer,
        call: PlannedCall,
        kept: _Kept,
    ) -> Answered:
        """Ask one agent again alone: for all of its part, or only for what touches access, settings and agents."""
        shared = parts.replies.get(ready.agent_id)
        write = planner.builder(round.view, round.model, round.at)
        own = planner.alone(round.view, ready, round.model, write)
        now = self._clock.now()
        view = round.view
        (booked,) = await self._purse.reserve(round.community_id, round.model, view.config, [own], now, view.agents)
        if booked.reservation is None:
            return _only(round, call, ready, first, parts, kept)
        answer = await self._ask(round, booked)
        await self._purse.settle(round.community_id, booked, as_told(answer.usage))
        parsed = await self._read(round, answer, own)
        one = _answered(round, own, ready, answer, parsed, _kept(round, own, parsed, parts))
        reply = one.reply if shared is None else _merged(shared, one.reply)
        return replace(one, reply=reply, usage=added(one.usage, _share(call, ready.agent_id, first.usage)))

    async def _rest_or_wait(self, round: Round, booked: Booked, pending: dict[AgentId, Ready]) -> None:
        """There was no money for a call: those rest whose limit it is, and the others of it go without them."""
        others = {id: pending.pop(id) for id in list(pending) if booked.poor and id not in booked.poor}
        await self._let_go(others)
        what = FAMILY_SHARE if booked.poor else CEILING if booked.paid_up else WHOLE_BUDGET
        await self._rest(round, pending, soon=booked.soon, what=what)

    async def rest(self, round: Round, agents: Iterable[Ready]) -> None:
        """Let agents rest until midnight whose family has used up its share of the day."""
        await self._rest(round, {ready.agent_id: ready for ready in agents}, soon=False, what=FAMILY_SHARE)

    async def _rest(self, round: Round, pending: dict[AgentId, Ready], *, soon: bool, what: str = WHOLE_BUDGET) -> None:
        """There is no money for the call: wait for what other calls leave, or rest until midnight and say so once."""
        now = self._clock.now()
        told: set[AgentId] = set()
        for ready in list(pending.values()):
            if soon:
                await self._applier.let_go(ready, until=now + OTHERS_SETTLE)
            else:
                extra = rests(round.view, ready, now, told=told, what=what)
                await self._applier.let_go(ready, until=next_day(now), extra=extra)
                told.update(reason.room_id for reason in ready.reasons[:1] if reason.room_id is not None)
            del pending[ready.agent_id]
        self._on_letters()

    async def give_up(self, round: Round) -> None:
        """Put all agents of a round back whose calls could not even be planned; they try again later."""
        await self._put_back(round.ready, BROKEN)

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
    return replace(answer, usage=added(first, answer.usage))


def _to_mend(call: PlannedCall, parsed: ParsedReply) -> str:
    """Say what was wrong with an answer for which a person waits; in a shared call each is asked again alone."""
    ready = call.ready[0]
    return "" if call.shared or not ready.addressed_by_person else parsed.trouble(ready.agent_id)


def _sole(round: Round, call: PlannedCall, answer: ModelAnswer) -> Sole:
    """Give for whom plain words are taken in a call of one."""
    ready, part = call.ready[0], call.built.parts[0]
    agent = round.view.agents[ready.agent_id]
    rooms = [room for id in part.room_ids if (room := round.view.rooms.get(id)) is not None]
    others = [one for room in rooms for one in room.messages if one.sender.agent_id != agent.id]
    return Sole(
        agent_id=agent.id,
        name=agent.name,
        room_id=ready.first.room_id,
        is_asked=ready.first.kind in ASKING,
        is_whole=answer.complete,
        rules=call.built.instructions,
        others="\n".join([agent.prompt, *(one.content for one in others if one.id in part.message_ids)]),
    )


def _needs_own_call(parsed: ParsedReply, agent_id: AgentId) -> bool:
    reply = parsed.replies.get(agent_id)
    return reply is None or any(alone_only(action) for action in reply.actions)


def _kept(round: Round, call: PlannedCall, *answers: ParsedReply) -> _Kept:
    """Blot out of a call's text what the community's keys are, and what answers gave for keys."""
    blots = round.blots
    for parsed in answers:
        blots |= parsed.given_keys(round.labels)
    return _Kept(blots=blots, hud=blots.text(f"{call.built.instructions}\n{call.built.input}"))


def _answered(
    round: Round, call: PlannedCall, ready: Ready, answer: ModelAnswer, parsed: ParsedReply, kept: _Kept
) -> Answered:
    reply = parsed.replies.get(ready.agent_id)
    tokenizer = round.model.tokenizer(call.kind.model)
    failed = "" if reply is not None else "The answer could not be read."
    return Answered(
        ready=ready,
        call=call,
        part=_part(call, ready.agent_id),
        reply=reply or AgentReply(agent_id=ready.agent_id),
        usage=_share(call, ready.agent_id, answer.usage),
        text=answer.text,
        hud=kept.hud,
        blots=kept.blots,
        beside=tuple(constant_tokens(call.built, tokenizer, structured=call.kind.structured)),
        response_id=answer.response_id,
        failed=failed,
        useless=bool(parsed.trouble(ready.agent_id)),
    )


def _only(
    round: Round, call: PlannedCall, ready: Ready, answer: ModelAnswer, parts: ParsedReply, kept: _Kept
) -> Answered:
    """What stands of a shared answer when there is no money to ask again."""
    one = _answered(round, call, ready, answer, parts, kept)
    return replace(one, failed="", reply=_merged(one.reply, AgentReply(agent_id=ready.agent_id)))


def _merged(shared: AgentReply, own: AgentReply) -> AgentReply:
    """From the shared answer everything that may be shared, from the agent's own answer only the rest."""
    kept = [action for action in shared.actions if not alone_only(action)]
    added = [action for action in own.actions if alone_only(action)]
    return replace(shared, actions=(*kept, *added))


def _part(call: PlannedCall, agent_id: AgentId) -> AgentPart:
    return next(part for part in call.built.parts if part.agent_id == agent_id)


def _share(call: PlannedCall, agent_id: AgentId, usage: Usage) -> Usage:
    """Give an agent's share of what a call used, by the size of its part."""
    return divided(usage, weights_of(call))[agent_id]
