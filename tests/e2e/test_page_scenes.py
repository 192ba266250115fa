"""A scene on the page with the whole Selfroom behind it: begun, watched and played by presses alone."""

import re

import pytest
from playwright.async_api import expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_page import ANSWER_MS, go_to, tab
from tests.e2e.test_scenes import SAYS
from tests.e2e.visitor import visiting
from tests.playground.page_driver import Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser]
__all__ = ["tab"]


async def test_a_person_joins_watches_and_plays_a_chat_on_the_page(home: Living, tab: Tab) -> None:
    async with visiting(home.url) as you:
        await you.prepare_model(SAYS)
        outside = Commander(you, await you.channel("wren"))
        told = "briefs.1=You hide a letter.; briefs.2=You know a secret."
        await outside.comes_to_tell("scene start", "opens in a thread", kind="chat", title="Rain", options=told)
        await outside.comes_to_tell("scene seat", "in seat", agent="Wren", scene="1")
    await go_to(tab, "Chat 1")
    scene = tab.page.get_by_role("region", name="Scene")
    await expect(scene.get_by_role("heading")).to_have_text("Chat 1: Rain", timeout=ANSWER_MS)
    await scene.get_by_role("button", name="Join", exact=True).click()
    seats = scene.get_by_role("list", name="Seats").get_by_role("listitem")
    await expect(seats).to_have_text([re.compile("Wren"), re.compile("Robin")], timeout=ANSWER_MS)
    await scene.get_by_role("button", name="Begin").click()
    await expect(seats.nth(1)).to_contain_text("is asked now", timeout=ANSWER_MS)
    await expect(scene).to_contain_text("talking")
    await scene.get_by_role("button", name="My seat").click()
    seat = tab.page.locator(".message", has_text="You know a secret.").last
    await expect(seat).to_be_visible(timeout=ANSWER_MS)
    await expect(seat.get_by_role("button", name="say")).to_be_in_viewport()
    await tab.shot("selfroom-scene")
    await tab.page.set_viewport_size({"width": 390, "height": 780})
    await tab.page.keyboard.press("Escape")  # who is there lies above all else
    await expect(seat.get_by_role("button", name="say")).to_be_in_viewport()
    assert await tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    await tab.shot("selfroom-scene-phone")
    await tab.page.set_viewport_size({"width": 1280, "height": 800})
    await expect(scene).not_to_contain_text("secret")
    await expect(scene).not_to_contain_text("letter")
    await seat.get_by_role("button", name="say").click()
    form = tab.page.get_by_role("dialog")
    await form.get_by_role("textbox").fill("It rains on everybody.")
    await form.get_by_role("button", name=re.compile("Send|Submit")).click()
    await expect(tab.page.locator(".message", has_text="It rains on everybody.").first).to_be_visible(timeout=ANSWER_MS)
    await expect(scene).to_contain_text("Turns left", timeout=ANSWER_MS)
