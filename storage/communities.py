"""Communities, what is kept for one beside its talk (small values by name, its own model provider), and its logs."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, FromClause, bindparam, delete, func, select, update

from bot.core.keeping import AuditEntry, JournalEntry, Merged
from bot.core.kinds import MindPart
from bot.core.models import OwnProvider
from bot.core.records import (
    AgentId,
    Community,
    CommunityId,
    Json,
    Snowflake,
)
from storage.convert import (
    plain,
)
from storage.ids import KINDS, READ, CountedIds
from storage.names import worded
from storage.owed import NOTED
from storage.prepared import PlainRow, Prepared, Question
from storage.questions import WITH_OVERRIDES
from storage.session import INSTALLATION, Query, Rows, Session, Values, owned
from storage.tables import (
    AUDIT,
    COMMUNITIES,
    COUNTERS,
    JOURNAL,
    KEPT,
    OVERRIDES,
    PROVIDERS,
)

OWN_PROVIDER = Prepared(
    select(*(column for column in PROVIDERS.c if column.name != "community_id")).where(
        PROVIDERS.c.community_id == bindparam("its")
    )
)
FROM_TIMELINE = " from what-if "  # in whose name it was done: no name of a person stands there, only ids
DEEDS_AT_A_TIME = 500
AT_A_TIME, MOST_CHARACTERS = 10, 1_000_000  # changes, each of which may repeat a whole mind; of all that are read
_SIZE = (func.coalesce(func.length(JOURNAL.c.before), 0) + func.coalesce(func.length(JOURNAL.c.after), 0)).label("size")
HERE = COMMUNITIES.c.guild_id > 0  # one that is still moving in lies under a number that no server has (moving.staging)
OF_ID = Prepared(WITH_OVERRIDES.where(HERE, COMMUNITIES.c.id == bindparam("number")).order_by(OVERRIDES.c.name))
OF_GUILD = Prepared(WITH_OVERRIDES.where(HERE, COMMUNITIES.c.guild_id == bindparam("guild")).order_by(OVERRIDES.c.name))


def community_of(rows: Rows | Sequence[PlainRow]) -> Community:
    """Give the community of rows of `WITH_OVERRIDES`, which come in any order."""
    found = {row[-2]: row[-1] for row in rows if row[-2] is not None}
    overrides = {name: found[name] for name in sorted(found)}
    return plain(Community, dict(zip(COMMUNITIES.c.keys(), rows[0], strict=False)), overrides=overrides)


_OPENING = Prepared(
    select(*(COUNTERS.c[kind] for kind in KINDS), *WITH_OVERRIDES.selected_columns)
    .select_from(COUNTERS.join(COMMUNITIES, COMMUNITIES.c.id == COUNTERS.c.community_id))
    .outerjoin(OVERRIDES, OVERRIDES.c.community_id == COMMUNITIES.c.id)
    .where(COUNTERS.c.community_id == bindparam("of_community"))
)


async def begin(session: Session, ids: CountedIds, community_id: CommunityId, asked: Sequence[Question]) -> None:
    """Count ids on in a transaction of a community, which SQLite gives at once; `asked`: what it asks ahead.

    PostgreSQL waits for others at its counters, and what is read beside those would be of before.
    """
    of = {"of_community": community_id}
    if session.is_sqlite:
        if asked:
            await session.ask_ahead([(_OPENING, of), *asked])
        if rows := await session.rows(_OPENING, of):
            ids.begin([row[: len(KINDS)] for row in rows[:1]])
            session.community = community_of([row[len(KINDS) :] for row in rows])
        return
    ids.begin(await session.rows(READ, of))
    if asked:
        await session.ask_ahead(asked)


def arrived(table: FromClause) -> ColumnElement[bool]:
    """Give the condition that a row's community is here, and not only moving in."""
    return table.c.community_id.not_in(select(COMMUNITIES.c.id).where(~HERE))


@dataclass(frozen=True, slots=True)
class SqlCommunities:
    """Discord servers in which agents live."""

    session: Session

    async def all(self) -> Sequence[Community]:
        return await self._communities(select(COMMUNITIES).where(HERE).order_by(COMMUNITIES.c.id))

    async def of_guild(self, guild_id: Snowflake) -> Community | None:
        rows = await self.session.rows(OF_GUILD, {"guild": guild_id})
        return community_of(rows) if rows else None

    async def of_id(self, community_id: CommunityId) -> Community | None:
        rows = await self.session.rows(OF_ID, {"number": community_id})
        return community_of(rows) if rows else None

    async def _communities(self, statement: Query) -> list[Community]:
        rows = await self.session.mappings(statement)
        overrides: dict[int, dict[str, Json]] = {}
        asked = select(OVERRIDES).where(OVERRIDES.c.community_id.in_([row["id"] for row in rows]))
        for row in await self.session.records(asked.order_by(OVERRIDES.c.name), OVERRIDES, dict):
            overrides.setdefault(row["community_id"], {})[row["name"]] = row["value"]
        return [plain(Community, row, overrides=overrides.get(row["id"], {})) for row in rows]

    async def add(self, guild_id: Snowflake, name: str) -> Community:
        made = self.session.insert(COMMUNITIES).values(guild_id=guild_id, name=name, paused=False)
        made = made.on_conflict_do_update(index_elements=[COMMUNITIES.c.guild_id], set_={"name": name})
        community_id = await self.session.value(made.returning(COMMUNITIES.c.id))
        await self.session.run(self.session.insert(COUNTERS).on_conflict_do_nothing(), {"community_id": community_id})
        found = await self.of_guild(guild_id)
        assert found is not None  # noqa: S101  # it was made above
        return found

    async def pause(self, community_id: CommunityId, *, paused: bool) -> None:
        await self.session.run(update(COMMUNITIES).where(COMMUNITIES.c.id == community_id).values(paused=paused))
        self.session.community = None


@dataclass(frozen=True, slots=True)
class SqlNotes:
    """Small values by name."""

    session: Session

    async def find(self, community_id: CommunityId | None, name: str) -> Json:
        scope = community_id or INSTALLATION
        found: Json = await self.session.value(NOTED, {"of_scope": scope, "called": name})
        return found

    async def keep(self, community_id: CommunityId | None, name: str, value: Json) -> None:
        scope = community_id or INSTALLATION
        if value is None:
            await self.session.run(delete(KEPT).where(KEPT.c.scope == scope, KEPT.c.name == name))
        else:
            await self.session.upsert(KEPT, [{"scope": scope, "name": name, "value": value}])


def own_provider(community_id: CommunityId) -> Question:
    """Ask for the provider that a community brings."""
    return OWN_PROVIDER, {"its": community_id}


@dataclass(frozen=True, slots=True)
class SqlProviders:
    """The model providers that communities bring."""

    session: Session

    async def of(self, community_id: CommunityId) -> OwnProvider | None:
        row = await self.session.first(*own_provider(community_id))
        return None if row is None else OwnProvider(**row)

    async def keep(self, community_id: CommunityId, provider: OwnProvider | None) -> None:
        if provider is None:
            await self.session.run(delete(PROVIDERS).where(owned(PROVIDERS, community_id)))
        else:
            await self.session.upsert(PROVIDERS, [asdict(provider) | {"community_id": community_id}])


@dataclass(frozen=True, slots=True)
class SqlLogs:
    """What was changed, by whom and when."""

    session: Session

    async def audit(self, community_id: CommunityId, *, limit: int = 50) -> Sequence[AuditEntry]:
        found: list[AuditEntry] = []
        left, last = MOST_CHARACTERS, None
        while left > 0 and len(found) < limit:
            older = (owned(AUDIT, community_id), *(() if last is None else (AUDIT.c.id < last,)))
            asked = select(AUDIT).where(*older).order_by(AUDIT.c.id.desc())
            page = await self.session.mappings(asked.limit(min(DEEDS_AT_A_TIME, limit - len(found))))
            if not page:
                break
            told = [str(row[name]) for row in page for name in ("by", "what")]
            texts = iter(await worded(self.session, community_id, told))
            found += [plain(AuditEntry, row, by=next(texts), what=next(texts)) for row in page]
            left, last = left - sum(map(len, told)), page[-1]["id"]
            await asyncio.sleep(0)  # others come first in between
        return found

    async def journal(
        self,
        community_id: CommunityId,
        agent_id: AgentId,
        part: MindPart = MindPart.KNOWLEDGE,
        *,
        side: int = 0,
        limit: int = 50,
    ) -> Sequence[JournalEntry]:
        its = _changes_of(community_id, agent_id, part, side)
        found: list[JournalEntry] = []
        left, last = MOST_CHARACTERS, None
        while left > 0 and len(found) < limit:
            older = its if last is None else (*its, JOURNAL.c.id < last)
            asked = select(JOURNAL, _SIZE).where(*older).order_by(JOURNAL.c.id.desc())
            page = await self.session.mappings(asked.limit(min(AT_A_TIME, limit - len(found))))
            if not page:
                break
            found += await self._entries(community_id, page)
            left, last = left - sum(row["size"] for row in page), page[-1]["id"]
            await asyncio.sleep(0)  # what was known may be long, and others come first in between
        return found

    async def change(
        self,
        community_id: CommunityId,
        agent_id: AgentId,
        part: MindPart,
        *,
        side: int,
        entry_id: int | None,
    ) -> JournalEntry | None:
        its = _changes_of(community_id, agent_id, part, side)
        this = its if entry_id is None else (*its, JOURNAL.c.id == entry_id)
        row = await self.session.first(select(JOURNAL).where(*this).order_by(JOURNAL.c.id.desc()).limit(1))
        if row is None:
            return None
        (entry,) = await self._entries(community_id, [row])
        return entry

    async def _entries(self, community_id: CommunityId, rows: Sequence[Values]) -> list[JournalEntry]:
        by = await worded(self.session, community_id, [str(row["by"]) for row in rows])
        return [plain(JournalEntry, row, by=who) for row, who in zip(rows, by, strict=True)]

    async def merged(self, community_id: CommunityId, number: int) -> Sequence[Merged]:
        its = (owned(JOURNAL, community_id), JOURNAL.c.by.contains(FROM_TIMELINE))
        first = await self.session.first(select(JOURNAL.c.by, JOURNAL.c.at).where(*its, JOURNAL.c.id == number))
        if first is None:
            return []
        asked = select(JOURNAL).where(*its, JOURNAL.c.by == first["by"], JOURNAL.c.at == first["at"])
        rows = await self.session.mappings(asked.order_by(JOURNAL.c.id))
        entries = await self._entries(community_id, rows)
        return [plain(Merged, row, entry=entry) for row, entry in zip(rows, entries, strict=True)]

    async def merges(self, community_id: CommunityId, *, limit: int) -> Sequence[JournalEntry]:
        its = (owned(JOURNAL, community_id), JOURNAL.c.by.contains(FROM_TIMELINE))
        firsts = select(func.min(JOURNAL.c.id)).where(*its).group_by(JOURNAL.c.by, JOURNAL.c.at)
        asked = select(JOURNAL).where(JOURNAL.c.id.in_(firsts)).order_by(JOURNAL.c.id.desc()).limit(limit)
        return await self._entries(community_id, await self.session.mappings(asked))


def _changes_of(community_id: int, agent_id: int, part: MindPart, side: int) -> tuple[ColumnElement[bool], ...]:
    whose = (owned(JOURNAL, community_id), JOURNAL.c.agent_id == agent_id, JOURNAL.c.side == side)
    return (*whose, JOURNAL.c.part == part)
