"""When an agent's next beat can come, and what it waits for: what `/heartbeat status` and the metrics tell."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from bot.core.due_times import ambient_wait, own_beat_at, rounded_up
from bot.core.gate import counts, hush_of, wakes
from bot.core.kinds import BECAUSE, Doing, HeldFor, ReasonKind, State
from bot.core.letters import RESTS
from bot.core.reasons import banter_is_over, is_asleep, is_claimed, is_hushed
from bot.core.records import Agent, AgentId, Reason, Room
from bot.core.sentences import Sentence, listed
from bot.core.spending import Funds, Limit, Spending, next_day
from bot.core.status import doing, state_of
from bot.core.view import Glance, Outline
from bot.core.wording import counted

NO_PROVIDER = Sentence("a model: its community has to bring its own provider (/setup provider)")

SPENT = {
    Limit.CEILING: Sentence("money, until midnight UTC: what whoever runs Selfroom pays for here in a day is spent"),
    Limit.BUDGET: Sentence("money, until midnight UTC: the budget for today is spent"),
    Limit.SHARE: Sentence(
        "money, until midnight UTC: the share of today's budget of this agent and those it is related to is spent"
    ),
}


class Waiting(StrEnum):
    """What a beat waits for."""

    RETIRED = "retired"
    PAUSED = "paused"
    MODEL = "model"
    BACK_OFF = "back_off"
    SLEEP = "sleep"
    BUDGET = "budget"
    HUSH = "hush"
    BANTER = "banter"
    FLOOR = "floor"
    LIMIT = "limit"
    SETTLE = "settle"
    INTERVAL = "interval"
    PATIENCE = "patience"
    INITIATIVE = "initiative"
    PROVIDER = "provider"
    POSTING = "posting"
    SLOT = "slot"
    NEWS = "news"
    SCENE = "scene"


HELD = {
    HeldFor.FLOOR: Waiting.FLOOR,
    HeldFor.CALLED: Waiting.SETTLE,
    HeldFor.LIMIT: Waiting.LIMIT,
    HeldFor.BUDGET: Waiting.BUDGET,
    HeldFor.MODEL: Waiting.PROVIDER,
    HeldFor.POSTING: Waiting.POSTING,
    HeldFor.HUSH: Waiting.HUSH,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NextBeat:
    """What an agent is at and waits for; `at`: the earliest moment of its next beat, None if nothing makes it."""

    waiting: Waiting
    words: str
    at: datetime | None = None
    state: State = State.IDLE
    doing: Mapping[AgentId, Doing] = field(default_factory=dict)  # by room


def next_beats(view: Glance, funds: Funds, now: datetime, *, missing: str = "") -> Mapping[AgentId, NextBeat]:
    """Tell of every agent what it is at, and what its next beat waits for if nothing else happens.

    The view has their rooms and their reasons; `missing`: why no model can be asked at all.
    """
    return {id_: _next_beat(view, agent, now, funds, missing) for id_, agent in sorted(view.agents.items())}


def _next_beat(view: Glance, agent: Agent, now: datetime, funds: Funds, missing: str) -> NextBeat:
    at = doing(view, agent, now)
    state = state_of(agent, now, typing=Doing.TYPING in at.values(), all_paused=view.community.paused)
    still = _at_rest(view, agent, now)
    if still is None and missing:
        still = NextBeat(waiting=Waiting.PROVIDER, words=NO_PROVIDER)
    return replace(still or _waiting(view, agent, now, funds), state=state, doing=at)


def _waiting(view: Glance, agent: Agent, now: datetime, funds: Funds) -> NextBeat:
    coming = [one for reason in view.reasons.get(agent.id, ()) if (one := _coming(view, agent, reason, now, funds))]
    if coming:
        first = min(coming, key=lambda one: one[0])
        return NextBeat(waiting=first[1], at=first[0], words=_words(view, agent, first[1], first[2]))
    return _nothing_new(view, agent, now, funds)


def doing_words(view: Outline, look: NextBeat) -> str:
    """Word what an agent is at in its rooms: "typing in Wren's room"; of private threads nothing is told."""
    told = [
        Sentence("{what} in {agent}'s room", what=Sentence(what.value), agent=view.agents[room_id].name)
        for room_id, what in look.doing.items()
        if room_id in view.agents
    ]
    return listed(*told)


def _at_rest(view: Outline, agent: Agent, now: datetime) -> NextBeat | None:
    if agent.retired_at is not None:
        return NextBeat(waiting=Waiting.RETIRED, words=Sentence("nothing: it is retired"))
    if agent.paused_reason is not None and agent.paused_reason.startswith(RESTS):
        why = agent.paused_reason.removeprefix(RESTS)
        return NextBeat(
            waiting=Waiting.PAUSED,
            words=Sentence("its channel, which rests until Discord lets Selfroom in ({why})", why=why),
        )
    if agent.paused_reason is not None:
        return NextBeat(waiting=Waiting.PAUSED, words=Sentence("someone to resume it ({why})", why=agent.paused_reason))
    if view.community.paused:
        return NextBeat(waiting=Waiting.PAUSED, words=Sentence("someone to resume everyone (/heartbeat resume)"))
    if is_claimed(agent, now):
        return NextBeat(waiting=Waiting.MODEL, words=Sentence("its model's answer"))
    return None


def _coming(
    view: Outline, agent: Agent, reason: Reason, now: datetime, funds: Funds
) -> tuple[datetime, Waiting, Reason] | None:
    """Give when a reason lets its agent beat at the earliest, and what that moment depends on; None: it never will."""
    at, waiting = max(reason.due_at, now), _why(view, agent, reason, now)
    for later, why in _obstacles(view, agent, reason, at, funds):
        if later >= at:
            at, waiting = later, why
    at_that_time = Spending() if at >= next_day(now) else funds.spending
    return (at, waiting, reason) if counts(view, agent.id, reason, at, at_that_time) else None


def _obstacles(
    view: Outline, agent: Agent, reason: Reason, at: datetime, funds: Funds
) -> Iterator[tuple[datetime, Waiting]]:
    """What else stands before a beat that is due at that time."""
    if agent.asleep_until is not None and is_asleep(agent, at) and not wakes(view, reason):
        yield agent.asleep_until, Waiting.SLEEP
    if (hushed_until := hush_of(view, reason, at)) is not None:
        yield hushed_until, Waiting.HUSH
    if agent.backs_off_until is not None:
        yield agent.backs_off_until, Waiting.BACK_OFF
    if funds.reached(agent.id) is not None:
        yield next_day(at), Waiting.BUDGET
    stretch = funds.spending.stretch
    if reason.kind is ReasonKind.AMBIENT and stretch > 1 and agent.last_beat_at is not None:
        membership = view.memberships.get((agent.id, reason.room_id)) if reason.room_id is not None else None
        if membership is not None:
            wait = ambient_wait(agent, membership, stretch=stretch)
            yield rounded_up(agent.last_beat_at + timedelta(seconds=wait), 1), Waiting.BUDGET


def _why(view: Outline, agent: Agent, reason: Reason, now: datetime) -> Waiting:
    """What a reason's due time came from."""
    if reason.due_at <= now:
        return Waiting.SLOT
    if reason.held_for is not None:
        return HELD[reason.held_for]
    match reason.kind:
        case ReasonKind.ADDRESSED:
            return Waiting.SETTLE if reason.person_id is not None else Waiting.INTERVAL
        case ReasonKind.AMBIENT:
            membership = view.memberships.get((agent.id, reason.room_id)) if reason.room_id is not None else None
            patience = membership.patience_seconds if membership is not None else None
            return Waiting.PATIENCE if (patience or 0.0) > agent.interval_seconds else Waiting.INTERVAL
        case ReasonKind.TIMER:
            return Waiting.SLEEP
        case ReasonKind.INITIATIVE:
            return Waiting.INITIATIVE
        case ReasonKind.TURN:
            return Waiting.SCENE
        case ReasonKind.ANSWER | ReasonKind.WOKEN | ReasonKind.ACCESS:
            return Waiting.INTERVAL


def _words(view: Outline, agent: Agent, waiting: Waiting, reason: Reason) -> str:
    """Word what a beat waits for that will come."""
    owner = view.agents.get(reason.room_id) if reason.room_id is not None else None
    where = Sentence(" in {owner}'s room", owner=owner.name) if owner is not None else ""
    caused, because = counted(view.config.self_caused_per_hour, "beat"), BECAUSE[reason.kind]
    told: dict[Waiting, str] = {
        Waiting.BACK_OFF: Sentence(
            "its model, which failed {times} in a row", times=counted(agent.failures_in_a_row, "time")
        ),
        Waiting.SLEEP: Sentence("the end of its sleep, or to be mentioned"),
        Waiting.BUDGET: Sentence("money: the budget is used up, or nearly"),
        Waiting.FLOOR: Sentence("the floor: others speak{where}", where=where),
        Waiting.LIMIT: Sentence("a person: it had {caused} in an hour that no person caused", caused=caused),
        Waiting.SETTLE: Sentence("the person to finish who speaks to it{where}", where=where),
        Waiting.INTERVAL: Sentence(
            "its own next beat, every {seconds:.1f} s: {because}{where}",
            seconds=agent.interval_seconds,
            because=because,
            where=where,
        ),
        Waiting.PATIENCE: Sentence("a later look: it had nothing to say lately{where}", where=where),
        Waiting.SCENE: Sentence("its turn in a scene"),
        Waiting.INITIATIVE: Sentence("a long silence, to begin something by itself"),
        Waiting.PROVIDER: NO_PROVIDER,
        Waiting.HUSH: Sentence("the end of the hush{where}", where=where),
        Waiting.POSTING: Sentence("its own words to be posted{where}", where=where),
        Waiting.SLOT: Sentence("its next look: {because}{where}", because=because, where=where),
    }
    return told[waiting]


def _nothing_new(view: Outline, agent: Agent, now: datetime, funds: Funds) -> NextBeat:
    """What would let an agent beat that nothing makes beat now."""
    if agent.asleep_until is not None and is_asleep(agent, now):
        return NextBeat(
            waiting=Waiting.SLEEP,
            words=Sentence("waking at {until:%H:%M:%S} UTC, or to be mentioned", until=agent.asleep_until),
        )
    mine = [view.all_rooms[room_id] for room_id in view.joined(agent.id)]
    hushed = [room for room in mine if is_hushed(room, now)]
    tired = [room for room in mine if banter_is_over(room, view.config)]
    if hushed and len(hushed) == len(mine):
        until = min(room.hushed_until for room in hushed if room.hushed_until is not None)
        return NextBeat(
            waiting=Waiting.HUSH,
            words=Sentence(
                "the end of the hush{where} at {until:%H:%M:%S} UTC", where=_named(view, hushed), until=until
            ),
        )
    if (limit := funds.reached(agent.id)) is not None:
        return NextBeat(waiting=Waiting.BUDGET, words=SPENT[limit])
    if tired:
        run = counted(tired[0].agent_run, "message")
        words = Sentence(
            "a person to speak or react{where}: agents said {run} in a row", where=_named(view, tired), run=run
        )
        return NextBeat(waiting=Waiting.BANTER, words=words)
    looks_at = own_beat_at(agent, now, stretch=funds.spending.stretch)
    if looks_at <= rounded_up(now, 1):
        return NextBeat(waiting=Waiting.NEWS, words=Sentence("something new to happen"))
    later = Sentence("something new to happen, not before {at:%H:%M:%S} UTC unless a person calls it", at=looks_at)
    return NextBeat(waiting=Waiting.NEWS, words=later)


def _named(view: Outline, rooms: list[Room]) -> str:
    names = ", ".join(view.agents[room.owner_id].name for room in rooms[:3])
    if len(rooms) > 3:
        return Sentence(" in the room of {names} and others", names=names)
    return Sentence(" in the room of {names}", names=names)
