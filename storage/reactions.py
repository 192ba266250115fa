"""Reactions to messages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, select

from bot.core.kinds import SenderKind
from bot.core.records import AgentId, CommunityId, MessageId, Sender, Snowflake
from storage.convert import reactor_mark
from storage.session import Session, owned
from storage.tables import MESSAGES, REACTIONS


@dataclass(frozen=True, slots=True)
class SqlReactions:
    """Reactions to messages."""

    session: Session

    async def effects(
        self, community_id: CommunityId, message_id: MessageId, reactions: Collection[tuple[Sender, str]]
    ) -> Mapping[tuple[Sender, str], float]:
        wanted = {(reactor_mark(reactor), emoji): (reactor, emoji) for reactor, emoji in reactions}
        of_them = (
            REACTIONS.c.reactor.in_({mark for mark, _ in wanted}),
            REACTIONS.c.emoji.in_({emoji for _, emoji in wanted}),
        )
        columns = (REACTIONS.c.reactor, REACTIONS.c.emoji, REACTIONS.c.moved_seconds)
        asked = select(*columns).where(owned(REACTIONS, community_id), REACTIONS.c.message_id == message_id, *of_them)
        found = {(mark, emoji): moved for mark, emoji, moved in await self.session.rows(asked)}
        return {wanted[key]: moved for key, moved in found.items() if key in wanted}

    async def given_to(
        self, community_id: CommunityId, message_ids: Sequence[MessageId]
    ) -> Sequence[tuple[MessageId, Sender, str]]:
        columns = (REACTIONS.c.message_id, REACTIONS.c.reactor, REACTIONS.c.reactor_name, REACTIONS.c.emoji)
        asked = select(*columns).where(owned(REACTIONS, community_id), REACTIONS.c.message_id.in_(message_ids))
        rows = await self.session.rows(asked.order_by(REACTIONS.c.at, REACTIONS.c.reactor))
        return [(id_, _reactor(mark, name), emoji) for id_, mark, name, emoji in rows]

    async def feedback(self, community_id: CommunityId, agent_id: AgentId, since: datetime) -> Mapping[str, int]:
        lately = and_(owned(REACTIONS, community_id), REACTIONS.c.at >= since, REACTIONS.c.emotion.is_not(None))
        its = and_(
            MESSAGES.c.community_id == REACTIONS.c.community_id,
            MESSAGES.c.id == REACTIONS.c.message_id,
            MESSAGES.c.sender_agent_id == agent_id,
        )
        counted = select(REACTIONS.c.emotion, func.count()).join(MESSAGES, its).where(lately)
        return {emotion: count for emotion, count in await self.session.rows(counted.group_by(REACTIONS.c.emotion))}


def _reactor(mark: str, name: str) -> Sender:
    kind, _, id_ = mark.partition(":")
    match kind:
        case "agent":
            return Sender(kind=SenderKind.AGENT, agent_id=AgentId(int(id_)))
        case "person":
            return Sender(kind=SenderKind.PERSON, person_id=Snowflake(int(id_)), name=name)
        case _:
            return Sender(kind=SenderKind(kind), name=name)
