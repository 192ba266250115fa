"""What people do through slash commands: they ask here, and the same actions and handlers answer as for agents."""

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.core.actions import Action
from bot.core.actor import Actor
from bot.core.errors import NotFound, Rejected
from bot.core.ports import Clock, Random, Store
from bot.core.records import Agent, AgentId, Beat, Community, Person, Snowflake
from bot.core.view import View
from bot.engine.performer import Outcome, Performer


class FrontDesk:
    """One use case for every command. `on_done` is called after a change, so that it is carried out at once."""

    def __init__(
        self, store: Store, performer: Performer, clock: Clock, random: Random, *, on_done: Callable[[], None]
    ) -> None:
        self._store = store
        self._performer = performer
        self._clock = clock
        self._random = random
        self._on_done = on_done

    def now(self) -> datetime:
        """Give the time."""
        return self._clock.now()

    async def act(
        self, guild_id: Snowflake, person: Person, action: Action, *, subject: AgentId | None = None
    ) -> Outcome:
        """Do one thing as a person; raises Rejected with the reason when the rules do not allow it."""
        community = await self._community(guild_id)
        async with self._store.writing(community.id) as write:
            await write.put_person(community.id, person)
            (outcome,) = await self._performer.perform(
                write,
                community.id,
                Actor.person(person),
                [action],
                now=self._clock.now(),
                random=self._random,
                subject=subject,
            )
        self._on_done()
        if not outcome.accepted:
            raise Rejected(outcome.why)
        return outcome

    async def view(self, guild_id: Snowflake, *agent_ids: AgentId) -> View:
        """Give the community as it stands, with the rooms and minds of these agents."""
        community = await self._community(guild_id)
        async with self._store.reading() as read:
            return await read.view(community.id, agent_ids=agent_ids)

    async def agents(self, guild_id: Snowflake) -> Sequence[Agent]:
        """Give everyone, in the order of their ids."""
        async with self._store.reading() as read:
            community = await read.community_of_guild(guild_id)
            if community is None:
                return []
            view = await read.view(community.id, messages=0)
        return sorted(view.agents.values(), key=lambda agent: agent.id)

    async def last_beat(self, guild_id: Snowflake, agent_id: AgentId) -> Beat:
        """Give an agent's newest beat as it was sent and answered; raises NotFound when there was none yet."""
        community = await self._community(guild_id)
        async with self._store.reading() as read:
            beat = await read.last_beat(community.id, agent_id)
        if beat is None:
            raise NotFound("This agent has not beaten yet: say something to it first.")
        return beat

    async def _community(self, guild_id: Snowflake) -> Community:
        async with self._store.reading() as read:
            community = await read.community_of_guild(guild_id)
        if community is None:
            raise NotFound("Selfroom has not moved into this server yet: try again in a moment.")
        return community
