"""Forgetting a person: bit by bit in short transactions, noted so that it goes on after a kill.

A note says whom, by which names, how far it came and what went so far. It goes with the last bit.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial

from sqlalchemy import Column, ColumnElement, Table, and_, case, delete, func, select, true, tuple_, update

from bot.core.cards import KEPT as CARD
from bot.core.keeping import CalledHere, ForgetReport
from bot.core.kinds import LetterKind, RequestState
from bot.core.name_redaction import NameRedactor, Trace, TraceKind, words_of
from bot.core.people import SOMEONE, mention
from bot.core.records import AgentId, CommunityId, Json, Snowflake
from storage.columns import from_microseconds, to_json, to_microseconds
from storage.database import Database
from storage.erasing import erase
from storage.ids import CountedIds
from storage.index_purging import owe_purge
from storage.inline import unhurried
from storage.names import called_here, may_name, names_of_agents
from storage.owed import PAUSE_SECONDS, Debt, owe, see_no_more
from storage.retelling import retell
from storage.scenes import SqlScenes
from storage.session import INSTALLATION, Session, key_of, owned
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
    KEPT,
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
)
from storage.talk import SqlTalk
from storage.talking import count_reactions, index, unindex
from storage.timelines.live import owe_trees_person

NOTE = "forgetting"  # forgetting:community:person, among what is kept for the installation
MESSAGES_AT_ONCE, REACTIONS_AT_ONCE = 50, 200  # that go in one transaction
LOOKED_THROUGH = 300  # rows, of which few name anybody
LINES_LOOKED_THROUGH = 5_000  # of which few are theirs
PAGE = 20  # minds that are looked through between two turns of the loop
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
NOTHING = ForgetReport(messages=0, reactions=0, texts=0, names=(), spared=(), is_shared=False, agents=(), traces=())
Key = Sequence[int]  # of the last row of a table that was looked at
Step = Callable[[Key], Awaitable[Key | None]]  # one bit of a stage; gives where it goes on, None at its end


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Who is being forgotten, and how far that is.

    `names`: that nobody else bears; `called`: all they were called. `after`: the last row of `stage` that was seen.
    """

    at: int
    names: Sequence[str]
    spared: Sequence[str]
    called: Sequence[str]
    is_shared: bool
    stage: int = 0
    after: Key = ()
    messages: int = 0
    reactions: int = 0
    texts: int = 0


async def begin_forgetting(
    session: Session,
    community_id: CommunityId,
    person_id: Snowflake,
    at: datetime,
    others: Collection[str],
    called: CalledHere | None = None,
) -> None:
    """Take a person's name away at once, so that nothing of them comes in, and note that all else is to go."""
    if await _note_of(session, community_id, person_id) is not None:
        return
    called = called or await called_here(session, community_id, person_id)
    names, shared = called.names, called.shared | {name.casefold() for name in others}
    shown = select(PEOPLE.c.display_name).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id)
    note = Note(
        at=to_microseconds(at),
        names=[name for name in names if name not in shared],
        spared=sorted({*others, *called.longer}),
        called=sorted({*names, str(await session.value(shown) or "")} - {""}),
        is_shared=bool(shared.intersection(names)),
    )
    await _keep(session, community_id, person_id, note)
    blank = {"username": "", "display_name": "", "is_architect": False, "forgotten_at": at}
    await session.upsert(PEOPLE, [{"community_id": community_id, "id": person_id, "ignored": True} | blank])
    await session.run(delete(NAMES).where(owned(NAMES, community_id), NAMES.c.bearer == f"person:{person_id}"))
    await session.run(delete(FAILURES).where(owned(FAILURES, community_id), FAILURES.c.person_id == person_id))
    knocks = and_(owned(REQUESTS, community_id), REQUESTS.c.requester_person_id == person_id)
    await session.run(update(REQUESTS).where(knocks).values(requester_name=SOMEONE))
    pending = and_(knocks, REQUESTS.c.state == RequestState.PENDING)
    await session.run(update(REQUESTS).where(pending).values(state=RequestState.CANCELLED, closed_at=at))
    await owe_trees_person(session, community_id, person_id, note.names, note.spared)
    await owe_purge(session)  # also when only a name goes


async def forgetting(session: Session, *, until: datetime | None = None) -> list[tuple[CommunityId, Snowflake]]:
    """Give who is still to be forgotten, and where; `until`: only where that was begun by then."""
    noted = select(KEPT.c.name, KEPT.c.value).where(KEPT.c.scope == INSTALLATION, KEPT.c.name.startswith(f"{NOTE}:"))
    rows = await session.rows(noted.order_by(KEPT.c.name))
    found = [name.split(":") for name, note in rows if until is None or Note(**note).at <= to_microseconds(until)]
    return [(CommunityId(int(community_id)), Snowflake(int(person_id))) for _, community_id, person_id in found]


async def forget_on(
    session: Session, talk: SqlTalk, community_id: CommunityId, person_id: Snowflake
) -> ForgetReport | None:
    """Do one more bit of it; gives what went once all is done (nothing where nothing was left to do)."""
    note = await _note_of(session, community_id, person_id)
    if note is None:
        return NOTHING
    bit = _Bit(session=session, talk=talk, community_id=community_id, person_id=person_id, note=note)
    return await bit.done()


async def forget_rest(database: Database, community_id: CommunityId) -> None:
    """Go on, in short transactions, with all whose forgetting was begun in a community that came in."""
    async with database.reading() as connection:
        begun = [person_id for there, person_id in await forgetting(Session(connection)) if there == community_id]
    for person_id in begun:
        done: ForgetReport | None = None
        while done is None:
            with unhurried():
                async with database.writing() as connection:
                    ids = CountedIds(community_id)
                    await ids.open(connection)
                    session = Session(connection, ids)
                    done = await forget_on(session, SqlTalk(session), community_id, person_id)
                    await ids.flush(connection)
            await asyncio.sleep(PAUSE_SECONDS)


def _this(community_id: int, person_id: int) -> ColumnElement[bool]:
    return and_(KEPT.c.scope == INSTALLATION, KEPT.c.name == f"{NOTE}:{community_id}:{person_id}")


async def _note_of(session: Session, community_id: int, person_id: int) -> Note | None:
    value = await session.value(select(KEPT.c.value).where(_this(community_id, person_id)))
    return None if value is None else Note(**value)


async def _keep(session: Session, community_id: int, person_id: int, note: Note) -> None:
    name = f"{NOTE}:{community_id}:{person_id}"
    await session.upsert(KEPT, [{"scope": INSTALLATION, "name": name, "value": asdict(note)}])


@dataclass(slots=True, kw_only=True)
class _Bit:
    """One transaction's part of forgetting a person."""

    session: Session
    talk: SqlTalk
    community_id: CommunityId
    person_id: Snowflake
    note: Note
    named: NameRedactor = field(init=False)

    def __post_init__(self) -> None:
        self.named = NameRedactor(list(self.note.names), words=(), others=list(self.note.spared))

    async def done(self) -> ForgetReport | None:
        """Go on at the stage that is noted."""
        stages = list(self._stages())
        if self.note.stage >= len(stages):
            return await self._finish()
        after = await stages[self.note.stage](self.note.after)
        await see_no_more(self.session, self.community_id)
        ahead = {"stage": self.note.stage + 1, "after": ()} if after is None else {"after": after}
        await _keep(self.session, self.community_id, self.person_id, replace(self.note, **ahead))
        return None

    def _stages(self) -> Iterator[Step]:
        yield self._messages
        yield self._reactions
        yield self._scenes
        for table, name in BY_ID:
            yield partial(self._unsign, table, table.c[name])
        if not self.named.names:
            return
        yield self._contents
        for table, names in REWRITTEN.items():
            for name in names:
                yield partial(self._rewrite, table, table.c[name])
        yield self._summaries
        yield partial(self._lookups, LOOKUPS.c.question)
        yield partial(self._lookups, LOOKUPS.c.answer)

    def _count(self, *, messages: int = 0, reactions: int = 0, texts: int = 0) -> None:
        note = self.note
        self.note = replace(
            note,
            messages=note.messages + messages,
            reactions=note.reactions + reactions,
            texts=note.texts + texts,
        )

    async def _messages(self, after: Key) -> Key | None:
        """Remove what they said, with tombstones where it stands on Discord; no index knows whose it is."""
        asked = select(MESSAGES.c.id, MESSAGES.c.discord_id, MESSAGES.c.sender_person_id)
        later = and_(owned(MESSAGES, self.community_id), MESSAGES.c.id > max(after, default=0))
        page = await self.session.rows(asked.where(later).order_by(MESSAGES.c.id).limit(LINES_LOOKED_THROUGH))
        theirs = [row for row in page if row.sender_person_id == self.person_id]
        found = theirs[:MESSAGES_AT_ONCE]
        posted = [row.discord_id for row in found if row.discord_id is not None]
        await self.talk.delete(self.community_id, posted, from_microseconds(self.note.at))
        await erase(self.session, self.community_id, MESSAGES.c.id.in_([row.id for row in found]))
        self._count(messages=len(found))
        if len(theirs) > len(found):
            return [found[-1].id]
        return [page[-1].id] if len(page) == LINES_LOOKED_THROUGH else None

    async def _reactions(self, after: Key) -> Key | None:
        theirs = and_(owned(REACTIONS, self.community_id), REACTIONS.c.reactor == f"person:{self.person_id}")
        asked = select(REACTIONS.c.message_id).distinct().where(theirs).limit(REACTIONS_AT_ONCE)
        touched = [row[0] for row in await self.session.rows(asked)]
        gone = await self.session.run(delete(REACTIONS).where(theirs, REACTIONS.c.message_id.in_(touched)))
        await count_reactions(self.session, self.community_id, touched)
        self._count(reactions=gone)
        return after if touched else None

    async def _scenes(self, after: Key) -> Key | None:
        scenes, at = SqlScenes(self.session), from_microseconds(self.note.at)
        _, last = await scenes.forget_some(self.community_id, self.person_id, at, max(after, default=0))
        return None if last is None else [last]

    async def _unsign(self, table: Table, column: Column[str], after: Key) -> Key | None:
        """Let a log name somebody no more by their id."""
        mark = mention(self.person_id)
        found, last = await self._page(table, column, column.contains(mark, autoescape=True), after)
        for _, its in found:
            await self._set(table, its, {column.name: func.replace(column, mark, SOMEONE)})
        return last

    async def _contents(self, after: Key) -> Key | None:
        """Put someone in their place in what others said."""
        content = MESSAGES.c.content
        found, last = await self._page(MESSAGES, content, may_name(self.named, content), after)
        texts = {its[-1]: text for text, its in found if isinstance(text, str) and self.named.found_in(text)}
        asked = select(MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.shown)
        these = (owned(MESSAGES, self.community_id), MESSAGES.c.id.in_(texts))
        for id_, room_id, shown in await self.session.rows(asked.where(*these)):
            new = self.named.replaced(texts[id_])
            if shown:
                await unindex(self.session, self.community_id, [(id_, room_id, texts[id_])])
                await index(self.session, self.community_id, [(id_, room_id, new)])
            await self._set(MESSAGES, [id_], {"content": new, "tokens": 0})
        await retell(self.session, self.community_id, list(texts), from_microseconds(self.note.at))
        self._count(texts=len(texts))
        return last

    async def _rewrite(self, table: Table, column: Column[str], after: Key) -> Key | None:
        """Put someone in their place in texts and documents of a table."""
        these = LETTERS.c.kind.not_in(SETTINGS) if table is LETTERS else true()
        found, last = await self._page(table, column, and_(these, may_name(self.named, column)), after)
        for value, its in found:
            new = self.named.rewritten(value)
            if new != value:
                await self._set(table, its, {column.name: new})
                self._count(texts=1)
        return last

    async def _summaries(self, after: Key) -> Key | None:
        ids, last = await self._naming(CHECKPOINTS, CHECKPOINTS.c.text, after)
        await withdraw_where(self.session, self.community_id, CHECKPOINTS.c.id.in_(ids))
        self._count(texts=len(ids))
        return last

    async def _lookups(self, column: Column[str], after: Key) -> Key | None:
        ids, last = await self._naming(LOOKUPS, column, after)
        these = (owned(LOOKUPS, self.community_id), LOOKUPS.c.id.in_(ids))
        await self.session.run(delete(LOOKUPS).where(*these))
        self._count(texts=len(ids))
        return last

    async def _naming(self, table: Table, column: Column[str], after: Key) -> tuple[list[int], Key | None]:
        """Give the ids of the rows that name them, of a page."""
        found, last = await self._page(table, column, may_name(self.named, column), after)
        return [its[-1] for value, its in found if self.named.found_in(_as_text(value))], last

    async def _page(
        self, table: Table, column: Column[str], holds: ColumnElement[bool], after: Key
    ) -> tuple[list[tuple[Json, Key]], Key | None]:
        """Look through so many rows for those that hold something; gives what and their keys, and where it goes on.

        Each row is counted, whether it holds something or not: no page takes long to find.
        """
        key = key_of(table)
        asked = select(*key, case((holds, column), else_=None)).where(owned(table, self.community_id))
        if after:
            asked = asked.where(tuple_(*key) > tuple_(*after, types=[part.type for part in key]))
        rows = await self.session.rows(asked.order_by(*key).limit(LOOKED_THROUGH))
        found: list[tuple[Json, Key]] = [(row[-1], list(row[:-1])) for row in rows if row[-1] is not None]
        last: Key | None = list(rows[-1][:-1]) if len(rows) == LOOKED_THROUGH else None
        return found, last

    async def _set(self, table: Table, key: Key, values: dict[str, object]) -> None:
        this = (part == own for part, own in zip(key_of(table), key, strict=True))
        await self.session.run(update(table).where(owned(table, self.community_id), *this).values(values))

    async def _finish(self) -> ForgetReport:
        """Note what old HUDs owe, say what is left to managers, and take the note away."""
        note, names = self.note, self.named.names
        if names:
            debt = Debt(names=list(names), others=list(self.named.others))
            await owe(self.session, self.community_id, f"names:{self.person_id}", debt)
        await owe_purge(self.session)
        await self.session.run(delete(KEPT).where(_this(self.community_id, self.person_id)))
        return ForgetReport(
            messages=note.messages,
            reactions=note.reactions,
            texts=note.texts,
            names=tuple(names),
            spared=tuple(self.named.others),
            is_shared=note.is_shared,
            agents=tuple(await self._who_knows()),
            traces=tuple(await traces_of(self.session, self.community_id, note.called, self.named)),
        )

    async def _who_knows(self) -> list[AgentId]:
        asked = select(MINDS.c.agent_id, MINDS.c.knowledge, MINDS.c.focus).where(owned(MINDS, self.community_id))
        known: list[AgentId] = []
        async for page in self.session.leafed(asked, MINDS, PAGE):
            known += [id_ for id_, knows, focus, *_ in page if self.named.found_in(to_json(knows), to_json(focus))]
        return sorted(set(known))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else to_json(value)


PLACES: tuple[tuple[TraceKind, Column[int], Column[str]], ...] = (  # kind, whose, text
    (TraceKind.PROMPT, AGENTS.c.id, AGENTS.c.prompt),
    (TraceKind.LORE, AGENTS.c.id, AGENTS.c.lore),
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
        asked = select(whose, text).where(owned(whose.table, community_id))
        ids: set[int] = set()
        async for page in session.leafed(asked, whose.table, PAGE):  # minds may be large
            ids |= {row[0] for row in page if named.found_in(_left(kind, row[1], removed))}
        found += [Trace(kind=kind, id=id_) for id_ in sorted(ids)]
    return found + [Trace(kind=TraceKind.CARD, id=id_) for id_ in await _cards_naming(session, community_id, named)]


async def _cards_naming(session: Session, community_id: int, named: NameRedactor) -> list[int]:
    """Give the agents of whose cards something is only kept that names somebody; each is looked through aside."""
    cards = and_(KEPT.c.scope == community_id, KEPT.c.name.startswith(CARD))
    found: list[int] = []
    for (name,) in await session.rows(select(KEPT.c.name).where(cards)):
        kept = await session.value(select(KEPT.c.value).where(KEPT.c.scope == community_id, KEPT.c.name == name))
        if await asyncio.to_thread(named.found_within, kept):
            found.append(int(name.removeprefix(CARD)))
    return sorted(found)


def _left(kind: TraceKind, value: object, removed: NameRedactor) -> str:
    if isinstance(value, dict) and kind is not TraceKind.LORE:  # what a mind holds
        return to_json(removed.knowledge(value) if kind is TraceKind.KNOWLEDGE else removed.rewritten(value))
    return _as_text(value or "")
