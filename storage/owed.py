"""What deletions still owe: old HUDs, actions and notices that repeat what was said may be any number of rows.

A note in the transaction says whose they are, since when, and what was said; it is worked off beside other work in
reads and in transactions of few rows, also after a restart. Until then nobody is shown what it may be about.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, func, select, tuple_, update

from bot.core.name_redaction import NameRedactor
from storage.columns import EPOCH, from_microseconds, to_microseconds
from storage.database import Database
from storage.faults import Troubles, apart
from storage.prepared import Prepared, Question
from storage.quotes import (
    DELETED,
    SCHEDULED_BEFORE,
    SHORTENED,
    SPOKEN,
    Quotes,
    notices_of,
    silence_actions,
    tells_of,
)
from storage.session import INSTALLATION, OneRow, Query, Rows, Session, Term, Values, owned
from storage.tables import ACTIONS, BEATS, COUNTERS, KEPT, LETTERS, TOMBSTONES

NOTE = "silence"  # silence:community:mark, among what is kept for the installation
SEEN = "seen"  # seen:community, among the same: the last beat that may have seen what is gone
_NOTED = select(KEPT.c.value).where(KEPT.c.scope == bindparam("of_scope"), KEPT.c.name == bindparam("called"))
NOTED = Prepared(_NOTED)
_DELETED = select(func.max(TOMBSTONES.c.at)).where(TOMBSTONES.c.community_id == bindparam("its"))
KEEPING_NOTHING = Prepared(select(_DELETED.scalar_subquery().label("deleted"), _NOTED.scalar_subquery().label("last")))
HUDS_EMPTIED, HUDS_READ, TEXTS_READ = 100, 20, 50  # rows at a time
NOTES_AT_ONCE = 10  # whose words are looked for together
PAUSE_SECONDS = 0.02  # between two transactions: others write too


@dataclass(frozen=True, slots=True, kw_only=True)
class Debt:
    """What may stand in HUDs and actions of `agents` since then, and in notices: the beginnings of what was `said`.

    `last_beat`: later ones began without it. `held`: letters that notices told of. `names`: of somebody who is
    forgotten, to leave all HUDs.
    """

    agents: Sequence[int] = ()
    since: datetime = EPOCH
    last_beat: int = 0
    said: Sequence[str] = ()
    held: Sequence[int] = ()
    names: Sequence[str] = ()
    others: Sequence[str] = ()

    def may_stand_in(self, beat: Values) -> bool:
        """Tell whether what a beat saw and said may hold it."""
        is_seen = beat["agent_id"] in self.agents and beat["at"] >= self.since and beat["id"] <= self.last_beat
        return bool(self.names) or is_seen


async def owe_for(
    session: Session, community_id: int, gone: Rows, *, agents: Sequence[int], held: Sequence[int], mark: str
) -> None:
    """Note in the transaction what the deletion of a room's messages owes; `mark`: its own."""
    said = sorted({row.content.strip()[:SHORTENED] for row in gone} - {""})
    last_beat = await session.value(select(COUNTERS.c.beat).where(owned(COUNTERS, community_id))) or 0
    since = min(row.sent_at for row in gone)
    debt = Debt(agents=agents, since=since, last_beat=last_beat, said=said, held=held)
    await owe(session, community_id, mark, debt)


async def owe(session: Session, community_id: int, mark: str, debt: Debt) -> None:
    """Note a debt in the transaction."""
    value = asdict(debt) | {"since": to_microseconds(debt.since)}
    await session.upsert(KEPT, [{"scope": INSTALLATION, "name": f"{NOTE}:{community_id}:{mark}", "value": value}])


async def see_no_more(session: Session, community_id: int) -> None:
    """Note in the transaction that no beat which has begun may keep what it saw, however late it ends."""
    last_beat = await session.value(select(COUNTERS.c.beat).where(owned(COUNTERS, community_id))) or 0
    await session.upsert(KEPT, [{"scope": INSTALLATION, "name": f"{SEEN}:{community_id}", "value": last_beat}])


async def last_to_keep_nothing(session: Session, community_id: int) -> tuple[datetime | None, int]:
    """Give when something was last deleted, and the last beat that keeps nothing of what it saw for another reason."""
    deleted, last = (await session.rows(*keeping_nothing(community_id)))[0]
    return deleted, int(last or 0)


def keeping_nothing(community_id: int) -> Question:
    """Ask what `last_to_keep_nothing` gives."""
    return KEEPING_NOTHING, {"its": community_id, "of_scope": INSTALLATION, "called": f"{SEEN}:{community_id}"}


async def debts_in(session: Session, community_id: int | None = None, *, limit: int | None = None) -> dict[str, Debt]:
    """Give what is owed, in a community or in all, by the names of the notes; `limit`: so many of these at most."""
    begun = f"{NOTE}:" if community_id is None else f"{NOTE}:{community_id}:"
    asked = select(KEPT.c.name, KEPT.c.value).where(KEPT.c.scope == INSTALLATION, KEPT.c.name.startswith(begun))
    notes = await session.rows(asked.order_by(KEPT.c.name).limit(limit))
    return {name: Debt(**value | {"since": from_microseconds(value["since"])}) for name, value in notes}


async def work_off(database: Database) -> Troubles:
    """Work off all that is owed: some of each community in turn, so that nobody waits for one that owes without end.

    Gives what was in the way, by community.
    """
    troubles: dict[int, Exception] = {}
    while owing := await _owing(database, but=troubles):
        for community_id in owing:
            with apart(community_id, troubles):
                await _work_off_some(database, community_id)
    return troubles


async def _owing(database: Database, *, but: Collection[int]) -> list[int]:
    async with database.reading() as connection:
        asked = select(KEPT.c.name).where(KEPT.c.scope == INSTALLATION, KEPT.c.name.startswith(f"{NOTE}:"))
        return sorted({int(row[0].split(":")[1]) for row in await Session(connection).rows(asked)}.difference(but))


async def _work_off_some(database: Database, community_id: int) -> None:
    async with database.reading() as connection:
        notes = await debts_in(Session(connection), community_id, limit=NOTES_AT_ONCE)
    if not notes:
        return  # the community is gone, with what it owed
    debts = list(notes.values())
    for debt in _together(debts):
        await _empty_huds(database, community_id, debt)
        await _silence_actions(database, community_id, debt)
    await _silence_notices(database, community_id, debts)
    async with database.writing() as connection:
        await Session(connection).run(delete(KEPT).where(KEPT.c.scope == INSTALLATION, KEPT.c.name.in_(notes)))


def _together(debts: Iterable[Debt]) -> list[Debt]:
    """Put together what concerns the same agents: a room's messages often go one after the other."""
    found: dict[tuple[tuple[int, ...], tuple[str, ...]], list[Debt]] = {}
    for debt in debts:
        found.setdefault((tuple(debt.agents), tuple(debt.names)), []).append(debt)
    return [
        replace(
            some[0],
            since=min(one.since for one in some),
            last_beat=max(one.last_beat for one in some),
            said=[text for one in some for text in one.said],
        )
        for some in found.values()
    ]


async def _empty_huds(database: Database, community_id: int, debt: Debt) -> None:
    texts = (BEATS.c.hud, BEATS.c.answer, BEATS.c.thoughts)
    named = NameRedactor(debt.names, words=(), others=debt.others)
    asked = select(BEATS.c.at, BEATS.c.id, *(texts if debt.names else ()))
    asked = asked.where(owned(BEATS, community_id), func.coalesce(*texts).is_not(None))  # as their index has it
    if not debt.names:
        those = (BEATS.c.agent_id.in_(debt.agents), BEATS.c.at >= debt.since, BEATS.c.id <= debt.last_beat)
        asked = asked.where(*those)

    async def empty(session: Session, ids: Sequence[int]) -> None:
        these = update(BEATS).where(owned(BEATS, community_id), BEATS.c.id.in_(ids))
        await session.run(these.values(hud=None, answer=None, thoughts=None))

    size = HUDS_READ if debt.names else HUDS_EMPTIED
    await _go_through(database, asked, size, lambda row: not debt.names or named.found_in(*row[2:]), empty)


async def _silence_actions(database: Database, community_id: int, debt: Debt) -> None:
    quotes = Quotes(debt.said)
    asked = select(ACTIONS.c.at, ACTIONS.c.id, *(ACTIONS.c[name] for name in SPOKEN)).where(
        owned(ACTIONS, community_id),
        ACTIONS.c.agent_id.in_(debt.agents),
        ACTIONS.c.at >= debt.since - SCHEDULED_BEFORE,
    )

    def repeats(row: OneRow) -> bool:
        return bool(quotes.silenced(dict(zip(SPOKEN, row[2:], strict=True))))

    async def silence(session: Session, ids: Sequence[int]) -> None:
        await silence_actions(session, await session.mappings(select(ACTIONS).where(ACTIONS.c.id.in_(ids))), quotes)

    if debt.said:
        await _go_through(database, asked, TEXTS_READ, repeats, silence)


async def _silence_notices(database: Database, community_id: int, debts: Sequence[Debt]) -> None:
    quotes = Quotes(text for debt in debts for text in debt.said)
    held = {letter_id for debt in debts for letter_id in debt.held}
    since = min(debt.since for debt in debts) - SCHEDULED_BEFORE
    asked = notices_of(community_id).where(LETTERS.c.created_at >= since)

    async def silence(session: Session, ids: Sequence[int]) -> None:
        for row in await session.rows(notices_of(community_id).where(LETTERS.c.id.in_(ids))):
            this = update(LETTERS).where(owned(LETTERS, community_id), LETTERS.c.id == row.id)
            await session.run(this.values(payload=row.payload | {"text": DELETED}))

    if quotes.whole or held:
        await _go_through(database, asked, TEXTS_READ, lambda row: tells_of(row.payload, quotes, held), silence)


async def _go_through(
    database: Database,
    asked: Query,
    size: int,
    holds: Callable[[OneRow], bool],
    mend: Callable[[Session, Sequence[int]], Awaitable[None]],
) -> None:
    """Read rows, which begin with their time and id, so many at a time; mend those that hold words, by their ids."""
    order = tuple(asked.selected_columns)[:2]
    paged, last = asked.order_by(*order).limit(size), None
    while True:
        later = paged if last is None else paged.where(_after(order, last))
        async with database.reading() as connection:
            page = await Session(connection).rows(later)
        if ids := [row.id for row in page if holds(row)]:
            async with database.writing() as connection:
                await mend(Session(connection), ids)
        if len(page) < size:
            return
        last = tuple(page[-1])[:2]
        await asyncio.sleep(PAUSE_SECONDS if ids else 0)


def _after(order: Sequence[Term], last: Sequence[object]) -> ColumnElement[bool]:
    return tuple_(*order) > tuple_(*last, types=[part.type for part in order])
