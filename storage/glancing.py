"""A light look at some agents: what gates, floors and plain talk need, and nothing of the rest of the community."""

from collections.abc import Collection, Sequence

from sqlalchemy import select

from bot.core.records import AgentId, CommunityId
from bot.core.view import Glance
from storage.session import owned
from storage.tables import AGENTS, ROOMS
from storage.viewing import Asked, Viewing, all_rooms_of


class Glancing(Viewing):
    """Light views."""

    async def glance(self, community_id: CommunityId, *, agent_ids: Sequence[AgentId], messages: int) -> Glance:
        """Give these agents' rooms with their members, reasons and newest messages; raises NotFound."""
        community = await self._itself(community_id)
        memberships = await self._memberships(community_id, agent_ids, ())
        shown = {room for _, room in memberships}
        members = {agent for agent, _ in memberships} | set(agent_ids)
        asked = Asked(community_id, agent_ids, shown, messages)
        agents = select(AGENTS).where(owned(AGENTS, community_id), AGENTS.c.id.in_(_ids(members | shown)))
        asked_agents = await self.mappings(agents.order_by(AGENTS.c.id))
        rooms = select(ROOMS).where(owned(ROOMS, community_id), ROOMS.c.id.in_(_ids(shown)))
        of_rooms = await self.mappings(rooms.order_by(ROOMS.c.id))
        all_rooms = all_rooms_of(of_rooms)
        self._counts = {row["id"]: row["message_count"] for row in of_rooms}
        return Glance(
            community=community,
            config=self.config.overlaid(community.overrides),
            agents={one.id: one for one in await self._agents(community_id, asked_agents)},
            all_rooms=all_rooms,
            rooms=await self._rooms(asked, all_rooms, memberships),
            memberships=memberships,
            **await self._unposted(asked),
            reasons=await self._reasons(asked, members),
        )


def _ids(ids: Collection[AgentId]) -> list[AgentId]:
    return sorted(ids)
