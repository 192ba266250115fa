"""Logs for managers: the audit, and the journal of an agent's knowledge."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from bot.core.keeping import AuditEntry, JournalEntry
from bot.core.records import AgentId, CommunityId
from storage.convert import plain
from storage.names import worded
from storage.session import Session, owned
from storage.tables import AUDIT, JOURNAL


@dataclass(frozen=True, slots=True)
class SqlLogs:
    """What was changed, by whom and when."""

    session: Session

    async def audit(self, community_id: CommunityId, *, limit: int = 50) -> Sequence[AuditEntry]:
        asked = select(AUDIT).where(owned(AUDIT, community_id)).order_by(AUDIT.c.id.desc()).limit(limit)
        rows = await self.session.mappings(asked)
        texts = iter(await worded(self.session, community_id, [row[name] for row in rows for name in ("by", "what")]))
        return [plain(AuditEntry, row, by=next(texts), what=next(texts)) for row in rows]

    async def journal(
        self, community_id: CommunityId, agent_id: AgentId, *, side: int = 0, limit: int = 50
    ) -> Sequence[JournalEntry]:
        its = (owned(JOURNAL, community_id), JOURNAL.c.agent_id == agent_id, JOURNAL.c.side == side)
        asked = select(JOURNAL).where(*its).order_by(JOURNAL.c.id.desc()).limit(limit)
        rows = await self.session.mappings(asked)
        by = await worded(self.session, community_id, [row["by"] for row in rows])
        return [plain(JournalEntry, row, by=who) for row, who in zip(rows, by, strict=True)]
