"""What the parts of the front desk share: the store and the clock, and who is asking."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.errors import NotFound, Rejected
from bot.core.permissions import ONLY_MANAGERS
from bot.core.ports import Archives, Cipher, Clock, Models, Random, Reading, Store, Workshop, Writing
from bot.core.records import AgentId, Community, Person, Room, Snowflake
from bot.core.sentences import Sentence
from bot.core.view import MayRead, View
from bot.engine.estimating import Estimator
from bot.engine.performer import Performer
from bot.engine.trial.stage import OpenStore

LOOKED_BACK = 200
MOST_THREADS = 50  # private threads that Discord is asked about for one command


@dataclass(frozen=True, slots=True)
class Office:
    """What parts work with. `on_done` is called after a change, so that it is carried out at once."""

    store: Store
    performer: Performer
    clock: Clock
    random: Random
    on_done: Callable[[], None]
    cipher: Cipher | None = None
    models: Models | None = None
    workshop: Workshop | None = None
    archives: Archives | None = None
    open_stage: OpenStore | None = None  # an empty store in memory
    estimator: Estimator | None = None

    def now(self) -> datetime:
        """Give the time."""
        return self.clock.now()

    @property
    def providers(self) -> Models:
        """Who gives models; raises Rejected when there are none at all."""
        if self.models is None:
            raise Rejected(Sentence("No model provider is set up: tell whoever runs Selfroom."))
        return self.models

    @property
    def bench(self) -> Workshop:
        """Who does what strangers can make slow; raises Rejected when there is nobody."""
        if self.workshop is None:
            raise Rejected(Sentence("Nothing large can be read here: tell whoever runs Selfroom."))
        return self.workshop

    @asynccontextmanager
    async def looking(self, guild_id: Snowflake) -> AsyncIterator[tuple[Community, Reading]]:
        """Open a server's community to read in; raises NotFound where there is none yet."""
        async with self.store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            if community is None:
                raise NotFound(Sentence("Selfroom has not moved into this server yet: try again in a moment."))
            yield community, read

    @asynccontextmanager
    async def changing(self, guild_id: Snowflake, person: Person) -> AsyncIterator[tuple[Community, Writing]]:
        """Open a transaction in which the person is known as they are now, with what was chosen for them kept."""
        async with self.looking(guild_id) as (community, _):
            pass
        async with self.store.writing(community.id) as write:
            await write.people.put(community.id, person)
            yield community, write

    async def who_was_first(self, guild_id: Snowflake, about: str, done_as: Mapping[str, str]) -> str:
        """Word who did something already, from the record about it in the words of `done_as`; empty when nobody did."""
        async with self.looking(guild_id) as (community, read):
            done = await read.logs.audit(community.id, limit=LOOKED_BACK)
        return next(
            (
                f"{one.by} was first ({word})."
                for one in done
                for words, word in done_as.items()
                if one.what.startswith(about) and words in one.what
            ),
            "",
        )


def check_manages(person: Person) -> None:
    """Raise Rejected unless the person may manage the server."""
    if not person.is_architect:
        raise Rejected(ONLY_MANAGERS)


def without_threads(view: View) -> View:
    """Give a view without private threads: who may read them is asked of Discord, thread by thread."""
    rooms = {id_: room for id_, room in view.all_rooms.items() if room.thread_of is None}
    return replace(
        view,
        all_rooms=rooms,
        rooms={id_: room for id_, room in view.rooms.items() if id_ in rooms},
        memberships={at: one for at, one in view.memberships.items() if at[1] in rooms},
    )


async def by_nobody(thread: Room) -> bool:
    """Let nobody read a private thread."""
    return False


async def readable(office: Office, guild_id: Snowflake, rooms: Iterable[Room], may_read: MayRead) -> frozenset[AgentId]:
    """Give the private threads among these rooms that who asks may read now; each is asked for once.

    Those that we have left are nobody's to read here, and of many only the newest are asked for.
    """
    threads = {room.id: room for room in rooms if room.thread_of is not None and room.channel_id is not None}
    if not threads:
        return frozenset()
    async with office.looking(guild_id) as (community, read):
        heard = await read.rooms.heard(community.id, list(threads))
    newest = sorted(heard, reverse=True)[:MOST_THREADS]
    return frozenset([id_ for id_ in newest if await may_read(threads[id_])])
