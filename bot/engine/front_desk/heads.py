"""Looking into an agent's head: its beats, and how its knowledge came about."""

from collections.abc import Sequence
from datetime import timedelta

from bot.core.errors import NotFound
from bot.core.keeping import JournalEntry
from bot.core.records import AgentId, Beat, Message, Snowflake
from bot.core.view import Tally
from bot.engine.front_desk.office import Office


class Heads(Office):
    """What agents saw, said and keep."""

    async def last_beat(self, guild_id: Snowflake, agent_id: AgentId) -> Beat:
        """Give an agent's newest beat as it was sent and answered; raises NotFound when there was none yet."""
        async with self._looking(guild_id) as (community, read):
            beat = await read.last_beat(community.id, agent_id)
        if beat is None:
            raise NotFound("This agent has not beaten yet: say something to it first.")
        return beat

    async def beats(self, guild_id: Snowflake, agent_id: AgentId, *, limit: int = 100) -> Sequence[Beat]:
        """Give an agent's beats, newest first."""
        async with self._looking(guild_id) as (community, read):
            return await read.beats(community.id, agent_id, limit=limit)

    async def beat_behind(self, guild_id: Snowflake, message: Message) -> Beat:
        """Give the beat that said a message; raises NotFound when no beat did, or it is not kept any more."""
        async with self._looking(guild_id) as (community, read):
            beat = await read.beat(community.id, message.beat_id) if message.beat_id is not None else None
        if beat is None:
            raise NotFound("No beat is kept behind this message: choose one that an agent said lately.")
        return beat

    async def journal(self, guild_id: Snowflake, agent_id: AgentId, *, limit: int = 200) -> Sequence[JournalEntry]:
        """Give the changes of an agent's knowledge, newest first."""
        async with self._looking(guild_id) as (community, read):
            return await read.journal(community.id, agent_id, limit=limit)

    async def tally(self, guild_id: Snowflake, agent_ids: Sequence[AgentId], *, hours: float = 24) -> Tally:
        """Add up what these agents did in the last hours."""
        async with self._looking(guild_id) as (community, read):
            return await read.tally(community.id, agent_ids, self.now() - timedelta(hours=hours))
