"""How soon and how fast letters are posted, and how soon a restarted bot knows what it missed."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.adapters.clock import SystemClock
from bot.core.changes import AddAgent, AddLetter, Say
from bot.core.kinds import LetterKind
from bot.core.ports import Post
from bot.core.records import AgentId, MessageId, Snowflake
from tests.adapters.discord.stage import Bot, Stage, staged, staged_at, until
from tests.bench import Figure
from tests.chaos.processes import Discord
from tests.chaos.trouble import ask
from tests.factories import agent, by_agent, room

ROOMS = 50
POSTS_AT_ONCE = 45  # per room: a minute's thirty and half of the next minute's
IDEAL_SECONDS = 64.0  # thirty posts in the first window, the rest five per two seconds from the sixtieth on
MISSED = 20


def run() -> list[Figure]:
    """Measure all of it."""
    return [*asyncio.run(_posted()), asyncio.run(_sustained()), asyncio.run(_caught_up())]


async def _move_in(stage: Stage, bot: Bot, count: int) -> list[AgentId]:
    """Make agents with their channels."""
    now = SystemClock().now()
    async with stage.store.writing(stage.community_id) as write:
        ids = [AgentId(write.ids.take("agent")) for _ in range(count)]
        for id in ids:
            one = agent(id, name=f"Agent{id}", created_at=now, community_id=stage.community_id)
            place = room(id, channel_id=None, community_id=stage.community_id)
            door = AddLetter(kind=LetterKind.CHANNEL, room_id=id, payload={}, not_before=now)
            await write.apply(stage.community_id, [AddAgent(agent=one, room=place), door])
    bot.delivery.wake()
    for id in ids:
        await until(stage.has_channel(id), 60)
    return ids


async def _say(stage: Stage, ids: list[AgentId], times: int) -> None:
    now = SystemClock().now()
    async with stage.store.writing(stage.community_id) as write:
        for number in range(times):
            said = [
                Say(
                    message_id=MessageId(write.ids.take("message")),
                    room_id=id,
                    sender=by_agent(id),
                    content=f"Line {number} of agent {id}.",
                    sent_at=now,
                )
                for id in ids
            ]
            await write.apply(stage.community_id, said)


class Stopwatch:
    """Notes when each post is there, in front of the real publisher."""

    def __init__(self, bot: Bot) -> None:
        self.at: list[float] = []
        self._post = bot.publisher.post
        bot.publisher.post = self.post  # type: ignore[method-assign]

    async def post(self, post: Post) -> Snowflake:
        made = await self._post(post)
        self.at.append(time.perf_counter())
        return made

    async def until(self, count: int, seconds: float) -> None:
        async def there() -> bool:
            return len(self.at) >= count

        await until(there, seconds)


async def _posted() -> list[Figure]:
    """From the transaction that stored the letter to the post, one after the other, limits off."""
    async with staged() as stage, stage.bot() as bot:
        [ada] = await _move_in(stage, bot, 1)
        watch, seconds = Stopwatch(bot), list[float]()
        for number in range(101):
            await _say(stage, [ada], 1)
            stored = time.perf_counter()
            bot.delivery.wake()
            await watch.until(number + 1, 10)
            seconds.append(watch.at[-1] - stored)
    milliseconds = sorted(1_000 * one for one in seconds[1:])  # the first one makes the webhook
    return [
        Figure(name="delivery.posted_p50", value=statistics.median(milliseconds), unit="ms"),
        Figure(name="delivery.posted_p95", value=milliseconds[94], unit="ms", target=150),
    ]


@dataclass
class Apart:
    """A playground in a process of its own, as Discord is."""

    url: str
    api_url: str
    gateway_url: str
    cdn_url: str
    bot_token: str


@asynccontextmanager
async def _apart() -> AsyncIterator[Apart]:
    with tempfile.TemporaryDirectory() as folder:
        async with Discord(Path(folder), pace="discord") as discord, aiohttp.ClientSession() as session:
            about = await ask(session, "GET", f"{discord.url}/playground")
            yield Apart(discord.url, about["api_url"], about["gateway_url"], about["cdn_url"], about["bot_token"])


async def _sustained() -> Figure:
    """Fifty rooms with more to say than Discord allows: what it allows is used."""
    async with _apart() as there, staged_at(there) as stage, stage.bot() as bot:
        ids = await _move_in(stage, bot, ROOMS)
        for id in ids:
            channel_id = (await stage.room(id)).channel_id
            await bot.publisher.face(stage.guild_id, channel_id or Snowflake(0), id, f"Agent{id}")
        watch = Stopwatch(bot)
        await _say(stage, ids, POSTS_AT_ONCE)
        began = time.perf_counter()
        bot.delivery.wake()
        await watch.until(ROOMS * POSTS_AT_ONCE, 200)
        share = 100 * IDEAL_SECONDS / (watch.at[-1] - began)
    return Figure(name="delivery.share_of_limit", value=min(share, 100.0), unit="%", target=90, better="higher")


async def _caught_up() -> Figure:
    """A restart with messages missed in every room, until all are stored."""
    async with staged() as stage:
        async with stage.bot() as bot:
            ids = await _move_in(stage, bot, ROOMS)
        channels = [(await stage.room(id)).channel_id or Snowflake(0) for id in ids]
        for number in range(MISSED):
            await asyncio.gather(*(stage.owner.say(id, f"Missed line {number}.") for id in channels))
        began = time.perf_counter()
        async with stage.bot(seconds=120):
            seconds = time.perf_counter() - began
        stored = sum([len(await stage.history(id)) for id in ids])
    if stored != ROOMS * MISSED:
        raise AssertionError(f"{ROOMS * MISSED} messages were missed and {stored} are stored")
    return Figure(name="delivery.caught_up_50x20", value=seconds, unit="s", target=10)
