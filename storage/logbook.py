"""Logs for managers: the audit, and the journal of an agent's knowledge."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import and_, func, select

from bot.core.keeping import AuditEntry, JournalEntry
from bot.core.records import AgentId, Beat, CommunityId
from storage.convert import beat_of, plain
from storage.names import worded
from storage.session import Session, owned
from storage.tables import AUDIT, BEATS, JOURNAL, MESSAGES, REACTIONS


class Logbook(Session):
    """What was changed, by whom and when."""

    async def audit_log(self, community_id: CommunityId, *, limit: int = 50) -> Sequence[AuditEntry]:
        """Give who changed what, newest first."""
        asked = select(AUDIT).where(owned(AUDIT, community_id)).order_by(AUDIT.c.id.desc()).limit(limit)
        rows = await self.mappings(asked)
        texts = iter(await worded(self, community_id, [row[name] for row in rows for name in ("by", "what")]))
        return [plain(AuditEntry, row, by=next(texts), what=next(texts)) for row in rows]

    async def journal(
        self, community_id: CommunityId, agent_id: AgentId, *, side: int = 0, limit: int = 50
    ) -> Sequence[JournalEntry]:
        """Give the changes of an agent's knowledge on one side, newest first."""
        its = (owned(JOURNAL, community_id), JOURNAL.c.agent_id == agent_id, JOURNAL.c.side == side)
        asked = select(JOURNAL).where(*its).order_by(JOURNAL.c.id.desc()).limit(limit)
        rows = await self.mappings(asked)
        by = await worded(self, community_id, [row["by"] for row in rows])
        return [plain(JournalEntry, row, by=who) for row, who in zip(rows, by, strict=True)]

    async def beats(self, community_id: CommunityId, agent_id: AgentId, *, limit: int = 50) -> Sequence[Beat]:
        """Give an agent's beats as they were kept, newest first."""
        its = (owned(BEATS, community_id), BEATS.c.agent_id == agent_id)
        rows = await self.mappings(select(BEATS).where(*its).order_by(BEATS.c.id.desc()).limit(limit))
        return [beat_of(row) for row in rows]

    async def first_beats(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime, *, side: int = 0
    ) -> Mapping[AgentId, Beat]:
        """Give the first beat since then of each of these agents that had one on that side."""
        its = (owned(BEATS, community_id), BEATS.c.agent_id.in_(agent_ids), BEATS.c.at >= since, BEATS.c.side == side)
        first = select(func.min(BEATS.c.id)).where(*its).group_by(BEATS.c.agent_id)
        rows = await self.mappings(select(BEATS).where(owned(BEATS, community_id), BEATS.c.id.in_(first)))
        return {beat.agent_id: beat for beat in map(beat_of, rows)}

    async def feedback(self, community_id: CommunityId, agent_id: AgentId, since: datetime) -> Mapping[str, int]:
        """Count by name the reactions since then, of those that mean something, to what an agent said."""
        lately = and_(owned(REACTIONS, community_id), REACTIONS.c.at >= since, REACTIONS.c.emotion.is_not(None))
        its = and_(
            MESSAGES.c.community_id == REACTIONS.c.community_id,
            MESSAGES.c.id == REACTIONS.c.message_id,
            MESSAGES.c.sender_agent_id == agent_id,
        )
        counted = select(REACTIONS.c.emotion, func.count()).join(MESSAGES, its).where(lately)
        return {emotion: count for emotion, count in await self.rows(counted.group_by(REACTIONS.c.emotion))}
