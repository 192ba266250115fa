"""Whether a claimed agent goes, waits or stays, decided anew from what is stored when its time has come.

The rules are in docs/heartbeat.md#one-beat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.core.due_times import ambient_wait, rounded_up
from bot.core.kinds import HeldFor, ReasonKind
from bot.core.reasons import banter_is_over, is_asleep, is_hushed
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, BeatId, CommunityId, MindId, Reason, Side
from bot.core.spending import Spending
from bot.core.view import Glance, Outline, carried_by

URGENCY = {kind: place for place, kind in enumerate(ReasonKind)}
SELF_CAUSED_IN = timedelta(hours=1)
GRID = timedelta(seconds=2)  # so much later than it is due an agent may be let through
TURN = timedelta(seconds=90)  # so long before its time is up a turn counts as given, however long it has
PRESSING = TURN - timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to answer for one agent until the lease ends; whoever applies must still hold it."""

    community_id: CommunityId
    agent_id: AgentId
    beat_id: BeatId
    lease_until: datetime
    reasons: tuple[Reason, ...]
    is_takeover: bool = False  # whoever claimed the agent before never came to an end


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """An agent that may beat, for one side; `dropped`: reasons that count no longer."""

    claim: Claim
    agent: Agent
    side: Side
    reasons: tuple[Reason, ...]  # of that side, the most urgent first
    dropped: tuple[Reason, ...] = ()

    @property
    def agent_id(self) -> AgentId:
        return self.claim.agent_id

    @property
    def beat_id(self) -> BeatId:
        return self.claim.beat_id

    @property
    def minds(self) -> frozenset[MindId]:
        """What it carries into this beat."""
        return carried_by(self.agent_id, self.side)

    @property
    def first(self) -> Reason:
        """The most urgent reason, which names the beat."""
        return self.reasons[0]

    @property
    def only_listens(self) -> bool:
        """Whether nothing but ambient messages made it look."""
        return all(reason.kind is ReasonKind.AMBIENT for reason in self.reasons)

    @property
    def is_turn(self) -> bool:
        """Whether it is its turn in a scene."""
        return self.first.kind is ReasonKind.TURN

    @property
    def addressed_by_person(self) -> bool:
        """Whether a person waits for its answer."""
        return any(reason.is_a_persons_call for reason in self.reasons)

    @property
    def only_overhears(self) -> bool:
        """Whether it was not called: what it says is one of the few answers that a message to nobody gets."""
        return all(is_overheard(reason) for reason in self.reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An agent that does not beat now: due again at `until`, or (None) when one of its other reasons is."""

    claim: Claim
    until: datetime | None = None
    held_for: HeldFor | None = None
    dropped: tuple[Reason, ...] = ()


def verdict(view: Glance, claim: Claim, now: datetime, spending: Spending) -> Ready | Held:
    """Judge one claim: what of its reasons still counts, for which side it is, and whether it is time."""
    agent = view.agents[claim.agent_id]
    if agent.retired_at is not None:
        return Held(claim=claim, dropped=claim.reasons)
    if agent.paused_reason is not None or view.community.paused:
        return Held(claim=claim, dropped=tuple(one for one in claim.reasons if not one.is_a_persons_call))
    kept = tuple(reason for reason in claim.reasons if counts(view, claim.agent_id, reason, now, spending))
    dropped = tuple(reason for reason in claim.reasons if reason not in kept)
    if is_asleep(agent, now) and not any(wakes(view, reason) for reason in kept):
        return Held(claim=claim, until=agent.asleep_until, dropped=dropped)
    if not kept:
        return Held(claim=claim, dropped=dropped)
    if agent.backs_off_until is not None and agent.backs_off_until > now:
        return Held(claim=claim, until=agent.backs_off_until, dropped=dropped)
    waits = {reason: wait for reason in kept if (wait := _wait(view, claim.agent_id, reason, now))}
    if len(waits) == len(kept):
        until, held_for = min(waits.values())
        return Held(claim=claim, until=until, held_for=held_for, dropped=dropped)
    kept = tuple(reason for reason in kept if reason not in waits)
    ready = Ready(claim=claim, agent=agent, side=PUBLIC_SIDE, reasons=kept, dropped=dropped)
    return _timed(view, _sided(view, ready, now), now, spending)


def is_overtaken(view: Glance, ready: Ready, let_through_at: datetime, now: datetime) -> bool:
    """Tell whether nobody waits any more for what an agent is asked: it rests, its room is silent, its person goes on.

    Who goes on after the first call is answered to that all the same: so no more than one is ever asked for nothing.
    """
    agent = view.agents.get(ready.agent_id)
    if agent is None or agent.beat_id != ready.beat_id or agent.retired_at is not None:
        return True
    if agent.paused_reason is not None or view.community.paused:
        return True
    waited_for = [
        reason
        for reason in ready.reasons
        if counts(view, ready.agent_id, reason, now, Spending()) and hush_of(view, reason, now) is None
    ]
    return not waited_for or any(_goes_on(view, ready, reason, let_through_at) for reason in waited_for)


def _goes_on(view: Glance, ready: Ready, reason: Reason, let_through_at: datetime) -> bool:
    """Tell whether a person said more to the agent in the same room, soon after the first line was asked about."""
    if not reason.is_a_persons_call:
        return False
    first_call_by = reason.since + timedelta(seconds=view.config.settle_at_most_seconds) + GRID
    return let_through_at <= first_call_by and any(
        (newer.kind, newer.room_id, newer.person_id) == (reason.kind, reason.room_id, reason.person_id)
        and (newer.message_id or 0) > (reason.message_id or 0)
        for newer in view.reasons.get(ready.agent_id, ())
    )


def _wait(view: Glance, agent_id: AgentId, reason: Reason, now: datetime) -> tuple[datetime, HeldFor] | None:
    """Give until when nothing is answered in the reason's room, and why: it is silent, or a post on its way."""
    hushed_until = hush_of(view, reason, now)
    if hushed_until is not None:
        return hushed_until, HeldFor.HUSH
    posted = _posting_until(view, agent_id, reason, now)
    return None if posted is None else (posted, HeldFor.POSTING)


def hush_of(view: Outline, reason: Reason, now: datetime) -> datetime | None:
    """Give until when the room is silent in which a person calls the agent; None when it is not, or nobody calls."""
    room = view.all_rooms.get(reason.room_id) if reason.room_id is not None and reason.is_a_persons_call else None
    return room.hushed_until if room is not None and is_hushed(room, now) else None


def _posting_until(view: Glance, agent_id: AgentId, reason: Reason, now: datetime) -> datetime | None:
    """Give until when the agent's own words in the reason's room are waited for, so that it says nothing twice."""
    own = view.own_words(agent_id, reason.room_id) if reason.room_id is not None else ()
    untils = [message.sent_at + timedelta(seconds=view.config.floor_seconds) for message in own]
    return max((until for until in untils if until > now), default=None)


def _called(view: Glance, ready: Ready, now: datetime) -> datetime | None:
    """Give when the agent is to answer a person who addressed it, if that is soon: it does not listen before."""
    soon = now + timedelta(seconds=view.config.floor_seconds)
    due_times = [
        reason.due_at
        for reason in view.reasons.get(ready.agent_id, ())
        if reason.is_a_persons_call and now < reason.due_at <= soon
    ]
    return min(due_times, default=None)


def _presses(reason: Reason, now: datetime) -> bool:
    """Whether it is a turn whose time is nearly up: it goes before everything."""
    return reason.kind is ReasonKind.TURN and now - reason.since >= PRESSING


def side_of(view: Outline, room_id: AgentId | None) -> Side:
    """Give the side of the barrier a room lies on: the public one for no room, one of its own for an unknown one."""
    if room_id is None:
        return PUBLIC_SIDE
    room = view.all_rooms.get(room_id)
    return room.side if room is not None else Side(room_id)


def is_self_caused(reasons: Sequence[Reason]) -> bool:
    """Tell whether no person's message led to the beat."""
    return all(reason.person_id is None for reason in reasons)


def limited_until(beats: Sequence[datetime], at_most: int, now: datetime) -> datetime | None:
    """Give when an agent may beat again without a person's cause; None when it may now.

    `beats`: when it did so in the last hour, oldest first.
    """
    if len(beats) < at_most:
        return None
    return beats[len(beats) - at_most] + SELF_CAUSED_IN if at_most else now + SELF_CAUSED_IN


def urgency(reason: Reason) -> tuple[int, datetime]:
    """Order reasons: by kind, then the longest waiting."""
    return URGENCY[reason.kind], reason.since


def is_overheard(reason: Reason) -> bool:
    """Tell whether what led to it is what people said to others, looked up first or not."""
    looked_up = reason.kind is ReasonKind.ANSWER and reason.person_id is not None and not reason.mentioned
    return reason.kind is ReasonKind.AMBIENT or looked_up


def counts(view: Outline, agent_id: AgentId, reason: Reason, now: datetime, spending: Spending) -> bool:
    """Tell whether a reason would still let its agent beat at that time."""
    if reason.kind is ReasonKind.TIMER:
        return view.agents[agent_id].asleep_until is not None  # else it was woken before
    if reason.kind is ReasonKind.INITIATIVE:
        return view.config.initiative and spending.allows_initiative and not _silenced(view, reason, now)
    if reason.kind not in (ReasonKind.ADDRESSED, ReasonKind.AMBIENT) or reason.room_id is None:
        return True
    if (agent_id, reason.room_id) not in view.memberships:
        return False
    return reason.is_a_persons_call or not _silenced(view, reason, now)


def _silenced(view: Outline, reason: Reason, now: datetime) -> bool:
    """Whether the room is hushed, or agents have talked long enough and no person gave the reason."""
    room = view.all_rooms.get(reason.room_id) if reason.room_id is not None else None
    if room is None:
        return False
    return is_hushed(room, now) or (reason.person_id is None and banter_is_over(room, view.config))


def wakes(view: Outline, reason: Reason) -> bool:
    """Tell whether a reason ends its agent's sleep."""
    if reason.kind in (ReasonKind.WOKEN, ReasonKind.TURN):
        return True
    return reason.is_a_persons_call and reason.mentioned and view.config.mention_wakes


def _sided(view: Outline, ready: Ready, now: datetime) -> Ready:
    """Keep the reasons of one side: that of the most urgent; a turn in a scene is a beat of its own."""
    ordered = sorted(ready.reasons, key=lambda reason: (not _presses(reason, now), urgency(reason)))
    turn = ordered[0].kind is ReasonKind.TURN
    ordered = ordered[:1] if turn else [one for one in ordered if one.kind is not ReasonKind.TURN]
    side = side_of(view, ordered[0].room_id)
    same = tuple(reason for reason in ordered if side_of(view, reason.room_id) == side)
    return Ready(claim=ready.claim, agent=ready.agent, side=side, reasons=same, dropped=ready.dropped)


def _timed(view: Glance, ready: Ready, now: datetime, spending: Spending) -> Ready | Held:
    """Hold beats back that nobody waits for: before an answer, and while money is short and intervals are longer."""
    if ready.only_listens and (called_at := _called(view, ready, now)) is not None:
        return Held(claim=ready.claim, until=called_at, held_for=HeldFor.CALLED, dropped=ready.dropped)
    if spending.stretch == 1.0 or not ready.only_listens or ready.agent.last_beat_at is None:
        return ready
    waits = [
        ambient_wait(ready.agent, membership, stretch=spending.stretch)
        for reason in ready.reasons
        if reason.room_id and (membership := view.memberships.get((ready.agent_id, reason.room_id)))
    ]
    at = ready.agent.last_beat_at + timedelta(seconds=min(waits, default=0.0))
    if at <= now:
        return ready
    return Held(claim=ready.claim, until=rounded_up(at, 1), held_for=HeldFor.BUDGET, dropped=ready.dropped)
