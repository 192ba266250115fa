"""Changes from the console's page, with the whole Selfroom behind it."""

import pytest
from playwright.async_api import expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_console import heading, link, opened
from tests.e2e.test_console_runs import without_faults
from tests.e2e.visitor import Visitor

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.long]


async def test_a_manager_changes_what_an_agent_knows_and_takes_it_back(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    async with opened(await link(room), wide=390, dark=True) as tab:
        page = tab.page
        await heading(page, "Overview")
        await page.evaluate("location.hash = '#/agents/1'")
        await heading(page, "Wren")
        await page.get_by_label("Path").fill("picnic.day")
        await page.get_by_label("Value").fill("Friday")
        await page.get_by_role("button", name="Keep it").click()
        await page.get_by_role("button", name="Change picnic.day").click()
        await expect(page.get_by_label("Value")).to_have_value("Friday")
        await page.get_by_text("How it changed").click()
        await expect(page.get_by_role("button", name="Undo")).to_be_visible()
        await without_faults(page)
        await tab.shot("console-doing-1-knowledge")
        await page.get_by_role("button", name="Undo").click()
        await expect(page.get_by_role("button", name="Change picnic.day")).to_have_count(0)
        await page.get_by_role("link", name="What it would see now").click()
        await heading(page, "What Wren would see now")
        await without_faults(page)


async def test_a_room_is_searched_and_set(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    await you.answer_after(await you.say(room.channel_id, "Wren, what about herons?"))
    async with opened(await link(room)) as tab:
        page = tab.page
        await heading(page, "Overview")
        await page.evaluate("location.hash = '#/rooms/1'")
        await heading(page, "Wren's room")
        await page.get_by_label("Search this room").fill("herons")
        await page.get_by_role("button", name="Search").click()
        await heading(page, "Found for")
        await expect(page.get_by_role("list", name="Found")).to_contain_text("what about herons?")
        await without_faults(page)
        await page.get_by_role("link", name="Transcript", exact=True).click()
        await page.get_by_role("link", name="Settings, members and keys").click()
        await heading(page, "Settings of Wren's room")
        await without_faults(page)
        await page.get_by_label("Topic").fill("herons and fog")
        await page.get_by_role("button", name="Set topic").click()
        await expect(page.locator(".toast").last).to_be_visible()
        assert "herons and fog" in await room.told("room info")
        await page.get_by_label("Label of a new key").fill("spare")
        await page.get_by_role("button", name="Make a key").click()
        await expect(page.get_by_role("button", name="Withdraw")).to_be_visible()
        await tab.shot("console-doing-2-settings")
