"""A console over a town, and those who come to it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from bot.console.feed import Feed
from bot.console.standing import Manager
from bot.console.window import PROOF, Console
from bot.core.records import Person, Room, Snowflake
from bot.core.view import MayRead
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.performer import Performer
from bot.playground.cdn import PAGE
from bot.runs.served import ServedRuns
from bot.runs.sources import shipped
from tests.engine.town import Town, town
from tests.factories import GUILD_ID, person
from tests.fakes import OpenBench, PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

BOSS = person("boss", 77, is_architect=True)


@dataclass
class Server:
    """Who manages, and who reads which private threads, by the word of a test."""

    managers: dict[Snowflake, Person] = field(default_factory=lambda: {BOSS.id: BOSS})
    readable: set[int] = field(default_factory=set)
    closed: set[int | None] = field(default_factory=set)  # channels that managers do not see

    async def manager(self, guild_id: Snowflake, user_id: Snowflake, *, anew: bool) -> Manager | None:
        found = self.managers.get(user_id) if guild_id == GUILD_ID else None
        return None if found is None else Manager(found, lambda channel_id: channel_id not in self.closed)

    def reader(self, guild_id: Snowflake, user_id: Snowflake) -> MayRead:
        async def may_read(thread: Room) -> bool:
            return thread.id in self.readable

        return may_read

    def name(self, guild_id: Snowflake) -> str:
        return "Testers"


@dataclass
class Open:
    """An open console, and a browser without a page."""

    here: Town
    desk: FrontDesk
    server: Server
    console: Console
    session: aiohttp.ClientSession
    feed: Feed
    proof: str = ""

    async def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        headers: Mapping[str, str] | None = None,
        **more: Any,  # noqa: ANN401
    ) -> tuple[int, Any]:
        """Ask as the page does; gives the status and what was told."""
        told = {PROOF: self.proof, "Sec-Fetch-Site": "same-origin"} | dict(headers or {})
        async with self.session.request(method, self.console.url + path, headers=told, **more) as response:
            is_json = "json" in response.content_type
            return response.status, await response.json() if is_json else await response.text()

    async def enter(self, token: str) -> tuple[int, Any]:
        """Open the door with what a link holds."""
        status, told = await self.ask("/api/v1/session", "POST", json={"token": token})
        if status == 200:
            self.proof = told["proof"]
        return status, told

    def link(self) -> str:
        """Give what a manager's link holds."""
        return self.console.link(GUILD_ID, BOSS).partition("#enter=")[2]


@asynccontextmanager
async def opened(
    *,
    entered: bool = True,
    store: str = "sqlite://",
    runs: ServedRuns | None = None,
    glance_seconds: float = 0.0,
    **more: Any,  # noqa: ANN401
) -> AsyncIterator[Open]:
    """Open a console over a town; `entered`: with a manager inside; `runs`: where its runs are.

    `glance_seconds`: as long the overview is read once for all; here it is read each time.
    """
    async with town(url=store) as here:
        desk = FrontDesk(
            Office(
                here.store,
                Performer(cipher=PlainCipher(), tokenizer=WordTokenizer()),
                here.clock,
                SeededRandom(1),
                on_done=here.delivery.wake,
                models=ScriptedModel(),
                workshop=OpenBench(),
            ),
            laboratory=runs,
        )
        server, feed = Server(), Feed(here.clock)
        more |= {"glance_seconds": glance_seconds}
        here.store.on_happened = feed.tell
        jar = aiohttp.CookieJar(unsafe=True)  # of an address that is a number
        async with (
            Console(desk, server, here.clock, port=0, shared=PAGE, feed=feed, presets=shipped(), **more) as console,
            aiohttp.ClientSession(cookie_jar=jar) as session,
        ):
            there = Open(here, desk, server, console, session, feed)
            if entered:
                assert (await there.enter(there.link()))[0] == 200
            yield there
