"""Runs from the console's page, with the whole Selfroom behind it: set up in four steps, and played apart."""

import asyncio
import re

import pytest
from playwright.async_api import Page, expect

from bot.core.runs.reading import read_run
from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_console import heading, link, opened
from tests.e2e.visitor import Visitor
from tests.playground.chromium import shut_out_by
from tests.playground.page_driver import Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.long]


async def without_faults(page: Page) -> None:
    faults = await shut_out_by(page)
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in faults] == []


async def next_step(page: Page, words: str) -> None:
    await page.get_by_role("button", name="Next").click()
    await expect(page.get_by_role("heading", level=2, name=re.compile(words))).to_be_focused()


async def saved_as_toml(tab: Tab) -> None:
    """Save the council as a file, which holds what was set up."""
    page = tab.page
    await page.get_by_role("button", name="As TOML").click()
    file = page.get_by_role("dialog", name="As a file")
    await expect(file.get_by_label("run.toml")).to_contain_text("turns = 6")
    await without_faults(page)
    await tab.shot("console-runs-0-file")
    async with page.expect_download() as saved:
        await file.get_by_role("button", name="Save").click()
    path = await (await saved.value).path()
    run = read_run(await asyncio.to_thread(path.read_bytes), "run.toml")
    assert (run.turns, len(run.agents), run.scene and run.scene.kind) == (6, 5, "council")
    await page.keyboard.press("Escape")


async def test_a_researcher_starts_a_council_of_five_from_the_wizard(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    async with opened(await link(room)) as tab:
        page = tab.page
        await heading(page, "Overview")
        await page.get_by_role("link", name="Runs").click()
        await heading(page, "Runs")
        await page.get_by_role("link", name="Set up a run").click()
        await heading(page, "Set up a run")
        await page.get_by_label("council: A council on the ferry").check()
        await without_faults(page)
        await next_step(page, "Agents")
        assert await page.get_by_label("Name").count() == 5
        await without_faults(page)
        await tab.shot("console-runs-1-agents")
        await next_step(page, "Scene")
        await expect(page.get_by_label("topic")).to_have_value(re.compile("ferry"))
        await without_faults(page)
        await next_step(page, "Model")
        await page.get_by_label(re.compile("^Turns")).fill("6")
        await without_faults(page)
        await saved_as_toml(tab)
        await page.get_by_role("button", name="Begin").click()
        await heading(page, "A council on the ferry")
        await expect(page.get_by_text("It ended: as long as it was to be")).to_be_visible()
        await expect(page.get_by_role("treeitem")).to_have_count(2)
        await expect(page.get_by_role("list", name="Transcript")).to_contain_text("ferry")
        await expect(page.get_by_text("at most 1.00 imaginary USD")).to_be_visible()
        await expect(page.get_by_role("table", name="Agents")).to_contain_text(re.compile(r"\d imaginary USD"))
        await without_faults(page)
        await tab.shot("console-runs-2-run")
        await page.emulate_media(color_scheme="dark")
        await page.set_viewport_size({"width": 390, "height": 860})
        await without_faults(page)
        await tab.shot("console-runs-3-phone")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        async with page.expect_download() as packed:
            await page.get_by_role("button", name="Export").click()
        assert (await packed.value).suggested_filename == "run-1.zip"
        await page.get_by_label("Turns", exact=True).fill("2")
        await page.get_by_role("button", name=re.compile(r"^Go on\s*(about|under) .* imaginary USD")).click()
        await expect(page.get_by_role("treeitem")).to_have_count(3)
        await page.get_by_role("link", name="All runs").click()
        await heading(page, "Runs")
        await page.get_by_role("button", name="Copy").click()
        await expect(page.get_by_role("row")).to_have_count(3)
        await without_faults(page)


async def test_agents_by_hand_from_a_template_and_generated_talk_freely(home: Living, you: Visitor) -> None:
    room = Commander(you, await you.channel("wren"))
    async with opened(f"{await link(room)}", dark=True) as tab:
        page = tab.page
        await heading(page, "Overview")
        await page.evaluate("location.hash = '#/runs/new'")
        await heading(page, "Set up a run")
        await next_step(page, "Agents")
        await page.get_by_role("button", name="Add one").click()
        await page.get_by_label("Name").fill("Zelda")
        await page.get_by_label("Prompt").fill("You are Zelda.")
        await page.get_by_role("button", name="Add it").click()
        await page.get_by_label("How many").fill("2")
        await page.get_by_role("button", name="Generate").click()
        await expect(page.get_by_label("Name")).to_have_count(4)
        await next_step(page, "Scene")
        await next_step(page, "Model")
        await page.get_by_role("button", name="Begin").click()
        await expect(page.locator(".toast").last).to_contain_text("nothing ever happens")
        assert [one for one in tab.errors if "400 (Bad Request)" in one] == tab.errors
        tab.errors.clear()  # the browser tells of what was refused, too
        await page.get_by_role("button", name="Back").click()
        await page.get_by_label("What is said first").fill("Zelda, what is new?")
        await next_step(page, "Model")
        await page.get_by_label(re.compile("^Turns")).fill("2")
        await page.get_by_role("button", name="Begin").click()
        await heading(page, "A run")
        await expect(page.get_by_text(re.compile("It ended: "))).to_be_visible()
        await expect(page.get_by_role("list", name="Transcript")).to_contain_text("Zelda, what is new?")
