"""A community in a real store, founded in one way for all tests that need one, and what is asked of its database."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import event

from bot.core.changes import AddAgent, AddMembership, Change
from bot.core.records import CommunityId, Room, Snowflake, WholeAgent
from storage.store import SqlStore
from tests.factories import GUILD_ID, agent, membership, room

Resident = tuple[WholeAgent, Room]


async def founded(
    store: SqlStore,
    residents: int | Sequence[Resident] = 3,
    *,
    guild_id: int = GUILD_ID,
    guests: Iterable[tuple[int, int]] = (),
) -> CommunityId:
    """Found a community whose residents have the ids from 1 on, each in a room of its own.

    `residents`: agents with their rooms, or how many; `guests`: (agent, room) for each that is in another's room.
    """
    async with store.writing() as write:
        id = (await write.communities.add(Snowflake(guild_id), "Testers")).id
    if isinstance(residents, int):
        residents = [(agent(number), room(number)) for number in range(1, residents + 1)]
    changes: list[Change] = [
        AddAgent(agent=replace(one, community_id=id), room=replace(its, community_id=id)) for one, its in residents
    ]
    changes += [AddMembership(membership=membership(guest, host)) for guest, host in guests]
    async with store.writing(id) as write:
        assert [write.ids.take("agent") for _ in residents] == [one.id for one, _ in residents]
        await write.apply(id, changes)
    return id


@contextmanager
def statements(store: SqlStore) -> Iterator[list[str]]:
    """Collect the statements that reach the database."""
    asked: list[str] = []
    engine = store.database.engine.sync_engine

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)
