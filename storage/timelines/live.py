"""Trees as the live community knows them, and what deletions owe to their files."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, select

from bot.core.records import CommunityId, Snowflake
from bot.core.timelines.records import Timeline, TreeId
from storage.convert import columns_of, plain
from storage.session import INSTALLATION, Session, owned
from storage.tables import EVENTS, KEPT, TIMELINES

NOTE = "trees"  # trees:community:mark, among what is kept for the installation: what is to leave all trees' files


@dataclass(frozen=True, slots=True)
class SqlTimelines:
    """Which trees there are, and where they are told of."""

    session: Session

    async def find(self, community_id: CommunityId, tree_id: TreeId) -> Timeline | None:
        found = await self._some(owned(TIMELINES, community_id), TIMELINES.c.id == tree_id)
        return found[0] if found else None

    async def all(self, community_id: CommunityId | None = None) -> Sequence[Timeline]:
        return await self._some(*(() if community_id is None else (owned(TIMELINES, community_id),)))

    async def of_thread(self, community_id: CommunityId, thread_id: Snowflake) -> Timeline | None:
        found = await self._some(owned(TIMELINES, community_id), TIMELINES.c.thread_id == thread_id)
        return found[0] if found else None

    async def expired(self, now: datetime) -> Sequence[Timeline]:
        return await self._some(TIMELINES.c.expires_at <= now, TIMELINES.c.gone == "")

    async def _some(self, *which: ColumnElement[bool]) -> list[Timeline]:
        asked = select(TIMELINES).where(*which).order_by(TIMELINES.c.community_id, TIMELINES.c.id)
        return [plain(Timeline, row) for row in await self.session.mappings(asked)]

    async def keep(self, timeline: Timeline) -> None:
        await self.session.upsert(TIMELINES, [columns_of(timeline)])

    async def drop(self, community_id: CommunityId, tree_id: TreeId) -> None:
        await self.session.run(delete(TIMELINES).where(owned(TIMELINES, community_id), TIMELINES.c.id == tree_id))


async def owe_trees_messages(session: Session, community_id: int, message_ids: Collection[int]) -> None:
    """Note in the transaction that messages are to leave the files of a community's trees, if it has any."""
    if message_ids and await _has_trees(session, community_id):
        mark = f"{min(message_ids)}.{len(message_ids)}"
        await _owe(session, f"{NOTE}:{community_id}:{mark}", {"messages": sorted(message_ids)})


async def owe_trees_texts(session: Session, community_id: int, which: ColumnElement[bool]) -> None:
    """Note in the transaction that texts of scenes are to leave the files of a community's trees, if it has any."""
    if await _has_trees(session, community_id):
        asked = select(EVENTS.c.scene_id, EVENTS.c.id).where(owned(EVENTS, community_id), which)
        if said := [[*row] for row in await session.rows(asked.order_by(EVENTS.c.scene_id, EVENTS.c.id))]:
            (scene_id, event_id), count = said[0], len(said)
            await _owe(session, f"{NOTE}:{community_id}:said:{scene_id}.{event_id}.{count}", {"said": said})


async def owe_trees_person(
    session: Session, community_id: int, person_id: int, names: Collection[str], others: Collection[str]
) -> None:
    """Note in the transaction that trees are to go which hold anything of a person, if there are any.

    `names`: those that nobody else bears; `others`: longer ones of somebody else that begin like one of them.
    """
    if await _has_trees(session, community_id):
        value = {"person": person_id, "names": sorted(names), "others": sorted(others)}
        await _owe(session, f"{NOTE}:{community_id}:person:{person_id}", value)


async def _has_trees(session: Session, community_id: int) -> bool:
    asked = select(TIMELINES.c.id).where(owned(TIMELINES, community_id), TIMELINES.c.gone == "").limit(1)
    return await session.value(asked) is not None


async def _owe(session: Session, name: str, value: object) -> None:
    await session.upsert(KEPT, [{"scope": INSTALLATION, "name": name, "value": value}])
    session.erased = True  # so that somebody goes on
