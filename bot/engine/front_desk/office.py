"""The front desk's own tools: it acts for people, and looks things up for them."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from bot.core.actions import Action
from bot.core.actor import Actor
from bot.core.errors import NotFound, Rejected
from bot.core.outlook import Outlook, outlooks
from bot.core.permissions import ONLY_MANAGERS
from bot.core.ports import Cipher, Clock, Model, Models, Random, Reading, Store, Writing
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Community, Person, Side, Snowflake
from bot.core.spending import day_of
from bot.core.view import View
from bot.engine.performer import Outcome, Performer

LOOKED_BACK = 200


class Office:
    """What every use case needs. `on_done` is called after a change, so that it is carried out at once."""

    def __init__(
        self,
        store: Store,
        performer: Performer,
        clock: Clock,
        random: Random,
        *,
        on_done: Callable[[], None],
        cipher: Cipher | None = None,
        models: Models | None = None,
        backup_days: int = 30,
    ) -> None:
        self._store = store
        self._performer = performer
        self._clock = clock
        self._random = random
        self._on_done = on_done
        self._cipher = cipher
        self._models = models
        self._backup_days = backup_days

    def now(self) -> datetime:
        """Give the time."""
        return self._clock.now()

    async def model(self, guild_id: Snowflake) -> Model:
        """Give the models that a community may ask; raises Rejected when there are none at all."""
        async with self._looking(guild_id) as (community, read):
            return await self._providers.of(read, community)

    @property
    def _providers(self) -> Models:
        if self._models is None:
            raise Rejected("No model provider is set up: tell whoever runs Selfroom.")
        return self._models

    async def act(
        self,
        guild_id: Snowflake,
        person: Person,
        action: Action,
        *,
        subject: AgentId | None = None,
        side: Side = PUBLIC_SIDE,
    ) -> Outcome:
        """Do one thing as a person, to what `subject` keeps on that side; raises Rejected when the rules forbid it."""
        async with self._changing(guild_id, person) as (community, write):
            (outcome,) = await self._performer.perform(
                write,
                community.id,
                Actor.person(person),
                [action],
                now=self._clock.now(),
                random=self._random,
                subject=subject,
                side=side,
            )
        self._on_done()
        if not outcome.accepted:
            raise Rejected(outcome.why)
        return outcome

    async def view(self, guild_id: Snowflake, *agent_ids: AgentId, messages: int = 1) -> View:
        """Give the community as it stands, with the rooms and minds of these agents."""
        async with self._looking(guild_id) as (community, read):
            return await read.view(community.id, agent_ids=agent_ids, messages=messages)

    async def agents(self, guild_id: Snowflake) -> Sequence[Agent]:
        """Give everyone, in the order of their ids."""
        async with self._store.reading() as read:
            community = await read.community_of_guild(guild_id)
            if community is None:
                return []
            view = await read.desk(community.id, agent_ids=(), room_ids=(), doors=False)
        return sorted(view.agents.values(), key=lambda agent: agent.id)

    async def outlooks(self, guild_id: Snowflake) -> Mapping[AgentId, Outlook]:
        """Give when everyone's next beat can come, and what it waits for."""
        async with self._looking(guild_id) as (community, read):
            everyone = tuple((await read.view(community.id, messages=0)).agents)
            view = await read.glance(community.id, agent_ids=everyone, messages=0)
            return outlooks(view, await read.spent(community.id, day_of(self.now())), self.now())

    async def _who_was_first(self, guild_id: Snowflake, about: str, done_as: Mapping[str, str]) -> str:
        """Word who did something already, from what is on record as `done_as` names it; empty when nobody is."""
        async with self._looking(guild_id) as (community, read):
            done = await read.audit_log(community.id, limit=LOOKED_BACK)
        return next(
            (
                f"{one.by} was first ({word})."
                for one in done
                for what, word in done_as.items()
                if one.what.startswith(f"{what}: {about}")
            ),
            "",
        )

    async def names(self, guild_id: Snowflake) -> Mapping[AgentId, str]:
        """Give everyone's name, in the order of their ids."""
        async with self._store.reading() as read:
            community = await read.community_of_guild(guild_id)
            return {} if community is None else await read.names(community.id)

    @asynccontextmanager
    async def _looking(self, guild_id: Snowflake) -> AsyncIterator[tuple[Community, Reading]]:
        async with self._store.reading() as read:
            yield await _found(read, guild_id), read

    @asynccontextmanager
    async def _changing(self, guild_id: Snowflake, person: Person) -> AsyncIterator[tuple[Community, Writing]]:
        """Open a transaction in which the person is known as they are now, with what was chosen for them kept."""
        async with self._looking(guild_id) as (community, _):
            pass
        async with self._store.writing(community.id) as write:
            known = await write.person(community.id, person.id)
            await write.put_person(community.id, replace(person, ignored=known.ignored if known else False))
            yield community, write


async def _found(read: Reading, guild_id: Snowflake) -> Community:
    community = await read.community_of_guild(guild_id)
    if community is None:
        raise NotFound("Selfroom has not moved into this server yet: try again in a moment.")
    return community


def check_manages(person: Person) -> None:
    """Raise Rejected unless the person may manage the server."""
    if not person.is_architect:
        raise Rejected(ONLY_MANAGERS)
