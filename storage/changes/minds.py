"""What agents carry, and the beats in which they came to it."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import and_, delete, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.core.changes import AddLookup, ClearLookups, EndBeat, RecordAction, SetFocus, SetKnowledge
from storage.convert import beat_columns, columns_of, focus_columns
from storage.dues import recount
from storage.session import Insert, Session, owned
from storage.tables import ACTIONS, AGENTS, BEATS, JOURNAL, LOOKUPS, MINDS, USAGE

SUMS = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost_usd", "latency_seconds")


async def set_knowledge(session: Session, community_id: int, changes: Sequence[SetKnowledge]) -> None:
    """Keep knowledge whole, and journal the path that changed."""
    whose = [{"community_id": community_id, "agent_id": c.agent_id, "side": c.side} for c in changes]
    last = {(c.agent_id, c.side): its | {"knowledge": dict(c.knowledge)} for c, its in zip(changes, whose, strict=True)}
    await session.upsert(MINDS, list(last.values()))
    entries = [its | columns_of(c, "agent_id", "side", "knowledge") for c, its in zip(changes, whose, strict=True)]
    await session.run(session.insert(JOURNAL), entries)


async def set_focus(session: Session, community_id: int, changes: Sequence[SetFocus]) -> None:
    """Keep what agents have in view."""
    last = {(change.agent_id, change.side): focus_columns(change.focus) for change in changes}
    rows = [
        {"community_id": community_id, "agent_id": agent, "side": side, "focus": focus}
        for (agent, side), focus in last.items()
    ]
    await session.upsert(MINDS, rows)


async def record_actions(session: Session, community_id: int, changes: Sequence[RecordAction]) -> None:
    """Log what agents did."""
    rows = [
        {"community_id": community_id, "agent_id": c.agent_id, "side": c.side, "beat_id": c.beat_id}
        | columns_of(c.record)
        | {"parameters": dict(c.record.parameters)}
        for c in changes
    ]
    await session.run(session.insert(ACTIONS), rows)


async def add_lookups(session: Session, community_id: int, changes: Sequence[AddLookup]) -> None:
    """Keep answers for the next HUD."""
    rows: list[dict[str, Any]] = [
        {"community_id": community_id, "agent_id": c.agent_id, "side": c.side} | columns_of(c.lookup) for c in changes
    ]
    await session.run(session.insert(LOOKUPS), rows)


async def clear_lookups(session: Session, community_id: int, changes: Sequence[ClearLookups]) -> None:
    """Drop answers that were shown."""
    for change in changes:
        these = and_(LOOKUPS.c.agent_id == change.agent_id, LOOKUPS.c.side == change.side)
        await session.run(delete(LOOKUPS).where(owned(LOOKUPS, community_id), these))


async def end_beats(session: Session, community_id: int, changes: Sequence[EndBeat]) -> None:
    """Keep beats, add up what they used, and let their agents go where the claim still stands."""
    rows = [beat_columns(change.beat) | {"community_id": community_id} for change in changes]
    await session.upsert(BEATS, rows)
    await _add_up(session, community_id, changes)
    for change in changes:
        held = and_(AGENTS.c.id == change.beat.agent_id, AGENTS.c.beat_id == change.beat.id)
        let_go = update(AGENTS).where(owned(AGENTS, community_id), held)
        await session.run(let_go.values(beat_id=None, lease_until=None))
    await recount(session, community_id, [change.beat.agent_id for change in changes])


async def _add_up(session: Session, community_id: int, changes: Sequence[EndBeat]) -> None:
    rows = [
        {
            "community_id": community_id,
            "day": change.beat.at.date(),
            "agent_id": change.beat.agent_id,
            "input_format": change.beat.input_format,
            "beats": 1,
            "silent_beats": int(change.beat.silent),
        }
        | columns_of(change.beat.usage)
        for change in changes
    ]
    await session.run(_adding(is_sqlite=session.is_sqlite), rows)


@cache  # to word it takes longer than to execute it
def _adding(*, is_sqlite: bool) -> Insert:
    statement: Insert = sqlite.insert(USAGE) if is_sqlite else postgresql.insert(USAGE)
    sums = ("beats", "silent_beats", *SUMS)
    more = {name: USAGE.c[name] + statement.excluded[name] for name in sums}
    return statement.on_conflict_do_update(index_elements=USAGE.primary_key, set_=more)
