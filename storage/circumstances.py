"""What a few actions depend on, counted in one statement."""

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, false, func, literal, select, true, union_all

from bot.core.circumstances import Circumstances, Inquiry
from bot.core.kinds import Emotion
from bot.core.records import AgentId, CommunityId, MessageId
from storage.convert import reactor_mark
from storage.session import Session, owned
from storage.tables import FAILURES, MESSAGES, REACTIONS, ROOMS, SCHEDULES


class Circumstantial(Session):
    """Counts about one actor."""

    async def circumstances(self, community_id: CommunityId, inquiry: Inquiry) -> Circumstances:
        """Answer all that is asked, or nothing without a statement."""
        asked = [
            *([_reactions(community_id, inquiry)] if inquiry.reacted_to else []),
            *([_moves(community_id, inquiry)] if inquiry.moves_since else []),
            *([_failures(community_id, inquiry)] if inquiry.doors and inquiry.failures_since else []),
            *([_newest(community_id, inquiry)] if inquiry.newest_of else []),
            *([_scheduled(community_id, inquiry)] if inquiry.schedules_of else []),
        ]
        found: dict[str, list[tuple[int, Any]]] = {}
        for what, id, word, number in await self.rows(union_all(*asked)) if asked else ():
            found.setdefault(what, []).append((id, word or number))
        return Circumstances(
            reactions=frozenset((MessageId(id), str(emoji)) for id, emoji in found.get("reactions", ())),
            moves={AgentId(id): count for id, count in found.get("moves", ())},
            failures={AgentId(id): count for id, count in found.get("failures", ())},
            newest={AgentId(id): MessageId(message or 0) for id, message in found.get("newest", ())},
            scheduled=next((count for _, count in found.get("scheduled", ())), 0),
        )


def _row(what: str, id: Any, word: Any = "", number: Any = 0) -> Select[Any]:  # noqa: ANN401  # columns or values
    columns: list[ColumnElement[Any]] = [literal(what).label("what")]
    for at, one in enumerate((id, word, number)):
        column: ColumnElement[Any] = one if isinstance(one, ColumnElement) else literal(one)
        columns.append(column.label(f"value_{at}"))
    return select(*columns)


def _reactions(community_id: int, inquiry: Inquiry) -> Select[Any]:
    its = and_(owned(REACTIONS, community_id), REACTIONS.c.reactor == reactor_mark(inquiry.actor))
    these = REACTIONS.c.message_id.in_(sorted(inquiry.reacted_to))
    return _row("reactions", REACTIONS.c.message_id, REACTIONS.c.emoji).where(its, these)


def _moves(community_id: int, inquiry: Inquiry) -> Select[Any]:
    moved = and_(
        owned(REACTIONS, community_id),
        REACTIONS.c.reactor == reactor_mark(inquiry.actor),
        REACTIONS.c.at >= inquiry.moves_since,
        REACTIONS.c.emotion.in_([Emotion.THUMBS_UP, Emotion.THUMBS_DOWN]),
        REACTIONS.c.moved_seconds != 0,
    )
    on = and_(MESSAGES.c.community_id == REACTIONS.c.community_id, MESSAGES.c.id == REACTIONS.c.message_id)
    authors = MESSAGES.c.sender_agent_id
    counted = _row("moves", authors, number=func.count()).select_from(REACTIONS.join(MESSAGES, on))
    return counted.where(moved, authors.is_not(None)).group_by(authors)


def _failures(community_id: int, inquiry: Inquiry) -> Select[Any]:
    who = inquiry.actor
    if who.agent_id is not None:
        whose = FAILURES.c.agent_id == who.agent_id
    else:
        whose = FAILURES.c.person_id == who.person_id if who.person_id is not None else false()
    here = and_(owned(FAILURES, community_id), FAILURES.c.room_id.in_(sorted(inquiry.doors)))
    lately = FAILURES.c.at >= inquiry.failures_since
    counted = _row("failures", FAILURES.c.room_id, number=func.count())
    return counted.where(here, lately, whose).group_by(FAILURES.c.room_id)


def _newest(community_id: int, inquiry: Inquiry) -> Select[Any]:
    in_room = and_(MESSAGES.c.community_id == ROOMS.c.community_id, MESSAGES.c.room_id == ROOMS.c.id)
    newest = select(MESSAGES.c.id).where(in_room, MESSAGES.c.shown == true())
    last = newest.order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc()).limit(1).scalar_subquery()
    these = ROOMS.c.id.in_(sorted(inquiry.newest_of))
    return _row("newest", ROOMS.c.id, number=last).where(owned(ROOMS, community_id), these)


def _scheduled(community_id: int, inquiry: Inquiry) -> Select[Any]:
    its = and_(owned(SCHEDULES, community_id), SCHEDULES.c.agent_id == inquiry.schedules_of)
    return _row("scheduled", 0, number=func.count()).select_from(SCHEDULES).where(its)
