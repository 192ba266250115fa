"""Forgetting a person: what they said, did and were called goes; their bare id stays, so that nothing comes back."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Table, and_, delete, or_, select, true, update

from bot.core.keeping import Forgotten
from bot.core.records import AgentId, CommunityId, Snowflake
from storage.columns import to_json
from storage.intake import Intake
from storage.purging import owe_purge
from storage.session import Session, owned
from storage.summaries import withdraw_where
from storage.tables import (
    ATTACHMENTS,
    AUDIT,
    BEATS,
    CHECKPOINTS,
    FAILURES,
    JOURNAL,
    LETTERS,
    LOOKUPS,
    MESSAGES,
    MINDS,
    PEOPLE,
    REACTIONS,
    REQUESTS,
)
from storage.talking import count_reactions, index, unindex

SOMEONE = "someone"
BEATS_AT_A_TIME = 200


class Forgetting(Intake):
    """The person's right to be forgotten."""

    async def forget_person(self, community_id: CommunityId, person_id: Snowflake, at: datetime) -> Forgotten:
        """Remove a person's messages, reactions and name everywhere; nothing on Discord itself is deleted."""
        person = await self.first(select(PEOPLE).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id))
        names = {person["username"], person["display_name"]} - {""} if person is not None else set()
        said = select(MESSAGES.c.discord_id).where(
            owned(MESSAGES, community_id), MESSAGES.c.sender_person_id == person_id, MESSAGES.c.discord_id.is_not(None)
        )
        gone = await self.delete_messages(community_id, [row[0] for row in await self.rows(said)], at)
        await self._forget_reactions(community_id, person_id)
        await self._forget_rows(community_id, person_id, at)
        told: list[AgentId] = []
        if names:
            named = Named(names)
            await self._forget_mentions(community_id, named)
            await _rewrite(self, community_id, AUDIT, (AUDIT.c.by, AUDIT.c.what), named)
            await _rewrite(self, community_id, ATTACHMENTS, (ATTACHMENTS.c.name, ATTACHMENTS.c.text), named)
            await self._forget_derived(community_id, named)
            told = await self._who_knows(community_id, named)
        return Forgotten(messages=gone, names=tuple(sorted(names)), agents=tuple(told))

    async def _forget_reactions(self, community_id: int, person_id: int) -> None:
        theirs = and_(owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
        touched = [row[0] for row in await self.rows(select(REACTIONS.c.message_id).distinct().where(theirs))]
        await self.run(delete(REACTIONS).where(theirs))
        await count_reactions(self, community_id, touched)

    async def _forget_rows(self, community_id: int, person_id: int, at: datetime) -> None:
        blank = {"username": "", "display_name": "", "is_architect": False, "forgotten_at": at}
        await self.upsert(PEOPLE, [{"community_id": community_id, "id": person_id, "ignored": True} | blank])
        await self.run(delete(FAILURES).where(owned(FAILURES, community_id), FAILURES.c.person_id == person_id))
        knocks = and_(owned(REQUESTS, community_id), REQUESTS.c.requester_person_id == person_id)
        await self.run(update(REQUESTS).where(knocks).values(requester_name=SOMEONE))

    async def _forget_mentions(self, community_id: int, named: "Named") -> None:
        """In what others wrote, `@name` becomes `@someone`."""
        columns = (MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.content, MESSAGES.c.shown)
        found = await self.rows(select(*columns).where(owned(MESSAGES, community_id), named.within(MESSAGES.c.content)))
        for row in found:
            content = named.replaced(row.content)
            if row.shown:
                await unindex(self, community_id, [(row.id, row.room_id, row.content)])
                await index(self, community_id, [(row.id, row.room_id, content)])
            this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == row.id)
            await self.run(update(MESSAGES).where(this).values(content=content, tokens=0))
        if found:
            await owe_purge(self)

    async def _forget_derived(self, community_id: int, named: "Named") -> None:
        """Summaries, letters, look-ups, journal entries and stored HUDs that name them go."""
        await self._forget_journal(community_id, named)
        waiting = LETTERS.c.state.in_(["waiting", "held"])
        await withdraw_where(self, community_id, named.within(CHECKPOINTS.c.text))
        for table, columns, condition in (
            (LOOKUPS, (LOOKUPS.c.question, LOOKUPS.c.answer), true()),
            (LETTERS, (LETTERS.c.payload,), waiting),
            (JOURNAL, (JOURNAL.c.by,), true()),
        ):
            names_them = or_(*(named.within(column) for column in columns))
            await self.run(delete(table).where(owned(table, community_id), names_them, condition))
        await self._forget_huds(community_id, named)

    async def _forget_huds(self, community_id: int, named: "Named") -> None:
        kept = or_(BEATS.c.hud.is_not(None), BEATS.c.answer.is_not(None), BEATS.c.thoughts.is_not(None))
        asked = select(BEATS.c.id, BEATS.c.hud, BEATS.c.answer, BEATS.c.thoughts).where(
            owned(BEATS, community_id), kept
        )
        last = 0
        while page := await self.rows(asked.where(BEATS.c.id > last).order_by(BEATS.c.id).limit(BEATS_AT_A_TIME)):
            last = page[-1].id
            named_in = [row.id for row in page if named.found_in(row.hud or "", row.answer or "", row.thoughts or "")]
            these = update(BEATS).where(owned(BEATS, community_id), BEATS.c.id.in_(named_in))
            await self.run(these.values(hud=None, answer=None, thoughts=None))

    async def _forget_journal(self, community_id: int, named: "Named") -> None:
        """What an agent wrote down names people without an @."""
        asked = select(JOURNAL.c.id, JOURNAL.c.path, JOURNAL.c.before, JOURNAL.c.after)
        rows = await self.rows(asked.where(owned(JOURNAL, community_id)))
        gone = [row.id for row in rows if named.found_in(row.path, to_json(row.before), to_json(row.after))]
        for start in range(0, len(gone), 500):
            these = JOURNAL.c.id.in_(gone[start : start + 500])
            await self.run(delete(JOURNAL).where(owned(JOURNAL, community_id), these))

    async def _who_knows(self, community_id: int, named: "Named") -> list[AgentId]:
        asked = select(MINDS.c.agent_id, MINDS.c.knowledge, MINDS.c.focus).where(owned(MINDS, community_id))
        rows = await self.rows(asked.order_by(MINDS.c.agent_id))
        known = [row.agent_id for row in rows if named.found_in(to_json(row.knowledge), to_json(row.focus))]
        return list(dict.fromkeys(known))


class Named:
    """The names of a person, as they stand in texts."""

    def __init__(self, names: set[str]) -> None:
        self.names = sorted(names, key=len, reverse=True)
        words = "|".join(re.escape(name) for name in self.names)
        self._mention = re.compile(f"@(?:{words})(?!\\w)", re.IGNORECASE)
        self._name = re.compile(f"(?<!\\w)(?:{words})(?!\\w)", re.IGNORECASE)

    def within(self, column: Column[Any]) -> Any:  # noqa: ANN401  # an SQL condition
        """Give the condition that a column mentions them."""
        return or_(*(column.icontains(f"@{name}", autoescape=True) for name in self.names))

    def replaced(self, text: str) -> str:
        """Give a text that mentions nobody of that name."""
        return self._mention.sub(f"@{SOMEONE}", text)

    def found_in(self, *texts: str) -> bool:
        """Tell whether a text names them, with or without an @."""
        return any(self._name.search(text) for text in texts)


async def _rewrite(
    session: Session, community_id: int, table: Table, columns: Sequence[Column[Any]], named: Named
) -> None:
    key = tuple(table.primary_key)
    for column in columns:
        asked = select(column, *key).where(owned(table, community_id), named.within(column))
        for text, *its in await session.rows(asked):
            this = and_(*(part == value for part, value in zip(key, its, strict=True)))
            await session.run(update(table).where(this).values({column.name: named.replaced(text)}))
