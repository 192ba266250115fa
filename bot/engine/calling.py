"""One call: asked once, settled, and its parts applied; who could not be answered in it is asked again alone."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import structlog

from bot.core.aftermath import FAMILY_SHARE, WHOLE_BUDGET, rests
from bot.core.errors import Broken, ModelError, ModelRefused, ModelUnreachable
from bot.core.hud.call import AgentPart
from bot.core.ports import Clock, Metrics, Model, ModelAnswer, ModelCall
from bot.core.records import AgentId, CommunityId, Json, Usage
from bot.core.reply import AgentReply, ParsedReply, parse_reply
from bot.core.spending import next_day
from bot.core.verdict import Ready
from bot.engine import planner
from bot.engine.applying import Answered, Applier, alone_only
from bot.engine.entrance import Round
from bot.engine.planner import PlannedCall
from bot.engine.purse import Booked, Purse

BROKEN = Broken("Something went wrong here: the log has the details.")
OTHERS_SETTLE = timedelta(seconds=5)
log = structlog.get_logger(__name__)


class Caller:
    """Carries calls out. `schema` is what models that can are held to; `on_letters` is called after each beat."""

    def __init__(
        self,
        purse: Purse,
        applier: Applier,
        clock: Clock,
        metrics: Metrics,
        *,
        schema: Mapping[str, Json] | None,
        call_seconds: float,
        on_letters: Callable[[], None],
    ) -> None:
        self._purse = purse
        self._applier = applier
        self._clock = clock
        self._metrics = metrics
        self._schema = schema
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
            await self._rest(round, pending, soon=booked.soon, what=FAMILY_SHARE if booked.family else WHOLE_BUDGET)
            return
        answer = await self._ask(round, booked)
        parsed = parse_reply(answer.text, asked=planner.ids_of(call), output_format=call.kind.output_format)
        again = [ready for ready in call.ready if call.shared and _needs_own_call(parsed, ready.agent_id)]
        alone = {ready.agent_id for ready in again}
        parts = [_answered(round, call, one, answer, parsed) for one in call.ready if one.agent_id not in alone]
        async with self._turns[round.community_id]:
            await self._purse.settle(round.community_id, booked, answer.usage)
            await self._apply(round, parts, pending)
        async with asyncio.TaskGroup() as group:  # side by side: none waits for another's answer
            for ready in again:
                del pending[ready.agent_id]
                group.create_task(self._again(round, booked, ready, answer, parsed.replies.get(ready.agent_id)))

    async def _again(
        self, round: Round, booked: Booked, ready: Ready, first: ModelAnswer, shared: AgentReply | None
    ) -> None:
        """Ask one agent again alone and apply what it says."""
        pending = {ready.agent_id: ready}
        async with self._own_faults(round, booked, pending):
            one = await self._ask_alone(round, ready, shared, first, booked.call)
            async with self._turns[round.community_id]:
                await self._apply(round, [one], pending)

    async def _apply(self, round: Round, parts: Sequence[Answered], pending: dict[AgentId, Ready]) -> None:
        """Apply parts of an answer; who could not be served is put back."""
        await self._put_back(await self._applier.apply(parts, round.at), BROKEN)
        for part in parts:
            pending.pop(part.ready.agent_id, None)
        self._on_letters()

    async def _ask(self, round: Round, booked: Booked) -> ModelAnswer:
        """Ask the model; what was set aside is given back when it did not answer."""
        call = booked.call
        request = self._request(round, call)
        self._metrics.observe("agents_per_call", len(call.ready))
        self._metrics.count("model_calls", model=call.kind.model)
        try:
            async with self._clock.timeout(self._call_seconds):
                return await _answer(round.model, request)
        except TimeoutError as error:
            await self._purse.settle(round.community_id, booked, Usage())
            raise ModelUnreachable("The model took too long to answer.") from error
        except ModelError as error:
            await self._purse.settle(round.community_id, booked, error.usage)
            raise
        except Exception:
            self._purse.give_up(round.community_id, booked)
            raise

    def _request(self, round: Round, call: PlannedCall) -> ModelCall:
        seeing = round.model.sees_images(call.kind.model)
        return ModelCall(
            model=call.kind.model,
            instructions=call.built.instructions,
            input=call.built.input,
            temperature=call.kind.temperature,
            answer_tokens=call.answer_tokens,
            schema=self._schema if call.kind.structured else None,
            cache_key=call.built.cache_key,
            images=planner.new_images(round.view, call) if seeing else (),
        )

    async def _ask_alone(
        self, round: Round, ready: Ready, shared: AgentReply | None, first: ModelAnswer, call: PlannedCall
    ) -> Answered:
        """Ask one agent again alone: for all of its part, or only for what touches access, settings and agents."""
        write = planner.builder(round.view, round.model, round.at)
        own = planner.alone(round.view, ready, round.model, write)
        now = self._clock.now()
        view = round.view
        (booked,) = await self._purse.reserve(round.community_id, round.model, view.config, [own], now, view.agents)
        if booked.reservation is None:
            return _only(round, call, ready, first, shared)
        answer = await self._ask(round, booked)
        await self._purse.settle(round.community_id, booked, answer.usage)
        parsed = parse_reply(answer.text, asked=[ready.agent_id], output_format=own.kind.output_format)
        one = _answered(round, own, ready, answer, parsed)
        reply = one.reply if shared is None else _merged(shared, one.reply)
        return replace(one, reply=reply, usage=_sum(one.usage, _share(call, ready.agent_id, first.usage)))

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
        if not request.images:
            raise
        answer = await model.answer(replace(request, images=()))
        return replace(answer, usage=_sum(answer.usage, error.usage))


def _needs_own_call(parsed: ParsedReply, agent_id: AgentId) -> bool:
    reply = parsed.replies.get(agent_id)
    return reply is None or any(alone_only(action) for action in reply.actions)


def _answered(round: Round, call: PlannedCall, ready: Ready, answer: ModelAnswer, parsed: ParsedReply) -> Answered:
    reply = parsed.replies.get(ready.agent_id)
    failed = "" if reply is not None else "The answer could not be read."
    return Answered(
        ready=ready,
        call=call,
        part=_part(call, ready.agent_id),
        reply=reply or AgentReply(agent_id=ready.agent_id),
        usage=_share(call, ready.agent_id, answer.usage),
        text=without_secrets(round, answer.text),
        hud=without_secrets(round, f"{call.built.instructions}\n{call.built.input}"),
        response_id=answer.response_id,
        failed=failed,
    )


def _only(round: Round, call: PlannedCall, ready: Ready, answer: ModelAnswer, shared: AgentReply | None) -> Answered:
    """What stands of a shared answer when there is no money to ask again."""
    reply = shared or AgentReply(agent_id=ready.agent_id)
    parsed = ParsedReply(replies={ready.agent_id: _merged(reply, AgentReply(agent_id=ready.agent_id))})
    return _answered(round, call, ready, answer, parsed)


def _merged(shared: AgentReply, own: AgentReply) -> AgentReply:
    """From the shared answer everything that may be shared, from the agent's own answer only the rest."""
    kept = [action for action in shared.actions if not alone_only(action)]
    added = [action for action in own.actions if alone_only(action)]
    return replace(shared, actions=(*kept, *added))


def _part(call: PlannedCall, agent_id: AgentId) -> AgentPart:
    return next(part for part in call.built.parts if part.agent_id == agent_id)


def _share(call: PlannedCall, agent_id: AgentId, usage: Usage) -> Usage:
    """Give an agent's share of what a call used, by the size of its part."""
    whole = sum(part.tokens for part in call.built.parts) or 1
    share = Decimal(_part(call, agent_id).tokens) / whole

    def of(tokens: int) -> int:
        return int(tokens * share)

    return Usage(
        input_tokens=of(usage.input_tokens),
        cached_tokens=of(usage.cached_tokens),
        cache_write_tokens=of(usage.cache_write_tokens),
        output_tokens=of(usage.output_tokens),
        cost_usd=usage.cost_usd * share,
        latency_seconds=usage.latency_seconds,
    )


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        cache_write_tokens=one.cache_write_tokens + other.cache_write_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cost_usd=one.cost_usd + other.cost_usd,
        latency_seconds=one.latency_seconds + other.latency_seconds,
    )


def without_secrets(round: Round, text: str) -> str:
    """Give the text as it may be kept: the secrets of keys blotted out."""
    for secret in round.view.secrets.values():
        text = text.replace(secret, "•••")
    return text
