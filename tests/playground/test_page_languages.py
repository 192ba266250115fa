"""The page in the language that a person reads: commands, options, choices and menus of the bots."""

import discord
import pytest
from discord import app_commands
from discord.app_commands import TranslationContextTypes, locale_str
from playwright.async_api import Browser, expect

from tests.playground.page_driver import Scene, Tab, staged

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
GERMAN = {
    "feed": "füttern",
    "Feed a pet": "Füttere ein Tier",
    "name": "name-des-tiers",
    "treat": "leckerbissen",
    "apple": "Ein Apfel",
    "biscuit": "Ein Keks",
    "times": "wie_oft",
    "room": "raum",
    "topic": "thema",
    "Count letters": "Buchstaben zählen",
}


class German(app_commands.Translator):
    """Knows a few words."""

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: TranslationContextTypes
    ) -> str | None:
        return GERMAN.get(string.message) if locale is discord.Locale.german else None


async def german(scene: Scene) -> Tab:
    """Give a tab in which somebody chose German."""
    await scene.bot.tree.set_translator(German())
    await scene.bot.tree.sync()
    tab = await scene.tab()
    await tab.page.locator(".switcher").click()
    await tab.page.get_by_role("menuitem", name="Language …").click()
    await expect(tab.page.get_by_role("menuitemradio", name="American English")).to_be_checked()
    await tab.page.get_by_role("menuitemradio", name="Deutsch").click()
    return tab


async def test_commands_read_in_the_language_that_was_chosen(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await german(scene)
        await tab.box.press_sequentially("/fütt")
        offered = tab.page.locator(".suggestions").get_by_role("option")
        await expect(offered.filter(has_text="/füttern")).to_contain_text("Füttere ein Tier")
        await tab.shot("german")
        await tab.page.keyboard.press("Enter")
        await tab.page.get_by_role("combobox", name="name-des-tiers").fill("Bo")
        treat = tab.page.get_by_role("combobox", name="leckerbissen")
        await treat.fill("ein a")
        await expect(tab.page.get_by_role("option", name="Ein Apfel")).to_be_visible()
        await tab.page.keyboard.press("Enter")
        await expect(treat).to_have_value("Ein Apfel")
        await tab.page.get_by_role("button", name="Add the option wie_oft").click()
        await tab.page.get_by_role("combobox", name="wie_oft").fill("2")
        await tab.page.keyboard.press("Enter")
        answer = tab.message("Bo got 2 × apple")
        await expect(answer.locator(".reply-line")).to_contain_text("used /füttern")


async def test_a_command_can_be_written_out_in_either_language(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await german(scene)
        for times, words in enumerate(("/raum thema words:Blumen", "/room topic words:Blumen"), start=1):
            await tab.box.fill(words)
            await expect(tab.page.get_by_role("group", name="Command raum thema")).to_be_visible()
            await tab.page.keyboard.press("Enter")
            await expect(tab.message("Topic here: Blumen")).to_have_count(times)


async def test_menus_of_messages_read_so_too_and_english_comes_back(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await german(scene)
        await tab.say("Four")
        await tab.pick("Four", "Buchstaben zählen")
        await expect(tab.message("4 letters")).to_be_visible()
        await tab.page.locator(".switcher").click()
        await tab.page.get_by_role("menuitem", name="Language …").click()
        await tab.page.get_by_role("menuitemradio", name="American English").click()
        await tab.box.press_sequentially("/fe")
        await expect(tab.page.get_by_role("option", name="/feed")).to_be_visible()
