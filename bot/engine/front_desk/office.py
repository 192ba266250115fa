"""The front desk's own tools: it acts for people, and looks things up for them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from bot.core.actions import Action
from bot.core.actor import Actor
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected
from bot.core.outlook import Outlook, outlooks
from bot.core.permissions import ONLY_MANAGERS
from bot.core.ports import Cipher, Clock, Model, Models, Random, Reading, Store, Workshop, Writing
from bot.core.ports.communities import Communities
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Community, Person, Room, Side, Snowflake
from bot.core.sight import Sight, members_of
from bot.core.spending import day_of
from bot.core.view import MayRead, View
from bot.core.wording import as_words
from bot.engine.performer import Outcome, Performer

LOOKED_BACK = 200
SOON = timedelta(seconds=3)  # as long as one waits for a command's answer without wondering
LOOK_SECONDS = 0.1


def without_threads(view: View) -> View:
    """Give a view without private threads: who may read them is asked of Discord, thread by thread."""
    rooms = {id: room for id, room in view.all_rooms.items() if room.thread_of is None}
    return replace(
        view,
        all_rooms=rooms,
        rooms={id: room for id, room in view.rooms.items() if id in rooms},
        memberships={at: one for at, one in view.memberships.items() if at[1] in rooms},
        minds={at: mind for at, mind in view.minds.items() if not view.is_thread(mind.side)},
    )


async def by_nobody(thread: Room) -> bool:
    """Let nobody read a private thread."""
    return False


async def readable(rooms: Iterable[Room], may_read: MayRead) -> frozenset[AgentId]:
    """Give the private threads among these rooms that who asks may read; each is asked for once."""
    threads = {room.id: room for room in rooms if room.thread_of is not None and room.channel_id is not None}
    return frozenset([id for id, thread in threads.items() if await may_read(thread)])


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
        workshop: Workshop | None = None,
        backup_days: int = 30,
        config: CommunityConfig | None = None,
    ) -> None:
        self._store = store
        self._performer = performer
        self._clock = clock
        self._random = random
        self._on_done = on_done
        self._cipher = cipher
        self._models = models
        self._workshop = workshop
        self._backup_days = backup_days
        self.defaults = config or CommunityConfig()  # what a community's settings start from

    def now(self) -> datetime:
        """Give the time."""
        return self._clock.now()

    async def model(self, guild_id: Snowflake) -> Model:
        """Give the models that a community may ask; raises Rejected when there are none at all."""
        async with self._looking(guild_id) as (community, read):
            return await self._providers.of(read.providers, community)

    @property
    def _providers(self) -> Models:
        if self._models is None:
            raise Rejected("No model provider is set up: tell whoever runs Selfroom.")
        return self._models

    @property
    def _benches(self) -> Workshop:
        if self._workshop is None:
            raise Rejected("Files cannot be read here: tell whoever runs Selfroom.")
        return self._workshop

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
        """Give the community as it stands, with the rooms and minds of these agents; private threads are left out."""
        async with self._looking(guild_id) as (community, read):
            return without_threads(await read.views.whole(community.id, agent_ids=agent_ids, messages=messages))

    async def agents(self, guild_id: Snowflake) -> Sequence[Agent]:
        """Give everyone, in the order of their ids."""
        async with self._store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            if community is None:
                return []
            view = await read.views.desk(community.id, agent_ids=(), room_ids=(), doors=False)
        return sorted(view.agents.values(), key=lambda agent: agent.id)

    async def soon(self, is_so: Callable[[], Awaitable[bool]]) -> bool:
        """Wait a little for something to come to be; tells whether it has."""
        until = self.now() + SOON
        while not (so := await is_so()) and self.now() < until:
            await self._clock.sleep(LOOK_SECONDS)
        return so

    async def sight(self, guild_id: Snowflake, may_read: Callable[[int], bool]) -> Sight:
        """Give what somebody may see who reads only some channels."""
        async with self._looking(guild_id) as (community, read):
            view = await read.views.desk(community.id, agent_ids=(), room_ids=(), doors=False)
            rooms = [id for id, room in view.all_rooms.items() if room.channel_id and not may_read(room.channel_id)]
            if not rooms:
                return Sight()
            inside = await read.views.desk(community.id, agent_ids=(), room_ids=rooms, doors=False)
        return Sight(hidden_rooms=frozenset(rooms), hidden_agents=members_of(inside, rooms))

    async def outlooks(self, guild_id: Snowflake) -> Mapping[AgentId, Outlook]:
        """Give when everyone's next beat can come, and what it waits for."""
        async with self._looking(guild_id) as (community, read):
            everyone = tuple((await read.views.whole(community.id, messages=0)).agents)
            view = await read.views.glance(community.id, agent_ids=everyone, messages=0)
            return outlooks(view, await read.money.spent(community.id, day_of(self.now())), self.now())

    async def _who_was_first(self, guild_id: Snowflake, about: str, done_as: Mapping[str, str]) -> str:
        """Word who did something already, from what is on record as `done_as` names it; empty when nobody is."""
        async with self._looking(guild_id) as (community, read):
            done = await read.logs.audit(community.id, limit=LOOKED_BACK)
        return next(
            (
                f"{one.by} was first ({word})."
                for one in done
                for what, word in done_as.items()
                if one.what.startswith((f"{as_words(what)}: {about}", f"{what}: {about}"))  # older ones have the name
            ),
            "",
        )

    async def names(self, guild_id: Snowflake) -> Mapping[AgentId, str]:
        """Give everyone's name, in the order of their ids."""
        async with self._store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            return {} if community is None else await read.agents.names(community.id)

    @asynccontextmanager
    async def _looking(self, guild_id: Snowflake) -> AsyncIterator[tuple[Community, Reading]]:
        async with self._store.reading() as read:
            yield await _found(read.communities, guild_id), read

    @asynccontextmanager
    async def _changing(self, guild_id: Snowflake, person: Person) -> AsyncIterator[tuple[Community, Writing]]:
        """Open a transaction in which the person is known as they are now, with what was chosen for them kept."""
        async with self._looking(guild_id) as (community, _):
            pass
        async with self._store.writing(community.id) as write:
            await write.people.put(community.id, person)
            yield community, write


async def _found(communities: Communities, guild_id: Snowflake) -> Community:
    community = await communities.of_guild(guild_id)
    if community is None:
        raise NotFound("Selfroom has not moved into this server yet: try again in a moment.")
    return community


def check_manages(person: Person) -> None:
    """Raise Rejected unless the person may manage the server."""
    if not person.is_architect:
        raise Rejected(ONLY_MANAGERS)
