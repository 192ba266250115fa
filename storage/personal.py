"""What the store has of one person, all found by their id, to read or to forget; and where they may still be named."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Table, and_, delete, func, or_, select, true, union, update

from bot.core.keeping import ForgetReport, Readable
from bot.core.kinds import LetterKind, RequestState
from bot.core.name_redaction import NameRedactor, Trace, TraceKind, words_of
from bot.core.name_redaction import NameRedactor as Named
from bot.core.people import SOMEONE, by_person, mention
from bot.core.records import PUBLIC_SIDE, AgentId, CommunityId, Json, Room, Snowflake
from storage.columns import to_json, to_plain
from storage.convert import room_of
from storage.erasing import erase
from storage.index_purging import owe_purge
from storage.inline import unhurried
from storage.names import borne_by_others, longer_names, may_name, names_of_agents, usernames_of
from storage.owed import Debt, owe
from storage.scenes import SqlScenes
from storage.session import Query, Session, key_of, owned
from storage.summaries import withdraw_where
from storage.tables import (
    ACTIONS,
    AGENTS,
    ATTACHMENTS,
    AUDIT,
    BEATS,
    CHECKPOINTS,
    EARLY_EDITS,
    EVENTS,
    FAILURES,
    JOURNAL,
    KEYS,
    LETTERS,
    LOOKUPS,
    MESSAGES,
    MINDS,
    NAMES,
    PEOPLE,
    REACTIONS,
    REQUESTS,
    ROOMS,
    SCENES,
    SCHEDULES,
    SEATS,
)
from storage.talk import SqlTalk
from storage.talking import count_reactions, index, unindex

CAUSED = ("id", "agent_id", "at", "reason", "model", "cost_usd")  # of a beat: what it saw is not this person's alone
KNOCKED = ("id", "room_id", "state", "created_at", "closed_at")  # a key's label is the owner's
LEARNT = ("agent_id", "at", "path", "after")  # what was there before may be anybody's
AT_A_TIME = 200
PAGE = 20  # texts of any length that are looked through between two turns of the loop
BY_ID = ((AUDIT, "by"), (AUDIT, "what"), (JOURNAL, "by"), (AGENTS, "paused_reason"))  # people stand there by their ids
REWRITTEN: dict[Table, tuple[str, ...]] = {
    ACTIONS: ("parameters", "result", "why"),
    ATTACHMENTS: ("name", "text"),
    AUDIT: ("by", "what"),
    BEATS: ("outcome", "failed"),
    EARLY_EDITS: ("content",),
    EVENTS: ("text",),
    JOURNAL: ("path", "before", "after", "by"),
    LETTERS: ("payload",),
    MESSAGES: ("thread_name",),
    ROOMS: ("thread_name",),
    SCENES: ("title", "options"),
    SCHEDULES: ("content",),
}
SETTINGS = (LetterKind.BILLBOARD, LetterKind.TOPIC, LetterKind.RENAME)  # letters with what only people may change


@dataclass(frozen=True, slots=True)
class SqlPersonal:
    """What is stored of one person, and the right to be forgotten."""

    session: Session
    talk: SqlTalk

    async def threads(self, community_id: CommunityId, person_id: Snowflake) -> list[Snowflake]:
        of_community, in_thread = owned(MESSAGES, community_id), MESSAGES.c.thread_id.is_not(None)
        spoke = select(MESSAGES.c.thread_id).where(of_community, in_thread, MESSAGES.c.sender_person_id == person_id)
        touched = MESSAGES.c.id.in_(self._reacted_to(community_id, person_id))
        reacted = select(MESSAGES.c.thread_id).where(of_community, in_thread, touched)
        return sorted((row[0] for row in await self.session.rows(union(spoke, reacted))), reverse=True)

    async def secluded(self, community_id: CommunityId, person_id: Snowflake) -> list[Room]:
        by = [by_person(person_id, manager=manager) for manager in (False, True)]
        of_messages = select(MESSAGES.c.room_id).where(owned(MESSAGES, community_id))
        here = union(
            of_messages.where(MESSAGES.c.sender_person_id == person_id),
            of_messages.where(MESSAGES.c.id.in_(self._reacted_to(community_id, person_id))),
            select(JOURNAL.c.side).where(owned(JOURNAL, community_id), JOURNAL.c.by.in_(by)),
            select(BEATS.c.side).where(owned(BEATS, community_id), BEATS.c.person_id == person_id),
        )
        threads = (ROOMS.c.thread_of.is_not(None), ROOMS.c.channel_id.is_not(None), ROOMS.c.id.in_(here))
        asked = select(ROOMS).where(owned(ROOMS, community_id), *threads).order_by(ROOMS.c.id.desc())
        return await self.session.records(asked, ROOMS, room_of)

    async def data(self, community_id: CommunityId, person_id: Snowflake, readable: Readable) -> dict[str, Json]:
        """Give what is stored of a person where they may read, ready for a JSON file; of the rest only how much it is.

        All of it is found by their id: a name is anybody's to choose.
        """
        with unhurried():  # one who is talkative has said much
            return await self._data(community_id, person_id, readable)

    async def _data(self, community_id: CommunityId, person_id: Snowflake, readable: Readable) -> dict[str, Json]:
        here = and_(
            MESSAGES.c.room_id.in_(readable.rooms),
            or_(MESSAGES.c.thread_id.is_(None), MESSAGES.c.thread_id.in_(readable.threads)),
        )
        said = MESSAGES.c.sender_person_id == person_id
        shown = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), here)
        reacted = REACTIONS.c.reactor == f"person:{person_id}"
        person = await self._all(community_id, PEOPLE, PEOPLE.c.id == person_id)
        messages = await self._all(community_id, MESSAGES, said, here)
        reactions = await self._all(community_id, REACTIONS, reacted, REACTIONS.c.message_id.in_(shown))
        all_said = await self._all(community_id, MESSAGES, said, only=("id",))
        all_reacted = await self._all(community_id, REACTIONS, reacted, only=("message_id",))
        of_theirs = ATTACHMENTS.c.message_id.in_(shown.where(said))
        told: dict[str, Json] = {
            "person": person[0] if person else None,
            "usernames": [*await usernames_of(self.session, community_id, person_id)],
            "messages": messages,
            "attachments": await self._all(community_id, ATTACHMENTS, of_theirs),
            "reactions": reactions,
            "where_you_may_not_read": {
                "messages": len(all_said) - len(messages),
                "reactions": len(all_reacted) - len(reactions),
            },
        }
        return told | await self._done(community_id, person_id, readable)

    async def _done(self, community_id: int, person_id: int, readable: Readable) -> dict[str, Json]:
        """Give what they did beside talking."""
        knocks, failed = REQUESTS.c.requester_person_id == person_id, FAILURES.c.person_id == person_id
        sides = (PUBLIC_SIDE, *readable.rooms)
        by = [by_person(person_id, manager=manager) for manager in (False, True)]
        learnt = (JOURNAL.c.by.in_(by), JOURNAL.c.side.in_(sides))
        caused = (BEATS.c.person_id == person_id, BEATS.c.side.in_(sides))
        logged = await self.session.rows(
            select(AUDIT.c.at, AUDIT.c.agent_id, AUDIT.c.what)
            .where(owned(AUDIT, community_id), AUDIT.c.by.in_(by))
            .order_by(AUDIT.c.id)
        )
        return {
            "access_requests": await self._all(community_id, REQUESTS, knocks, only=KNOCKED),
            "keys_that_did_not_open": await self._all(community_id, FAILURES, failed),
            "beats_caused": await self._all(community_id, BEATS, *caused, only=CAUSED),
            # what came of it may tell of a private room, or of other people
            "changes_made": [
                {"at": to_plain(at), "agent_id": agent_id, "what": what.partition(":")[0]}
                for at, agent_id, what in logged
            ],
            "scenes": await self._played(community_id, person_id),
            "knowledge_changed": await self._all(community_id, JOURNAL, *learnt, only=LEARNT),
        }

    async def _played(self, community_id: int, person_id: int) -> list[Json]:
        """Give the seats they had in scenes, and what they said there."""
        theirs = and_(owned(SEATS, community_id), SEATS.c.person_id == person_id)
        found: list[Json] = []
        for scene_id, seat in await self.session.rows(select(SEATS.c.scene_id, SEATS.c.seat).where(theirs)):
            said = and_(EVENTS.c.scene_id == scene_id, EVENTS.c.seat == seat, EVENTS.c.text.is_not(None))
            texts = await self._all(community_id, EVENTS, said, only=("at", "text"))
            found.append({"scene_id": scene_id, "seat": seat, "said": texts})
        return found

    def _reacted_to(self, community_id: int, person_id: int) -> Query:
        theirs = (owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
        return select(REACTIONS.c.message_id).where(*theirs)

    async def _all(
        self,
        community_id: int,
        table: Table,
        *conditions: ColumnElement[bool],
        only: tuple[str, ...] = (),
    ) -> list[Json]:
        columns = [table.c[name] for name in only or table.c.keys()]
        names = [column.name for column in columns]
        asked = select(*columns).where(owned(table, community_id), *conditions)
        found: list[Json] = []
        async for page in self.session.leafed(asked, table, AT_A_TIME):
            found += [{name: to_plain(value) for name, value in zip(names, row, strict=False)} for row in page]
        return found

    async def forget(
        self, community_id: CommunityId, person_id: Snowflake, at: datetime, *, others: Collection[str] = ()
    ) -> ForgetReport:
        with unhurried():  # all or nothing: the transaction stays open, and the loop goes on
            return await self._forget(community_id, person_id, at, others)

    async def _forget(
        self, community_id: CommunityId, person_id: Snowflake, at: datetime, others: Collection[str]
    ) -> ForgetReport:
        names = await usernames_of(self.session, community_id, person_id)
        shared = await borne_by_others(self.session, community_id, person_id, names) | {
            name.casefold() for name in others
        }
        spared = {*others, *await longer_names(self.session, community_id, person_id, names)}
        called = {*names, await self._shown_name(community_id, person_id)} - {""}
        gone = await self._forget_messages(community_id, person_id, at)
        reactions = await self._forget_reactions(community_id, person_id)
        await SqlScenes(self.session).forget(community_id, person_id)
        await self._forget_rows(community_id, person_id, at)
        await owe_purge(self.session)  # also when only a name goes
        alone = Named([name for name in names if name not in shared], words=(), others=spared)
        texts = await self._forget_mentions(community_id, alone) if alone.names else 0
        if alone.names:
            debt = Debt(names=alone.names, others=alone.others)
            await owe(self.session, community_id, f"names:{person_id}", debt)
        return ForgetReport(
            messages=gone,
            reactions=reactions,
            texts=texts,
            names=alone.names,
            spared=alone.others,
            is_shared=bool(shared.intersection(names)),
            agents=tuple(await self._who_knows(community_id, alone)),
            traces=tuple(await traces_of(self.session, community_id, called, alone)),
        )

    async def _shown_name(self, community_id: int, person_id: int) -> str:
        shown = select(PEOPLE.c.display_name).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id)
        return str(await self.session.value(shown) or "")

    async def _forget_messages(self, community_id: CommunityId, person_id: Snowflake, at: datetime) -> int:
        """Remove what they said, with tombstones where it stands on Discord."""
        theirs = MESSAGES.c.sender_person_id == person_id
        said = select(MESSAGES.c.discord_id).where(owned(MESSAGES, community_id), theirs)
        posted = [row[0] for row in await self.session.rows(said.where(MESSAGES.c.discord_id.is_not(None)))]
        gone = await self.talk.delete(community_id, posted, at)
        return gone + await erase(self.session, community_id, theirs)

    async def _forget_reactions(self, community_id: int, person_id: int) -> int:
        theirs = and_(owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
        touched = [row[0] for row in await self.session.rows(select(REACTIONS.c.message_id).distinct().where(theirs))]
        gone = await self.session.run(delete(REACTIONS).where(theirs))
        for start in range(0, len(touched), AT_A_TIME):
            await count_reactions(self.session, community_id, touched[start : start + AT_A_TIME])
        return gone

    async def _forget_rows(self, community_id: int, person_id: int, at: datetime) -> None:
        """Forget their names and deeds by their id."""
        blank = {"username": "", "display_name": "", "is_architect": False, "forgotten_at": at}
        await self.session.upsert(PEOPLE, [{"community_id": community_id, "id": person_id, "ignored": True} | blank])
        await self.session.run(delete(NAMES).where(owned(NAMES, community_id), NAMES.c.bearer == f"person:{person_id}"))
        await self.session.run(delete(FAILURES).where(owned(FAILURES, community_id), FAILURES.c.person_id == person_id))
        knocks = and_(owned(REQUESTS, community_id), REQUESTS.c.requester_person_id == person_id)
        await self.session.run(update(REQUESTS).where(knocks).values(requester_name=SOMEONE))
        pending = and_(knocks, REQUESTS.c.state == RequestState.PENDING)
        await self.session.run(update(REQUESTS).where(pending).values(state=RequestState.CANCELLED, closed_at=at))
        for table, name in BY_ID:
            column, mark = table.c[name], mention(person_id)
            these = update(table).where(owned(table, community_id), column.contains(mark, autoescape=True))
            await self.session.run(these.values({name: func.replace(column, mark, SOMEONE)}))

    async def _forget_mentions(self, community_id: int, named: Named) -> int:
        """Put someone in their place in what others wrote; gives in how many texts."""
        texts = await self._rewrite_messages(community_id, named)
        for table, columns in REWRITTEN.items():
            texts += await self._rewrite(community_id, table, columns, named)
        return texts + await self._forget_derived(community_id, named)

    async def _rewrite_messages(self, community_id: int, named: Named) -> int:
        columns = (MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.content, MESSAGES.c.shown)
        asked, changed = (
            select(*columns).where(owned(MESSAGES, community_id), may_name(named, MESSAGES.c.content)),
            0,
        )
        async for page in self.session.leafed(asked, MESSAGES, PAGE):
            for id_, room_id, content, shown, *_ in page:
                if not named.found_in(content):
                    continue
                new = named.replaced(content)
                if shown:
                    await unindex(self.session, community_id, [(id_, room_id, content)])
                    await index(self.session, community_id, [(id_, room_id, new)])
                this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == id_)
                await self.session.run(update(MESSAGES).where(this).values(content=new, tokens=0))
                changed += 1
        if changed:
            await owe_purge(self.session)
        return changed

    async def _rewrite(self, community_id: int, table: Table, columns: Sequence[str], named: Named) -> int:
        """Name nobody of that name in texts and documents of a table."""
        key, changed = key_of(table), 0
        these = LETTERS.c.kind.not_in(SETTINGS) if table is LETTERS else true()
        for column in (table.c[name] for name in columns):
            asked = select(column).where(owned(table, community_id), these, may_name(named, column))
            async for page in self.session.leafed(asked, table, PAGE):
                for value, *its in page:
                    new = named.rewritten(value)
                    if new != value:
                        this = and_(
                            owned(table, community_id), *(part == own for part, own in zip(key, its, strict=True))
                        )
                        changed += await self.session.run(update(table).where(this).values({column.name: new}))
        return changed

    async def _forget_derived(self, community_id: int, named: Named) -> int:
        """Summaries and look-ups that name them go; gives how many."""
        covering = await self._naming(community_id, CHECKPOINTS, ("text",), named)
        if covering:
            await withdraw_where(self.session, community_id, CHECKPOINTS.c.id.in_(covering))
        asking = await self._naming(community_id, LOOKUPS, ("question", "answer"), named)
        for start in range(0, len(asking), AT_A_TIME):
            these = LOOKUPS.c.id.in_(asking[start : start + AT_A_TIME])
            await self.session.run(delete(LOOKUPS).where(owned(LOOKUPS, community_id), these))
        return len(covering) + len(asking)

    async def _naming(self, community_id: int, table: Table, columns: Sequence[str], named: Named) -> list[int]:
        """Give the ids of the rows that name them."""
        these = [table.c[name] for name in columns]
        asked = select(table.c.id, *these).where(
            owned(table, community_id), or_(*(may_name(named, one) for one in these))
        )
        ids: list[int] = []
        async for page in self.session.leafed(asked, table, PAGE):
            told = [(id_, values[: len(these)]) for id_, *values in page]
            ids += [id_ for id_, values in told if named.found_in(*map(_as_text, values))]
        return ids

    async def _who_knows(self, community_id: int, named: Named) -> list[AgentId]:
        asked = select(MINDS.c.agent_id, MINDS.c.knowledge, MINDS.c.focus).where(owned(MINDS, community_id))
        known: list[AgentId] = []
        async for page in self.session.leafed(asked, MINDS, PAGE):
            known += [id_ for id_, knows, focus, *_ in page if named.found_in(to_json(knows), to_json(focus))]
        return sorted(set(known))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else to_json(value)


PLACES: tuple[tuple[TraceKind, Column[int], Column[str]], ...] = (  # kind, whose, text
    (TraceKind.PROMPT, AGENTS.c.id, AGENTS.c.prompt),
    (TraceKind.TOPIC, ROOMS.c.id, ROOMS.c.topic),
    (TraceKind.BILLBOARD, ROOMS.c.id, ROOMS.c.billboard),
    (TraceKind.LABEL, KEYS.c.id, KEYS.c.label),
    (TraceKind.KNOWLEDGE, MINDS.c.agent_id, MINDS.c.knowledge),
    (TraceKind.FOCUS, MINDS.c.agent_id, MINDS.c.focus),
)


async def traces_of(session: Session, community_id: int, called: Collection[str], removed: NameRedactor) -> list[Trace]:
    """Give the places where one of these names stands as a word; what minds lose anyway does not count."""
    agents = await names_of_agents(session, community_id)
    words = [word for name in called for word in words_of(name, agents)]
    named = NameRedactor(sorted(called), words, others=removed.others)
    found: list[Trace] = []
    for kind, whose, text in PLACES:
        rows = await session.rows(select(whose, text).where(owned(whose.table, community_id)).order_by(whose))
        ids = [id_ for id_, value in rows if named.found_in(_left(kind, value, removed))]
        found += [Trace(kind=kind, id=id_) for id_ in dict.fromkeys(ids)]
    return found


def _left(kind: TraceKind, value: object, removed: NameRedactor) -> str:
    if isinstance(value, dict):  # what a mind holds
        return to_json(removed.knowledge(value) if kind is TraceKind.KNOWLEDGE else removed.rewritten(value))
    return str(value or "")
