"""People and what is kept of them."""

from bot.core.changes import Audit, PutReason
from bot.core.kinds import ReasonKind
from bot.core.records import Json, Person, Reason, Snowflake
from bot.engine.front_desk.office import Office


class PeopleDesk(Office):
    """What a person may ask about themselves."""

    async def known_person(self, guild_id: Snowflake, person: Person) -> Person:
        """Store a person if need be and give them as they are kept."""
        async with self._changing(guild_id, person) as (community, write):
            return await write.person(community.id, person.id) or person

    async def data_of(self, guild_id: Snowflake, person: Person) -> dict[str, Json]:
        """Give all that is kept of a person."""
        async with self._looking(guild_id) as (community, read):
            return await read.data_of(community.id, person.id)

    async def forget_me(self, guild_id: Snowflake, person: Person) -> str:
        """Remove a person's messages, reactions and name everywhere, and tell agents to forget; gives a sentence."""
        now = self.now()
        async with self._changing(guild_id, person) as (community, write):
            gone = await write.forget_person(community.id, person.id, now)
            reason = Reason(kind=ReasonKind.WOKEN, since=now, due_at=now)
            told = [PutReason(agent_id=agent_id, reason=reason) for agent_id in gone.agents]
            audit = Audit(by="someone", what=f"forget_me: {gone.messages} messages are gone", at=now)
            await write.apply(community.id, [*told, audit])
        self._on_done()
        return f"{gone.messages} messages, your reactions and your name are gone here" + (
            f"; {len(gone.agents)} agents are told to forget." if gone.agents else "."
        )
