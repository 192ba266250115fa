"""The main commands in a browser, as a manager and a plain member use them side by side."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from tests.e2e.sharing import Cast, shared_home
from tests.playground.chromium import browsing
from tests.playground.page_driver import PATIENCE_MS, Tab

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]

ANSWER_MS = 2 * PATIENCE_MS


class Desk:
    """A tab of the page and what is done at it."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.page = tab.page

    async def go(self, channel: str) -> None:
        """Open a channel."""
        await self.page.locator(".channel", has_text=channel).first.click()
        await expect(self.tab.box).to_be_visible()

    async def use(self, path: str, /, **options: str) -> None:
        """Use a slash command: each option is typed, and chosen where it is offered."""
        await self.tab.command(path)
        for name, value in options.items():
            field = self.page.get_by_role("combobox", name=name, exact=True)
            if not await field.count():
                await self.page.get_by_role("button", name=f"Add the option {name}", exact=True).click()
            await field.fill("")
            await field.press_sequentially(value)
        await self.page.get_by_role("button", name="Run the command").click()
        await expect(self.page.get_by_role("group", name=f"Command {path}")).to_have_count(0)

    async def hear_wren(self) -> Locator:
        """Say hello and wait for what Wren answers."""
        heard = self.page.locator(".message", has_text="scripted stand-in")
        before = await heard.count()
        await self.tab.say("Hello Wren, who are you?")
        await expect(heard).to_have_count(before + 1, timeout=ANSWER_MS)
        return heard.nth(before)

    def answer(self, command: str) -> Locator:
        """Find the newest answer to a command."""
        return self.page.locator(".message", has_text=f"used /{command}").last

    async def pick(self, message: Locator, item: str) -> None:
        """Choose from the menu of a message."""
        await message.click(button="right")
        await self.page.get_by_role("menu").get_by_role("menuitem", name=item).click()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("page")) as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desks(cast: Cast) -> AsyncIterator[tuple[Desk, Desk]]:
    """The owner's tab and the guest's; an error on either fails the tests."""
    async with browsing() as browser:
        opened = []
        for who in (cast.you, cast.guest.visitor):
            context = await browser.new_context(viewport={"width": 1360, "height": 850}, locale="en-GB")
            context.set_default_timeout(ANSWER_MS)
            await context.add_init_script("localStorage.setItem('playground.welcomed', 'true')")
            tab = Tab(await context.new_page())
            tab.listen()
            await tab.page.goto(f"{cast.home.url}/#as={who.user['id']}")
            desk = Desk(tab)
            await desk.go("wren")
            opened.append(desk)
        yield opened[0], opened[1]
        assert [error for desk in opened for error in desk.tab.errors] == []


Desks = tuple[Desk, Desk]


async def test_an_agent_is_made_in_a_form_and_shown_on_a_card(desks: Desks) -> None:
    owner, _ = desks
    await owner.use("agent create")
    form = owner.page.get_by_role("dialog")
    await form.get_by_label("Name").fill("Moss")
    await form.get_by_label("Who is it").fill("You are Moss, a gardener who loves rain.")
    await owner.tab.shot("command-agent-create")
    await form.get_by_role("button", name="Submit").click()
    await expect(owner.page.get_by_text("Moss is created").first).to_be_visible()
    await expect(owner.page.locator(".channel", has_text="moss")).to_be_visible()
    await owner.use("agent show", agent="Wren")
    await expect(owner.answer("agent show")).to_contain_text("Heartbeat")
    await owner.tab.shot("command-agent-show")


async def test_pace_money_and_attention_are_pictures(desks: Desks) -> None:
    owner, _ = desks
    await owner.hear_wren()
    for path, options, words in (
        ("heartbeat status", {}, "Wren"),
        ("usage today", {}, "USD"),
        ("usage by", {"what": "agent"}, "Wren"),
        ("attention show", {"agent": "Wren"}, "Wren"),
    ):
        await owner.use(path, **options)
        answer = owner.answer(path)
        await expect(answer).to_contain_text(words)
        picture = answer.locator("img").last
        await expect(picture).to_be_visible()
        assert await picture.evaluate("one => one.decode().then(() => one.naturalWidth)") > 300
        assert await picture.get_attribute("alt")
        await owner.page.emulate_media(color_scheme="dark")
        await expect(picture).to_have_css("filter", "none")
        await owner.page.emulate_media(color_scheme="light")
        await expect(picture).to_have_css("filter", "invert(0.94) hue-rotate(180deg)")
        await owner.tab.shot(f"command-{path.replace(' ', '-')}")


async def test_a_head_is_looked_into(desks: Desks) -> None:
    owner, _ = desks
    said = await owner.hear_wren()
    await owner.use("hud show", agent="Wren")
    await expect(owner.answer("hud show")).to_contain_text("tokens")
    await expect(owner.answer("hud show").get_by_text(".txt").first).to_be_visible()
    await owner.tab.shot("command-hud-show")
    await owner.pick(said, "Who said this?")
    await expect(owner.page.get_by_text("said it: a persona").last).to_be_in_viewport()
    await owner.pick(said, "Show the HUD behind this")
    await expect(owner.page.locator(".command-name").last).to_have_text("Show the HUD behind this")
    await expect(owner.page.get_by_text("spoke to it").last).to_be_in_viewport()
    await owner.tab.shot("command-menu")


async def test_a_key_opens_a_door_when_a_manager_grants_it(desks: Desks, cast: Cast) -> None:
    owner, guest = desks
    await owner.use("key create", room="Ledger", label="gift", key="under the mat")
    await expect(owner.answer("key create")).to_contain_text('The key "gift" is made.')
    await owner.use("key give", label="gift", agent="Wren", room="Ledger")
    await expect(owner.answer("key give")).to_contain_text("holds the key")
    await owner.tab.shot("command-key-give")
    await owner.use("agent pause", agent="Ledger")
    await owner.use("room visibility", visibility="private", room="Ledger")
    await owner.answer("room visibility").get_by_role("button", name="Close it and keep me in").click()
    await expect(guest.page.locator(".channel", has_text="ledger")).to_have_count(0)
    await guest.use("access request", room="Ledger", key="under the mat")
    await expect(guest.answer("access request")).to_contain_text("You knocked")
    await guest.tab.shot("command-access-request")
    await owner.use("access pending")
    pending = owner.answer("access pending")
    await expect(pending).to_contain_text("@guest")
    await owner.tab.shot("command-access-pending")
    await pending.get_by_role("button", name=re.compile("^Grant")).click()
    await expect(owner.page.get_by_text("@guest is let in.").last).to_be_visible()
    await expect(guest.page.locator(".channel", has_text="ledger")).to_be_visible()
    await owner.tab.shot("command-granted")


async def test_help_is_by_matter_and_shows_a_member_what_they_may_use(desks: Desks) -> None:
    owner, guest = desks
    await owner.use("help")
    pages = owner.answer("help")
    await expect(pages).to_contain_text("/agent create")
    await owner.tab.shot("command-help")
    await pages.get_by_role("button", name="All commands about …").click()
    await owner.tab.page.get_by_role("option", name="Timeline").click()
    await expect(pages).to_contain_text("/timeline fork")
    await owner.tab.shot("command-help-matter")
    await guest.use("help")
    await expect(guest.answer("help")).to_contain_text("/privacy export")
    await expect(guest.answer("help")).not_to_contain_text("/agent create")
    await guest.tab.shot("command-help-member")
