"""What working out actions needs: who and where everyone is, what the actors carry, and, if asked for, the doors."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import and_, or_, select

from bot.core.records import AccessKey, AccessRequest, AgentId, CommunityId, Mind, Side
from bot.core.view import Doors, Subject
from storage.circumstances import Circumstantial
from storage.convert import focus_of, key_of, request_of
from storage.glancing import Glancing
from storage.session import literally, owned
from storage.tables import HOLDERS, KEYS, REQUESTS
from storage.viewing import HOLDER, KEY_ID, Asked, named

KNOCKED_FOR = (
    select(*KEYS.c, HOLDERS.c.agent_id, *REQUESTS.c)
    .outerjoin(HOLDERS, and_(HOLDERS.c.community_id == KEYS.c.community_id, HOLDERS.c.key_id == KEYS.c.id))
    .outerjoin(
        REQUESTS,
        and_(
            REQUESTS.c.community_id == KEYS.c.community_id,
            REQUESTS.c.room_id == KEYS.c.room_id,
            REQUESTS.c.key_id == KEYS.c.id,
            REQUESTS.c.state.in_(literally("pending")),
        ),
    )
)


class Desking(Glancing, Circumstantial):
    """Views for the performer."""

    async def desk(
        self, community_id: CommunityId, *, agent_ids: Sequence[AgentId], room_ids: Sequence[AgentId], doors: bool
    ) -> Subject:
        """Give a view with what actions look at and change, and nothing that only a HUD shows; raises NotFound."""
        community = await self._itself(community_id)
        agents, all_rooms = await self._residents(community_id)
        memberships = await self._memberships(community_id, agent_ids, room_ids)
        shown = {room for _, room in memberships} | (set(room_ids) & set(all_rooms))
        asked = Asked(community_id, agent_ids, shown, 0)
        return Subject(
            community=community,
            config=self.config.overlaid(community.overrides),
            agents=agents,
            all_rooms=all_rooms,
            rooms=self._seats(asked, all_rooms, memberships, {}, {}),
            memberships=memberships,
            minds=await self._carried(asked),
            doors=await self._doors(asked) if doors else None,
        )

    async def all_keys(self, community_id: CommunityId) -> Sequence[AccessKey]:
        """Give every key that there was in a community, without who holds it."""
        rows = await self.mappings(select(KEYS).where(owned(KEYS, community_id)).order_by(KEYS.c.id))
        return [key_of(row, ()) for row in rows]

    async def _doors(self, asked: Asked) -> Doors:
        """The keys of these rooms and those that these agents hold, with holders and the knocks they are good for."""
        mine = HOLDERS.alias("mine")
        held = select(mine.c.key_id).where(mine.c.community_id == asked.community_id, mine.c.agent_id.in_(asked.agents))
        wanted = or_(KEYS.c.room_id.in_(asked.rooms), KEYS.c.id.in_(held))
        rows = await self.rows(KNOCKED_FOR.where(owned(KEYS, asked.community_id), wanted).order_by(KEYS.c.id))
        keys: dict[AgentId, tuple[AccessKey, ...]] = {}
        holding: dict[AgentId, tuple[AccessKey, ...]] = {}
        for _, group in groupby(rows, key=lambda row: row[KEY_ID]):
            its = list(group)
            key = key_of(named(KEYS, its[0]), {row[HOLDER] for row in its if row[HOLDER] is not None})
            if key.room_id in asked.rooms:
                keys[key.room_id] = (*keys.get(key.room_id, ()), key)
            for agent_id in key.held_by:
                holding[agent_id] = (*holding.get(agent_id, ()), key)
        return Doors(keys=keys, held_keys=holding, requests=_knocks(rows, asked))

    async def _carried(self, asked: Asked) -> Mapping[tuple[AgentId, Side], Mind]:
        rows = await self.mappings(self._questions.minds, self._of(asked))
        return {
            (row["agent_id"], row["side"]): Mind(
                agent_id=row["agent_id"],
                side=row["side"],
                knowledge=row["knowledge"] or {},
                focus=focus_of(row["focus"]),
            )
            for row in rows
        }


def _knocks(rows: Sequence[Any], asked: Asked) -> dict[AgentId, tuple[AccessRequest, ...]]:
    found = [named(REQUESTS, row[HOLDER + 1 :]) for row in rows]
    waiting = {row["id"]: request_of(row) for row in found if row["id"] is not None and row["room_id"] in asked.rooms}
    knocks: dict[AgentId, tuple[AccessRequest, ...]] = {}
    for _, request in sorted(waiting.items()):
        knocks[request.room_id] = (*knocks.get(request.room_id, ()), request)
    return knocks
