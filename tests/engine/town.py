"""A small community in a real store in memory, with two agents in their channels."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.core.changes import Change, Say
from bot.core.config import CommunityConfig
from bot.core.events import MessageSeen
from bot.core.records import AgentId, CommunityId, Letter, Message, MessageId, Snowflake
from bot.core.view import View
from bot.engine.delivery import Delivery
from bot.engine.intake import Intake
from bot.engine.timelines.chance import VirtualClock
from storage.store import SqlStore
from tests.engine.recording import RecordingPublisher
from tests.factories import GUILD_ID, agent, by_agent, person, room
from tests.fakes import START, CountedMetrics, Nudges, PlainCipher, WordTokenizer
from tests.founding import founded

ADA, BOB = AgentId(1), AgentId(2)
ADAS, BOBS = Snowflake(7_000_000_000_000_001), Snowflake(7_000_000_000_000_002)


@dataclass
class Town:
    """The store with intake and delivery around it, on a clock that stands still."""

    store: SqlStore
    clock: VirtualClock
    publisher: RecordingPublisher
    delivery: Delivery
    intake: Intake
    nudges: Nudges
    community_id: CommunityId

    async def apply(self, *changes: Change) -> None:
        async with self.store.writing(self.community_id) as write:
            await write.apply(self.community_id, changes)

    async def say(self, agent_id: AgentId, content: str, *, room_id: AgentId | None = None, **fields: Any) -> MessageId:  # noqa: ANN401
        """Let an agent say something, as a beat does."""
        async with self.store.writing(self.community_id) as write:
            id = MessageId(write.ids.take("message"))
            said = Say(
                message_id=id,
                room_id=room_id or agent_id,
                sender=by_agent(agent_id),
                content=content,
                sent_at=self.clock.now(),
                **fields,
            )
            await write.apply(self.community_id, [said])
        return id

    def seen(self, content: str, *, id: int | None = None, channel_id: Snowflake = ADAS, **fields: Any) -> MessageSeen:  # noqa: ANN401
        """A person's message as Discord reports it."""
        base: dict[str, Any] = {
            "guild_id": GUILD_ID,
            "channel_id": channel_id,
            "message_id": Snowflake(id) if id else self.publisher.id(),
            "author": person(),
            "content": content,
            "sent_at": self.clock.now(),
        }
        return MessageSeen(**(base | fields))

    async def hear(self, content: str, **fields: Any) -> MessageSeen:  # noqa: ANN401
        """Take in a person's message."""
        event = self.seen(content, **fields)
        await self.intake.take(event)
        return event

    async def view(self) -> View:
        async with self.store.reading() as read:
            return await read.views.whole(self.community_id, agent_ids=[ADA, BOB], minds=None)

    async def history(self, room_id: AgentId = ADA) -> Sequence[Message]:
        async with self.store.reading() as read:
            return await read.talk.history(self.community_id, room_id)

    async def contents(self, room_id: AgentId = ADA) -> list[str]:
        return [message.content for message in await self.history(room_id)]

    async def waiting(self) -> Sequence[Letter]:
        """The letters that are next in their lanes, now or later."""
        async with self.store.reading() as read:
            return await read.letters.due(self.clock.now().replace(year=2099), limit=100)

    async def deliver(self, seconds: float = 0.0) -> None:
        """Let time pass and bring out whatever is due, until nothing is."""
        await self.clock.advance(seconds)
        while await self.delivery.run_once(self.clock.now()):
            pass


async def until(condition: Callable[[], object]) -> None:
    """Let the store's thread and other tasks work until something is so."""
    for _ in range(60_000):  # a minute, for a busy machine
        if condition():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it never came to be")


@asynccontextmanager
async def town(config: CommunityConfig | None = None, *, url: str = "sqlite://") -> AsyncIterator[Town]:
    """Open the town with Ada (1) and Bob (2); it must be new in the database."""
    clock = VirtualClock(START)
    async with await SqlStore.open(url, config=config) as store:
        community_id = await founded(store, [(agent(ADA, name="Ada"), room(ADA)), (agent(BOB, name="Bob"), room(BOB))])
        publisher, nudges = RecordingPublisher(clock), Nudges()
        delivery = Delivery(store, publisher, clock, CountedMetrics(), cipher=PlainCipher())
        intake = Intake(store, clock, WordTokenizer(), nudges, config=config, wake=delivery.wake)
        made = Town(store, clock, publisher, delivery, intake, nudges, community_id)
        yield made
