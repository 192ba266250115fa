"""Finding one's way on the page: by a few letters, by keys, by what was said."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.playground.page_driver import staged
from tests.playground.page_face import agent, facing
from tests.playground.test_page_access import faults

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def choose(page: Page, box: str, option: str) -> None:
    """Choose from one of the filters."""
    await page.get_by_role("button", name=box).click()
    await page.get_by_role("option", name=option).click()


async def test_a_few_letters_lead_to_a_channel_an_agent_or_a_person(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        guild = scene.channel.guild
        garden, burrow = await guild.create_text_channel("garden"), await guild.create_text_channel("burrow")
        face.agents = [agent(str(burrow.id))]
        await scene.person("Mira")
        tab = await scene.tab()
        keys = tab.page.keyboard
        await keys.press("Control+k")
        finder = tab.page.get_by_role("dialog", name="Go to")
        await expect(finder.get_by_role("combobox", name="Where to go")).to_be_focused()
        await tab.shot("finder")
        await keys.type("gard")
        await keys.press("Enter")
        await expect(tab.box).to_have_attribute("placeholder", "Message #garden")
        await tab.page.get_by_role("button", name="Go to …").click()
        await keys.type("ada")
        await expect(finder.get_by_role("option")).to_have_count(1)
        await keys.press("Enter")
        await expect(tab.box).to_have_attribute("placeholder", "Message #burrow")
        await keys.press("Control+k")
        await keys.type("mir")
        await keys.press("Enter")
        await expect(tab.page.get_by_role("heading", name="Mira", level=1)).to_be_visible()
        await keys.press("Control+k")
        await keys.type("nowhere at all")
        await expect(finder).to_contain_text("Nothing has that name.")
        await keys.press("Escape")
        await expect(finder).to_have_count(0)
        assert garden.id


async def test_by_keys_alone_one_writes_goes_elsewhere_and_writes_on_and_back_goes_back(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("garden")
        tab = await scene.tab()
        keys = tab.page.keyboard
        await keys.press("Tab")
        await keys.press("Enter")  # past all else, to the box
        await expect(tab.box).to_be_focused()
        for number in range(4):  # Chromium loses what is typed then more often than not
            for name in ("garden", "welcome"):
                await keys.type(f"Once {number}")
                await keys.press("Enter")
                await keys.press("Control+k")
                await keys.type(name)
                await keys.press("Enter")
                await expect(tab.box).to_have_attribute("placeholder", f"Message #{name}")
                await expect(tab.page.get_by_role("dialog")).to_have_count(0)
                await keys.type("letters")
                await expect(tab.box).to_have_value("letters")
                await tab.box.press("Control+a")
                await keys.press("Backspace")
        await tab.page.go_back()
        await expect(tab.box).to_have_attribute("placeholder", "Message #garden")


async def test_an_emoji_that_there_is_not_is_told(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Emoji", exact=True).click()
        await tab.page.get_by_label("Find an emoji").fill("no such thing")
        await expect(tab.page.get_by_text("No emoji has that name.")).to_be_visible()
        assert await faults(tab, "no emoji") == []


async def test_a_name_with_marks_on_its_letters_is_found_without_them(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.guild.create_text_channel("zoë")
        tab = await scene.tab()
        await tab.page.keyboard.press("Control+k")
        await tab.page.keyboard.type("zoe")
        await tab.page.get_by_role("option", name="zoë").wait_for()
        await tab.page.keyboard.press("Enter")
        await expect(tab.box).to_have_attribute("placeholder", "Message #zoë")


async def test_keys_go_from_channel_to_channel_and_are_listed(browser: Browser) -> None:
    async with staged(browser) as scene:
        for name in ("garden", "pond"):
            await scene.channel.guild.create_text_channel(name)
        tab = await scene.tab()
        keys, shown = tab.page.keyboard, tab.page.locator(".channel[aria-current]")
        await expect(tab.page.locator(".channel")).to_have_count(3)
        await keys.press("Alt+ArrowDown")
        await expect(shown).to_contain_text("garden")
        await keys.press("Alt+ArrowUp")
        await expect(shown).to_contain_text("welcome")
        await scene.channel.guild.text_channels[-1].send("news")
        await tab.page.get_by_role("button", name="pond, unread").wait_for()
        await keys.press("Alt+Shift+ArrowDown")
        await expect(shown).to_contain_text("pond")
        await keys.press("Control+/")
        listed = tab.page.get_by_role("dialog", name="Keys")
        await expect(listed).to_contain_text("Go to a channel, an agent or a person")
        await tab.shot("keys")


async def test_what_was_said_is_found_by_words_and_filters_and_leads_to_its_place(browser: Browser) -> None:
    async with staged(browser) as scene:
        garden = await scene.channel.guild.create_text_channel("garden")
        hook = await garden.create_webhook(name="hook")
        await hook.send("The cheese is ripe", username="Ada")
        for number in range(60):
            await garden.send(f"day {number}")
        await scene.channel.send("No cheese here: https://example.org")
        tab = await scene.tab()
        await tab.page.keyboard.press("Control+Shift+F")
        words = tab.page.get_by_role("searchbox", name="Words to find")
        await expect(words).to_be_focused()
        await words.fill("CHEESE")
        found = tab.page.locator(".found article")
        await expect(found).to_have_count(2)
        await tab.shot("search")
        await choose(tab.page, "In any channel", "garden")
        await expect(found).to_have_count(1)
        await found.get_by_role("button", name="Jump to the message by Ada").click()
        await expect(tab.message("The cheese is ripe").first).to_be_focused()
        await expect(found).to_have_count(1)
        await words.fill("day")
        await expect(found).to_have_count(25)
        await tab.page.get_by_role("button", name="Older ones").click()
        await expect(found).to_have_count(50)
        await words.fill("")
        await choose(tab.page, "Where: garden", "In any channel")
        await choose(tab.page, "With anything", "With a link")
        await expect(found).to_contain_text("No cheese here")
        await tab.page.get_by_label("Since").fill("2099-01-01")
        await expect(tab.page.locator(".found [role=status]")).to_have_text("Nothing was found.")


async def test_the_search_makes_way_on_a_phone_for_what_it_found(browser: Browser) -> None:
    async with staged(browser) as scene:
        await scene.channel.send("The keys are under the mat")
        tab = await scene.tab(size=(390, 780), touch=True)
        await tab.page.get_by_role("button", name="More about this channel").click()
        await tab.page.get_by_role("menuitem", name="Search messages").click()
        await tab.page.get_by_role("searchbox", name="Words to find").fill("mat")
        await tab.shot("search-phone")
        await tab.page.get_by_role("button", name="Jump to the message by Selfroom").click()
        await expect(tab.page.locator(".found")).to_be_hidden()
        await expect(tab.message("under the mat")).to_be_focused()
