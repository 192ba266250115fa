"""The reader's language: commands that are named in several, and interactions that say which one somebody reads."""

import asyncio
from typing import Any

import discord
import pytest
from discord.ext import commands

from tests.playground.person import Json, Person, Refusal

ECHO: Json = {
    "name": "echo",
    "name_localizations": {"de": "echo-rufen", "ja": "こだま"},
    "description": "Say it back",
    "description_localizations": {"de": "Ruf es zurück"},
    "options": [
        {
            "type": 3,
            "name": "tone",
            "name_localizations": {"de": "ton"},
            "description": "How",
            "choices": [{"name": "low", "value": "low", "name_localizations": {"de": "Ganz tief"}}],
        },
        {"type": 3, "name": "text", "description": "What"},
    ],
}


async def put(bot: commands.Bot, *given: Json) -> Any:  # noqa: ANN401 - as the playground gives it
    return await bot.http.bulk_upsert_global_commands(bot.application_id or 0, [*given])


def changed(path: tuple[str | int, ...], value: object) -> Json:
    """Give the command with one thing otherwise."""
    command: Any = {**ECHO, "options": [{**one} for one in ECHO["options"]]}
    part = command
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return dict(command)


async def test_names_and_descriptions_are_kept_in_every_language(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    await put(bot, ECHO)
    index = await ada.call("GET", f"/channels/{channel.id}/application-command-index")
    [echo] = index["application_commands"]
    assert echo["name_localizations"] == {"de": "echo-rufen", "ja": "こだま"}
    assert echo["description_localizations"] == {"de": "Ruf es zurück"}
    assert echo["options"][0]["choices"][0]["name_localizations"] == {"de": "Ganz tief"}


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("name_localizations",), {"de": "Echo Rufen"}, "name_localizations.de"),
        (("name_localizations",), {"de": "x" * 33}, "de"),
        (("name_localizations",), {"xx": "echo"}, "xx"),
        (("name_localizations",), ["echo"], "name_localizations"),
        (("description_localizations",), {"fr": "é" * 101}, "fr"),
        (("options", 0, "name_localizations"), {"de": ""}, "de"),
        (("options", 1, "name_localizations"), {"de": "ton"}, "options"),
        (("options", 1, "name_localizations"), {"fr": "tone"}, "options"),
    ],
)
async def test_what_is_no_name_in_its_language_is_refused(
    bot: commands.Bot, path: tuple[str | int, ...], value: object, where: str
) -> None:
    with pytest.raises(discord.HTTPException) as refused:
        await put(bot, changed(path, value))
    assert refused.value.status == 400
    assert where in refused.value.text


async def test_two_commands_are_not_named_alike_in_any_language(bot: commands.Bot) -> None:
    other = {"name": "ruf", "description": "Another", "name_localizations": {"ja": "こだま"}}
    with pytest.raises(discord.HTTPException, match="must be unique"):
        await put(bot, ECHO, other)


async def test_the_longest_language_counts_against_the_size_of_a_command(bot: commands.Bot) -> None:
    parts = [
        {"type": 1, "name": f"part{n}-{m}", "description": "x", "options": [option(o) for o in range(5)]}
        for n in range(5)
        for m in range(3)
    ]
    await put(bot, {"name": "big", "description": "x", "options": parts})
    for one in parts:
        for each in one["options"]:  # type: ignore[attr-defined]
            each["description_localizations"] = {"fr": "é" * 100, "de": "ä" * 100}
    await put(bot, {"name": "big", "description": "x", "options": parts[:14]})
    with pytest.raises(discord.HTTPException, match="Over 8000 characters"):
        await put(bot, {"name": "big", "description": "x", "options": parts})


def option(number: int) -> Json:
    return {"type": 3, "name": f"option{number}", "description": "x"}


async def test_an_interaction_says_what_the_person_and_the_server_read(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person, owner: Person
) -> None:
    heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    @bot.tree.command(description="Tell")
    async def tell(interaction: discord.Interaction) -> None:
        heard.put_nowait((str(interaction.locale), str(interaction.guild_locale)))
        await interaction.response.send_message("told", ephemeral=True)

    await bot.tree.sync()
    await ada.command(channel.id, "tell")
    assert await heard.get() == ("en-US", "en-US")
    await ada.setup("PATCH", f"/people/{ada.id}", json={"locale": "de"})
    await ada.hears("USER_UPDATE", locale="de")
    await owner.call("PATCH", f"/guilds/{owner.about['guild_id']}", json={"preferred_locale": "fr"})
    await ada.command(channel.id, "tell")
    assert await heard.get() == ("de", "fr")
    assert (await ada.call("GET", "/users/@me"))["locale"] == "de"
    assert (await ada.call("GET", "/users/@me"))["username"] == "ada"


async def test_a_language_that_discord_does_not_know_is_refused(ada: Person) -> None:
    refused = await ada.setup("PATCH", f"/people/{ada.id}", json={"locale": "tlh"})
    assert refused["code"] == 50035
    with pytest.raises(Refusal):
        await ada.call("GET", "/users/0")
