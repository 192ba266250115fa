"""The console with the whole Selfroom behind it: who is let in, and how a manager finds out why something was said."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, Route, expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.proving import proves
from tests.e2e.visitor import Visitor, until, visiting
from tests.playground.chromium import browsing, shut_out_by
from tests.playground.page_driver import PATIENCE_MS, Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser]
LINK = re.compile(r"\((http://127\.0\.0\.1:\d+/#enter=[\w-]+)\)")
GONE = "This link opens nothing"


async def link(room: Commander) -> str:
    """Ask for a link as a person does."""
    found = LINK.search(await room.told("console open"))
    assert found is not None
    return found[1]


@asynccontextmanager
async def opened(address: str, *, wide: int = 1280, dark: bool = False, locale: str = "en-GB") -> AsyncIterator[Tab]:
    """Open an address in a browser of its own; an error on the page fails the test."""
    async with browsing() as browser:
        page = await browser.new_page(
            viewport={"width": wide, "height": 860}, locale=locale, color_scheme="dark" if dark else "light"
        )
        page.set_default_timeout(PATIENCE_MS)
        tab = Tab(page)
        tab.listen()
        await page.goto(address)
        yield tab
        assert not tab.errors


async def heading(page: Page, words: str) -> None:
    await expect(page.get_by_role("heading", level=1)).to_contain_text(words)


@proves(manager="console open")
async def test_a_manager_finds_out_in_three_clicks_why_an_agent_said_what_it_said(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    said = await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    await you.answer_after(await you.say(room.channel_id, "Wren, what is 2+3?"))
    async with opened(await link(room)) as tab:
        page = tab.page
        await heading(page, "Overview")
        await tab.shot("console-1-overview")
        await page.get_by_role("region", name="Rooms").get_by_role("link", name="Wren").click()
        await heading(page, "Wren's room")
        await tab.shot("console-2-room")
        line = page.get_by_role("listitem").filter(has_text=said["content"][:40])
        await line.get_by_role("link", name="Why?").click()
        await heading(page, "Why Wren said that")
        await expect(page.get_by_text("somebody spoke to it").first).to_be_visible()
        await expect(page.get_by_label("HUD").first).to_contain_text("Wren, who are you?")
        await tab.shot("console-3-beat")


async def test_what_was_read_before_does_not_cover_what_was_read_after_it(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    held, go_on, given = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow(route: Route) -> None:
        read, is_first = await route.fetch(), not held.is_set()
        held.set()
        if is_first:
            await go_on.wait()
        await route.fulfill(response=read)
        if is_first:
            given.set()

    async with opened(await link(room)) as tab:
        page = tab.page
        await heading(page, "Overview")
        await page.route(re.compile(r"/api/v1/rooms/\d+$"), slow)
        await page.get_by_role("region", name="Rooms").get_by_role("link", name="Wren").click()
        await held.wait()
        answer = await you.answer_after(await you.say(room.channel_id, "Wren, what is 2+3?"))
        line = page.get_by_role("main").get_by_text(answer["content"][:40])
        await expect(line).to_be_visible()
        go_on.set()
        await given.wait()
        await page.evaluate("fetch('/shared/js/lib/dom.js').then((read) => read.text())")  # what came before is drawn
        await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert await line.is_visible()


async def ended(page: Page, words: str) -> None:
    """Wait until the page shows nothing any more but why."""
    await heading(page, "Nothing is shown here")
    await expect(page.get_by_role("main")).to_contain_text(words)


async def test_a_stranger_with_the_link_of_yesterday_gets_nothing(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    used = await link(room)
    async with opened(used) as tab:
        await heading(tab.page, "Overview")
        assert "enter" not in tab.page.url
    withdrawn, _ = await link(room), await link(room)
    for address in (used, withdrawn):
        async with browsing() as browser:
            page = await browser.new_page()
            await page.goto(address)
            await ended(page, GONE)
            await page.goto(address.partition("#")[0])
            await ended(page, "Use /console open")
            assert "Wren" not in await page.content()


async def test_who_loses_the_right_amid_a_session_sees_nothing_more(home: Living, owner: Visitor) -> None:
    async with visiting(home.url, "olga", manager=True) as olga, browsing() as browser:
        address = await link(Commander(olga, await olga.channel("wren")))
        page = await browser.new_page()
        await page.goto(address)
        await heading(page, "Overview")
        guild = olga.about["guild_id"]
        roles = await owner.ask("GET", f"/guilds/{guild}/roles")
        managers = next(one["id"] for one in roles if one["name"] == "Managers")
        await owner.ask("DELETE", f"/guilds/{guild}/members/{olga.user['id']}/roles/{managers}")

        async def refused() -> bool:
            await page.goto(f"{address.partition('#')[0]}#/rooms/1")
            await page.goto(f"{address.partition('#')[0]}#/")
            return await page.get_by_role("alert").is_visible()

        await until(refused, "refusal")
        await expect(page.get_by_role("alert")).to_have_text("Only people who may manage the server can do that.")
        assert "Wren" not in await page.get_by_role("main").inner_text()


@proves(manager="console revoke")
async def test_revoking_ends_what_is_open(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    assert "Ended: 0 sessions." in await room.told("console revoke")
    async with browsing() as browser:
        page = await browser.new_page()
        await page.goto(await link(room))
        await heading(page, "Overview")
        assert "Ended: 1 session." in await room.told("console revoke")
        await page.reload()
        await ended(page, "Your session has ended")


async def test_a_message_is_found_by_its_link_from_discord(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    said = await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    async with opened(await link(room)) as tab:
        await heading(tab.page, "Overview")
        box = tab.page.get_by_label("A message's link or number")
        await box.fill(f"https://discord.com/channels/{you.about['guild_id']}/{room.channel_id}/{said['id']}")
        await box.press("Enter")
        await heading(tab.page, "Why Wren said that")


async def test_an_agents_page_shows_what_it_carries_on_a_phone_in_the_dark(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("ledger"))
    await you.answer_after(await you.say(room.channel_id, "Ledger, remember that the picnic is on Friday"))
    async with opened(await link(room), wide=390, dark=True) as tab:
        await heading(tab.page, "Overview")
        await tab.shot("console-4-phone")
        await tab.page.get_by_role("region", name="Agents").get_by_role("link", name="Ledger").click()
        await heading(tab.page, "Ledger")
        await expect(tab.page.get_by_text("Friday").first).to_be_visible()
        await tab.shot("console-5-agent")
        width = await tab.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390


async def test_what_happens_stands_on_the_page_as_it_happens_and_nothing_polls(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    async with opened(await link(room)) as tab:
        page = tab.page
        asked: list[str] = []
        await heading(page, "Overview")
        await expect(page.locator(".live")).to_have_text("live")
        page.on("request", lambda request: asked.append(request.url))
        said = await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
        feed = page.get_by_role("log")
        await expect(feed).to_contain_text("Somebody said something in Wren's room")
        answered, done = (
            "Wren has an answer from its model in Wren's room",
            "Wren has done what it answered in Wren's room",
        )
        for words in (answered, done):
            await expect(feed).to_contain_text(words)
        beats = page.get_by_role("checkbox", name="Beats")
        await beats.uncheck()
        await expect(feed).not_to_contain_text(answered)
        await expect(feed).to_contain_text("Somebody said something")
        await expect(beats).to_be_focused()
        await beats.check()
        await expect(feed).to_contain_text(answered)
        there = page.get_by_role("list", name="Who is in Wren's room")
        await expect(there.get_by_role("listitem").filter(has_text="Wren")).to_contain_text("idle")
        await expect(page.locator(".room-card", has_text="Wren")).to_contain_text("2 lines in 10 minutes")
        assert len(asked) < 8
        await tab.shot("console-6-live")
        await page.get_by_role("region", name="Rooms").get_by_role("link", name="Wren").click()
        await expect(page.get_by_role("list", name="Transcript")).to_contain_text(said["content"][:40])
        answer = await you.answer_after(await you.say(room.channel_id, "Wren, what is 2+3?"))
        await expect(page.get_by_role("list", name="Transcript")).to_contain_text(answer["content"])


async def test_nobody_is_shut_out_of_the_console(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    async with opened(await link(room), wide=800) as tab:
        page = tab.page
        await heading(page, "Overview")
        for dark in (False, True):
            await page.emulate_media(color_scheme="dark" if dark else "light")
            for address, title in (("#/", "Overview"), ("#/rooms/1", "Wren's room"), ("#/agents/1", "Wren")):
                await page.evaluate("address => { location.hash = address }", address)
                await heading(page, title)
                faults = await shut_out_by(page)
                assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in faults] == [], address
        await page.evaluate("location.hash = '#/rooms/1'")
        await page.get_by_role("link", name="Why?").first.focus()
        await page.keyboard.press("Enter")
        await heading(page, "Why Wren said that")
        faults = await shut_out_by(page)
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in faults] == []
