"""A council in a browser: one command opens it, presses do all else, and a kill amid its ballot ends nothing."""

import re
import signal
import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.test_lives import started
from tests.e2e.test_newcomers_council import MINDS, VOTES_YES, WITH, votes_kept
from tests.e2e.test_page import ANSWER_MS, go_to
from tests.e2e.test_page_commands import Desk
from tests.e2e.visitor import until, visiting
from tests.playground.chromium import browsing
from tests.playground.page_driver import Tab

LOOK_MS = 3_000
pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.long]


class Member:
    """A person who sits in a council, and what they press on the page."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.scene = tab.page.get_by_role("region", name="Scene")

    async def sits_with(self, names: tuple[str, ...]) -> None:
        """Let agents sit, take the seat after them, and begin."""
        seats = self.scene.get_by_role("list", name="Seats").get_by_role("listitem")
        for place, name in enumerate(names):
            await self.scene.get_by_role("button", name="Let an agent sit").click()
            await self.tab.page.get_by_role("option", name=name, exact=True).click()
            await self.tab.page.keyboard.press("Escape")
            await expect(seats.nth(place)).to_contain_text(name, timeout=ANSWER_MS)
        await self.scene.get_by_role("button", name="Join", exact=True).click()
        await expect(seats).to_have_count(len(names) + 1, timeout=ANSWER_MS)
        await self.scene.get_by_role("button", name="Begin").click()

    async def offered(self, label: str, *, phase: str) -> Locator:
        """Press *Act* while one is asked in that phase, until a button is offered there; gives that."""
        mine = self.scene.get_by_role("list", name="Seats").get_by_role("listitem").nth(len(WITH))
        button = self.tab.page.locator(".message").get_by_role("button", name=label, exact=True).last

        async def look() -> Locator | None:
            await expect(mine).to_contain_text("is asked now", timeout=ANSWER_MS)
            await expect(self.scene.locator(".scene-state")).to_contain_text(phase, timeout=ANSWER_MS)
            await self.scene.get_by_role("button", name="Act", exact=True).click()
            with suppress(AssertionError):  # what is shown above the thread is some seconds old: it was another's turn
                await expect(button).to_be_visible(timeout=LOOK_MS)
                return button
            return None

        return await until(look, f"{label} on Act", seconds=ANSWER_MS / 1_000)

    async def fills(self, opens: Locator, fields: dict[str, str]) -> None:
        """Fill the form that a button opens: a line is written, a list is chosen from."""
        await opens.click()
        form = self.tab.page.get_by_role("dialog")
        for name, words in fields.items():
            field = form.get_by_label(re.compile(f"^{name}"))
            if await field.get_attribute("aria-haspopup") == "listbox":
                await field.click()
                await self.tab.page.get_by_role("option", name=words, exact=True).click()
            else:
                await field.fill(words)
        await form.get_by_role("button", name=re.compile("Send|Submit")).click()
        await expect(form).to_have_count(0, timeout=ANSWER_MS)

    async def comes_to_the_ballot(self) -> None:
        """Move a motion and an amendment, which passes: the motion as it is then is voted on."""
        motion, amendment = {"title": "Tea", "text": "Tea at five."}, {"clause": "1", "text": "Tea at four."}
        await self.fills(await self.offered("move motion…", phase="opening"), motion)
        await self.reads("moves motion 1: Tea Tea at five.")
        await self.fills(await self.offered("amend motion 1…", phase="debate"), amendment)
        await self.reads("would have clause 1 say: Tea at four.")
        await (await self.offered("vote on clause 1 of motion 1: yes", phase="amending")).click()
        await self.reads("Amendment to motion 1 passed: 2 yes, 0 no")
        await self.offered(VOTES_YES, phase="ballot")

    async def transcript(self, outcome: str) -> str:
        """Press for the results, which tell the outcome; gives the file that comes with them."""
        page = self.tab.page
        await self.scene.get_by_role("button", name="Results and transcript").click()
        shown = page.locator(".message", has=page.get_by_text("transcript.txt")).last
        await expect(shown).to_contain_text(outcome, timeout=ANSWER_MS)
        await self.tab.shot("council-results")
        link = await shown.get_by_role("link", name="transcript.txt").get_attribute("href")
        assert link is not None
        return (await (await page.request.get(urljoin(page.url, link))).text()).replace("**", "")

    async def reads(self, words: str) -> None:
        """Wait until something stands in the thread."""
        await expect(self.tab.message(words).first).to_be_visible(timeout=ANSWER_MS)


def a_free_port() -> int:
    """Find a port on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


async def test_a_council_on_the_page_is_killed_amid_its_ballot_and_goes_on_in_the_same_tab(tmp_path: Path) -> None:
    port = {"SELFROOM_PLAYGROUND_PORT": str(a_free_port())}
    async with browsing() as browser:
        page = await browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page.set_default_timeout(ANSWER_MS)
        tab = Tab(page)
        you = Member(tab)
        async with started(tmp_path, **port) as first:
            await first.ready()
            tab.listen()
            await prepared(first.url)
            await page.goto(first.url)
            await go_to(tab, WITH[0].lower())
            await Desk(tab).use("scene start", kind="council")
            await go_to(tab, "Council 1")
            await you.sits_with(WITH)
            await you.comes_to_the_ballot()
            await until(lambda: votes_kept(tmp_path, 3), "the sealed vote of an agent", seconds=60)
            await tab.shot("council-ballot")
            assert not tab.errors
            first.process.send_signal(signal.SIGKILL)
            await first.ends()
        assert await votes_kept(tmp_path, 3)
        async with started(tmp_path, **port) as second:
            await second.ready()
            await prepared(second.url)
            await (await you.offered(VOTES_YES, phase="ballot")).click()
            await you.reads("Motion 1 passed: 2 yes, 0 no, 0 abstained, 0 absent.")
            await expect(you.scene).to_contain_text("The council is closed", timeout=ANSWER_MS)
            await expect(you.scene).to_contain_text(
                "Motion 1 passed: 2 yes, 0 no, 0 abstained, 0 absent. Tea (1) Tea at four."
            )
            transcript = await you.transcript("1 motion voted on, 1 passed.")
            for line in ("moves motion 1: Tea Tea at five.", "would have clause 1 say: Tea at four."):
                assert transcript.count(line) == 1, transcript
        assert await votes_kept(tmp_path, 4)


async def prepared(url: str) -> None:
    """Tell the agents' minds what they are to do."""
    async with visiting(url) as visitor:
        await visitor.prepare_model(*MINDS)
