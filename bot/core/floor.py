"""Who may hold the floor of a room, and who may still speak when the answer is there (docs/heartbeat.md#the-floor)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from bot.core.attention import shares
from bot.core.gate import Ready, is_overheard
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.reasons import banter_is_over, is_claimed, is_free, is_hushed
from bot.core.records import AgentId, Letter, LetterId, Membership, Message, Reason
from bot.core.view import Glance, Outline
from bot.core.wording import counted

SPEAKER_WAIT = timedelta(seconds=1)
LISTENER_WAIT = timedelta(seconds=2)
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Who goes now, in the order of the floor, and who comes after (due again at that time)."""

    admitted: tuple[Ready, ...] = ()
    waiting: tuple[tuple[Ready, datetime], ...] = ()


@dataclass(slots=True)
class _Floors:
    """How many hold the floor of each room, listen there in a call that runs, or are about to be asked by a person."""

    speaking: Counter[AgentId] = field(default_factory=Counter)
    listening: Counter[AgentId] = field(default_factory=Counter)
    expected: Counter[AgentId | None] = field(default_factory=Counter)


def admit(view: Glance, ready: Sequence[Ready], now: datetime) -> Admission:
    """Let agents through in the order of the floor; those with ambient reasons only when nobody holds it."""
    floors = _held(view, now, ignoring={one.agent_id for one in ready})
    admitted: list[Ready] = []
    waiting: list[tuple[Ready, datetime]] = []
    attention = _attention(view, ready)
    for one in sorted(ready, key=lambda one: _place(view, one, now, attention)):
        if _enters(view, floors, one):
            admitted.append(one)
        else:
            wait = LISTENER_WAIT if one.only_listens else SPEAKER_WAIT
            waiting.append((one, now + wait))
    return Admission(admitted=tuple(admitted), waiting=tuple(waiting))


def may_speak(
    view: Glance,
    agent_id: AgentId,
    room_id: AgentId,
    *,
    reasons: Sequence[Reason],
    let_through_at: datetime,
    now: datetime,
    said: int = 0,
) -> str:
    """Give "" when the agent may post there, or the sentence that tells it why not.

    `said`: how many messages of this beat it has posted there already.
    """
    room = view.all_rooms[room_id]
    if is_hushed(room, now):
        return f"the room is hushed until {room.hushed_until:%H:%M} UTC"
    if banter_is_over(room, view.config, more=said):
        return f"agents said {counted(room.agent_run, 'message')} in a row here: wait until a person speaks or reacts"
    if _has_the_floor(reasons, room_id):
        return ""
    speaking = _in_calls(view, now, ignoring={agent_id}).speaking[room_id]
    if speaking + _spoken_by_others(view, agent_id, room_id, let_through_at) >= view.config.floor:
        return "floor taken: others have just spoken there, look at what they said first"
    if all(is_overheard(reason) for reason in reasons) and answered_enough(view, room_id, now):
        return "floor taken: the last message there has its answers, wait until a person speaks or you are addressed"
    return ""


def after_saying(view: Glance, ready: Ready, room_ids: Sequence[AgentId], now: datetime) -> Glance:
    """Give the view as the store has it once the agent has ended its beat with one message in each of these rooms."""
    agent = replace(view.agents[ready.agent_id], beat_id=None, lease_until=None)
    view = replace(view, agents={**view.agents, agent.id: agent}, reasons={**view.reasons, agent.id: ()})
    for room_id in room_ids:
        room = replace(view.all_rooms[room_id], agent_run=view.all_rooms[room_id].agent_run + 1)
        shown = replace(view.rooms[room_id], room=room, messages=_counted(view, ready, room_id, now))
        letter = Letter(
            id=LetterId(0),
            community_id=view.community.id,
            room_id=room_id,
            kind=LetterKind.POST,
            payload={},
            beat_id=ready.beat_id,
            not_before=now,
            created_at=now,
        )
        view = replace(
            view,
            all_rooms={**view.all_rooms, room_id: room},
            rooms={**view.rooms, room_id: shown},
            unposted={**view.unposted, room_id: (*view.unposted.get(room_id, ()), letter)},
        )
    return view


def _counted(view: Outline, ready: Ready, room_id: AgentId, now: datetime) -> tuple[Message, ...]:
    """The room's messages, one more answer counted where a listener gave it."""
    answer_to = answerable(view, room_id, now) if ready.only_overhears else None
    return tuple(
        replace(message, answers_from_agents=message.answers_from_agents + 1) if message is answer_to else message
        for message in view.rooms[room_id].messages
    )


def answered_enough(view: Outline, room_id: AgentId, now: datetime) -> bool:
    """Tell whether the newest message of a person has as many answers as agents it did not address may give."""
    message = answerable(view, room_id, now)
    return message is not None and message.answers_from_agents >= view.config.answers_to_everyone


def answerable(view: Outline, room_id: AgentId, now: datetime) -> Message | None:
    """Give the person's message that an unaddressed agent answers when it speaks now; None when it is long ago."""
    room = view.rooms.get(room_id)
    messages = room.messages if room is not None else ()
    newest = next((message for message in reversed(messages) if message.sender.is_human), None)
    if newest is None or now - newest.sent_at > timedelta(minutes=view.config.stale_minutes):
        return None
    return newest


def _has_the_floor(reasons: Iterable[Reason], room_id: AgentId) -> bool:
    return any(not is_overheard(reason) and reason.room_id == room_id for reason in reasons)


def _spoken_by_others(view: Glance, agent_id: AgentId, room_id: AgentId, since: datetime) -> int:
    """Count what other agents said there since: posted, or on its way."""
    room = view.rooms.get(room_id)
    messages = room.messages if room is not None else ()
    posted = {
        message.sender.agent_id
        for message in messages
        if message.sender.agent_id not in (None, agent_id) and message.sent_at >= since
    }
    return len(posted) + len(_on_their_way(view, room_id, since))


def _on_their_way(view: Glance, room_id: AgentId, since: datetime) -> set[int]:
    """The beats whose posts for the room are not on Discord yet."""
    return {
        letter.beat_id
        for letter in view.unposted.get(room_id, ())
        if letter.kind is LetterKind.POST and letter.beat_id is not None and letter.created_at >= since
    }


def _held(view: Glance, now: datetime, *, ignoring: set[AgentId]) -> _Floors:
    since = now - timedelta(seconds=view.config.floor_seconds)
    floors = _in_calls(view, now, ignoring=ignoring)
    for room_id in view.rooms:
        floors.speaking[room_id] += len(_on_their_way(view, room_id, since))
    soon = now + timedelta(seconds=view.config.floor_seconds)
    floors.expected.update(
        reason.room_id
        for id_, reasons in view.reasons.items()
        for reason in reasons
        if id_ not in ignoring and reason.is_a_persons_call and reason.due_at <= soon and _can_come(view, id_, now)
    )
    return floors


def _can_come(view: Outline, agent_id: AgentId, now: datetime) -> bool:
    """Whether an agent is about to be let through: nobody waits for one that rests, fails, or is in a call already."""
    agent = view.agents.get(agent_id)
    if agent is None or not is_free(agent, now) or is_claimed(agent, now):
        return False
    return agent.backs_off_until is None or agent.backs_off_until <= now


def _in_calls(view: Glance, now: datetime, *, ignoring: set[AgentId]) -> _Floors:
    since = now - timedelta(seconds=view.config.floor_seconds)
    floors = _Floors()
    for id_, reasons in view.reasons.items():
        agent = view.agents.get(id_)
        if agent is None or id_ in ignoring or not is_claimed(agent, now):
            continue
        if agent.last_beat_at is not None and agent.last_beat_at >= since:
            due = [one for one in reasons if one.due_at <= agent.last_beat_at and one.kind is not ReasonKind.TURN]
            _count(floors, due)
    return floors


def _count(floors: _Floors, reasons: Sequence[Reason]) -> None:
    """An agent in a running call speaks where it was addressed and listens elsewhere."""
    speaks = {reason.room_id for reason in reasons if reason.kind is not ReasonKind.AMBIENT}
    for room_id in {reason.room_id for reason in reasons if reason.room_id is not None}:
        counter = floors.speaking if room_id in speaks else floors.listening
        counter[room_id] += 1


def _enters(view: Outline, floors: _Floors, one: Ready) -> bool:
    """Give the agent the floor of the room it was called to, if it can have it."""
    room_id = one.first.room_id
    if room_id is None or one.is_turn:
        return True
    if one.only_listens:
        return not (floors.speaking[room_id] or floors.listening[room_id] or floors.expected[room_id])
    if floors.speaking[room_id] >= view.config.floor:
        return False
    floors.speaking[room_id] += 1
    return True


def _place(
    view: Outline, one: Ready, now: datetime, attention: Mapping[tuple[AgentId, AgentId], float]
) -> tuple[bool, bool, bool, bool, float, datetime, AgentId]:
    """Speakers first; of them who waited too long, was mentioned, owns the room, attends most, was silent longest."""
    room_id = one.first.room_id
    membership = view.memberships.get((one.agent_id, room_id)) if room_id is not None else None
    overdue = now - one.first.since > timedelta(seconds=view.config.floor_seconds)
    return (
        one.only_listens,
        not overdue,
        not one.first.mentioned,
        not _is_host(view, one, room_id),
        -(attention.get((one.agent_id, room_id), 0.0) if room_id is not None else 0.0),
        (membership.last_spoke_at if membership else None) or NEVER,
        one.agent_id,
    )


def _is_host(view: Outline, one: Ready, room_id: AgentId | None) -> bool:
    room = view.all_rooms.get(room_id) if room_id is not None else None
    return room is not None and room.owner_id == one.agent_id


def _attention(view: Outline, ready: Sequence[Ready]) -> dict[tuple[AgentId, AgentId], float]:
    """Give the percentage of attention that each of these agents pays to each room of its beat's side."""
    sides = {one.agent_id: one.side for one in ready}
    mine: dict[AgentId, list[Membership]] = {}
    for (agent_id, room_id), membership in view.memberships.items():
        room = view.all_rooms.get(room_id)
        if agent_id in sides and room is not None and room.side == sides[agent_id]:
            mine.setdefault(agent_id, []).append(membership)
    return {(id_, room_id): share for id_, seats in mine.items() for room_id, share in shares(seats).items()}
