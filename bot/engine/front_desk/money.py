"""What a community spends."""

from dataclasses import dataclass

from bot.core.records import Snowflake
from bot.core.spending import day_of
from bot.core.spent import Spent
from bot.engine.front_desk.office import Office
from bot.engine.purse import spending_now


@dataclass(frozen=True, slots=True)
class Money:
    """Money and tokens."""

    office: Office

    async def spent_today(self, guild_id: Snowflake) -> Spent:
        """Give what today used."""
        async with self.office.looking(guild_id) as (community, read):
            day = day_of(self.office.now())
            view = await read.desk(community.id, agent_ids=(), room_ids=(), doors=False)
            model = await self.office.providers.of(read, community)
            by_agent = await read.usage_by_agent(community.id, day)
            return Spent(
                by_agent=by_agent,
                by_format=await read.usage_by_format(community.id, day),
                spending=await spending_now(read, community.id, view.config, day, model.source.ceilings),
                config=view.config,
                model=model,
                models=sorted({view.agents[id].model for id in by_agent if id in view.agents}),
            )
