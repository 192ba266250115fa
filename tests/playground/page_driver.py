"""The page in headless Chromium: tabs of several people on one playground, with a bot to talk to."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest
import yarl
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, expect

from bot.playground.server import Playground, PlaygroundOptions
from tests.playground.conftest import connected
from tests.playground.openapi import held_to_the_description
from tests.playground.page_bot import PageBot

PICTURES = Path(__file__).parents[2] / "test-output"
PATIENCE_MS = 60_000  # for a busy machine: what is there is not waited for
expect.set_options(timeout=PATIENCE_MS)
Json = dict[str, Any]


@dataclass
class Tab:
    """One browser tab, which is one person."""

    page: Page
    errors: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Note every error that the page makes."""
        self.page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        self.page.on("console", self._console)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    @property
    def box(self) -> Locator:
        """Give the box where messages are written."""
        return self.page.locator("#message-box")

    @property
    def log(self) -> Locator:
        """Give the log."""
        return self.page.get_by_role("log")

    def message(self, text: str) -> Locator:
        """Find a message by words in it."""
        return self.page.locator(".message", has_text=text)

    async def say(self, text: str, shown: str | None = None) -> Locator:
        """Write a message and wait until it stands there, sent; `shown` is how its text reads without marks."""
        await self.box.fill(text)
        await self.box.press("Enter")
        sent = self.page.locator(".message:not(.pending)", has_text=shown or text).last
        await sent.wait_for()
        return sent

    async def command(self, name: str) -> None:
        """Begin a slash command by typing its name and taking what is offered."""
        await self.box.press_sequentially(f"/{name}")
        await self.page.get_by_role("option", name=f"/{name}").first.wait_for()
        await self.box.press("Enter")

    async def open_menu(self, text: str) -> Locator:
        """Open a message's menu."""
        await self.message(text).last.click(button="right")
        menu = self.page.get_by_role("menu")
        await menu.wait_for()
        return menu

    async def pick(self, text: str, item: str) -> None:
        """Choose from a message's menu."""
        menu = await self.open_menu(text)
        await menu.get_by_role("menuitem", name=item).click()

    async def shot(self, name: str) -> None:
        """Keep a picture for people to look at."""
        PICTURES.mkdir(exist_ok=True)
        await self.page.screenshot(path=PICTURES / f"page-{name}.png", animations="disabled")


@dataclass
class Scene:
    """A playground, a bot on it, and a browser to look at it."""

    playground: Playground
    bot: PageBot
    browser: Browser
    about: Json
    stack: AsyncExitStack
    tabs: list[Tab] = field(default_factory=list)

    async def tab(
        self,
        who: Json | None = None,
        *,
        size: tuple[int, int] = (1360, 850),
        dark: bool = False,
        touch: bool = False,
        welcomed: bool = True,
    ) -> Tab:
        """Open the page as somebody; the seeded person when nobody is named."""
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            has_touch=touch,
            locale="en-GB",
            timezone_id="UTC",
        )
        self.stack.push_async_callback(context.close)
        context.set_default_timeout(PATIENCE_MS)
        if welcomed:
            await context.add_init_script("localStorage.setItem('playground.welcomed', 'true')")
        tab = Tab(await context.new_page())
        tab.listen()
        self.tabs.append(tab)
        await tab.page.goto(self.playground.url + (f"/#as={who['user']['id']}" if who else ""))
        await tab.page.locator(".channel[aria-current]").wait_for(state="attached")
        await tab.page.locator(".log-start, .message").first.wait_for()
        return tab

    async def person(self, name: str, *, manager: bool = False) -> Json:
        """Make another person."""
        return await self.ask("POST", "/playground/people", {"name": name, "manager": manager})

    async def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        """Ask something of the playground itself."""
        async with aiohttp.ClientSession() as session:
            answer = await session.request(method, self.playground.url + path, json=body)
            assert answer.ok, await answer.text()
            given: Json = await answer.json()
            return given

    @property
    def channel(self) -> discord.TextChannel:
        """Give the bot's view of the first channel."""
        channel = self.bot.get_channel(int(self.about["channel_id"]))
        assert isinstance(channel, discord.TextChannel)
        return channel

    def check(self) -> None:
        """Fail when any tab met an error."""
        errors = [error for tab in self.tabs for error in tab.errors]
        assert not errors, errors


@asynccontextmanager
async def pointed_at(playground: Playground) -> AsyncIterator[None]:
    """Let discord.py speak with the playground."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discord.http.Route, "BASE", playground.api_url)
        patch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(playground.gateway_url))
        patch.setattr(discord.Asset, "BASE", playground.cdn_url)
        yield


@asynccontextmanager
async def staged(browser: Browser, *, face_url: str | None = None) -> AsyncIterator[Scene]:
    """Set up everything; at the end no tab may have met an error."""
    options = PlaygroundOptions(port=0, pace="off", face_url=face_url)
    async with AsyncExitStack() as stack:
        observers = stack.enter_context(held_to_the_description())
        playground = await stack.enter_async_context(Playground(options, observers=observers))
        await stack.enter_async_context(pointed_at(playground))
        bot = PageBot()
        await stack.enter_async_context(connected(bot, playground.bot_token))
        scene = Scene(playground, bot, browser, {}, stack)
        scene.about = await scene.ask("GET", "/playground")
        yield scene
        scene.check()
        assert (await scene.ask("GET", "/playground/stats"))["unknown_routes"] == {}
