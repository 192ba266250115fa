"""What changes of agents, their rooms and doors are in SQL."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from sqlalchemy import and_, bindparam, case, delete, func, select, update

from bot.core.changes import (
    AddAgent,
    AddKey,
    AddMembership,
    AddRequest,
    AddSchedule,
    Audit,
    CloseRequest,
    CountFailure,
    DropReasons,
    DropSchedule,
    HoldKey,
    PutReason,
    RemoveMembership,
    Say,
    SetOverride,
    UpdateAgent,
    UpdateKey,
    UpdateMembership,
    UpdateRoom,
)
from bot.core.kinds import RequestState
from bot.core.records import Membership
from storage.changes.columns import MORE, update_columns
from storage.convert import agent_columns, columns_of, reason_columns
from storage.names import bear
from storage.prepared import Prepared
from storage.session import Session, inserting, owned
from storage.tables import (
    AGENTS,
    AUDIT,
    DEPARTURES,
    FAILURES,
    HOLDERS,
    KEYS,
    MEMBERSHIPS,
    MESSAGES,
    OVERRIDES,
    REASONS,
    REQUESTS,
    ROOMS,
    SCHEDULES,
)

_THIS = and_(
    REASONS.c.community_id == bindparam("its"),
    REASONS.c.agent_id == bindparam("whose"),
    REASONS.c.kind == bindparam("what"),
    REASONS.c.room_id == bindparam("where"),
)
_LAST = bindparam("last", type_=REASONS.c.message_id.type)
_NOT_NEWER = case(
    (_LAST.is_not(None), func.coalesce(REASONS.c.message_id, _LAST) <= _LAST),
    else_=and_(REASONS.c.message_id.is_(None), REASONS.c.due_at <= bindparam("until")),
)
DROP_REASONS = Prepared(delete(REASONS).where(_THIS, _NOT_NEWER))
RESTING = {"paused_reason", "retired_at"}


async def add_agents(session: Session, community_id: int, changes: Sequence[AddAgent]) -> None:
    """Store new agents with their rooms; `add_memberships` lets them in."""
    whose = {"community_id": community_id}
    agents = [agent_columns(columns_of(change.agent, "community_id") | whose) for change in changes]
    await session.put(AGENTS, agents)
    await session.put(ROOMS, [columns_of(change.room) | whose for change in changes])
    await bear(session, community_id, {f"agent:{change.agent.id}": change.agent.name for change in changes})


async def update_agents(session: Session, community_id: int, changes: Sequence[UpdateAgent]) -> None:
    """Set columns of agents; who comes to rest or back has its next beat counted anew."""
    updates = [({"id": change.agent_id}, agent_columns(change.fields)) for change in changes]
    await update_columns(session, AGENTS, community_id, updates)
    renamed = {f"agent:{change.agent_id}": change.fields["name"] for change in changes if "name" in change.fields}
    await bear(session, community_id, renamed)
    if woken := {change.agent_id for change in changes if RESTING & change.fields.keys()}:
        session.to_recount |= woken


async def update_rooms(session: Session, community_id: int, changes: Sequence[UpdateRoom | Say]) -> None:
    """Set columns of rooms, and count on how many messages agents said there in a row.

    Those that wait to be posted count already; a room that begins to count anew begins before them.
    """
    said = Counter(c.room_id for c in changes if isinstance(c, Say) and _counts(c))
    fields: dict[int, dict[str, object]] = {}
    for change in changes:
        if isinstance(change, UpdateRoom):
            fields.setdefault(change.room_id, {}).update(change.fields)
    for room_id, more in said.items():
        fields.setdefault(room_id, {})[f"{MORE}agent_run"] = more
    await update_columns(session, ROOMS, community_id, [({"id": room_id}, new) for room_id, new in fields.items()])


def _counts(change: Say) -> bool:
    return change.post and change.sender.agent_id is not None and change.scene_id is None


async def add_memberships(session: Session, community_id: int, changes: Sequence[AddAgent | AddMembership]) -> None:
    """Let agents into rooms, new ones into their own; one that is in stays as it is."""
    joined = [_joined(change) for change in changes]
    if any(isinstance(change, AddMembership) for change in changes):
        joined += await _in_threads(session, community_id, joined)
    rows = [columns_of(one) | {"community_id": community_id} for one in joined]
    await session.run(session.insert(MEMBERSHIPS).on_conflict_do_nothing(), rows)


async def _in_threads(session: Session, community_id: int, joined: Sequence[Membership]) -> list[Membership]:
    """Give the seats in these rooms' private threads, which show nothing of what was said there before."""
    owner = and_(
        MEMBERSHIPS.c.community_id == ROOMS.c.community_id,
        MEMBERSHIPS.c.room_id == ROOMS.c.id,
        MEMBERSHIPS.c.agent_id == ROOMS.c.thread_of,
    )
    newest = select(func.max(MESSAGES.c.id)).where(owned(MESSAGES, community_id)).scalar_subquery()
    kept = select(ROOMS.c.thread_of, ROOMS.c.id, func.coalesce(newest, 0)).join(MEMBERSHIPS, owner)
    here = ROOMS.c.thread_of.in_({one.room_id for one in joined})
    rows = await session.rows(kept.where(owned(ROOMS, community_id), here))
    return [
        replace(one, room_id=thread_id, joined_after=last, seen_until=last)
        for one in joined
        for room_id, thread_id, last in rows
        if one.room_id == room_id
    ]


def _joined(change: AddAgent | AddMembership) -> Membership:
    if isinstance(change, AddMembership):
        return change.membership
    agent = change.agent
    return Membership(agent_id=agent.id, room_id=agent.id, joined_at=agent.created_at)


async def update_memberships(session: Session, community_id: int, changes: Sequence[UpdateMembership]) -> None:
    """Set columns of memberships."""
    updates = [({"agent_id": c.agent_id, "room_id": c.room_id}, c.fields) for c in changes]
    await update_columns(session, MEMBERSHIPS, community_id, updates)


async def remove_memberships(session: Session, community_id: int, changes: Sequence[RemoveMembership]) -> None:
    """Let agents leave rooms and the private threads in them, with their reasons to beat there."""
    rooms = {change.room_id for change in changes}
    inside = select(ROOMS.c.thread_of, ROOMS.c.id).where(owned(ROOMS, community_id), ROOMS.c.thread_of.in_(rooms))
    threads = [(room_id, thread_id) for room_id, thread_id in await session.rows(inside)]
    changes = [
        *changes,
        *(replace(c, room_id=id_) for c in changes for room_id, id_ in threads if c.room_id == room_id),
    ]
    left = [{"community_id": community_id, "room_id": c.room_id, "agent_id": c.agent_id} for c in changes]
    await session.run(session.insert(DEPARTURES).on_conflict_do_nothing(), left)
    for table in (MEMBERSHIPS, REASONS):
        here = and_(table.c.agent_id == bindparam("agent"), table.c.room_id == bindparam("room"))
        leaving = [{"agent": change.agent_id, "room": change.room_id} for change in changes]
        await session.run(delete(table).where(owned(table, community_id), here), leaving)
    session.to_recount |= {change.agent_id for change in changes}


async def put_reasons(session: Session, community_id: int, changes: Sequence[PutReason]) -> None:
    """Give agents reasons; one of the same kind and room is replaced but keeps when it began."""
    rows = [{"community_id": community_id, "agent_id": c.agent_id} | reason_columns(c.reason) for c in changes]
    await session.run(_putting(is_sqlite=session.is_sqlite), rows)
    session.to_recount |= {change.agent_id for change in changes}


@cache
def _putting(*, is_sqlite: bool) -> Prepared:
    statement = inserting(REASONS, is_sqlite=is_sqlite)
    new: dict[str, object] = {
        column.name: statement.excluded[column.name] for column in REASONS.c if not column.primary_key
    }
    least = func.min if is_sqlite else func.least
    new["since"] = least(REASONS.c.since, statement.excluded.since, type_=REASONS.c.since.type)
    return Prepared(statement.on_conflict_do_update(index_elements=REASONS.primary_key, set_=new))


async def drop_reasons(session: Session, community_id: int, changes: Sequence[DropReasons]) -> None:
    """Take away reasons as they were claimed; what is newer stays."""
    dropped = [
        {"its": community_id, "whose": change.agent_id, "what": reason.kind, "where": reason.room_id or 0}
        | {"last": reason.message_id, "until": reason.due_at}
        for change in changes
        for reason in change.reasons
    ]
    await session.run(DROP_REASONS, dropped)
    session.to_recount |= {change.agent_id for change in changes}


async def add_schedules(session: Session, community_id: int, changes: Sequence[AddSchedule]) -> None:
    """Keep what agents will say later."""
    await session.put(SCHEDULES, [columns_of(c.schedule) | {"community_id": community_id} for c in changes])


async def drop_schedules(session: Session, community_id: int, changes: Sequence[DropSchedule]) -> None:
    """Take back what agents would have said."""
    ids = [change.schedule_id for change in changes]
    await session.run(delete(SCHEDULES).where(owned(SCHEDULES, community_id), SCHEDULES.c.id.in_(ids)))


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
