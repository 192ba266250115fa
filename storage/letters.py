"""Letters: what waits to be sent, in order per room and lane."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Integer, and_, bindparam, case, func, select, tuple_, type_coerce

from bot.core.happenings import Happened, Happening
from bot.core.kinds import LetterKind, LetterState
from bot.core.ports.talk import Queue
from bot.core.records import AgentId, CommunityId, Letter, LetterId, MessageId, Snowflake
from storage.beats import free_told
from storage.changes.columns import update_columns
from storage.communities import arrived
from storage.convert import letter_of
from storage.erasing import erase
from storage.prepared import Prepared, Question
from storage.questions import questions
from storage.session import UNREADABLE, Query, Session, Values, literally, owned
from storage.tables import LETTERS, MESSAGES, PARTS
from storage.talking import More, count_messages, index

OPEN = ("waiting", "sending")
MOST_HELD = 100  # letters that are read at once: nobody decides about more before they look again


# what lies beside a message may be large, and all heads are looked at together: it is read once it is carried
_LIGHT = case((LETTERS.c.kind == LetterKind.POST, None), else_=LETTERS.c.payload)
_PAYLOAD = type_coerce(_LIGHT, LETTERS.c.payload.type).label("payload")
OF_HEADS = tuple(_PAYLOAD if column is LETTERS.c.payload else column for column in LETTERS.c)


def heads(community_id: int | None = None) -> Query:
    """Give the first open letter of every room and lane (of one community), of posts without what lies beside them."""
    waiting = LETTERS.alias("waiting")
    first = (
        select(waiting.c.community_id, func.min(waiting.c.id))
        .where(waiting.c.state.in_(literally(*OPEN)), arrived(waiting))
        .group_by(waiting.c.community_id, waiting.c.room_id, waiting.c.lane)
    )
    if community_id is not None:
        first = first.where(waiting.c.community_id == community_id)
    return select(*OF_HEADS).where(tuple_(LETTERS.c.community_id, LETTERS.c.id).in_(first))


_ITS = LETTERS.c.community_id == bindparam("its")
_HERE = and_(_ITS, LETTERS.c.room_id == bindparam("place"))
_OLDEST_FIRST = (LETTERS.c.not_before, LETTERS.c.id)
ORDER = (func.row_number().over(partition_by=LETTERS.c.community_id, order_by=_OLDEST_FIRST), *_OLDEST_FIRST)
DUE = Prepared(
    heads().where(LETTERS.c.not_before <= bindparam("now")).order_by(*ORDER).limit(bindparam("most", type_=Integer))
)
_WAITING = heads().subquery()
NEXT_DUE = Prepared(select(func.min(_WAITING.c.not_before)))
LAST_POSTED = Prepared(select(func.max(LETTERS.c.last_part)).where(_HERE))
_SAID = and_(MESSAGES.c.community_id == LETTERS.c.community_id, MESSAGES.c.id == LETTERS.c.message_id)
# what a letter is, and of its message what changes with it
_OF_MESSAGE = ("room_id", "content", "sent_at", "sender_agent_id", "shown", "scene_id")
MOVED = Prepared(
    select(LETTERS.c.posted_as, LETTERS.c.message_id, *(MESSAGES.c[name] for name in _OF_MESSAGE))
    .select_from(LETTERS.outerjoin(MESSAGES, _SAID))
    .where(_ITS, LETTERS.c.id == bindparam("which"))
)


def moved(community_id: CommunityId, letter_id: LetterId) -> Question:
    """Ask what a letter is that moves on."""
    return MOVED, {"its": community_id, "which": letter_id}


def buried(session: Session, community_id: int, posts: Sequence[int]) -> Question:
    """Ask which of these posts were deleted."""
    of = {"community_id": community_id, "posts": session.many(sorted(posts))}
    return questions(is_sqlite=session.is_sqlite).buried, of


@dataclass(frozen=True, slots=True)
class SqlLetters:
    """What waits to be sent, and how it moves on."""

    session: Session

    async def due(self, now: datetime, *, limit: int) -> Sequence[Letter]:
        try:
            return [letter_of(row) for row in await self.session.mappings(DUE, {"now": now, "most": limit})]
        except UNREADABLE:  # which ones: their carrier goes on without them
            due = heads().where(LETTERS.c.not_before <= now).order_by(*ORDER).limit(limit)
            return await self.session.records(due, LETTERS, letter_of)

    async def first_of(self, community_id: CommunityId) -> Sequence[Letter]:
        return await self.session.records(heads(community_id).order_by(LETTERS.c.id), LETTERS, letter_of)

    async def next_due_at(self) -> datetime | None:
        found: datetime | None = await self.session.value(NEXT_DUE)
        return found

    async def queues(self, community_id: CommunityId | None = None) -> Sequence[Queue]:
        asked = select(LETTERS.c.kind, LETTERS.c.state, func.count(), func.min(LETTERS.c.not_before))
        asked = asked.where(LETTERS.c.state.in_(literally(*OPEN)), arrived(LETTERS))
        asked = asked if community_id is None else asked.where(owned(LETTERS, community_id))
        rows = await self.session.rows(asked.group_by(LETTERS.c.kind, LETTERS.c.state))
        return [
            Queue(kind=LetterKind(kind), state=LetterState(state), letters=letters, since=since)
            for kind, state, letters, since in rows
        ]

    async def carrying(self, community_id: CommunityId, ids: Collection[MessageId]) -> Mapping[MessageId, Letter]:
        of_these = and_(owned(LETTERS, community_id), self.session.is_one_of(LETTERS.c.message_id, sorted(ids)))
        asked = select(*OF_HEADS).where(of_these, LETTERS.c.kind == LetterKind.POST).order_by(LETTERS.c.id)
        letters = [letter_of(row) for row in await self.session.mappings(asked)]
        return {letter.message_id: letter for letter in letters if letter.message_id is not None}

    async def whole(self, letter: Letter) -> Letter:
        this = and_(owned(LETTERS, letter.community_id), LETTERS.c.id == letter.id)
        payload = await self.session.value(select(LETTERS.c.payload).where(this))
        return replace(letter, payload=payload or {})

    async def unconfirmed(self, community_id: CommunityId, room_id: AgentId) -> Letter | None:
        sending = select(LETTERS).where(
            owned(LETTERS, community_id),
            LETTERS.c.room_id == room_id,
            LETTERS.c.kind == LetterKind.POST,
            LETTERS.c.state == LetterState.SENDING,
        )
        row = await self.session.first(sending.order_by(LETTERS.c.id).limit(1))
        return None if row is None else letter_of(row)

    async def last_posted(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        of = {"its": community_id, "place": room_id}
        found: Snowflake | None = await self.session.value(LAST_POSTED, of)
        return found

    async def newest(self, community_id: CommunityId, room_id: AgentId, kind: LetterKind) -> Letter | None:
        of_room = and_(owned(LETTERS, community_id), LETTERS.c.room_id == room_id, LETTERS.c.kind == kind)
        row = await self.session.first(select(LETTERS).where(of_room).order_by(LETTERS.c.id.desc()).limit(1))
        return None if row is None else letter_of(row)

    async def attempts(self, community_id: CommunityId, letter_id: LetterId) -> int:
        this = and_(owned(LETTERS, community_id), LETTERS.c.id == letter_id)
        found: int | None = await self.session.value(select(LETTERS.c.attempts).where(this))
        return found or 0

    async def held(self, community_id: CommunityId, *, only: LetterId | None = None) -> Sequence[Letter]:
        asked = select(LETTERS).where(owned(LETTERS, community_id), LETTERS.c.state == LetterState.HELD)
        asked = asked if only is None else asked.where(LETTERS.c.id == only)
        return [letter_of(row) for row in await self.session.mappings(asked.order_by(LETTERS.c.id).limit(MOST_HELD))]

    async def move(
        self,
        community_id: CommunityId,
        letter_id: LetterId,
        state: LetterState,
        *,
        attempts: int | None = None,
        not_before: datetime | None = None,
        posted_as: Sequence[Snowflake] = (),
        at: datetime | None = None,
        shown_at: datetime | None = None,
    ) -> bool:
        row = await self.session.first(*moved(community_id, letter_id))
        if row is None:
            return False
        parts = sorted({*(row["posted_as"] or ()), *posted_as})
        new: dict[str, object] = {"state": state, "posted_as": parts, "last_part": parts[-1] if parts else None}
        new |= {} if attempts is None else {"attempts": attempts}
        new |= {} if not_before is None else {"not_before": not_before}
        closes = state in (LetterState.SENT, LetterState.FAILED)
        new |= {"closed_at": at} if closes else {}
        new |= {"payload": {}} if closes and row["message_id"] is not None else {}  # its files are posted, or never
        await update_columns(self.session, LETTERS, community_id, [({"id": letter_id}, new)])
        if row["scene_id"] is None:
            self._tell(community_id, row, state)
        if row["message_id"] is None:
            return True
        if row["room_id"] is not None:  # it is still there
            await self._move_message(community_id, row, parts, shown_at or at if state is LetterState.SENT else None)
            if state not in OPEN and row["sender_agent_id"] is not None:
                await free_told(self.session, community_id, row, at or row["sent_at"])
        return not await self._erase_buried(community_id, row["message_id"], parts)

    def _tell(self, community_id: CommunityId, row: Values, state: LetterState) -> None:
        """Tell what became of a post; of anything else it is told that it was written."""
        if row["message_id"] is not None and row["room_id"] is not None:
            self.session.happenings.append(
                Happening(
                    kind=Happened.LETTER,
                    community_id=community_id,
                    agent_id=row["sender_agent_id"],
                    room_id=row["room_id"],
                    message_id=row["message_id"],
                    what=f"{LetterKind.POST} {state}",
                )
            )

    async def free_author(self, community_id: CommunityId, message_id: int, at: datetime | None) -> None:
        """Whoever said it may beat for its room again: it stands there now, or will not."""
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == message_id)
        said = await self.session.first(
            select(MESSAGES.c.room_id, MESSAGES.c.sender_agent_id, MESSAGES.c.sent_at).where(this)
        )
        if said is not None and said["sender_agent_id"] is not None:
            await free_told(self.session, community_id, said, at or said["sent_at"])

    async def _move_message(
        self, community_id: CommunityId, row: Values, parts: Sequence[int], shown_at: datetime | None
    ) -> None:
        """Keep what a message is on Discord; it is shown from then on, unless it is a scene's."""
        message_id = row["message_id"]
        new: dict[str, object] = {"discord_id": parts[0]} if parts else {}
        shows = shown_at is not None and not row["shown"] and row["scene_id"] is None
        new |= {"shown": True, "sent_at": shown_at} if shows else {}
        await update_columns(self.session, MESSAGES, community_id, [({"id": message_id}, new)])
        rows = [{"community_id": community_id, "discord_id": part, "message_id": message_id} for part in parts[1:]]
        await self.session.upsert(PARTS, rows)
        if shows:
            more = More(room_id=row["room_id"], shown=1, newest=shown_at)
            await count_messages(self.session, community_id, [more])
            await index(self.session, community_id, [(message_id, row["room_id"], row["content"])])

    async def _erase_buried(self, community_id: int, message_id: int, parts: Sequence[int]) -> bool:
        """A person may have deleted the post before we knew that it was there; tells whether."""
        if not parts or not await self.session.rows(*buried(self.session, community_id, parts)):
            return False
        await erase(self.session, community_id, MESSAGES.c.id == message_id)
        return True
