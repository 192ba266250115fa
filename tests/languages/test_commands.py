"""Commands in the reader's language: everything goes through the catalogues, and Discord takes what comes of it."""

import asyncio
import copy

import discord
import pytest
from discord import app_commands
from discord.app_commands import TranslationContextTypes, locale_str

from bot.languages import LANGUAGES
from tests.languages.payloads import Json, faults, translated, unsaid

pytestmark = pytest.mark.together  # by the commands in all languages


class PseudoLocale(app_commands.Translator):
    """A language in which every text is itself, marked."""

    async def translate(self, string: locale_str, locale: discord.Locale, context: TranslationContextTypes) -> str:
        return f"ⓧ{string.message}"


@pytest.fixture(scope="module")
def commands() -> list[Json]:
    return asyncio.run(translated())


async def test_every_name_description_and_choice_goes_through_the_translator() -> None:
    pseudo = await translated(PseudoLocale())
    assert unsaid(pseudo, [locale.value for locale in discord.Locale]) == []
    [agent] = [one for one in pseudo if one["name"] == "agent"]
    assert agent["name_localizations"]["de"] == "ⓧagent"


async def test_discord_takes_every_name_and_description_in_every_language(commands: list[Json]) -> None:
    assert faults(commands) == []


async def test_what_is_for_managers_in_a_group_for_all_says_so_in_every_language(commands: list[Json]) -> None:
    [agent] = [one for one in commands if one["name"] == "agent"]
    create, show = (next(one for one in agent["options"] if one["name"] == name) for name in ("create", "show"))
    for part, locked in ((create, True), (show, False)):
        words = [part["description"], *part["description_localizations"].values()]
        assert len(words) > len(LANGUAGES)
        assert {one.startswith("🔒 ") for one in words} == {locked}
    [setup] = [one for one in commands if one["name"] == "setup"]  # nobody else is offered that at all
    assert not setup["options"][0]["description"].startswith("🔒")


async def test_a_german_finds_the_commands_in_german(commands: list[Json]) -> None:
    [talk] = [one for one in commands if one["name"] == "talk"]
    assert talk["name_localizations"]["de"] == "gespräch"
    assert set(talk["name_localizations"]) == {*LANGUAGES}
    [agent] = talk["options"][0]["options"]
    assert agent["description_localizations"]["es-419"] == "Con quién hablar"


async def test_what_discord_would_refuse_is_found(commands: list[Json]) -> None:
    said = copy.deepcopy([one for one in commands if one["name"] in ("room", "say")])
    room, say = said
    room["name_localizations"]["fr"] = "Une salle"
    room["options"][0]["description_localizations"]["ja"] = "あ" * 101
    room["options"][1]["name_localizations"]["de"] = room["options"][0]["name_localizations"]["de"]
    say["name_localizations"]["es-ES"] = "x" * 33
    found = "\n".join(faults(said))
    assert "'Une salle' is no name in fr" in found
    assert "the description has 101 characters in ja" in found
    assert "room: two are named alike" in found
    assert f"say: {'x' * 33!r} is no name in es-ES" in found


async def test_a_name_that_is_another_ones_english_is_alike_too(commands: list[Json]) -> None:
    said = copy.deepcopy([one for one in commands if one["name"] in ("room", "say")])
    said[0]["name_localizations"]["de"] = "say"
    del said[1]["name_localizations"]["de"]
    assert faults(said) == ["all commands: two are named alike"]
