"""A playground, people in it, and discord.py pointed at it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
import pytest
import pytest_asyncio
import yarl
from discord.ext import commands
from playwright.async_api import Browser

from bot.playground.rest.exchange import Observer
from bot.playground.server import Playground, PlaygroundOptions
from tests.playground.chromium import browsing
from tests.playground.person import PATIENCE_SECONDS, Person

INTENTS = discord.Intents.default() | discord.Intents(message_content=True, members=True)


@pytest.fixture
def options() -> PlaygroundOptions:
    """Give what most tests need; a test module may have its own."""
    return PlaygroundOptions(port=0, pace="off")


@pytest.fixture
async def playground(options: PlaygroundOptions, observers: list[Observer]) -> AsyncIterator[Playground]:
    """Run a playground in memory."""
    async with Playground(options, observers=observers) as running:
        yield running


@pytest.fixture
def pointed(playground: Playground, monkeypatch: pytest.MonkeyPatch) -> Playground:
    """Point discord.py at the playground."""
    monkeypatch.setattr(discord.http.Route, "BASE", playground.api_url)
    monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(playground.gateway_url))
    monkeypatch.setattr(discord.Asset, "BASE", playground.cdn_url)
    return playground


@asynccontextmanager
async def connected(bot: discord.Client, token: str) -> AsyncIterator[None]:
    """Run a client from its being ready until the block ends; raises what keeps it from getting ready."""
    task = asyncio.create_task(bot.start(token))
    ready = asyncio.create_task(_ready(bot))
    try:
        await asyncio.wait({task, ready}, timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        assert ready.done(), f"the client did not get ready in {PATIENCE_SECONDS} s"
        yield
    finally:
        ready.cancel()
        await bot.close()
        await asyncio.gather(task, ready, return_exceptions=True)


async def _ready(bot: discord.Client) -> None:
    while not bot.is_ready():  # noqa: ASYNC110 - a client that has not begun has nothing to wait for
        await asyncio.sleep(0.005)


class Hasty(commands.Bot):
    """A bot that identifies again at once, where discord.py would wait five seconds."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for nothing."""


@pytest.fixture
async def bot(pointed: Playground) -> AsyncIterator[commands.Bot]:
    """Run the bot that is there from the start."""
    client = Hasty("!", intents=INTENTS, guild_ready_timeout=0.02, help_command=None)
    async with connected(client, pointed.bot_token):
        yield client


@pytest.fixture
def guild(bot: commands.Bot) -> discord.Guild:
    """Give the first server as the bot sees it."""
    return bot.guilds[0]


@pytest.fixture
def channel(guild: discord.Guild) -> discord.TextChannel:
    """Give the first channel as the bot sees it."""
    return guild.text_channels[0]


@pytest.fixture
async def owner(playground: Playground) -> AsyncIterator[Person]:
    """Connect the person who is there from the start."""
    async with Person.owner(playground.url) as person:
        yield person


@pytest.fixture
async def ada(playground: Playground) -> AsyncIterator[Person]:
    """Connect a plain member."""
    async with Person.new(playground.url, "Ada") as person:
        yield person


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Start Chromium once for all tests of the page: each opens it anew, as somebody without a past."""
    async with browsing() as one:
        yield one
