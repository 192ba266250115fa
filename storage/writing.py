"""One transaction: all that can be read, and all that can be written."""

from dataclasses import asdict

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.config import CommunityConfig
from bot.core.models import OwnProvider
from bot.core.records import AgentId, Community, CommunityId, Json, Person, Snowflake
from storage.changes.applying import Applying
from storage.convert import columns_of
from storage.counting import Spending
from storage.dues import Claiming
from storage.erasing import erase
from storage.forgetting import Forgetting
from storage.ids import CountedIds
from storage.names import bear
from storage.reading import SqlReading
from storage.session import INSTALLATION, owned
from storage.tables import AGENTS, COMMUNITIES, COUNTERS, KEPT, MESSAGES, PEOPLE, PROVIDERS, ROOMS
from storage.threads import Threads
from storage.upkeep import Upkeep


class SqlWriting(Forgetting, Claiming, Threads, Applying, Spending, Upkeep, SqlReading):
    """`bot.core.ports.Writing` over SQL."""

    def __init__(self, connection: AsyncConnection, config: CommunityConfig, ids: CountedIds) -> None:
        super().__init__(connection, config)
        self.ids = ids

    async def add_community(self, guild_id: Snowflake, name: str) -> Community:
        """Make a community, or give the one that is there (with its new name)."""
        made = self.insert(COMMUNITIES).values(guild_id=guild_id, name=name, paused=False)
        made = made.on_conflict_do_update(index_elements=[COMMUNITIES.c.guild_id], set_={"name": name})
        community_id = await self.value(made.returning(COMMUNITIES.c.id))
        await self.run(self.insert(COUNTERS).on_conflict_do_nothing(), {"community_id": community_id})
        found = await self.community_of_guild(guild_id)
        assert found is not None  # noqa: S101  # it was made above
        return found

    async def put_person(self, community_id: CommunityId, person: Person) -> None:
        """Store a person, or their new name and rights: whether agents listen to them stays as it was decided.

        Of a forgotten person only the id is kept.
        """
        statement = self.insert(PEOPLE)
        names = ("username", "display_name", "is_architect")
        change = statement.on_conflict_do_update(
            index_elements=PEOPLE.primary_key,
            set_={name: statement.excluded[name] for name in names},
            where=PEOPLE.c.forgotten_at.is_(None),
        )
        if await self.run(change, columns_of(person) | {"community_id": community_id}):
            await bear(self, community_id, {f"person:{person.id}": person.username})

    async def decide_about(self, community_id: CommunityId, person: Person) -> None:
        """Keep whether agents listen to a person who is known."""
        known = (owned(PEOPLE, community_id), PEOPLE.c.id == person.id, PEOPLE.c.forgotten_at.is_(None))
        await self.run(update(PEOPLE).where(*known).values(ignored=person.ignored, muted=person.muted))

    async def delete_agent(self, community_id: CommunityId, agent_id: AgentId) -> None:
        """Delete an agent for good with its room and all that was said there; its id stays used."""
        threads = select(ROOMS.c.id).where(owned(ROOMS, community_id), ROOMS.c.thread_of == agent_id)
        for room_id in (*(row[0] for row in await self.rows(threads)), agent_id):
            await erase(self, community_id, MESSAGES.c.room_id == room_id)
            await self.run(delete(ROOMS).where(owned(ROOMS, community_id), ROOMS.c.id == room_id))
        await self.run(delete(AGENTS).where(owned(AGENTS, community_id), AGENTS.c.id == agent_id))

    async def pause_community(self, community_id: CommunityId, *, paused: bool) -> None:
        """Let nobody of a community beat any more, or let everyone go on."""
        await self.run(update(COMMUNITIES).where(COMMUNITIES.c.id == community_id).values(paused=paused))

    async def keep(self, community_id: CommunityId | None, name: str, value: Json) -> None:
        """Keep a small value by name for a community (None: for the installation); None removes it."""
        scope = community_id or INSTALLATION
        if value is None:
            await self.run(delete(KEPT).where(KEPT.c.scope == scope, KEPT.c.name == name))
        else:
            await self.upsert(KEPT, [{"scope": scope, "name": name, "value": value}])

    async def keep_provider(self, community_id: CommunityId, provider: OwnProvider | None) -> None:
        """Keep a community's own model provider in place of an earlier one; None removes it."""
        if provider is None:
            await self.run(delete(PROVIDERS).where(owned(PROVIDERS, community_id)))
        else:
            await self.upsert(PROVIDERS, [asdict(provider) | {"community_id": community_id}])
