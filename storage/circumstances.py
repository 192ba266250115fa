"""What a few actions depend on: counts and ids in one statement, then the messages and the summaries."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, false, func, literal, or_, select, true, tuple_, union_all

from bot.core.circumstances import Circumstances, Inquiry, Sought
from bot.core.kinds import Emotion
from bot.core.records import AgentId, Checkpoint, CommunityId, Message, MessageId
from storage.convert import plain, reactor_mark
from storage.messages import NEWEST_FIRST, ORDER, messages_where, read_messages
from storage.search import excerpts_of, ids_with
from storage.session import Query, Session, Term, owned
from storage.tables import ACTIONS, CHECKPOINTS, FAILURES, MESSAGES, REACTIONS, ROOMS, SCHEDULES

CROSSINGS = ("join_room", "leave_room")
FAR = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SqlInquiries:
    """What is asked about one actor."""

    session: Session

    async def answer(self, community_id: CommunityId, inquiry: Inquiry) -> Circumstances:
        """Answer all that is asked, or nothing without a statement."""
        sought = list(inquiry.sought)
        asked = [
            *([_reactions(community_id, inquiry)] if inquiry.reacted_to else []),
            *([_moves(community_id, inquiry)] if inquiry.moves_since else []),
            *([_failures(community_id, inquiry)] if inquiry.doors and inquiry.failures_since else []),
            *([_newest(community_id, inquiry)] if inquiry.newest_of else []),
            *([_scheduled(community_id, inquiry)] if inquiry.schedules_of else []),
            *[
                one
                for place, what in enumerate(sought)
                if (one := await self._found(community_id, place, what)) is not None
            ],
        ]
        found: dict[str, list[tuple[int, Any]]] = {}  # with a word or a number, as each asks
        for what, id_, word, number in await self.session.rows(union_all(*asked)) if asked else ():
            found.setdefault(what, []).append((id_, word or number))
        seen = frozenset(found.get("found", ()))
        messages = await self._messages_asked(community_id, {*inquiry.messages, *(id_ for _, id_ in seen)})
        return Circumstances(
            reactions=frozenset((MessageId(id_), str(emoji)) for id_, emoji in found.get("reactions", ())),
            moves={AgentId(id_): count for id_, count in found.get("moves", ())},
            failures={AgentId(id_): count for id_, count in found.get("failures", ())},
            crossings=await self._crossings(community_id, inquiry),
            newest={AgentId(id_): MessageId(message or 0) for id_, message in found.get("newest", ())},
            scheduled=next((count for _, count in found.get("scheduled", ())), 0),
            messages={one.id: one for one in messages if one.id in inquiry.messages},
            found={
                what: await _excerpts(
                    what, [one for one in messages if (place, one.id) in seen and one.room_id in what.rooms]
                )
                for place, what in enumerate(sought)
            },
            summaries=await self._summaries(community_id, inquiry),
        )

    async def _found(self, community_id: int, place: int, sought: Sought) -> Query | None:
        if sought.words is None:
            ids: Select[tuple[int]] | None = _page(community_id, sought)
        else:
            ids = await ids_with(self.session, community_id, sought.words, sought.rooms, sought.limit)
        return None if ids is None else _row("found", place, number=ids.subquery().c.id)

    async def _messages_asked(self, community_id: int, ids: Collection[int]) -> Sequence[Message]:
        """Give messages by id, the newest first."""
        if not ids:
            return ()
        these = messages_where(owned(MESSAGES, community_id), MESSAGES.c.id.in_(sorted(ids)))
        return await read_messages(self.session, community_id, these.order_by(*NEWEST_FIRST))

    async def _crossings(self, community_id: int, inquiry: Inquiry) -> Mapping[AgentId, int]:
        if not inquiry.crossed:
            return {}
        its = and_(owned(ACTIONS, community_id), ACTIONS.c.agent_id == inquiry.actor.agent_id)
        crossed = and_(ACTIONS.c.type.in_(CROSSINGS), ACTIONS.c.accepted == true())
        lately = ACTIONS.c.at >= inquiry.crossed_since
        found = await self.session.rows(select(ACTIONS.c.parameters).where(its, crossed, lately))
        return Counter(AgentId(parameters["room_id"]) for (parameters,) in found)

    async def _summaries(self, community_id: int, inquiry: Inquiry) -> Sequence[Checkpoint]:
        if not inquiry.summaries_of:
            return ()
        here = CHECKPOINTS.c.room_id.in_(sorted(inquiry.summaries_of))
        asked = select(CHECKPOINTS).where(owned(CHECKPOINTS, community_id), here).order_by(CHECKPOINTS.c.id)
        return [plain(Checkpoint, row) for row in await self.session.mappings(asked)]


async def _excerpts(sought: Sought, newest_first: Sequence[Message]) -> Sequence[tuple[Message, str]]:
    found = newest_first[: sought.limit]
    return [(one, one.content) for one in found] if sought.words is None else await excerpts_of(found, sought.words)


def _page(community_id: int, sought: Sought) -> Select[tuple[int]]:
    """The newest messages of rooms before one; where that one is gone, those with smaller ids."""
    here = (owned(MESSAGES, community_id), MESSAGES.c.room_id.in_(sought.rooms), MESSAGES.c.shown == true())
    asked = select(MESSAGES.c.id).where(*here)
    if sought.before is not None:
        sent_at, discord_id, id_ = _marks(community_id, sought.before)
        earlier = tuple_(*ORDER) < tuple_(sent_at, discord_id, id_)
        asked = asked.where(or_(earlier, and_(id_.is_(None), MESSAGES.c.id < sought.before)))
        latest = literal(FAR, type_=MESSAGES.c.sent_at.type)
        asked = asked.where(MESSAGES.c.sent_at <= func.coalesce(sent_at, latest))  # for the index
    return asked.order_by(*NEWEST_FIRST).limit(sought.limit)


def _marks(community_id: int, before: int) -> list[Term]:
    mark = MESSAGES.alias("mark")
    this = and_(mark.c.community_id == community_id, mark.c.id == before)
    parts = (mark.c.sent_at, func.coalesce(mark.c.discord_id, 0), mark.c.id)
    return [select(part).where(this).scalar_subquery() for part in parts]


def _row(what: str, id_: Term | int, word: Term | str = "", number: Term | int = 0) -> Query:
    columns: list[Term] = [literal(what).label("what")]
    for at, one in enumerate((id_, word, number)):
        column: Term = one if isinstance(one, ColumnElement) else literal(one)
        columns.append(column.label(f"value_{at}"))
    return select(*columns)


def _reactions(community_id: int, inquiry: Inquiry) -> Query:
    its = and_(owned(REACTIONS, community_id), REACTIONS.c.reactor == reactor_mark(inquiry.actor))
    these = REACTIONS.c.message_id.in_(sorted(inquiry.reacted_to))
    return _row("reactions", REACTIONS.c.message_id, REACTIONS.c.emoji).where(its, these)


def _moves(community_id: int, inquiry: Inquiry) -> Query:
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


def _failures(community_id: int, inquiry: Inquiry) -> Query:
    who = inquiry.actor
    if who.agent_id is not None:
        whose = FAILURES.c.agent_id == who.agent_id
    else:
        whose = FAILURES.c.person_id == who.person_id if who.person_id is not None else false()
    here = and_(owned(FAILURES, community_id), FAILURES.c.room_id.in_(sorted(inquiry.doors)))
    lately = FAILURES.c.at >= inquiry.failures_since
    counted = _row("failures", FAILURES.c.room_id, number=func.count())
    return counted.where(here, lately, whose).group_by(FAILURES.c.room_id)


def _newest(community_id: int, inquiry: Inquiry) -> Query:
    in_room = and_(MESSAGES.c.community_id == ROOMS.c.community_id, MESSAGES.c.room_id == ROOMS.c.id)
    newest = select(MESSAGES.c.id).where(in_room, MESSAGES.c.shown == true())
    last = newest.order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc()).limit(1).scalar_subquery()
    these = ROOMS.c.id.in_(sorted(inquiry.newest_of))
    return _row("newest", ROOMS.c.id, number=last).where(owned(ROOMS, community_id), these)


def _scheduled(community_id: int, inquiry: Inquiry) -> Query:
    its = and_(owned(SCHEDULES, community_id), SCHEDULES.c.agent_id == inquiry.schedules_of)
    return _row("scheduled", 0, number=func.count()).select_from(SCHEDULES).where(its)
