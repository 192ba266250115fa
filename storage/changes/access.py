"""Keys, who holds them, who knocks; settings and the audit."""

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, update

from bot.core.changes import AddKey, AddRequest, Audit, CloseRequest, CountFailure, HoldKey, SetOverride, UpdateKey
from bot.core.kinds import RequestState
from storage.changes.columns import update_columns
from storage.convert import columns_of
from storage.session import Session, owned
from storage.tables import AUDIT, FAILURES, HOLDERS, KEYS, OVERRIDES, REQUESTS


async def add_keys(session: Session, community_id: int, changes: Sequence[AddKey]) -> None:
    """Keep keys, with who holds them."""
    whose = {"community_id": community_id}
    await session.put(KEYS, [columns_of(change.key, "held_by") | whose for change in changes])
    held = [(change.key.id, agent_id) for change in changes for agent_id in change.key.held_by]
    await _hold(session, community_id, held)


async def update_keys(session: Session, community_id: int, changes: Sequence[UpdateKey]) -> None:
    """Set columns of keys."""
    await update_columns(session, KEYS, community_id, [({"id": c.key_id}, c.fields) for c in changes])


async def hold_keys(session: Session, community_id: int, changes: Sequence[HoldKey]) -> None:
    """Hand keys to agents."""
    await _hold(session, community_id, [(change.key_id, change.agent_id) for change in changes])


async def _hold(session: Session, community_id: int, held: Sequence[tuple[int, int]]) -> None:
    rows = [{"community_id": community_id, "key_id": key, "agent_id": agent} for key, agent in held]
    await session.run(session.insert(HOLDERS).on_conflict_do_nothing(), rows)


async def add_requests(session: Session, community_id: int, changes: Sequence[AddRequest]) -> None:
    """Keep knocks."""
    await session.put(REQUESTS, [columns_of(c.request) | {"community_id": community_id} for c in changes])


async def close_requests(session: Session, community_id: int, changes: Sequence[CloseRequest]) -> None:
    """Answer knocks; the first answer stands."""
    pending = (REQUESTS.c.id == bindparam("request"), REQUESTS.c.state == RequestState.PENDING)
    close = update(REQUESTS).where(owned(REQUESTS, community_id), *pending)
    closed = close.values(state=bindparam("new_state"), closed_at=bindparam("at"))
    rows = [{"request": change.request_id, "new_state": change.state, "at": change.at} for change in changes]
    await session.run(closed, rows)


async def count_failures(session: Session, community_id: int, changes: Sequence[CountFailure]) -> None:
    """Remember keys that did not open."""
    await session.put(FAILURES, [columns_of(c) | {"community_id": community_id} for c in changes])


async def set_overrides(session: Session, community_id: int, changes: Sequence[SetOverride]) -> None:
    """Keep a community's own settings, or go back to the installation's."""
    for change in changes:
        if change.value is None:
            this = delete(OVERRIDES).where(owned(OVERRIDES, community_id), OVERRIDES.c.name == change.name)
            await session.run(this)
        else:
            await session.upsert(OVERRIDES, [{"community_id": community_id} | columns_of(change)])
    session.community = None


async def audit(session: Session, community_id: int, changes: Sequence[Audit]) -> None:
    """Note who changed what."""
    await session.put(AUDIT, [columns_of(c) | {"community_id": community_id} for c in changes])
