"""What agents carry in their heads: what they see now, and how their knowledge came about."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.errors import NotFound
from bot.core.keeping import JournalEntry
from bot.core.kinds import OutputFormat
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Side, Snowflake
from bot.engine.front_desk.office import Office
from bot.engine.hud_now import Seen, hud_now


@dataclass(frozen=True, slots=True)
class Minds:
    """What agents see and keep."""

    office: Office

    async def side(self, guild_id: Snowflake, agent: Agent, room: Agent | None) -> Side:
        """Give the side of the barrier on which a room is (None: the open one); raises NotFound for non-members."""
        if room is None:
            return PUBLIC_SIDE
        async with self.office.looking(guild_id) as (community, read):
            view = await read.desk(community.id, agent_ids=[agent.id], room_ids=(), doors=False)
        if (agent.id, room.id) not in view.memberships:
            raise NotFound(f"{agent.name} is not in that room.")
        return view.all_rooms[room.id].side

    async def hud(self, guild_id: Snowflake, agent: Agent, side: Side = PUBLIC_SIDE) -> Seen:
        """Give what an agent would see now on one side, and the tokens of each section."""
        async with self.office.looking(guild_id) as (community, read):
            model = await self.office.providers.of(read, community)
            return await hud_now(
                read,
                community.id,
                agent,
                now=self.office.now(),
                tokenizer=model.tokenizer(agent.model),
                structured=agent.output_format is OutputFormat.JSON and model.takes_schema(agent.model),
                side=side,
            )

    async def journal(
        self, guild_id: Snowflake, agent_id: AgentId, *, side: Side = PUBLIC_SIDE, limit: int = 200
    ) -> Sequence[JournalEntry]:
        """Give the changes of an agent's knowledge on one side, newest first."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.journal(community.id, agent_id, side=side, limit=limit)
