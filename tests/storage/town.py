"""A community to test in."""

from bot.core.records import CommunityId, Snowflake
from storage.store import SqlStore
from tests.factories import agent, room
from tests.founding import founded


async def settle_in(store: SqlStore, agents: int = 3, guild_id: int = 9) -> CommunityId:
    """Make a community with some agents in their own rooms."""
    residents = [(agent(id), room(id, channel_id=Snowflake(guild_id * 1000 + id))) for id in range(1, agents + 1)]
    return await founded(store, residents, guild_id=guild_id)
