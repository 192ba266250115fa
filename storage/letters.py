"""Letters: what waits to be sent, in order per room and lane."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, select, tuple_, update

from bot.core.kinds import LetterKind, LetterState, SenderKind
from bot.core.ports.talk import Queue
from bot.core.records import AgentId, CommunityId, Letter, LetterId, Snowflake
from storage.claims import free_told
from storage.convert import letter_of
from storage.erasing import erase
from storage.session import Query, Session, literally, owned
from storage.tables import LETTERS, MESSAGES, PARTS, TOMBSTONES
from storage.talking import show

OPEN = ("waiting", "sending")


def heads() -> Query:
    """Give the first open letter of every room and lane."""
    waiting = LETTERS.alias("waiting")
    first = (
        select(waiting.c.community_id, func.min(waiting.c.id))
        .where(waiting.c.state.in_(literally(*OPEN)))
        .group_by(waiting.c.community_id, waiting.c.room_id, waiting.c.lane)
    )
    return select(LETTERS).where(tuple_(LETTERS.c.community_id, LETTERS.c.id).in_(first))


@dataclass(frozen=True, slots=True)
class SqlLetters:
    """What waits to be sent, and how it moves on."""

    session: Session

    async def due(self, now: datetime, *, limit: int) -> Sequence[Letter]:
        oldest_first = (LETTERS.c.not_before, LETTERS.c.id)
        turn = func.row_number().over(partition_by=LETTERS.c.community_id, order_by=oldest_first)
        due = heads().where(LETTERS.c.not_before <= now).order_by(turn, *oldest_first).limit(limit)
        return await self.session.records(due, LETTERS, letter_of)

    async def next_due_at(self) -> datetime | None:
        waiting = heads().subquery()
        found: datetime | None = await self.session.value(select(func.min(waiting.c.not_before)))
        return found

    async def queues(self) -> Sequence[Queue]:
        asked = select(LETTERS.c.kind, LETTERS.c.state, func.count(), func.min(LETTERS.c.not_before))
        asked = asked.where(LETTERS.c.state.in_(literally(*OPEN))).group_by(LETTERS.c.kind, LETTERS.c.state)
        rows = await self.session.rows(asked)
        return [
            Queue(kind=LetterKind(kind), state=LetterState(state), letters=letters, since=since)
            for kind, state, letters, since in rows
        ]

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
        of_room = and_(owned(LETTERS, community_id), LETTERS.c.room_id == room_id)
        found: Snowflake | None = await self.session.value(select(func.max(LETTERS.c.last_part)).where(of_room))
        return found

    async def posted_back(self, community_id: CommunityId, room_id: AgentId, posts: int) -> datetime | None:
        said = and_(MESSAGES.c.community_id == LETTERS.c.community_id, MESSAGES.c.id == LETTERS.c.message_id)
        by_agent = and_(MESSAGES.c.sender_kind == SenderKind.AGENT, LETTERS.c.state == LetterState.SENT)
        asked = select(LETTERS.c.closed_at).select_from(LETTERS.join(MESSAGES, said))
        asked = asked.where(owned(LETTERS, community_id), LETTERS.c.room_id == room_id, by_agent)
        newest_first = LETTERS.c.last_part.desc()
        found: datetime | None = await self.session.value(asked.order_by(newest_first).limit(1).offset(posts - 1))
        return found

    async def newest(self, community_id: CommunityId, room_id: AgentId, kind: LetterKind) -> Letter | None:
        of_room = and_(owned(LETTERS, community_id), LETTERS.c.room_id == room_id, LETTERS.c.kind == kind)
        row = await self.session.first(select(LETTERS).where(of_room).order_by(LETTERS.c.id.desc()).limit(1))
        return None if row is None else letter_of(row)

    async def attempts(self, community_id: CommunityId, letter_id: LetterId) -> int:
        this = and_(owned(LETTERS, community_id), LETTERS.c.id == letter_id)
        found: int | None = await self.session.value(select(LETTERS.c.attempts).where(this))
        return found or 0

    async def held(self, community_id: CommunityId) -> Sequence[Letter]:
        asked = select(LETTERS).where(owned(LETTERS, community_id), LETTERS.c.state == LetterState.HELD)
        return [letter_of(row) for row in await self.session.mappings(asked.order_by(LETTERS.c.id))]

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
        this = and_(owned(LETTERS, community_id), LETTERS.c.id == letter_id)
        row = await self.session.first(select(LETTERS).where(this))
        if row is None:
            return False
        parts = sorted({*(row["posted_as"] or ()), *posted_as})
        new: dict[str, object] = {"state": state, "posted_as": parts, "last_part": parts[-1] if parts else None}
        new |= {} if attempts is None else {"attempts": attempts}
        new |= {} if not_before is None else {"not_before": not_before}
        closes = state in (LetterState.SENT, LetterState.FAILED)
        new |= {"closed_at": at} if closes else {}
        new |= {"payload": {}} if closes and row["message_id"] is not None else {}  # its files are posted, or never
        await self.session.run(update(LETTERS).where(this).values(new))
        if row["message_id"] is not None:
            await self._mark_posted(community_id, row["message_id"], parts)
            if state is LetterState.SENT:
                await show(self.session, community_id, row["message_id"], shown_at or at)
            if state not in OPEN:
                await self.free_author(community_id, row["message_id"], at)
            return not await self._erase_buried(community_id, row["message_id"], parts)
        return True

    async def free_author(self, community_id: CommunityId, message_id: int, at: datetime | None) -> None:
        """Whoever said it may beat for its room again: it stands there now, or will not."""
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == message_id)
        said = await self.session.first(
            select(MESSAGES.c.room_id, MESSAGES.c.sender_agent_id, MESSAGES.c.sent_at).where(this)
        )
        if said is not None and said["sender_agent_id"] is not None:
            await free_told(self.session, community_id, said, at or said["sent_at"])

    async def _mark_posted(self, community_id: CommunityId, message_id: int, parts: Sequence[int]) -> None:
        if not parts:
            return
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == message_id)
        await self.session.run(update(MESSAGES).where(this).values(discord_id=parts[0]))
        rows = [{"community_id": community_id, "discord_id": part, "message_id": message_id} for part in parts[1:]]
        await self.session.upsert(PARTS, rows)

    async def _erase_buried(self, community_id: int, message_id: int, parts: Sequence[int]) -> bool:
        """A person may have deleted the post before we knew that it was there; tells whether."""
        buried = and_(owned(TOMBSTONES, community_id), TOMBSTONES.c.discord_id.in_(parts))
        if not parts or await self.session.value(select(TOMBSTONES.c.discord_id).where(buried).limit(1)) is None:
            return False
        await erase(self.session, community_id, MESSAGES.c.id == message_id)
        return True
