"""How fast an agent beats: reactions move its interval once, each beat lets it drift back to rest.

The rules are in docs/heartbeat.md#tempo.
"""

from datetime import datetime, timedelta

from bot.core.changes import Change, React, Unreact, UpdateAgent, UpdateRoom
from bot.core.emoji import FASTER, SLOWER, emotion_of, is_hush, reaction_name
from bot.core.kinds import Emotion, SenderKind
from bot.core.reasons import cue
from bot.core.records import Agent, AgentId, Message, Sender
from bot.core.view import Roster

FASTEST_SECONDS = 1.0
SLOWEST_SECONDS = 10.0
DRIFT_SECONDS = 0.1
STEP_SECONDS = {Emotion.THUMBS_UP: -0.5, Emotion.THUMBS_DOWN: 0.5}


def changes_for(
    view: Roster,
    message: Message,
    reactor: Sender,
    emoji: str | Emotion,
    *,
    added: bool,
    now: datetime,
    effect: float | None = None,
    moves: int = 0,
    is_stale: bool = False,
) -> list[Change]:
    """Give all that a reaction changes: the reaction itself, its author's interval, and what the room may do.

    `effect` is what the store knows of this reaction (`Reactions.effect`), `moves` how often an agent that
    reacts has moved the author in the last hour (`Circumstances.moves`); `is_stale`: it may have been put long ago,
    so that the room need not follow it any more.
    """
    if added is (effect is not None):
        return []
    if added:
        stirred = [] if is_stale else _stirred(view, message, reactor, emoji, now)
        return [*_put(view, message, reactor, emoji, now, moves), *stirred]
    return _taken_back(view, message, reactor, emoji, effect or 0.0, now)


def drifted(agent: Agent) -> float:
    """Give the interval one beat later: a little nearer to rest."""
    gap = agent.resting_interval_seconds - agent.interval_seconds
    step = max(-DRIFT_SECONDS, min(DRIFT_SECONDS, gap))
    return _held(agent.interval_seconds + step)


def _held(seconds: float) -> float:
    return round(max(FASTEST_SECONDS, min(SLOWEST_SECONDS, seconds)), 3)


def _put(
    view: Roster, message: Message, reactor: Sender, emoji: str | Emotion, now: datetime, moves: int
) -> list[Change]:
    emotion = emotion_of(emoji) if not isinstance(emoji, Emotion) else emoji
    author = _author(view, message)
    moved = 0.0
    if author is not None and emotion in STEP_SECONDS and _may_move(view, author, reactor, moves):
        moved = round(_held(author.interval_seconds + STEP_SECONDS[emotion]) - author.interval_seconds, 3)
    reaction = React(
        message_id=message.id,
        emoji=reaction_name(emoji),
        emotion=emotion,
        reactor=reactor,
        at=now,
        moved_seconds=moved,
    )
    return [reaction, *_moved(author, moved), *_signed(view, message, reactor, moved, now)]


def _signed(view: Roster, message: Message, reactor: Sender, moved: float, now: datetime) -> list[Change]:
    """Show on the message that a person's thumb was felt, where the community wants that."""
    if moved == 0 or not reactor.is_human or not view.config.pace_signs:
        return []
    return [cue(message.room_id, message.id, FASTER if moved < 0 else SLOWER, now)]


def _taken_back(
    view: Roster, message: Message, reactor: Sender, emoji: str | Emotion, effect: float, now: datetime
) -> list[Change]:
    changes: list[Change] = [Unreact(message_id=message.id, emoji=reaction_name(emoji), reactor=reactor)]
    if reactor.is_human and is_hush(emoji) and not _is_hushed_longer(view, message.room_id, now):
        changes.append(UpdateRoom(room_id=message.room_id, fields={"hushed_until": None}))
    return changes + _moved(_author(view, message), -effect)


def _is_hushed_longer(view: Roster, room_id: AgentId, now: datetime) -> bool:
    """Tell whether a manager silenced the room for longer than a sign does."""
    room = view.all_rooms.get(room_id)
    until = room.hushed_until if room is not None else None
    return until is not None and until > now + timedelta(minutes=view.config.hush_minutes)


def _moved(author: Agent | None, by_seconds: float) -> list[Change]:
    if author is None or by_seconds == 0:
        return []
    seconds = _held(author.interval_seconds + by_seconds)
    return [UpdateAgent(agent_id=author.id, fields={"interval_seconds": seconds})]


def _author(view: Roster, message: Message) -> Agent | None:
    if message.sender.kind is not SenderKind.AGENT or message.sender.agent_id is None:
        return None
    return view.agents.get(message.sender.agent_id)


def _may_move(view: Roster, author: Agent, reactor: Sender, moves: int) -> bool:
    if reactor.is_human:
        return True
    if reactor.agent_id is None or reactor.agent_id == author.id:
        return False
    return moves < view.config.moves_per_agent_and_hour


def _stirred(view: Roster, message: Message, reactor: Sender, emoji: str, now: datetime) -> list[Change]:
    """What a person's reaction means to the room: agents may talk on, or are to be silent for a while."""
    if not reactor.is_human:
        return []
    if is_hush(emoji):
        if _is_hushed_longer(view, message.room_id, now):
            return []
        until = now + timedelta(minutes=view.config.hush_minutes)
        return [UpdateRoom(room_id=message.room_id, fields={"hushed_until": until})]
    room = view.all_rooms.get(message.room_id)
    if room is None or room.agent_run == 0:
        return []
    return [UpdateRoom(room_id=room.id, fields={"agent_run": 0})]
