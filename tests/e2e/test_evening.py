"""An evening's programme: games by a person and agents, and the bot is killed once in each."""

import asyncio
import re
import signal
from pathlib import Path

import pytest
from playwright.async_api import ViewportSize, expect

from tests.e2e.commanding import Commander, words_of
from tests.e2e.test_lives import Life, started
from tests.e2e.test_page import ANSWER_MS, go_to
from tests.e2e.test_scenes import thread_of
from tests.e2e.test_werewolf import plays
from tests.e2e.visitor import Json, Visitor, until, visiting
from tests.playground.chromium import browsing
from tests.playground.page_driver import Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.long]

PRESSES_SECONDS = 4.0  # each look and move is two presses: people may press 40 times a minute
LONGEST_SECONDS = 900
PROGRAMME = {  # how many agents sit down, and what makes each short
    "chat": (2, "turns=9"),
    "council": (2, "host=false; turns=14; motions=1; topic=When there is tea"),
    "village": (2, "rounds=4"),
    "landlord": (2, "points=true; robbing=false; doubling=false"),
    "werewolf": (6, "reveal_roles=true"),
}
AGENTS = ("Wren", "Ledger", "Fern", "Moss", "Sol", "Ash")
THERE = 2  # of them are there at first
WIDE: ViewportSize = {"width": 1280, "height": 1400}
PHONE: ViewportSize = {"width": 390, "height": 780}


@pytest.mark.parametrize("kind", PROGRAMME)
async def test_a_game_that_is_killed_in_the_middle_goes_on_to_its_end(tmp_path: Path, kind: str) -> None:
    async with started(tmp_path) as first:
        await first.ready()
        thread_id = await begun(first, kind)
        async with visiting(first.url) as you:
            assert not await played(you, thread_id, moves=1), "it ended before it could be killed"
        first.process.send_signal(signal.SIGKILL)
        await first.ends()
    async with started(tmp_path) as second:
        await second.ready()
        async with visiting(second.url) as you:
            there = await played(you, thread_id)
            inside = Commander(you, thread_id)
            assert "every digest is as it was" in await inside.told("scene replay", scene="1")
            outcome = there["content"].partition("**Over**\n")[2].splitlines()[0]
            posts = [one["content"] for one in await you.messages(thread_id) if not one["content"].startswith("🎭")]
            assert len([one for one in posts if outcome in one]) == 1
        await looked_at(second, kind)


async def begun(house: Life, kind: str) -> str:
    """Open a lobby, let agents and oneself sit down, and begin; gives the thread."""
    async with visiting(house.url) as you:
        hall = await you.channel("wren")
        outside = Commander(you, hall)
        many, options = PROGRAMME[kind]
        names = AGENTS[:many]
        for name in names[THERE:]:
            await outside.comes_to_tell("agent create", f"{name} is created.", name=name, prompt=f"You are {name}.")
        await outside.comes_to_tell("scene start", "opens in a thread", kind=kind, options=options)
        thread_id = await thread_of(you, hall, f"{kind.capitalize()} 1")
        inside = Commander(you, thread_id)
        for name in names:
            await inside.comes_to_tell("scene seat", "in seat", agent=name)
        await inside.told("scene join")
        await inside.told("scene begin")
        return thread_id


async def played(you: Visitor, thread_id: str, *, moves: int = LONGEST_SECONDS) -> Json:
    """Play by buttons and lists until so many moves of one's own stand, or it is over; gives the board at its end."""
    inside, made = Commander(you, thread_id), 0

    async def ended() -> tuple[Json] | None:
        nonlocal made
        await asyncio.sleep(PRESSES_SECONDS)
        posts = [one for one in await you.messages(thread_id) if one["content"].startswith("🎭")]
        if "**Over**" in posts[0]["content"]:
            return (posts[0],)
        if "My seat" not in str(posts[0]["components"]):
            return None
        seat = await inside.press(posts[0], "My seat")
        if "It is your turn" in words_of(seat):
            await plays(inside, seat)
            made += 1
        return ({},) if made >= moves else None

    return (await until(ended, "the end", seconds=LONGEST_SECONDS))[0]


async def looked_at(house: Life, kind: str) -> None:
    """See in the browser how it ended, with its picture where it has one: on a screen by day, on a phone by night."""
    async with browsing() as browser:
        page = await browser.new_page(viewport=WIDE, locale="en-GB", color_scheme="light")
        page.set_default_timeout(ANSWER_MS)
        tab = Tab(page)
        tab.listen()
        await page.goto(house.url)
        await expect(page.get_by_role("heading", level=1)).to_have_text("welcome", timeout=ANSWER_MS)
        await go_to(tab, f"{kind.capitalize()} 1")
        await results_seen(tab, f"selfroom-evening-{kind}")
        await page.set_viewport_size(PHONE)
        await page.emulate_media(color_scheme="dark")
        await page.reload()
        await results_seen(tab, f"selfroom-evening-{kind}-phone")
        assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert not tab.errors


async def results_seen(tab: Tab, name: str) -> None:
    """Ask for the results by a press, and keep a picture of them."""
    scene = tab.page.get_by_role("region", name="Scene")
    await expect(scene).to_contain_text("over", ignore_case=True, timeout=ANSWER_MS)
    await scene.get_by_role("button", name="Results").click()
    answer = tab.page.locator(".message", has_text="Only you can see this").last
    await expect(answer.get_by_text(re.compile("transcript"))).to_be_visible(timeout=ANSWER_MS)
    for picture in await answer.locator("img").all():
        await expect(picture).to_have_js_property("complete", True, timeout=ANSWER_MS)
    await answer.scroll_into_view_if_needed()
    await tab.shot(name)
