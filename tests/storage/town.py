"""A community to test in."""

from bot.core.changes import AddAgent
from bot.core.records import CommunityId, Snowflake
from storage.store import SqlStore
from tests.factories import agent, room


async def settle_in(store: SqlStore, agents: int = 3, guild_id: int = 9) -> CommunityId:
    """Make a community with some agents in their own rooms."""
    async with store.writing() as write:
        community = await write.communities.add(Snowflake(guild_id), "Testers")
    async with store.writing(community.id) as write:
        ids = [write.ids.take("agent") for _ in range(agents)]
        rooms = [room(id, channel_id=Snowflake(guild_id * 1000 + id)) for id in ids]
        await write.apply(
            community.id, [AddAgent(agent=agent(id), room=its) for id, its in zip(ids, rooms, strict=True)]
        )
    return community.id
