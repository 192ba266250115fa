"""What a beat leaves behind in its agent, its memberships and the message it answered (docs/heartbeat.md#one-beat)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from bot.core.changes import (
    AddLetter,
    AgentColumns,
    Change,
    DropReasons,
    MembershipColumns,
    PutReason,
    UpdateAgent,
    UpdateMembership,
    UpdateMessage,
    UpdateRoom,
)
from bot.core.due_times import lengthened
from bot.core.emoji import BROKE
from bot.core.errors import ModelError
from bot.core.floor import answerable
from bot.core.gate import Ready
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.letters import NoticePayload
from bot.core.reasons import cue, initiative
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Membership, MessageId, Reason, Room
from bot.core.spending import Limit, day_of
from bot.core.tempo import drifted
from bot.core.view import Glance, Outline

BACKOFF_AT_MOST_SECONDS = 60.0
FAILURES_TOLD = 5  # in a row, then the room is told
FAILURES_SHOWN = 2  # in a row, then whoever waits sees a sign on the message


def begun(ready: Ready, now: datetime) -> list[Change]:
    """Mark an agent that was let through: since when, why, one step nearer to rest (no turn is one), and awake."""
    fields: AgentColumns = {"last_beat_at": now, "last_reason": ready.first.kind, "asleep_until": None}
    if not ready.is_turn:
        fields["interval_seconds"] = drifted(ready.agent)
    return [UpdateAgent(agent_id=ready.agent_id, fields=fields)]


def undone(ready: Ready, stored: Agent) -> AgentColumns:
    """Give the agent's columns as they were before it was let through."""
    before = ready.agent
    fields: AgentColumns = {
        "last_beat_at": before.last_beat_at,
        "last_reason": before.last_reason,
        "asleep_until": before.asleep_until,
    }
    if not ready.is_turn and stored.interval_seconds == drifted(before):
        fields["interval_seconds"] = before.interval_seconds
    return fields


def widened(view: Glance, ready: Ready, seen_until: Mapping[AgentId, MessageId]) -> Ready:
    """Add the reasons that waited for later, but whose messages the beat's HUD showed: it answers them as well."""
    shown: dict[tuple[ReasonKind, AgentId | None], Reason] = {
        (reason.kind, reason.room_id): reason
        for reason in view.reasons.get(ready.agent_id, ())
        if reason.message_id is not None
        and reason.room_id is not None
        and reason.message_id <= seen_until.get(reason.room_id, MessageId(0))
    }
    mine = tuple(shown.pop((reason.kind, reason.room_id), reason) for reason in ready.reasons)
    return replace(ready, reasons=(*mine, *shown.values()))


def seen(ready: Ready) -> list[Change]:
    """Take the reasons away that the beat was for."""
    return [DropReasons(agent_id=ready.agent_id, reasons=ready.reasons)]


def looked(
    view: Outline, ready: Ready, seen_until: Mapping[AgentId, MessageId], window_starts: Mapping[AgentId, MessageId]
) -> list[Change]:
    """Keep what the agent has seen of each room it was shown."""
    return [
        UpdateMembership(
            agent_id=ready.agent_id,
            room_id=room_id,
            fields={"seen_until": newest, **_start(window_starts, room_id)},
        )
        for room_id, newest in seen_until.items()
        if (ready.agent_id, room_id) in view.memberships
    ]


def _start(window_starts: Mapping[AgentId, MessageId], room_id: AgentId) -> MembershipColumns:
    return {"window_start": window_starts[room_id]} if room_id in window_starts else {}


def spoken(
    view: Outline, ready: Ready, spoke_in: Collection[AgentId], now: datetime, *, model: str, useless: bool = False
) -> list[Change]:
    """Keep how the beat ended: its patience with each room, the answers that a person's message has had.

    `model` is the one that answered: its own, or its spare one; `useless`: it can be used for nothing.
    """
    fields: AgentColumns = {"last_beat_silent": not spoke_in, "failures_in_a_row": 0, "backs_off_until": None}
    if not useless:
        fields["unusable_in_a_row"] = 0
    changes: list[Change] = [UpdateAgent(agent_id=ready.agent_id, fields=fields)]
    changes += _patience(view, ready, spoke_in)
    changes += _begins_again(view, ready, spoke_in, now)
    if model != ready.agent.model:
        return [*changes, *_spare_speaks(view, ready, model, now)]
    return [*changes, *([] if useless else _model_is_back(view, ready))]


def answered(view: Outline, ready: Ready, room_id: AgentId, now: datetime) -> list[Change]:
    """Count one more answer by an agent that the newest message of a person does not address."""
    message = answerable(view, room_id, now) if ready.only_overhears else None
    if message is None:
        return []
    return [UpdateMessage(message_id=message.id, fields={"answers_from_agents": message.answers_from_agents + 1})]


def backoff_until(failures: int, now: datetime, error: ModelError) -> datetime:
    """Give when an agent whose model failed is due again: after 1, 2, 4 … 60 s, or what the provider asked for."""
    seconds = min(BACKOFF_AT_MOST_SECONDS, 2.0 ** min(failures - 1, 6))
    asked = min(BACKOFF_AT_MOST_SECONDS, error.retry_after_seconds or 0.0)
    return now + timedelta(seconds=max(seconds, asked))


def failed(view: Outline, ready: Ready, error: ModelError, now: datetime, until: datetime) -> list[Change]:
    """Put the agent back as it was and leave it alone until then; tell its room once when its model keeps failing.

    Of a turn in a closed scene nobody is told: that would tell who is asked there.
    """
    stored = view.agents[ready.agent_id]
    failures = stored.failures_in_a_row + 1
    fields: AgentColumns = {**undone(ready, stored), "failures_in_a_row": failures, "backs_off_until": until}
    changes: list[Change] = [UpdateAgent(agent_id=ready.agent_id, fields=fields)]
    if failures == FAILURES_SHOWN:
        changes += _signs(ready, now)
    room = view.all_rooms.get(_room_of(ready))
    if failures < FAILURES_TOLD or ready.side < PUBLIC_SIDE or room is None:
        return changes
    if stored.fault_told_at is not None or room.fault_told_at is not None:
        return changes
    sentence = f"{ready.agent.name} cannot answer just now: {error.sentence} It keeps trying."
    return [
        *changes,
        UpdateAgent(agent_id=ready.agent_id, fields={"fault_told_at": now}),
        UpdateRoom(room_id=room.id, fields={"fault_told_at": now}),
        notice(room.id, sentence, now),
        notice(room.id, f"{ready.agent.name} cannot answer: {error.sentence}", now, to_managers=True),
    ]


def misunderstood(view: Outline, ready: Ready, model: str, now: datetime) -> list[Change]:
    """Put a sign on the message that gets no answer, as it could not be used; after some in a row tell the managers."""
    stored = view.agents[ready.agent_id]
    unusable = stored.unusable_in_a_row + 1
    fields: AgentColumns = {"unusable_in_a_row": unusable}
    if unusable < view.config.unusable_told or stored.fault_told_at is not None:
        return [UpdateAgent(agent_id=ready.agent_id, fields=fields), *_signs(ready, now)]
    fields["fault_told_at"] = now
    sentence = (
        f"{model} gave {ready.agent.name} {unusable} answers in a row that cannot be used: name another model "
        "(`/agent edit`, `/setup model`), or give it less to answer (`/setup options`: `answer_tokens_alone`)."
    )
    return [
        UpdateAgent(agent_id=ready.agent_id, fields=fields),
        *_signs(ready, now),
        notice(_room_of(ready), sentence, now, to_managers=True),
    ]


def _signs(ready: Ready, now: datetime) -> list[AddLetter]:
    """Give the sign on each message of a person that waits for an answer."""
    return [
        cue(reason.room_id, reason.message_id, BROKE, now)
        for reason in ready.reasons
        if reason.is_a_persons_call and reason.room_id is not None and reason.message_id is not None
    ]


def rests(view: Outline, ready: Ready, now: datetime, limit: Limit, *, told: Collection[AgentId] = ()) -> list[Change]:
    """Say once a day in a room that would have answered that the day's money is spent, with a sign on the message.

    `told`: the rooms that said so in this slot already.
    """
    room, changes = _put_off(view, ready, now)
    if room is None or room.id in told:
        return changes
    if room.rest_told_at is not None and day_of(room.rest_told_at) == day_of(now):
        return changes
    raised = "" if limit is Limit.CEILING else ", or until it is raised"
    more = " A provider of your own goes on: `/setup provider`." if limit is Limit.CEILING else ""
    return [
        *changes,
        UpdateRoom(room_id=room.id, fields={"rest_told_at": now}),
        notice(room.id, f"{limit} is spent: agents rest until midnight UTC{raised}.", now),
        notice(room.id, f"{limit} is spent: agents rest until midnight UTC.{more}", now, to_managers=True),
    ]


def unprovided(view: Outline, ready: Ready, now: datetime, why: str, *, told: Collection[AgentId] = ()) -> list[Change]:
    """Say once in a room that would have answered, and once to the managers, why no model can be asked.

    `told`: the rooms that said so in this slot already.
    """
    room, changes = _put_off(view, ready, now)
    if room is None or room.fault_told_at is not None or room.id in told:
        return changes
    changes += [UpdateRoom(room_id=room.id, fields={"fault_told_at": now}), notice(room.id, why, now)]
    if told or any(one.fault_told_at is not None for one in view.all_rooms.values()):
        return changes
    return [*changes, notice(room.id, why, now, to_managers=True)]


def _put_off(view: Outline, ready: Ready, now: datetime) -> tuple[Room | None, list[Change]]:
    """Keep only what can wait, with a sign on a person's message; gives the room where a person was to be answered."""
    first = ready.first
    changes: list[Change] = [DropReasons(agent_id=ready.agent_id, reasons=_idle(ready.reasons))]
    room = view.all_rooms.get(first.room_id) if first.room_id is not None else None
    if room is None or not ready.addressed_by_person:
        return None, changes
    if first.message_id is not None:
        changes.append(cue(room.id, first.message_id, BROKE, now))
    return room, changes


def notice(room_id: AgentId, text: str, now: datetime, *, to_managers: bool = False) -> AddLetter:
    """Give the letter with which Selfroom itself says something in a room or to the managers."""
    payload = NoticePayload(text=text, to_managers=to_managers).stored()
    return AddLetter(kind=LetterKind.NOTICE, room_id=room_id, payload=payload, not_before=now)


def retired_with_its_channel(agent: Agent, now: datetime) -> list[Change]:
    """Retire an agent whose channel people deleted, restorable into a new one, and have the managers hear of it."""
    changes: list[Change] = [
        UpdateAgent(agent_id=agent.id, fields={"retired_at": agent.retired_at or now}),
        UpdateRoom(room_id=agent.id, fields={"channel_id": None}),
    ]
    if agent.retired_at is None:
        text = f"📪 {agent.name} is retired, for its channel was deleted: `/agent restore` gives it a new one."
        changes.append(notice(agent.id, text, now, to_managers=True))
    return changes


def _room_of(ready: Ready) -> AgentId:
    return ready.first.room_id if ready.first.room_id is not None else ready.agent_id


def _idle(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """The reasons for which nobody waits until tomorrow."""
    return tuple(reason for reason in reasons if reason.kind in (ReasonKind.AMBIENT, ReasonKind.INITIATIVE))


def _patience(view: Outline, ready: Ready, spoke_in: Collection[AgentId]) -> list[Change]:
    changes: list[Change] = []
    called = {reason.room_id for reason in ready.reasons if reason.kind is ReasonKind.ADDRESSED}
    touched = called | set(spoke_in) | {reason.room_id for reason in ready.reasons}
    for room_id in sorted(room_id for room_id in touched if room_id is not None):
        membership = view.memberships.get((ready.agent_id, room_id))
        if membership is None:
            continue
        patience = membership.patience_seconds
        if room_id in called or room_id in spoke_in:
            patience = None
        elif ready.only_listens and not spoke_in:
            patience = lengthened(
                view.agents[ready.agent_id], membership, view.config, new_lines=_new_lines(view, membership)
            )
        if patience != membership.patience_seconds:
            lasts: MembershipColumns = {"patience_seconds": patience}
            changes.append(UpdateMembership(agent_id=ready.agent_id, room_id=room_id, fields=lasts))
    return changes


def _new_lines(view: Outline, membership: Membership) -> int:
    """Count what was said in the room since the agent's look before this one, as far as the view goes back."""
    room = view.rooms.get(membership.room_id)
    return sum(message.id > membership.seen_until for message in room.messages) if room is not None else 0


def _begins_again(view: Outline, ready: Ready, spoke_in: Collection[AgentId], now: datetime) -> list[PutReason]:
    """After an initiative the next one waits twice as long, or the shortest time when something came of it."""
    last = next((reason for reason in ready.reasons if reason.kind is ReasonKind.INITIATIVE), None)
    if last is None or not view.config.initiative:
        return []
    return [initiative(ready.agent, view.config, now, None if spoke_in else last)]


def _spare_speaks(view: Outline, ready: Ready, model: str, now: datetime) -> list[Change]:
    """Tell the managers once that an agent's spare model answers for it, until its own is back."""
    if view.agents[ready.agent_id].fault_told_at is not None:
        return []
    sentence = (
        f"{ready.agent.model} fails: {model} answers for {ready.agent.name} until it is back "
        "(`/agent edit` changes both)."
    )
    told = UpdateAgent(agent_id=ready.agent_id, fields={"fault_told_at": now})
    return [told, notice(_room_of(ready), sentence, now, to_managers=True)]


def _model_is_back(view: Outline, ready: Ready) -> Iterator[Change]:
    """Let the next fault of an agent's model be told anew."""
    if view.agents[ready.agent_id].fault_told_at is not None:
        yield UpdateAgent(agent_id=ready.agent_id, fields={"fault_told_at": None})
    room = view.all_rooms.get(_room_of(ready))
    if room is not None and room.fault_told_at is not None:
        yield UpdateRoom(room_id=room.id, fields={"fault_told_at": None})
