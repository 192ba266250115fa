"""Selfroom's Discord side running against a playground: the real discord.py, a real store, a real clock."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.adapters.clock import SystemClock
from bot.adapters.discord.publisher import DiscordPublisher
from bot.client import CogMaker, SelfroomClient
from bot.core.changes import AddAgent, AddLetter, Say
from bot.core.config import CommunityConfig
from bot.core.kinds import LetterKind
from bot.core.records import AgentId, CommunityId, Message, MessageId, Room, Snowflake
from bot.engine.delivery import Delivery
from bot.engine.intake import Intake
from bot.playground.server import Pace, Playground, PlaygroundOptions
from storage.store import SqlStore
from tests.factories import agent, by_agent, room
from tests.fakes import CountedMetrics, Nudges, PlainCipher, WordTokenizer
from tests.migrated import migrated
from tests.playground.openapi import held_to_the_description

Json = Any
POLL_SECONDS = (0.01, 0.1)


@dataclass
class Guest:
    """Somebody who uses the playground as a Discord user would."""

    session: aiohttp.ClientSession
    api: str
    token: str
    id: int

    async def call(self, method: str, path: str, body: Json = None, **params: str) -> Json:
        headers = {"Authorization": self.token}
        async with self.session.request(method, self.api + path, json=body, headers=headers, params=params) as answer:
            content = await answer.json() if answer.status != 204 else None
            assert answer.status < 300, (method, path, answer.status, content)
            return content

    async def say(self, channel_id: int, content: str, **fields: Any) -> int:  # noqa: ANN401
        made = await self.call("POST", f"/channels/{channel_id}/messages", {"content": content} | fields)
        return int(made["id"])

    async def read(self, channel_id: int) -> list[Json]:
        """What stands in a channel, oldest first."""
        found = await self.call("GET", f"/channels/{channel_id}/messages", limit="100")
        return list(reversed(found))

    async def react(self, channel_id: int, message_id: int, emoji: str, *, method: str = "PUT") -> None:
        await self.call(method, f"/channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me")


@dataclass
class Bot:
    """One life of the bot, from login to hanging up."""

    client: SelfroomClient
    publisher: DiscordPublisher
    delivery: Delivery
    intake: Intake
    nudges: Nudges
    metrics: CountedMetrics
    tasks: list[asyncio.Task[None]] = field(default_factory=list)


class Place(Protocol):
    """A playground as the bot reaches it, in this process or in another."""

    @property
    def url(self) -> str: ...
    @property
    def api_url(self) -> str: ...
    @property
    def gateway_url(self) -> str: ...
    @property
    def cdn_url(self) -> str: ...
    @property
    def bot_token(self) -> str: ...


@dataclass
class Stage:
    """The playground, its first person (the owner), and the store that outlives the bot."""

    playground: Place
    session: aiohttp.ClientSession
    owner: Guest
    guild_id: Snowflake
    store: SqlStore
    community_id: CommunityId
    bot_id: str

    @asynccontextmanager
    async def bot(self, *, seconds: float = 60, cogs: Sequence[CogMaker] = ()) -> AsyncIterator[Bot]:
        """Log the bot in, and hang up at the end; it has so many seconds to read on."""
        client = SelfroomClient(cogs)
        publisher, nudges, metrics = DiscordPublisher(client), Nudges(), CountedMetrics()
        delivery = Delivery(self.store, publisher, SystemClock(), metrics, cipher=PlainCipher(), made=client.room_made)
        intake = Intake(self.store, SystemClock(), WordTokenizer(), nudges, wake=delivery.wake)
        client.equip(store=self.store, intake=intake, publisher=publisher, metrics=metrics)
        bot = Bot(client, publisher, delivery, intake, nudges, metrics)
        bot.tasks = [
            asyncio.create_task(client.start(self.playground.bot_token)),
            asyncio.create_task(delivery.run()),
        ]
        try:
            await caught_up(bot, seconds)
            yield bot
        finally:
            await delivery.close(3)
            await client.close()
            await publisher.close()
            for task in bot.tasks:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*bot.tasks)

    async def settle_in(self, bot: Bot, name: str = "Ada") -> tuple[AgentId, Snowflake]:
        """Make an agent, and wait until it has its channel; gives both ids."""
        async with self.store.writing(self.community_id) as write:
            id = AgentId(write.ids.take("agent"))
            now = SystemClock().now()
            moved_in = AddAgent(
                agent=agent(id, name=name, created_at=now, community_id=self.community_id),
                room=room(id, channel_id=None, community_id=self.community_id),
            )
            door = AddLetter(kind=LetterKind.CHANNEL, room_id=id, payload={}, not_before=now)
            await write.apply(self.community_id, [moved_in, door])
        bot.delivery.wake()
        await until(self.has_channel(id))
        return id, (await self.room(id)).channel_id or Snowflake(0)

    def has_channel(self, id: AgentId) -> Callable[[], Awaitable[object]]:
        async def asked() -> object:
            return (await self.room(id)).channel_id

        return asked

    async def room(self, id: AgentId) -> Room:
        async with self.store.reading() as read:
            return (await read.views.whole(self.community_id, room_ids=[id])).all_rooms[id]

    async def say(
        self,
        bot: Bot,
        agent_id: AgentId,
        content: str,
        *,
        at: AgentId | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> MessageId:
        """Let an agent say something in its own room, or at another place, as a beat does."""
        async with self.store.writing(self.community_id) as write:
            id = MessageId(write.ids.take("message"))
            now = SystemClock().now()
            said = Say(
                message_id=id, room_id=at or agent_id, sender=by_agent(agent_id), content=content, sent_at=now, **fields
            )
            await write.apply(self.community_id, [said])
        bot.delivery.wake()
        return id

    async def history(self, room_id: AgentId) -> Sequence[Message]:
        async with self.store.reading() as read:
            return await read.talk.history(self.community_id, room_id, limit=200)

    async def contents(self, room_id: AgentId) -> list[str]:
        return [message.content for message in await self.history(room_id)]

    async def guest(self, name: str, *, manager: bool = False) -> Guest:
        """Somebody joins the server."""
        url = f"{self.playground.url}/playground/people"
        async with self.session.post(url, json={"name": name, "manager": manager}) as answer:
            made = await answer.json()
        return Guest(self.session, self.playground.api_url, made["token"], int(made["user"]["id"]))

    async def clear_faults(self) -> None:
        async with self.session.delete(f"{self.playground.url}/playground/faults") as answer:
            assert answer.status < 300

    async def faults(self, **fault: Any) -> None:  # noqa: ANN401
        async with self.session.post(f"{self.playground.url}/playground/faults", json=fault) as answer:
            assert answer.status < 300, await answer.text()


async def caught_up(bot: Bot, seconds: float) -> None:
    """Wait until a bot has read on; raises at once what keeps it from that."""
    reading = asyncio.create_task(bot.client.caught_up.wait())
    done, _ = await asyncio.wait([reading, *bot.tasks], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    reading.cancel()
    for one in done:
        one.result()
    if not done:
        raise TimeoutError


async def until(asked: Callable[[], Awaitable[object]], seconds: float = 60.0) -> None:
    """Wait until something is so; looks ever more rarely, for each look takes of the time of what is looked at."""
    pause, longest = POLL_SECONDS
    try:
        async with asyncio.timeout(seconds):
            while not await asked():
                await asyncio.sleep(pause)
                pause = min(pause * 1.2, longest)
    except TimeoutError:
        raise AssertionError("it never came to be") from None


@asynccontextmanager
async def staged(config: CommunityConfig | None = None, *, pace: Pace = "off") -> AsyncIterator[Stage]:
    """Raise the playground and open a store in a file; discord.py points there meanwhile."""
    with held_to_the_description() as observers:
        async with (
            Playground(PlaygroundOptions(port=0, pace=pace), observers=observers) as playground,
            staged_at(playground, config) as stage,
        ):
            yield stage


@asynccontextmanager
async def staged_at(playground: Place, config: CommunityConfig | None = None) -> AsyncIterator[Stage]:
    """Do the same with a playground that is there already."""
    with tempfile.TemporaryDirectory() as folder:
        async with _raised(f"sqlite:///{migrated(Path(folder) / 'stage.db')}", config, playground) as stage:
            yield stage


@asynccontextmanager
async def _raised(database: str, config: CommunityConfig | None, playground: Place) -> AsyncIterator[Stage]:
    async with (
        await SqlStore.open(database, config=config) as store,
        aiohttp.ClientSession() as session,
    ):
        before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE
        Route.BASE = playground.api_url
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(playground.gateway_url)
        discord.Asset.BASE = playground.cdn_url
        try:
            async with session.get(f"{playground.url}/playground") as answer:
                about = await answer.json()
            owner = Guest(session, playground.api_url, about["person"]["token"], int(about["person"]["user"]["id"]))
            guild_id = Snowflake(int(about["guild_id"]))
            async with store.writing() as write:
                community = await write.communities.add(guild_id, "The Playground")
            yield Stage(playground, session, owner, guild_id, store, community.id, about["application_id"])
        finally:
            Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE = before
