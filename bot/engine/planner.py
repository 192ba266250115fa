"""Agents that were let through -> model calls: who shares one, and how many fit (docs/heartbeat.md#one-beat)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

import structlog

from bot.core.call_cost import compare
from bot.core.changes import RecordAction
from bot.core.config import CommunityConfig
from bot.core.gate import Ready
from bot.core.hud.call import Ask, BuiltCall, build, schema_tokens, with_lookups
from bot.core.hud.counting import count
from bot.core.hud.lookups import LOOKUPS_PERCENT
from bot.core.hud.turn import build_turn
from bot.core.kinds import InputFormat, OutputFormat, ReasonKind
from bot.core.ports import Model
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Lookup, Message, MessageId
from bot.core.scenes.showing import Turn
from bot.core.spending import Short
from bot.core.view import Outline, View

IMAGES_AT_MOST = 4
LEAST_BUDGET = 1_000  # tokens: with less an agent would not even see what it is asked
log = structlog.get_logger(__name__)
Builder = Callable[["CallKind", Sequence[Ready]], BuiltCall]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallKind:
    """What calls must have in common; `cell` keeps agents apart that may not see the same call."""

    model: str
    temperature: float | None
    input_format: InputFormat
    output_format: OutputFormat
    structured: bool
    cell: str
    lean: bool = False
    thinks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One call with the agents it is for, in the order of the floor; `reservation`: its price that is set aside."""

    kind: CallKind
    ready: tuple[Ready, ...]
    built: BuiltCall
    answer_tokens: int
    reservation: int | None = None
    short: Short | None = None
    images: tuple[str, ...] = ()  # addresses of pictures that go with it
    looked_up: tuple[RecordAction, ...] = ()  # for it already, within the beat

    @property
    def shared(self) -> bool:
        """Whether several agents are answered together."""
        return len(self.ready) > 1


def builder(view: View, model: Model, now: datetime, *, turns: Mapping[AgentId, Turn] | None = None) -> Builder:
    """Give what writes the HUDs of a call from one community's view; an agent too large for its model sees less."""

    def write(kind: CallKind, ready: Sequence[Ready]) -> BuiltCall:
        one = ready[0]
        if turns and one.is_turn and one.agent_id in turns:
            agent, tokenizer = view.whole_agent(one.agent_id), model.tokenizer(kind.model)
            return build_turn(view, agent, one.side, turns[one.agent_id], now=now, tokenizer=tokenizer)
        built = written(view, kind, ready)
        if len(ready) > 1:
            return built
        longest = answer_tokens(view.config, 1, thinks=kind.thinks)
        over = tokens_of(kind, built, model) + longest - model.context_tokens(kind.model)
        own = sum(part.tokens for part in built.parts)
        return written(_narrowed(view, ready[0].agent_id, own - over), kind, ready) if over > 0 else built

    def written(view: View, kind: CallKind, ready: Sequence[Ready]) -> BuiltCall:
        return build(
            view,
            [Ask(agent_id=one.agent_id, side=one.side, reasons=one.reasons) for one in ready],
            now=now,
            tokenizer=model.tokenizer(kind.model),
            input_format=kind.input_format,
            output_format=kind.output_format,
            structured=kind.structured,
            lean=kind.lean,
        )

    return write


def tokens_of(kind: CallKind, built: BuiltCall, model: Model) -> int:
    """Give what a call takes, with the schema where the model is held to it."""
    return built.tokens + (schema_tokens(built, model.tokenizer(kind.model)) if kind.structured else 0)


def _narrowed(view: View, agent_id: AgentId, budget: int) -> View:
    smaller = replace(view.agents[agent_id], token_budget=max(LEAST_BUDGET, budget))
    return replace(view, agents={**view.agents, agent_id: smaller})


def plan(view: Outline, ready: Sequence[Ready], model: Model, write: Builder, now: datetime) -> Iterator[PlannedCall]:
    """Divide agents into calls: by kind, and within a kind as many as the model's context holds with the schema.

    Where calls alone are cheaper, because the provider has their beginnings cached, agents are asked one by one.
    """
    groups: dict[CallKind, list[Ready]] = {}
    for one in ready:
        groups.setdefault(kind_of(view, one, model), []).append(one)
    for kind, group in groups.items():
        most = view.config.agents_per_call
        for start in range(0, len(group), most):
            for call in _filled(view.config, kind, group[start : start + most], model, write):
                yield from _thrifty(view, call, model, write, now)


def _thrifty(view: Outline, call: PlannedCall, model: Model, write: Builder, now: datetime) -> list[PlannedCall]:
    """Give the call, or calls alone when they cost less."""
    if not call.shared or view.config.planner != "auto":
        return [call]
    kind = call.kind

    def price(tokens: int, cached: int) -> Decimal:
        return model.list_price(kind.model, input_tokens=tokens, output_tokens=0, cached_tokens=cached)

    constant = count(model.tokenizer(kind.model), call.built.instructions)
    found = compare(view, call.ready, call.built, constant, price, now)
    if not found.alone_is_cheaper:
        return [call]
    log.info(
        "agents are asked one by one: with warm caches that costs less than one shared call",
        agents=ids_of(call),
        shared_usd=str(found.shared_usd),
        alone_usd=str(found.alone_usd),
    )
    return [_call(view.config, kind, [one], write) for one in call.ready]


def looked_up(
    view: Outline, model: Model, call: PlannedCall, found: Sequence[tuple[Lookup, RecordAction]]
) -> PlannedCall | None:
    """Give a call of one agent once more with what it looked up below its view; None where that does not fit."""
    kind, agent = call.kind, view.agents[call.ready[0].agent_id]
    most = min(agent.token_budget, view.config.lean_tokens) if kind.lean else agent.token_budget
    lookups = [lookup for lookup, _ in found]
    built = with_lookups(call.built, agent, lookups, model.tokenizer(kind.model), most * LOOKUPS_PERCENT // 100)
    if tokens_of(kind, built, model) + call.answer_tokens > model.context_tokens(kind.model):
        return None
    done = tuple(record for _, record in found)
    return replace(call, built=built, reservation=None, looked_up=(*call.looked_up, *done))


def alone(view: Outline, one: Ready, model: Model, write: Builder) -> PlannedCall:
    """Plan a call for one agent only."""
    kind = kind_of(view, one, model)
    return _call(view.config, kind, [one], write)


def kind_of(view: Outline, one: Ready, model: Model) -> CallKind:
    """Give the kind of call an agent is answered in."""
    agent = view.agents[one.agent_id]
    agent = _answering(agent, model, most_unusable=view.config.unusable_told)
    manner, lean = view.config.manner(agent.model), is_lean(view.config, agent, model)
    return CallKind(
        model=agent.model,
        temperature=min(agent.temperature, manner.warmest(lean=lean)) if model.takes_temperature(agent.model) else None,
        input_format=agent.input_format,
        output_format=agent.output_format,
        structured=is_structured(agent, model),
        cell=_cell(view, one, lean=lean),
        lean=lean,
        thinks=model.thinks(agent.model),
    )


def _answering(agent: Agent, model: Model, *, most_unusable: int) -> Agent:
    """Give an agent with the model that answers for it: its own, or the first spare one that does not fail.

    After so many answers that cannot be used the next one has its turn; where all fail, its own is tried.
    """
    names = (agent.model, *agent.spare_models)
    useless = agent.unusable_in_a_row // most_unusable % len(names)
    answers = next((name for name in names[useless:] + names[:useless] if not model.is_failing(name)), agent.model)
    return replace(agent, model=answers)


def is_structured(agent: Agent, model: Model) -> bool:
    """Tell whether an agent's answers are held to the schema."""
    return agent.output_format is OutputFormat.JSON and model.takes_schema(agent.model)


def is_lean(config: CommunityConfig, agent: Agent, model: Model) -> bool:
    """Tell whether an agent is shown only what a weak mind can bear."""
    return config.is_lean(agent, known=model.is_known(agent.model))


def _cell(view: Outline, one: Ready, *, lean: bool) -> str:
    """The privileged, owners who decide about a knock, and weak minds are alone; others share with their side."""
    agent = view.agents[one.agent_id]
    if one.is_turn:
        return f"scene {one.first.scene_id} agent {one.agent_id}"
    knocked = any(reason.kind is ReasonKind.ACCESS for reason in one.reasons)
    solo = "solo" in (view.config.isolation, view.config.planner)
    if solo or agent.can_create_agents or knocked or lean:
        return f"agent {one.agent_id}"
    return "public" if one.side == PUBLIC_SIDE else f"room {one.side}"


def with_images(view: Outline, model: Model, call: PlannedCall) -> PlannedCall:
    """Give a call with its pictures, where its model sees any."""
    return replace(call, images=new_images(view, call)) if model.sees_images(call.kind.model) else call


def new_images(view: Outline, call: PlannedCall) -> tuple[str, ...]:
    """Give the addresses of the newest pictures that somebody in the call sees for the first time, oldest first."""
    found: dict[MessageId, tuple[str, ...]] = {}
    for part in call.built.parts:
        for room_id in part.room_ids:
            membership = view.memberships.get((part.agent_id, room_id))
            room = view.rooms.get(room_id)
            for message in room.messages if room is not None else ():
                if message.id in part.message_ids and (membership is None or message.id > membership.seen_until):
                    found[message.id] = _pictures(message)
    return tuple(url for id_ in sorted(found) for url in found[id_])[-IMAGES_AT_MOST:]


def _pictures(message: Message) -> tuple[str, ...]:
    return tuple(one.url for one in message.attachments if one.url and one.media_type.startswith("image/"))


def answer_tokens(config: CommunityConfig, agents: int, *, thinks: bool) -> int:
    """Give how long the answer of so many agents may be; a model that `thinks` spends tokens before it writes any."""
    written = max(config.answer_tokens_alone, config.answer_tokens_per_agent * agents)
    return max(config.answer_tokens, written) if thinks else written


def _filled(
    config: CommunityConfig, kind: CallKind, group: Sequence[Ready], model: Model, write: Builder
) -> Iterator[PlannedCall]:
    """Halve a group until each part fits."""
    call = _call(config, kind, group, write)
    tokens = tokens_of(kind, call.built, model) + call.answer_tokens
    if len(group) == 1 or tokens <= model.context_tokens(kind.model):
        yield call
        return
    middle = (len(group) + 1) // 2
    yield from _filled(config, kind, group[:middle], model, write)
    yield from _filled(config, kind, group[middle:], model, write)


def _call(config: CommunityConfig, kind: CallKind, group: Sequence[Ready], write: Builder) -> PlannedCall:
    tokens = answer_tokens(config, len(group), thinks=kind.thinks)
    return PlannedCall(kind=kind, ready=tuple(group), built=write(kind, group), answer_tokens=tokens)


def ids_of(call: PlannedCall) -> tuple[AgentId, ...]:
    """Give the agents of a call."""
    return tuple(one.agent_id for one in call.ready)
