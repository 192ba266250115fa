"""What working out actions needs: who and where everyone is, what the actors carry, and, if asked for, the doors."""

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from bot.core.errors import NotFound
from bot.core.records import AgentId, CommunityId, Mind, Side
from bot.core.view import View
from storage.convert import focus_of
from storage.glancing import Glancing
from storage.tables import COMMUNITIES, MINDS
from storage.viewing import Asked, of_agents


class Desking(Glancing):
    """Views for the performer."""

    async def desk(
        self, community_id: CommunityId, *, agent_ids: Sequence[AgentId], room_ids: Sequence[AgentId], doors: bool
    ) -> View:
        """Give a view with what actions look at and change, and nothing that only a HUD shows; raises NotFound."""
        communities = await self._communities(select(COMMUNITIES).where(COMMUNITIES.c.id == community_id))
        if not communities:
            raise NotFound("There is no such community.")
        agents = await self._agents(community_id)
        all_rooms = await self._all_rooms(community_id)
        memberships = await self._memberships(community_id, agent_ids, room_ids)
        shown = {room for _, room in memberships} | (set(room_ids) & set(all_rooms))
        asked = Asked(community_id, agent_ids, shown, 1)
        behind = {**await self._keys(asked), "requests": await self._requests(asked)} if doors else {}
        return View(
            community=communities[0],
            config=self.config.overlaid(communities[0].overrides),
            agents=agents,
            all_rooms=all_rooms,
            rooms=self._seats(asked, all_rooms, memberships, await self._newest(asked), {}),
            memberships=memberships,
            minds=await self._carried(asked),
            **behind,
        )

    async def _carried(self, asked: Asked) -> Mapping[tuple[AgentId, Side], Mind]:
        rows = await self.mappings(of_agents(MINDS, asked))
        return {
            (row["agent_id"], row["side"]): Mind(
                agent_id=row["agent_id"],
                side=row["side"],
                knowledge=row["knowledge"] or {},
                focus=focus_of(row["focus"]),
            )
            for row in rows
        }
