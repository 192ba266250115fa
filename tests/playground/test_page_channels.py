"""Channels as a person keeps them: made, renamed, deleted, read, muted; and how the page calls."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.adapters.discord.stage import until
from tests.playground.page_driver import Scene, Tab, staged

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

NOTED = """() => {
  window.noted = [];
  const Real = window.Notification;
  window.Notification = class extends Real {
    constructor(title, more) {
      super(title, more);
      window.noted.push(`${title}: ${more.body}`);
    }
  };
}"""


async def pick(page: Page, channel: str, item: str) -> None:
    """Choose from the menu of a channel."""
    await page.locator(".channel", has_text=channel).click(button="right")
    await page.get_by_role("menuitem", name=item).click()


async def read_on(scene: Scene, tab: Tab, word: str) -> None:
    """Wait until the page has met all that was said before."""
    await scene.channel.send(word)
    await tab.message(word).wait_for()


async def test_a_channel_is_made_renamed_and_deleted_from_menus(browser: Browser) -> None:
    async with staged(browser) as scene:
        category = await scene.channel.guild.create_category("Outside")
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="The Playground").click()
        await tab.shot("server-menu")
        await tab.page.get_by_role("menuitem", name="New channel …").click()
        form = tab.page.get_by_role("dialog", name="A new channel")
        await form.get_by_label("Name").fill("Rose garden")
        await form.get_by_label("What it is about").fill("Roses")
        await form.get_by_role("button", name="Group: No group").click()
        await tab.page.get_by_role("option", name="Outside").click()
        await tab.shot("new-channel")
        await form.get_by_role("button", name="Make it").click()
        await expect(tab.page.get_by_role("heading", name="rose-garden", level=1)).to_be_visible()
        [made] = category.text_channels
        assert (made.name, made.topic) == ("rose-garden", "Roses")
        await pick(tab.page, "rose-garden", "Rename …")
        renaming = tab.page.get_by_role("dialog", name="Rename rose-garden")
        await renaming.get_by_label("Name").fill("Tulips")
        await renaming.get_by_role("button", name="Rename").click()
        await expect(tab.page.get_by_role("heading", name="tulips", level=1)).to_be_visible()
        await tab.page.get_by_role("button", name="More about this channel").click()
        await tab.shot("channel-menu")
        await tab.page.get_by_role("menuitem", name="Delete …").click()
        await tab.page.get_by_role("dialog", name="Delete tulips?").get_by_role("button", name="Delete").click()
        await expect(tab.page.get_by_role("heading", name="welcome", level=1)).to_be_visible()
        await expect(tab.page.locator(".channel")).to_have_count(1)


async def test_who_may_not_manage_channels_is_not_offered_it(browser: Browser) -> None:
    async with staged(browser) as scene:
        mira = await scene.tab(await scene.person("Mira"))
        await mira.page.locator(".channel", has_text="welcome").click(button="right")
        await expect(mira.page.get_by_role("menuitem", name="Mute")).to_be_visible()
        await expect(mira.page.get_by_role("menuitem", name="Delete …")).to_have_count(0)
        await mira.page.keyboard.press("Escape")
        await mira.page.get_by_role("button", name="The Playground").click()
        await expect(mira.page.get_by_role("menuitem", name="New channel …")).to_have_count(0)


async def test_the_title_counts_what_is_unread_until_it_is_marked_as_read_or_muted(browser: Browser) -> None:
    async with staged(browser) as scene:
        guild = scene.channel.guild
        garden, pond = await guild.create_text_channel("garden"), await guild.create_text_channel("pond")
        tab = await scene.tab()
        for number in range(3):
            await garden.send(f"flower {number}")
        await pond.send("a frog")
        await expect(tab.page).to_have_title("(4) welcome · Selfroom playground")
        await tab.page.reload()
        await expect(tab.page).to_have_title("(4) welcome · Selfroom playground")
        await pick(tab.page, "pond", "Mark as read")
        await expect(tab.page).to_have_title("(3) welcome · Selfroom playground")
        await pick(tab.page, "garden", "Mute")
        await expect(tab.page).to_have_title("welcome · Selfroom playground")
        await garden.send("one more")
        await pond.send("and a newt")
        await expect(tab.page).to_have_title("(1) welcome · Selfroom playground")
        await expect(tab.page.get_by_role("button", name="garden, muted")).to_be_visible()
        await tab.shot("muted")
        await pick(tab.page, "garden", "Unmute")
        await expect(tab.page).to_have_title("(5) welcome · Selfroom playground")
        await tab.page.get_by_role("button", name="The Playground").click()
        await tab.page.get_by_role("menuitem", name="Mark everything as read").click()
        await expect(tab.page).to_have_title("welcome · Selfroom playground")


async def test_the_title_counts_on_while_the_tab_is_behind_another(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await tab.page.evaluate("window.requestAnimationFrame = () => 0")  # a hidden tab has no frames
        await garden.send("a flower")
        await expect(tab.page).to_have_title("(1) welcome · Selfroom playground")
        await garden.send("another")
        await expect(tab.page).to_have_title("(2) welcome · Selfroom playground")


async def test_that_one_was_named_is_still_shown_after_a_reload_until_it_is_read(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await garden.send(f"<@{scene.about['person']['user']['id']}> come quickly")
        named = tab.page.locator(".channel", has_text="garden").locator(".count")
        await expect(named).to_have_text("1")
        await tab.page.reload()
        await expect(named).to_have_text("1")
        await pick(tab.page, "garden", "Mark as read")
        await expect(named).to_have_count(0)
        await tab.page.reload()
        await expect(tab.page.locator(".channel", has_text="garden")).to_be_visible()
        await expect(named).to_have_count(0)


async def test_the_desktop_is_told_of_what_is_for_me_and_not_of_what_is_muted_or_looked_at(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        await tab.page.context.grant_permissions(["notifications"])
        await tab.page.evaluate(NOTED)
        me = f"<@{scene.about['person']['user']['id']}>"
        await garden.send(f"{me} before it was wished")
        await read_on(scene, tab, "so far")
        await tab.page.get_by_role("button", name="The Playground").click()
        await tab.page.get_by_role("menuitemradio", name="of what is for me").click()
        await garden.send("for nobody")
        await garden.send(f"{me} come quickly")
        await scene.channel.send(f"{me} while you look")
        await tab.message("while you look").wait_for()
        await pick(tab.page, "garden", "Mute")
        await garden.send(f"{me} never mind")
        await read_on(scene, tab, "farther")
        await pick(tab.page, "garden", "Unmute")
        await garden.send(f"{me} at last")
        await until(lambda: tab.page.evaluate("window.noted.length === 2"))
        noted = await tab.page.evaluate("window.noted")
        assert noted == ["Selfroom in #garden: @Robin come quickly", "Selfroom in #garden: @Robin at last"]
