"""Everyone: who there is, what each waits for, and how it went with them lately."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.core.next_beat import NextBeat
from bot.core.records import Agent, AgentId, Snowflake, WholeAgent
from bot.core.view import Tally
from bot.engine.foresight import foreseen
from bot.engine.front_desk.office import Office


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents of a community."""

    office: Office

    async def everyone(self, guild_id: Snowflake) -> Sequence[Agent]:
        """Give everyone, in the order of their ids."""
        async with self.office.store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            if community is None:
                return []
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
        return sorted(view.agents.values(), key=lambda agent: agent.id)

    async def whole(self, guild_id: Snowflake, agent_id: AgentId) -> WholeAgent:
        """Give an agent with its prompt."""
        async with self.office.looking(guild_id) as (community, read):
            return (await read.views.roster(community.id, agent_ids=[agent_id])).whole_agent(agent_id)

    async def names(self, guild_id: Snowflake) -> Mapping[AgentId, str]:
        """Give everyone's name, in the order of their ids."""
        async with self.office.store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            return {} if community is None else await read.agents.names(community.id)

    async def next_beats(self, guild_id: Snowflake) -> Mapping[AgentId, NextBeat]:
        """Give when everyone's next beat can come, and what it waits for."""
        async with self.office.looking(guild_id) as (community, read):
            office = self.office
            return (await foreseen(read, community, models=office.providers, clock=office.clock))[1]

    async def feedback(self, guild_id: Snowflake, agent_id: AgentId, *, days: float = 7) -> Mapping[str, int]:
        """Count by name the reactions of the last days to what an agent said."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.reactions.feedback(community.id, agent_id, self.office.now() - timedelta(days=days))

    async def tally(self, guild_id: Snowflake, agent_ids: Sequence[AgentId], *, hours: float = 24) -> Tally:
        """Add up what these agents did in the last hours."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.beats.tally(community.id, agent_ids, self.office.now() - timedelta(hours=hours))
