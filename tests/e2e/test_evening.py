"""An evening's programme in the browser: each game by a person and agents, by presses alone; the bot is killed in each.

What is played before the kill is played on a screen by day, what comes after it on a phone by night.
"""

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Locator, ViewportSize, expect
from playwright.async_api import TimeoutError as TooLate

from tests.e2e.commanding import Commander
from tests.e2e.test_lives import Life, started
from tests.e2e.test_page import ANSWER_MS, go_to
from tests.e2e.test_scenes import thread_of
from tests.e2e.visitor import until, visiting
from tests.playground.chromium import browsing
from tests.playground.page_driver import Tab

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.long]

BETWEEN_SECONDS = 0.3  # presses, each of which the page shows what comes of before the next one
ASKED_AGAIN_SECONDS = 8.0  # one's seat follows by itself: it is asked for anew only where it is gone
PRESS_MS = 5_000  # after which it is looked for anew: the seat may just have gone on with the scene
LONGEST_SECONDS = 900
PROGRAMME = {  # how many agents sit down, and what makes each short
    "chat": (2, "turns=9"),
    "council": (2, "host=false; turns=24; motions=1; topic=The tea kitchen"),
    "village": (2, "rounds=4"),
    "landlord": (2, "points=true; robbing=false; doubling=false"),
    "werewolf": (6, "reveal_roles=true"),
}
AGENTS = ("Wren", "Ledger", "Fern", "Moss", "Sol", "Ash")
THERE = 2  # of them are there at first
LIKED = ("vote: yes", "second", "move motion…", "call vote", "speak…", "say…", "last words…", "call", "silence", "rest")
NEEDLESS = ("talk…", "whisper…", "pack…", "look", "propose end", "adjourn", "withdraw", "amend…")
MOTION = re.compile(r" (the call to vote )?(on )?(clause \d+ of )?motion \d+")  # that a button is about
FIRST_OF: Final = ("play",)  # of these lists what stands first is taken, of others what stands last
WIDE: ViewportSize = {"width": 1280, "height": 1000}
PHONE: ViewportSize = {"width": 390, "height": 780}


@pytest.mark.parametrize("kind", PROGRAMME)
async def test_a_game_that_is_killed_in_the_middle_goes_on_to_its_end(tmp_path: Path, kind: str) -> None:
    async with started(tmp_path) as first:
        await first.ready()
        thread_id = await a_lobby(first, kind)
        async with looking(first.url, kind) as player:
            await player.scene.get_by_role("button", name="Join", exact=True).click()
            seats = player.scene.get_by_role("list", name="Seats").get_by_role("listitem")
            await expect(seats).to_have_count(PROGRAMME[kind][0] + 1, timeout=ANSWER_MS)
            await player.tab.shot(f"selfroom-evening-{kind}-1-lobby")
            await player.scene.get_by_role("button", name="Begin").click()
            assert not await player.plays(moves=1, shot="2-seat"), "it ended before it could be killed"
            assert not player.faults()
            first.process.send_signal(signal.SIGKILL)
            await first.ends()
    async with started(tmp_path) as second:
        await second.ready()
        async with looking(second.url, kind, phone=True) as player:
            assert await player.plays(shot="3-phone")
            await player.results("4-results-phone")
            assert await player.tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            await player.tab.page.set_viewport_size(WIDE)
            await player.tab.page.emulate_media(color_scheme="light")
            await player.tab.page.reload()
            await player.results("5-results")
            assert not player.faults()
        await told_once(second, thread_id)


async def a_lobby(house: Life, kind: str) -> str:
    """Open a lobby, and let agents sit down; gives the thread."""
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
        return thread_id


async def told_once(house: Life, thread_id: str) -> None:
    """Hold that its log is whole, and that it was told once how it ended."""
    async with visiting(house.url) as you:
        assert "every digest is as it was" in await Commander(you, thread_id).told("scene replay", scene="1")
        posts = [one["content"] for one in await you.messages(thread_id)]
        board = next(one for one in posts if one.startswith("🎭"))
        outcome = board.partition("**Over**\n")[2].splitlines()[0].partition("<@")[0]  # the thread has names there
        assert len([one for one in posts if outcome in one and one is not board]) == 1


@dataclass
class Player:
    """A person who sees nothing but the page, and does nothing but press and write into forms."""

    tab: Tab
    kind: str
    asked_at: float = float("-inf")

    @property
    def scene(self) -> Locator:
        return self.tab.page.get_by_role("region", name="Scene")

    @property
    def turn(self) -> Locator:
        """One's seat, once one is asked."""
        return self.tab.page.locator(".message", has_text="It is your turn").last

    def faults(self) -> list[str]:
        """Give what went wrong on the page; what was pressed just as it changed is refused, with a word."""
        return [one for one in self.tab.errors if not ("status of 400" in one and one.endswith("/interactions)"))]

    async def plays(self, *, shot: str, moves: int = LONGEST_SECONDS) -> bool:
        """Play until so many moves were made, or it is over; tells whether it is. Keeps a picture of the first turn."""
        made = 0

        async def done() -> tuple[bool] | None:
            nonlocal made
            if await self._is_over():
                return (True,)
            if not await self._is_asked():
                return None
            if not made:
                with suppress(AssertionError, TooLate):  # it went on meanwhile
                    await self._drawn(self.turn, PRESS_MS)
                    await self.turn.locator(".components").last.scroll_into_view_if_needed(timeout=PRESS_MS)
                await self.tab.shot(f"selfroom-evening-{self.kind}-{shot}")
            made += await self._moved()
            await asyncio.sleep(BETWEEN_SECONDS)
            return (False,) if made >= moves else None

        return (await until(done, "the end", seconds=LONGEST_SECONDS))[0]

    async def _is_over(self) -> bool:
        return await self.scene.get_by_role("button", name="Results").count() > 0

    async def _is_asked(self) -> bool:
        """Tell whether one's seat says so; it is asked for on the board where none stands here."""
        if await self.turn.count():
            return True
        now = asyncio.get_running_loop().time()
        is_there = await self.tab.page.locator(".message", has_text="You are not asked now").count()
        mine = self.scene.get_by_role("button", name="My seat")
        if not is_there and now - self.asked_at > ASKED_AGAIN_SECONDS and await mine.count():
            self.asked_at = now
            await self._pressed(mine)
        return False

    async def _moved(self) -> bool:
        """Do what is liked best of what is offered; tells whether something could be done."""
        if await self._form.count():  # it came late
            return await self._filled()
        buttons = self.turn.locator(".components button")
        offered = [one.strip() for one in await buttons.all_inner_texts()]
        lists = [one for one in offered if one and await self._opens_a_list(one)]
        plain = {MOTION.sub("", one): one for one in offered}
        liked = [plain.get(one, one) for one in (*LIKED[:2], *lists, *LIKED[2:]) if one in offered or one in plain]
        left = [one for one in offered if MOTION.sub("", one) not in NEEDLESS]
        chosen = (liked or left or [""])[0]
        if not chosen or not await self._pressed(self._button(chosen)):
            return False
        if chosen in lists:
            listed = self.tab.page.get_by_role("option")
            return await self._pressed(listed.first if chosen in FIRST_OF else listed.last)
        return await self._filled() if chosen.endswith("…") else True

    def _button(self, words: str) -> Locator:
        return self.turn.locator(".components button").filter(has_text=re.compile(f"^{re.escape(words)}$")).first

    async def _opens_a_list(self, words: str) -> bool:
        one = self._button(words)
        try:
            return await one.get_attribute("aria-haspopup", timeout=PRESS_MS) == "listbox"
        except TooLate:  # it went on meanwhile
            return False

    @property
    def _form(self) -> Locator:
        return self.tab.page.get_by_role("dialog")

    async def _filled(self) -> bool:
        form = self._form
        try:
            await form.wait_for(timeout=PRESS_MS)
        except TooLate:  # it went on meanwhile
            return False
        for field in await form.get_by_role("textbox").all():
            await field.fill("Quite so.")
        sent = await self._pressed(form.get_by_role("button", name=re.compile("Send|Submit")))
        await expect(form).to_have_count(0, timeout=ANSWER_MS)
        return sent

    async def _pressed(self, what: Locator) -> bool:
        try:
            await what.click(timeout=PRESS_MS)
        except TooLate:  # it went on meanwhile
            return False
        return True

    async def _drawn(self, message: Locator, most_ms: float) -> None:
        for picture in await message.locator("img").all():
            await expect(picture).to_have_js_property("complete", True, timeout=most_ms)

    async def results(self, shot: str) -> None:
        """Ask for the results by a press, and keep a picture of them."""
        await expect(self.scene).to_contain_text("over", ignore_case=True, timeout=ANSWER_MS)
        await self.scene.get_by_role("button", name="Results").click()
        answer = self.tab.page.locator(".message", has_text="Only you can see this").last
        await expect(answer.get_by_text(re.compile("transcript"))).to_be_visible(timeout=ANSWER_MS)
        await self._drawn(answer, ANSWER_MS)
        await answer.scroll_into_view_if_needed()
        await self.tab.shot(f"selfroom-evening-{self.kind}-{shot}")


@asynccontextmanager
async def looking(url: str, kind: str, *, phone: bool = False) -> AsyncIterator[Player]:
    """Open the thread in a browser: on a screen by day, or on a phone by night."""
    async with browsing() as browser:
        page = await browser.new_page(
            viewport=WIDE, locale="en-GB", has_touch=phone, color_scheme="dark" if phone else "light"
        )
        page.set_default_timeout(ANSWER_MS)
        tab = Tab(page)
        tab.listen()
        await page.goto(url)
        await expect(page.get_by_role("heading", level=1)).to_have_text("welcome", timeout=ANSWER_MS)
        await go_to(tab, f"{kind.capitalize()} 1")
        if phone:
            await page.set_viewport_size(PHONE)
            await page.reload()
        player = Player(tab, kind)
        await expect(player.scene).to_be_visible(timeout=ANSWER_MS)
        yield player
