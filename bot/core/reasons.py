"""Who has a reason to beat: what a message means to each member, and whether a claimed agent may go.

The rules are in docs/heartbeat.md#reasons.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.core.addressing import Way, same_person, ways_of
from bot.core.changes import AddLetter, PutReason
from bot.core.config import CommunityConfig
from bot.core.due_times import ambient_beat_at, leisure, own_beat_at
from bot.core.emoji import ASLEEP, PAUSED
from bot.core.kinds import HeldFor, LetterKind, ReasonKind, SenderKind
from bot.core.letters import CuePayload
from bot.core.records import Agent, AgentId, Membership, Message, MessageId, Reason, Room, Sender, Snowflake
from bot.core.view import Glance, Outline, RoomView

PROXY_SECONDS = 2.0  # in which a proxy bot posts anew what somebody wrote; until then it may be about to
WORTH_WRITING = timedelta(seconds=30)  # by which an initiative must move before it is written again


def reasons_for(
    view: Glance,
    room_id: AgentId,
    message: Message,
    *,
    now: datetime,
    addressed_so_far: int = 0,
    ways: Mapping[AgentId, Way] | None = None,
    stretch: float = 1.0,
    overtaken: bool = False,
) -> list[PutReason]:
    """Give the reasons that a stored and visible message is to the members of its room.

    `addressed_so_far`: beats its author caused by addressing agents in the last minutes
    (`Beats.addressed_by`); `ways`: whom it addresses (`ways_of`), where that is known already; `stretch`: what
    spending does to intervals (`core.spending`); `overtaken`: its author spoke there again, in what is still to come.
    """
    room = view.rooms.get(room_id)
    if room is None or not _counts(view, room.room, message, now):
        return []
    if ways is None:
        ways = ways_of(view, room, message)
    event = _Event(view=view, room=room, message=message, now=now, stretch=stretch)
    left = _answers_left(event, addressed_so_far, overtaken=overtaken)
    puts: list[PutReason] = []
    quiet = view.community.paused or is_hushed(room.room, now)
    for id_ in room.members:
        put = event.reason_of(id_, ways.get(id_), urgent=left > 0 or (left == 0 and event.is_awaited_by(id_)))
        if put is None or ((quiet or _is_paused(view, id_)) and not put.reason.is_a_persons_call):
            continue
        puts.append(_after_hush(room.room, put, now))
        if put.reason.is_a_persons_call and not event.is_awaited_by(id_):
            left -= 1
    return puts if quiet else puts + list(_initiatives(view, room, message, now))


def _is_paused(view: Outline, agent_id: AgentId) -> bool:
    return view.agents[agent_id].paused_reason is not None


def _after_hush(room: Room, put: PutReason, now: datetime) -> PutReason:
    """What a person asks of an agent while its room is silent waits for the end of that."""
    if room.hushed_until is None or not is_hushed(room, now):
        return put
    due_at = max(put.reason.due_at, room.hushed_until)
    return replace(put, reason=replace(put.reason, due_at=due_at, held_for=HeldFor.HUSH))


def cues_for(
    view: Glance, room_id: AgentId, message: Message, ways: Mapping[AgentId, Way], *, now: datetime
) -> list[AddLetter]:
    """Give the small sign on a person's message that addresses (`ways_of`) an agent which sleeps on or is paused."""
    if not message.sender.is_human:
        return []
    plain = ((view.agents[id_], way) for id_, way in ways.items() if way is not Way.LIKELY)
    signs = {sign for agent, way in plain if (sign := _sign(view, agent, way, now))}
    return [cue(room_id, message.id, sign, now) for sign in sorted(signs)]


def cue(room_id: AgentId, message_id: MessageId, sign: str, now: datetime) -> AddLetter:
    """Give the letter that puts a sign on a message."""
    payload = CuePayload(message_id=message_id, emoji=sign).stored()
    return AddLetter(kind=LetterKind.CUE, room_id=room_id, payload=payload, not_before=now)


def is_claimed(agent: Agent, now: datetime) -> bool:
    """Tell whether a beat holds the agent now."""
    return agent.beat_id is not None and agent.lease_until is not None and agent.lease_until > now


def is_asleep(agent: Agent, now: datetime) -> bool:
    """Tell whether the agent sleeps."""
    return agent.asleep_until is not None and agent.asleep_until > now


def is_hushed(room: Room, now: datetime) -> bool:
    """Tell whether agents are to be silent there."""
    return room.hushed_until is not None and room.hushed_until > now


def banter_is_over(room: Room, config: CommunityConfig, *, more: int = 0) -> bool:
    """Tell whether agents have talked among themselves long enough, so many `more` messages counted."""
    return 0 < config.banter <= room.agent_run + more


def _counts(view: Outline, room: Room, message: Message, now: datetime) -> bool:
    if message.sender.kind is SenderKind.SYSTEM:
        return False
    quiet = view.community.paused or is_hushed(room, now) or banter_is_over(room, view.config)
    return message.sender.is_human or not quiet


def _author(sender: Sender) -> Snowflake | None:
    """The person who wrote it; another program is treated as an agent, so that the two cannot talk for ever."""
    return sender.person_id if sender.is_human else None


def _answers_left(event: "_Event", so_far: int, *, overtaken: bool) -> int:
    """Give how many agents more its author may have at once; -1: nobody, it is not a person's or was overtaken."""
    view, message = event.view, event.message
    if not message.sender.is_human:
        return -1
    waited = event.now - message.sent_at > timedelta(minutes=view.config.stale_minutes)
    if waited and (overtaken or _is_overtaken(event.room, message)):
        return -1
    author = message.sender.person_id
    awaited = sum(one.is_a_persons_call and one.person_id == author for few in view.reasons.values() for one in few)
    return max(0, view.config.addressed_per_person - so_far - awaited)


def _is_overtaken(room: RoomView, message: Message) -> bool:
    """Tell whether its author spoke there again."""
    return any(_is_after(one, message) and same_person(one.sender, message.sender) for one in room.messages)


def _is_after(one: Message, other: Message) -> bool:
    """Tell whether a message was said later, whichever came in first."""
    return (one.sent_at, one.discord_id or 0, one.id) > (other.sent_at, other.discord_id or 0, other.id)


def _sign(view: Outline, agent: Agent, way: Way, now: datetime) -> str:
    if agent.paused_reason is not None or view.community.paused:
        return PAUSED
    wakes = way.by_name and view.config.mention_wakes
    return ASLEEP if is_asleep(agent, now) and not wakes else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """One message as it comes to the members of its room."""

    view: Glance
    room: RoomView
    message: Message
    now: datetime
    stretch: float

    def is_awaited_by(self, agent_id: AgentId) -> bool:
        """Whether the agent is about to answer the author here anyway."""
        return any(
            one.is_a_persons_call
            and one.person_id == self.message.sender.person_id
            and one.room_id == self.room.room.id
            for one in self.view.reasons.get(agent_id, ())
        )

    def reason_of(self, agent_id: AgentId, way: Way | None, *, urgent: bool) -> PutReason | None:
        """Give the reason that the message is to a member; `urgent`: if it is addressed, it answers at once."""
        agent = self.view.agents.get(agent_id)
        membership = self.view.memberships.get((agent_id, self.room.room.id))
        if agent is None or membership is None or agent_id == self.message.sender.agent_id:
            return None
        if agent.retired_at is not None:
            return None
        wakes = way is not None and way.by_name and urgent and self.view.config.mention_wakes
        if is_asleep(agent, self.now) and not wakes:
            return None
        return self._reason(agent, membership, way, urgent)

    def _reason(self, agent: Agent, membership: Membership, way: Way | None, urgent: bool) -> PutReason | None:
        likely, way = way is Way.LIKELY, None if way is Way.LIKELY else way
        if way is not None and urgent:
            return PutReason(agent_id=agent.id, reason=self._settling(agent, way))
        if way is not None and not self.message.sender.is_human:
            due_at = own_beat_at(agent, self.now, stretch=self.stretch)
            return PutReason(agent_id=agent.id, reason=self._merged(agent, ReasonKind.ADDRESSED, due_at, way))
        if membership.attention == 0:
            return None
        due_at = ambient_beat_at(agent, membership, self.now, stretch=self.stretch)
        if likely:  # it looks soon, without patience, but not at once: nobody named it
            due_at = min(due_at, own_beat_at(agent, self.now, stretch=self.stretch))
        reason = self._merged(agent, ReasonKind.AMBIENT, due_at, way)
        return None if self._adds_nothing(agent, reason) else PutReason(agent_id=agent.id, reason=reason)

    def _waiting(self, agent: Agent, kind: ReasonKind) -> Reason | None:
        """The reason of that kind that still waits here; one that a beat is working on does not count."""
        taken = is_claimed(agent, self.now)
        for reason in self.view.reasons.get(agent.id, ()):
            if (reason.kind, reason.room_id) == (kind, self.room.room.id):
                return None if taken and reason.due_at <= self.now else reason
        return None

    def _settling(self, agent: Agent, way: Way) -> Reason:
        """Wait for further lines of the same breath, but not for long."""
        config = self.view.config
        waiting = self._waiting(agent, ReasonKind.ADDRESSED)
        since = waiting.since if waiting is not None and waiting.person_id is not None else self.now
        latest = since + timedelta(seconds=config.settle_at_most_seconds)
        quiet = max(config.settle_seconds, PROXY_SECONDS if config.proxies else 0.0)
        settled = self.now + timedelta(seconds=quiet * leisure(agent))
        due_at = max(self.now, min(settled, latest))
        return replace(self._new(ReasonKind.ADDRESSED, due_at, waiting, way), since=since)

    def _merged(self, agent: Agent, kind: ReasonKind, due_at: datetime, way: Way | None) -> Reason:
        """Add to the reason that waits: it comes no later for it, and a person stays its cause."""
        waiting = self._waiting(agent, kind)
        if waiting is None:
            return self._new(kind, due_at, None, way)
        merged = self._new(kind, min(due_at, waiting.due_at), waiting, way)
        return replace(merged, since=waiting.since)

    def _new(self, kind: ReasonKind, due_at: datetime, waiting: Reason | None, way: Way | None) -> Reason:
        sender = self.message.sender
        by_name = kind is ReasonKind.ADDRESSED and way is not None and way.by_name
        return Reason(
            kind=kind,
            room_id=self.room.room.id,
            message_id=self.message.id,
            person_id=_author(sender) or (waiting.person_id if waiting else None),
            by_agent_id=sender.agent_id,
            mentioned=by_name or (waiting is not None and waiting.mentioned),
            since=self.now,
            due_at=due_at,
        )

    def _adds_nothing(self, agent: Agent, reason: Reason) -> bool:
        """Whether the same look is already waited for, so that a talk among people costs no write a line."""
        if is_claimed(agent, self.now):
            return False
        waiting = self._waiting(agent, reason.kind)
        if waiting is None:
            return False
        by_person = waiting.person_id is not None
        return waiting.due_at == reason.due_at and by_person is (reason.person_id is not None)


def initiative(agent: Agent, config: CommunityConfig, now: datetime, last: Reason | None = None) -> PutReason:
    """Let an agent begin something by itself after a while of nothing; the while doubles when nothing came of it."""
    shortest = timedelta(minutes=config.initiative_minutes)
    longest = timedelta(hours=config.initiative_at_most_hours)
    wait = min(longest, 2 * (last.due_at - last.since)) if last else shortest
    reason = Reason(kind=ReasonKind.INITIATIVE, room_id=agent.id, since=now, due_at=now + wait)
    return PutReason(agent_id=agent.id, reason=reason)


def _initiatives(view: Glance, room: RoomView, message: Message, now: datetime) -> Iterator[PutReason]:
    """Something happened: those who would have begun something wait anew."""
    if not view.config.initiative:
        return
    waiting_for = _waiting_initiatives(view)
    for id_ in room.members:
        if id_ == message.sender.agent_id or (agent := view.agents.get(id_)) is None or not is_free(agent, now):
            continue
        put = initiative(agent, view.config, now)
        waiting = waiting_for.get(id_)
        if waiting is None or put.reason.due_at - waiting.due_at > WORTH_WRITING:
            yield put


def _waiting_initiatives(view: Glance) -> Mapping[AgentId, Reason]:
    return {
        id_: reason
        for id_, reasons in view.reasons.items()
        for reason in reasons
        if reason.kind is ReasonKind.INITIATIVE
    }


def is_free(agent: Agent, now: datetime) -> bool:
    """Tell whether the agent may beat at all: neither retired, nor paused, nor asleep."""
    return agent.retired_at is None and agent.paused_reason is None and not is_asleep(agent, now)
