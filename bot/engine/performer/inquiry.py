"""What some actions make worth asking beside the view."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from bot.core.actions import Action, Aim, JoinRoom, LeaveRoom, ReadHistory, Recall
from bot.core.actor import Actor
from bot.core.circumstances import Inquiry, Sought
from bot.core.config import CommunityConfig
from bot.core.hud.lookups import MOST_LOOKUPS
from bot.core.records import AgentId, MessageId
from bot.engine.performer.registry import ASKED, Asks

FOUND_AT_MOST = 10
PAGE = 20
MOVES_WITHIN = timedelta(hours=1)
CROSSINGS_WITHIN = timedelta(hours=1)


def inquired(
    actor: Actor,
    actions: Sequence[Action],
    subject_id: AgentId | None,
    rooms: Iterable[AgentId],
    now: datetime,
    config: CommunityConfig,
    *,
    messages: Iterable[MessageId],
    rooms_in: Sequence[AgentId],
) -> Inquiry:
    """Word what these actions depend on: one question for all of them.

    `messages`: those they name; `rooms_in`: where one looks who names no room.
    """
    asked = {asks: [one for one in actions if ASKED.get(type(one)) is asks] for asks in Asks}
    reacted_to = frozenset(MessageId(id_) for one in asked[Asks.REACTIONS] for id_ in one.aimed_at(Aim.MESSAGE))
    crossing = [one for one in actions if isinstance(one, JoinRoom | LeaveRoom)]
    return Inquiry(
        actor=actor.sender,
        reacted_to=reacted_to,
        moves_since=now - MOVES_WITHIN if reacted_to and actor.agent_id is not None else None,
        doors=_rooms_of(asked[Asks.FAILURES]),
        failures_since=now - timedelta(minutes=config.key_failure_minutes),
        crossed=_rooms_of(crossing) if actor.agent_id is not None else frozenset(),
        crossed_since=now - CROSSINGS_WITHIN,
        newest_of=frozenset(rooms) if asked[Asks.NEWEST] else frozenset(),
        schedules_of=subject_id if asked[Asks.SCHEDULED] else None,
        messages=frozenset(messages),
        sought=frozenset(
            sought_by(one, rooms_in)
            for one in asked[Asks.FOUND][:MOST_LOOKUPS]
            if isinstance(one, Recall | ReadHistory)
        ),
        summaries_of=_rooms_of(asked[Asks.SUMMARIES]),
    )


def _rooms_of(actions: Iterable[Action]) -> frozenset[AgentId]:
    return frozenset(AgentId(id_) for one in actions for id_ in one.aimed_at(Aim.ROOM))


def sought_by(action: Recall | ReadHistory, rooms_in: Sequence[AgentId]) -> Sought:
    """Word what a look-up wants."""
    rooms = tuple(rooms_in) if action.room_id is None else (AgentId(action.room_id),)
    if isinstance(action, Recall):
        return Sought(rooms=rooms, words=action.query, limit=min(action.limit or FOUND_AT_MOST, PAGE))
    before = None if action.before is None else MessageId(action.before)
    return Sought(rooms=rooms, before=before, limit=min(action.limit or PAGE, PAGE))
