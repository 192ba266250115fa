"""A village on a phone's page: a person plays it with an agent to its end by presses alone, and sees its map."""

import re

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.test_page import ANSWER_MS, go_to, tab
from tests.e2e.visitor import visiting
from tests.playground.page_driver import Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser]
__all__ = ["tab"]
HOURS = 3


async def test_a_person_plays_a_village_on_a_phone_by_presses_alone(home: Living, tab: Tab) -> None:
    async with visiting(home.url) as you:
        outside = Commander(you, await you.channel("wren"))
        told = await outside.comes_to_tell(
            "scene start", "opens in a thread", kind="village", options=f"rounds={HOURS}"
        )
        number = re.findall(r"\d+", told)[0]
        await outside.comes_to_tell("scene seat", "in seat", agent="Wren", scene=number)
    await go_to(tab, f"Village {number}")
    await tab.page.set_viewport_size({"width": 390, "height": 780})
    await tab.page.reload()
    scene = tab.page.get_by_role("region", name="Scene")
    await scene.get_by_role("button", name="Join", exact=True).click()
    await expect(scene.get_by_role("list", name="Seats").get_by_role("listitem")).to_have_count(2, timeout=ANSWER_MS)
    await scene.get_by_role("button", name="Begin").click()
    for hour in range(HOURS):
        seat = await asked(tab, scene, HOURS - hour)
        if seat is None:  # every goal was met sooner: they are drawn
            break
        if hour == 0:
            await expect(seat.get_by_role("img", name=re.compile("Map of the village"))).to_be_visible()
            await expect(seat.get_by_role("button", name="move")).to_be_in_viewport()
            await tab.shot("selfroom-village-phone")
            await seat.get_by_role("button", name="move").click()
            await tab.page.get_by_role("option", name="market", exact=True).click()
        else:
            await seat.get_by_role("button", name="rest").click()
    await expect(scene).to_contain_text("It is over: ", timeout=ANSWER_MS)
    await scene.get_by_role("button", name="Results").click()
    recap = tab.page.get_by_role("img", name=re.compile("Wren walked")).last
    await expect(recap).to_have_js_property("complete", True, timeout=ANSWER_MS)
    await recap.scroll_into_view_if_needed()
    await tab.shot("selfroom-village-recap")
    wide = await tab.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


async def asked(tab: Tab, scene: Locator, hours_left: int) -> Locator | None:
    """Wait until it is one's turn, and give one's seat; None where it is over before."""
    seats = scene.get_by_role("list", name="Seats").get_by_role("listitem")
    over = scene.get_by_text("It is over: ")
    its_hour = scene.locator("dd", has_text=re.compile(rf"^{hours_left}$"))
    for awaited in (its_hour, seats.nth(1).filter(has_text="is asked now")):
        await expect(awaited.or_(over).first).to_be_visible(timeout=ANSWER_MS)
        if await over.count():
            return None
    await scene.get_by_role("button", name="My seat").click()
    seat = tab.page.locator(".message", has_text=f"Hours left: {hours_left}").last
    await expect(seat).to_contain_text("It is your turn", timeout=ANSWER_MS)
    return seat
