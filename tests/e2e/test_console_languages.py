"""The console in its reader's language, on a phone too."""

import re

import pytest
from playwright.async_api import expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_console import heading, link, opened
from tests.e2e.test_console_runs import without_faults
from tests.e2e.visitor import Visitor

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.long]


async def test_a_german_reads_the_console_in_german(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    await you.answer_after(await you.say(room.channel_id, "Wren, who are you?"))
    await room.told("timeline fork", title="the lights go out")
    async with opened(await link(room), wide=390, locale="de-DE") as tab:
        page = tab.page
        await heading(page, "Übersicht")
        assert await page.locator("html").get_attribute("lang") == "de"
        await expect(page.get_by_role("button", name="Verlassen")).to_be_visible()
        await expect(page.get_by_role("region", name="Räume")).to_contain_text("2 Zeilen in 10 Minuten")
        for address, title in (
            ("#/rooms/1", "Raum von Wren"),
            ("#/rooms/1/settings", "Einstellungen des Raums von Wren"),
            ("#/agents/1", "Wren"),
            ("#/agents/1/beats/1", "Herzschlag 1 von Wren"),
            ("#/trees/1", "Was wäre wenn 1"),
            ("#/runs/new", "Einen Lauf einrichten"),
        ):
            await page.evaluate("address => { location.hash = address }", address)
            await heading(page, title)
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390, address
            await without_faults(page)
            await tab.shot(f"console-german-{address.strip('#/').replace('/', '-')}")
        await page.evaluate("location.hash = '#/agents/1'")
        await expect(page.get_by_role("table", name="Herzschläge")).to_contain_text("jemand sprach ihn an")
        await page.evaluate("location.hash = '#/rooms/99'")
        await heading(page, "Das lässt sich nicht zeigen")
        await expect(page.get_by_role("alert")).to_have_text(re.compile("."))
        tab.errors.clear()  # the browser itself notes that there was no such room
