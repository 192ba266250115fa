"""The console by keyboard alone, and all its pages on a phone."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_console import heading, link, opened
from tests.e2e.visitor import Visitor

pytestmark = [pytest.mark.e2e, pytest.mark.browser]
MOST_TABS = 80
PHONE = 390


async def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until what is wanted has the focus, as one who has no mouse."""
    await expect(wanted).to_be_visible()
    for _ in range(MOST_TABS):
        await page.keyboard.press("Tab")
        if await wanted.evaluate("(node) => node === document.activeElement"):
            return
    raise AssertionError(f"{MOST_TABS} times Tab do not lead to {wanted}")


async def go(page: Page, wanted: Locator) -> None:
    await tab_to(page, wanted)
    await page.keyboard.press("Enter")


async def test_by_keyboard_alone_one_comes_from_the_overview_to_what_an_agent_knows_and_changes_it(
    home: Living, you: Visitor
) -> None:
    room = Commander(you, await you.channel("wren"))
    await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    async with opened(await link(room)) as tab:
        page = tab.page
        await heading(page, "Overview")
        await go(page, page.get_by_role("region", name="Rooms").get_by_role("strong").get_by_role("link", name="Wren"))
        await heading(page, "Wren's room")
        await go(page, page.get_by_role("link", name="Why?").first)
        await heading(page, "Why Wren said that")
        await go(page, page.get_by_role("main").get_by_role("link", name="Wren", exact=True).first)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Wren ")
        await tab_to(page, page.get_by_label("Path").first)
        await page.keyboard.type("people.boss.trust")
        await tab_to(page, page.get_by_label("Value (a text, or JSON)").first)
        await page.keyboard.type("0.75")
        await go(page, page.get_by_role("button", name="Keep it").first)
        await expect(page.get_by_role("button", name="Change people.boss.trust")).to_be_visible()
    assert "0.75" in await room.told("knowledge show", agent="1")


async def test_no_page_of_the_console_is_wider_than_a_phone(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    async with opened(await link(room), wide=PHONE) as tab:
        page = tab.page
        await heading(page, "Overview")
        for address, title in (
            ("#/", "Overview"),
            ("#/rooms/1", "Wren's room"),
            ("#/rooms/1/settings", "Settings of Wren's room"),
            ("#/agents/1", "Wren"),
            ("#/agents/1/hud", "What Wren would see now"),
            ("#/runs/new", "Set up a run"),
        ):
            await page.evaluate("address => { location.hash = address }", address)
            await heading(page, title)
            assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE, address
        for step in ("2", "3", "4"):
            await page.get_by_role("button", name="Next").click()
            await expect(page.get_by_role("heading", level=2)).to_contain_text(f"Step {step}")
            assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE, step
        await page.evaluate("location.hash = '#/rooms/1'")
        await page.get_by_role("link", name="Why?").first.click()
        await heading(page, "Why Wren said that")
        assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE
