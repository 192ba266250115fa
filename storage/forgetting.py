"""Forgetting a person: what they said, did and were called goes; their bare id stays, so that nothing comes back."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Table, and_, delete, or_, select, update

from bot.core.forgetting import SOMEONE
from bot.core.forgetting import Forgotten as Named
from bot.core.keeping import Forgotten
from bot.core.kinds import RequestState
from bot.core.records import AgentId, CommunityId, Snowflake
from storage.columns import to_json
from storage.intake import Intake
from storage.names import Names, may_name
from storage.purging import owe_purge
from storage.session import owned
from storage.summaries import withdraw_where
from storage.tables import (
    ACTIONS,
    AGENTS,
    ATTACHMENTS,
    AUDIT,
    BEATS,
    CHECKPOINTS,
    EARLY_EDITS,
    FAILURES,
    JOURNAL,
    KEYS,
    LETTERS,
    LOOKUPS,
    MESSAGES,
    MINDS,
    PEOPLE,
    REACTIONS,
    REQUESTS,
    ROOMS,
    SCHEDULES,
)
from storage.talking import count_reactions, index, unindex

AT_A_TIME = 200
REWRITTEN: dict[Table, tuple[str, ...]] = {
    ACTIONS: ("parameters", "result", "why"),
    AGENTS: ("prompt",),
    ATTACHMENTS: ("name", "text"),
    AUDIT: ("by", "what"),
    BEATS: ("outcome", "failed"),
    EARLY_EDITS: ("content",),
    KEYS: ("label",),
    LETTERS: ("payload",),
    REQUESTS: ("key_label",),
    ROOMS: ("topic", "billboard"),
    SCHEDULES: ("content",),
}


class Forgetting(Intake, Names):
    """The person's right to be forgotten."""

    async def forget_person(self, community_id: CommunityId, person_id: Snowflake, at: datetime) -> Forgotten:
        """Remove a person's messages, reactions and name everywhere; nothing on Discord itself is deleted."""
        names, words = await self.names_of(community_id, person_id)
        said = select(MESSAGES.c.discord_id).where(
            owned(MESSAGES, community_id), MESSAGES.c.sender_person_id == person_id, MESSAGES.c.discord_id.is_not(None)
        )
        gone = await self.delete_messages(community_id, [row[0] for row in await self.rows(said)], at)
        await self._forget_reactions(community_id, person_id)
        await self._forget_rows(community_id, person_id, at)
        told: list[AgentId] = []
        if names:
            named = Named(names, words)
            await self._forget_mentions(community_id, named)
            for table, columns in REWRITTEN.items():
                await self._rewrite(community_id, table, columns, named)
            await self._forget_derived(community_id, named)
            told = await self._who_knows(community_id, named)
        return Forgotten(messages=gone, names=names, words=words, agents=tuple(told))

    async def _forget_reactions(self, community_id: int, person_id: int) -> None:
        theirs = and_(owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
        touched = [row[0] for row in await self.rows(select(REACTIONS.c.message_id).distinct().where(theirs))]
        await self.run(delete(REACTIONS).where(theirs))
        for start in range(0, len(touched), AT_A_TIME):
            await count_reactions(self, community_id, touched[start : start + AT_A_TIME])

    async def _forget_rows(self, community_id: int, person_id: int, at: datetime) -> None:
        blank = {"username": "", "display_name": "", "is_architect": False, "forgotten_at": at}
        await self.upsert(PEOPLE, [{"community_id": community_id, "id": person_id, "ignored": True} | blank])
        await self.run(delete(FAILURES).where(owned(FAILURES, community_id), FAILURES.c.person_id == person_id))
        knocks = and_(owned(REQUESTS, community_id), REQUESTS.c.requester_person_id == person_id)
        await self.run(update(REQUESTS).where(knocks).values(requester_name=SOMEONE))
        pending = and_(knocks, REQUESTS.c.state == RequestState.PENDING)
        await self.run(update(REQUESTS).where(pending).values(state=RequestState.CANCELLED, closed_at=at))

    async def _forget_mentions(self, community_id: int, named: Named) -> None:
        """In what others wrote they are someone."""
        columns = (MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.content, MESSAGES.c.shown)
        asked = select(*columns).where(owned(MESSAGES, community_id), may_name(named, MESSAGES.c.content))
        found = [row for row in await self.rows(asked) if named.found_in(row.content)]
        for row in found:
            content = named.replaced(row.content)
            if row.shown:
                await unindex(self, community_id, [(row.id, row.room_id, row.content)])
                await index(self, community_id, [(row.id, row.room_id, content)])
            this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == row.id)
            await self.run(update(MESSAGES).where(this).values(content=content, tokens=0))
        if found:
            await owe_purge(self)

    async def _rewrite(self, community_id: int, table: Table, columns: Sequence[str], named: Named) -> None:
        """Name nobody of that name in texts and documents of a table."""
        key = tuple(table.primary_key)
        for column in (table.c[name] for name in columns):
            asked = select(column, *key).where(owned(table, community_id), may_name(named, column))
            for value, *its in await self.rows(asked):
                new = named.rewritten(value)
                if new != value:
                    this = and_(*(part == own for part, own in zip(key, its, strict=True)))
                    await self.run(update(table).where(this).values({column.name: new}))

    async def _forget_derived(self, community_id: int, named: Named) -> None:
        """Summaries, look-ups, journal entries and stored HUDs that name them go."""
        covering = await self._naming(community_id, CHECKPOINTS, ("text",), named)
        if covering:
            await withdraw_where(self, community_id, CHECKPOINTS.c.id.in_(covering))
        for table, columns in ((LOOKUPS, ("question", "answer")), (JOURNAL, ("path", "before", "after", "by"))):
            gone = await self._naming(community_id, table, columns, named)
            for start in range(0, len(gone), AT_A_TIME):
                these = table.c.id.in_(gone[start : start + AT_A_TIME])
                await self.run(delete(table).where(owned(table, community_id), these))
        await self._forget_huds(community_id, named)

    async def _naming(self, community_id: int, table: Table, columns: Sequence[str], named: Named) -> list[int]:
        """Give the ids of the rows that name them."""
        these = [table.c[name] for name in columns]
        asked = select(table.c.id, *these).where(
            owned(table, community_id), or_(*(may_name(named, one) for one in these))
        )
        return [id for id, *values in await self.rows(asked) if named.found_in(*map(_as_text, values))]

    async def _forget_huds(self, community_id: int, named: Named) -> None:
        kept = or_(BEATS.c.hud.is_not(None), BEATS.c.answer.is_not(None), BEATS.c.thoughts.is_not(None))
        asked = select(BEATS.c.id, BEATS.c.hud, BEATS.c.answer, BEATS.c.thoughts).where(
            owned(BEATS, community_id), kept
        )
        last = 0
        while page := await self.rows(asked.where(BEATS.c.id > last).order_by(BEATS.c.id).limit(AT_A_TIME)):
            last = page[-1].id
            named_in = [row.id for row in page if named.found_in(row.hud or "", row.answer or "", row.thoughts or "")]
            these = update(BEATS).where(owned(BEATS, community_id), BEATS.c.id.in_(named_in))
            await self.run(these.values(hud=None, answer=None, thoughts=None))

    async def _who_knows(self, community_id: int, named: Named) -> list[AgentId]:
        asked = select(MINDS.c.agent_id, MINDS.c.knowledge, MINDS.c.focus).where(owned(MINDS, community_id))
        rows = await self.rows(asked.order_by(MINDS.c.agent_id))
        known = [row.agent_id for row in rows if named.found_in(to_json(row.knowledge), to_json(row.focus))]
        return list(dict.fromkeys(known))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else to_json(value)
