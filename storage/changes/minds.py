"""What agents carry, and the beats in which they came to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.core.changes import AddLookup, ClearLookups, EndBeat, JournalPlan, RecordAction, SetFocus, SetKnowledge
from bot.core.kinds import MindPart, ReasonKind
from bot.core.records import Beat
from storage.beats import let_go
from storage.convert import beat_columns, columns_of, focus_columns
from storage.owed import last_to_keep_nothing
from storage.prepared import Prepared
from storage.session import Insert, Session
from storage.tables import ACTIONS, BEATS, JOURNAL, LOOKUPS, MINDS, SEATS, USAGE

SUMS = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost_usd", "latency_seconds")


SHOWN = Prepared(
    select(LOOKUPS.c.id).where(
        LOOKUPS.c.community_id == bindparam("its"),
        LOOKUPS.c.agent_id == bindparam("whose"),
        LOOKUPS.c.side == bindparam("of_side"),
    )
)
CLEAR = Prepared(delete(LOOKUPS).where(LOOKUPS.c.id == bindparam("which")))


SPEND = Prepared(
    update(SEATS)
    .where(SEATS.c.community_id == bindparam("its"), SEATS.c.scene_id == bindparam("where"))
    .where(SEATS.c.agent_id == bindparam("whose"), SEATS.c.left_at.is_(None))
    .values(usd=SEATS.c.usd + bindparam("more", type_=SEATS.c.usd.type))
)


async def keep_minds(
    session: Session, community_id: int, changes: Sequence[SetKnowledge | SetFocus | JournalPlan]
) -> None:
    """Keep what agents know and have in view, each mind written once, and journal what changed of it and of plans."""
    minds: dict[tuple[int, int], dict[str, object]] = {}
    for change in changes:
        if not isinstance(change, JournalPlan):
            whose: dict[str, object] = {"community_id": community_id, "agent_id": change.agent_id, "side": change.side}
            minds.setdefault((change.agent_id, change.side), whose).update(_carried(change))
    blank: dict[str, object] = {"knowledge": None, "focus": None}
    await session.run(_keeping(is_sqlite=session.is_sqlite), [blank | mind for mind in minds.values()])
    entries = [_entry(change) for change in changes if not isinstance(change, SetFocus)]
    await session.put(JOURNAL, [entry | {"community_id": community_id} for entry in entries])


def _entry(change: SetKnowledge | JournalPlan) -> dict[str, object]:
    """Give a line of a mind's history."""
    if isinstance(change, SetKnowledge):
        return columns_of(change, "knowledge") | {"part": MindPart.KNOWLEDGE}
    return columns_of(change)


def _carried(change: SetKnowledge | SetFocus) -> dict[str, object]:
    if isinstance(change, SetKnowledge):
        return {"knowledge": dict(change.knowledge)}
    return {"focus": focus_columns(change.focus)}


@cache
def _keeping(*, is_sqlite: bool) -> Prepared:
    """Set what is given of a mind; the rest stays."""
    statement: Insert = sqlite.insert(MINDS) if is_sqlite else postgresql.insert(MINDS)
    new = {name: func.coalesce(statement.excluded[name], MINDS.c[name]) for name in ("knowledge", "focus")}
    return Prepared(statement.on_conflict_do_update(index_elements=MINDS.primary_key, set_=new))


async def record_actions(session: Session, community_id: int, changes: Sequence[RecordAction]) -> None:
    """Log what agents did."""
    rows = [
        {"community_id": community_id, "agent_id": c.agent_id, "side": c.side, "beat_id": c.beat_id}
        | columns_of(c.record)
        | {"parameters": dict(c.record.parameters)}
        for c in changes
    ]
    await session.put(ACTIONS, rows)


async def add_lookups(session: Session, community_id: int, changes: Sequence[AddLookup]) -> None:
    """Keep answers for the next HUD."""
    rows: list[dict[str, object]] = [
        {"community_id": community_id, "agent_id": c.agent_id, "side": c.side} | columns_of(c.lookup) for c in changes
    ]
    await session.put(LOOKUPS, rows)


async def clear_lookups(session: Session, community_id: int, changes: Sequence[ClearLookups]) -> None:
    """Drop answers that were shown; there are hardly ever any, which is seen sooner than done."""
    of = {"its": community_id}
    asked = [of | {"whose": change.agent_id, "of_side": change.side} for change in changes]
    found = [row[0] for one in asked for row in await session.rows(SHOWN, one)]
    await session.run(CLEAR, [{"which": id_} for id_ in found])


async def end_beats(session: Session, community_id: int, changes: Sequence[EndBeat]) -> None:
    """Keep beats, add up what they used, and let their agents go where the claim still stands.

    Of one that was under way while something was deleted, what it saw and said is not kept: it may stand there.
    """
    deleted, last = await last_to_keep_nothing(session, community_id)
    beats = [
        replace(one, hud="", answer="", thoughts="") if one.id <= last or (deleted and one.at <= deleted) else one
        for one in (change.beat for change in changes)
    ]
    rows = [beat_columns(beat) | {"community_id": community_id} for beat in beats]
    await session.upsert(BEATS, rows)
    await _add_up(session, community_id, changes)
    await session.run(SPEND, _spent(community_id, beats))
    await let_go(session, community_id, [(beat.agent_id, beat.id) for beat in beats])


def _spent(community_id: int, beats: Sequence[Beat]) -> list[Mapping[str, object]]:
    """Give what turns cost, which is kept with their seats as well: a scene must not cost too much."""
    return [
        {"its": community_id, "where": beat.scene_id, "whose": beat.agent_id, "more": beat.usage.cost_usd}
        for beat in beats
        if beat.scene_id is not None and beat.reason is ReasonKind.TURN
    ]


async def _add_up(session: Session, community_id: int, changes: Sequence[EndBeat]) -> None:
    rows = [
        {
            "community_id": community_id,
            "day": change.beat.at.date(),
            "agent_id": change.beat.side if change.beat.side < 0 else change.beat.agent_id,  # of a closed scene
            "input_format": change.beat.input_format,
            "model": change.beat.model,
            "room_id": change.beat.room_id or 0,
            "beats": 1,
            "silent_beats": int(change.beat.silent),
        }
        | columns_of(change.beat.usage)
        for change in changes
    ]
    await add_up(session, rows)


async def add_up(session: Session, rows: Sequence[Mapping[str, object]]) -> None:
    """Add rows of usage to what there is."""
    await session.run(_adding(is_sqlite=session.is_sqlite), [*rows])


@cache  # to word it takes longer than to execute it
def _adding(*, is_sqlite: bool) -> Prepared:
    statement: Insert = sqlite.insert(USAGE) if is_sqlite else postgresql.insert(USAGE)
    sums = ("beats", "silent_beats", *SUMS)
    more = {name: USAGE.c[name] + statement.excluded[name] for name in sums}
    return Prepared(statement.on_conflict_do_update(index_elements=USAGE.primary_key, set_=more))
