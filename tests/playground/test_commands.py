"""Slash commands, autocomplete and menus: from discord.py's tree to a person and back."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import aiohttp
import discord
import pytest
from discord import app_commands
from discord.ext import commands

from bot.playground.server import Playground
from tests.playground.person import PATIENCE_SECONDS, Person, Refusal

Tree = app_commands.CommandTree[commands.Bot]
Sync = Callable[[], Awaitable[list[app_commands.AppCommand]]]
ECHO = {"name": "text", "type": 3, "value": "hi"}


def option(name: str, kind: int, value: object) -> dict[str, Any]:
    return {"name": name, "type": kind, "value": value}


def add_simple(tree: Tree) -> None:
    @tree.command(description="Say it back")
    async def echo(interaction: discord.Interaction, text: str, secret: bool = False) -> None:
        await interaction.response.send_message(text, ephemeral=secret)

    @tree.context_menu(name="Who said this?")
    async def who(interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.send_message(f"{message.author.name}: {message.content}", ephemeral=True)

    @tree.context_menu(name="Greet")
    async def greet(interaction: discord.Interaction, member: discord.Member) -> None:
        await interaction.response.send_message(f"hello {member.mention}")


def add_everything(tree: Tree, calls: list[Any]) -> None:
    @tree.command(description="Every type there is")
    async def everything(
        interaction: discord.Interaction,
        number: app_commands.Range[int, 1, 10],
        colour: Literal["red", "blue"],
        member: discord.Member,
        room: discord.TextChannel,
        role: discord.Role,
        share: float | None = None,
        file: discord.Attachment | None = None,
    ) -> None:
        text = None if file is None else await file.read()
        calls.append((number, colour, member.name, room.name, role.name, share, text))
        await interaction.response.send_message("got it")


def add_group(tree: Tree) -> None:
    group = app_commands.Group(name="room", description="Rooms")
    inner = app_commands.Group(name="list", description="Lists", parent=group)

    @inner.command(name="all", description="List all")
    async def list_all(interaction: discord.Interaction) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.followup.send("nothing", ephemeral=True)
        await interaction.followup.send("really nothing", ephemeral=True)

    @group.command(name="open", description="Open one")
    async def open_room(interaction: discord.Interaction, name: str) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content=f"opened {name}")

    @open_room.autocomplete("name")
    async def names(_: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=n, value=n.lower()) for n in ("Hall", "Attic") if current in n.lower()]

    tree.add_command(group)


@pytest.fixture
def said(bot: commands.Bot) -> list[Any]:
    """Give the bot commands; the list fills with what the largest of them was called with."""
    calls: list[Any] = []
    add_simple(bot.tree)
    add_everything(bot.tree, calls)
    add_group(bot.tree)
    return calls


@pytest.fixture
async def commands_of(bot: commands.Bot, said: list[Any]) -> list[app_commands.AppCommand]:
    """Tell the playground of the commands."""
    return await bot.tree.sync()


async def test_a_tree_is_kept_as_it_was_given(bot: commands.Bot, commands_of: list[app_commands.AppCommand]) -> None:
    fetched = {c.name: c for c in await bot.tree.fetch_commands()}
    assert set(fetched) == {"echo", "everything", "room", "Who said this?", "Greet"}
    room = fetched["room"]
    assert [o.name for o in room.options] == ["list", "open"]
    again = await bot.tree.sync()
    assert {c.name: c.id for c in again} == {c.name: c.id for c in commands_of}


async def test_a_command_answers_in_the_channel(
    commands_of: list[Any], channel: discord.TextChannel, ada: Person, owner: Person
) -> None:
    await ada.command(channel.id, "echo", ECHO)
    answer = await owner.hears("MESSAGE_CREATE", content="hi")
    assert (answer["type"], answer["interaction_metadata"]["user"]["id"]) == (20, ada.id)
    assert answer["interaction"]["name"] == "echo"
    await ada.hears("INTERACTION_SUCCESS")


async def test_an_ephemeral_answer_is_for_one_person(
    bot: commands.Bot, commands_of: list[Any], channel: discord.TextChannel, ada: Person, owner: Person
) -> None:
    await ada.command(channel.id, "echo", ECHO, option("secret", 5, True))
    answer = await ada.hears("MESSAGE_CREATE", content="hi")
    assert answer["flags"] & 64
    await channel.send("marker")
    await owner.hears("MESSAGE_CREATE", content="marker")
    assert not [e for e in owner.heard("MESSAGE_CREATE") if e["content"] == "hi"]
    assert "hi" not in [m.content async for m in channel.history()]
    with pytest.raises(discord.NotFound):
        await channel.fetch_message(int(answer["id"]))


async def test_every_type_of_option_arrives(
    said: list[Any], commands_of: list[Any], channel: discord.TextChannel, ada: Person, guild: discord.Guild
) -> None:
    role = await guild.create_role(name="Guests")
    options = [option("number", 4, 7), option("colour", 3, "red"), option("member", 6, ada.id)]
    options += [option("room", 7, str(channel.id)), option("role", 8, str(role.id)), option("share", 10, 0.5)]
    await ada.command(channel.id, "everything", *options)
    await ada.hears("MESSAGE_CREATE", content="got it")
    assert said == [(7, "red", "ada", "welcome", "Guests", 0.5, None)]


async def test_a_file_comes_along_with_a_command(
    said: list[Any], commands_of: list[Any], channel: discord.TextChannel, ada: Person, guild: discord.Guild
) -> None:
    index = await ada.call("GET", f"/channels/{channel.id}/application-command-index")
    command = next(c for c in index["application_commands"] if c["name"] == "everything")
    options = [option("number", 4, 1), option("colour", 3, "blue"), option("member", 6, ada.id)]
    options += [option("room", 7, str(channel.id)), option("role", 8, str(guild.id)), option("file", 11, "0")]
    body = {"type": 2, "application_id": ada.about["application_id"], "channel_id": str(channel.id)}
    data = {"id": command["id"], "name": "everything", "options": options}
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("payload_json", discord.utils._to_json(body | {"data": data}))
    form.add_field("files[0]", io.BytesIO(b"card"), filename="card.json")
    await ada.call("POST", "/interactions", data=form)
    await ada.hears("MESSAGE_CREATE", content="got it")
    assert said[0][-1] == b"card"


async def test_subcommands_of_groups_are_found(
    commands_of: list[Any], channel: discord.TextChannel, ada: Person
) -> None:
    inner = {"name": "all", "type": 1, "options": []}
    await ada.command(channel.id, "room", {"name": "list", "type": 2, "options": [inner]})
    thinking = await ada.hears("MESSAGE_CREATE", content="")
    assert thinking["flags"] & 192 == 192
    first = await ada.hears("MESSAGE_UPDATE", content="nothing")
    assert (first["id"], first["flags"]) == (thinking["id"], 64)
    await ada.hears("MESSAGE_CREATE", content="really nothing")


async def test_a_deferred_answer_is_edited_in_place(
    said: list[Any], commands_of: list[Any], channel: discord.TextChannel, ada: Person
) -> None:
    await ada.command(channel.id, "room", {"name": "open", "type": 1, "options": [option("name", 3, "hall")]})
    done = await ada.hears("MESSAGE_UPDATE", content="opened hall")
    assert (done["edited_timestamp"], done["interaction"]["name"]) == (None, "room open")


async def test_choices_are_completed_while_typing(
    commands_of: list[Any], channel: discord.TextChannel, ada: Person
) -> None:
    typed = option("name", 3, "at") | {"focused": True}
    await ada.command(channel.id, "room", {"name": "open", "type": 1, "options": [typed]}, kind=4)
    offered = await ada.hears("APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE")
    assert offered["choices"] == [{"name": "Attic", "value": "attic"}]


async def test_menus_act_on_messages_and_people(
    commands_of: list[Any], channel: discord.TextChannel, ada: Person
) -> None:
    message = await channel.send("to be or not")
    await ada.command(channel.id, "Who said this?", target_id=str(message.id))
    await ada.hears("MESSAGE_CREATE", content="Selfroom: to be or not")
    await ada.command(channel.id, "Greet", target_id=ada.id)
    await ada.hears("MESSAGE_CREATE", content=f"hello <@{ada.id}>")


async def test_answers_are_fetched_changed_and_deleted(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    done: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()

    @bot.tree.command(description="Tidy up")
    async def tidy(interaction: discord.Interaction) -> None:
        notes = discord.File(io.BytesIO(b"notes"), "notes.txt")
        await interaction.response.send_message("first", file=notes, embed=discord.Embed(title="T"))
        original = await interaction.original_response()
        seen = [original.content, original.attachments[0].filename, original.embeds[0].title or ""]
        extra = await interaction.followup.send("second", wait=True)
        await extra.edit(content="second, better")
        seen.append((await interaction.followup.fetch_message(extra.id)).content)
        await interaction.followup.delete_message(extra.id)
        await interaction.delete_original_response()
        done.set_result(seen)

    await bot.tree.sync()
    await ada.command(channel.id, "tidy")
    assert await asyncio.wait_for(done, PATIENCE_SECONDS) == ["first", "notes.txt", "T", "second, better"]
    assert [m.content async for m in channel.history() if m.author == bot.user] == []
    gone = [event["id"] for event in ada.heard("MESSAGE_DELETE")]
    assert len(gone) == 2


async def test_a_reply_of_a_bot_in_its_own_words_stands_alone(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    @bot.tree.command(description="Answers twice")
    async def twice(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("one", ephemeral=True)
        await interaction.followup.send("two")

    await bot.tree.sync()
    await ada.command(channel.id, "twice")
    second = await ada.hears("MESSAGE_CREATE", content="two")
    assert second["interaction_metadata"]["original_response_message_id"] == ada.heard("MESSAGE_CREATE")[0]["id"]
    assert [m.content async for m in channel.history(limit=1)] == ["two"]


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [option("text", 4, 5)],
        [option("text", 3, "x"), option("nonsense", 3, "x")],
        [option("text", 3, "x" * 6001)],
    ],
)
async def test_what_does_not_fit_the_command_is_refused_before_the_bot_sees_it(
    commands_of: list[Any], channel: discord.TextChannel, ada: Person, wrong: list[dict[str, Any]]
) -> None:
    with pytest.raises(Refusal) as refused:
        await ada.command(channel.id, "echo", *wrong)
    assert refused.value.body["code"] == 50035


async def test_a_command_for_managers_is_hidden_from_others(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person, owner: Person
) -> None:
    @bot.tree.command(description="Only for managers")
    @app_commands.default_permissions(manage_guild=True)
    async def manage(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("managed")

    await bot.tree.sync()
    index = await ada.call("GET", f"/channels/{channel.id}/application-command-index")
    assert index["application_commands"] == []
    await owner.command(channel.id, "manage")
    await owner.hears("MESSAGE_CREATE", content="managed")
    command = (await bot.tree.fetch_commands())[0]
    with pytest.raises(Refusal) as refused:
        await ada.interact(2, channel.id, {"id": str(command.id), "name": "manage", "type": 1})
    assert refused.value.status == 403


async def test_permissions_of_a_command_can_be_set_here(
    bot: commands.Bot, commands_of: list[Any], channel: discord.TextChannel, ada: Person, owner: Person
) -> None:
    command = next(c for c in commands_of if c.name == "echo")
    path = f"/applications/{bot.application_id}/guilds/{channel.guild.id}/commands/{command.id}/permissions"
    rules = [{"id": ada.id, "type": 2, "permission": False}]
    await owner.call("PUT", path, json={"permissions": rules})
    with pytest.raises(Refusal):
        await ada.interact(2, channel.id, {"id": str(command.id), "name": "echo", "options": [ECHO]})
    told = await command.fetch_permissions(channel.guild)
    assert [(rule.id, rule.permission) for rule in told.permissions] == [(int(ada.id), False)]


async def test_commands_of_one_server_are_their_own(bot: commands.Bot, guild: discord.Guild, ada: Person) -> None:
    @bot.tree.command(description="Here only", guild=guild)
    async def here(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("here")

    synced = await bot.tree.sync(guild=guild)
    assert [c.name for c in synced] == ["here"]
    assert await bot.tree.fetch_commands() == []
    room = guild.text_channels[0]
    await ada.command(room.id, "here")
    await ada.hears("MESSAGE_CREATE", content="here")
    await synced[0].edit(description="Only here")
    assert (await bot.tree.fetch_command(synced[0].id, guild=guild)).description == "Only here"
    await synced[0].delete()
    assert await bot.tree.fetch_commands(guild=guild) == []


async def test_silence_is_told_after_three_seconds(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    heard: asyncio.Future[discord.Interaction] = asyncio.get_running_loop().create_future()

    @bot.tree.command(description="Never answers")
    async def silent(interaction: discord.Interaction) -> None:
        heard.set_result(interaction)

    await bot.tree.sync()
    await ada.command(channel.id, "silent")
    interaction = await heard
    await ada.setup("POST", "/clock", json={"advance": 3.1})
    await ada.hears("INTERACTION_FAILURE")
    with pytest.raises(discord.NotFound) as late:
        await interaction.response.send_message("too late")
    assert late.value.code == 10062


async def test_a_token_is_good_for_fifteen_minutes(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    heard: asyncio.Future[discord.Interaction] = asyncio.get_running_loop().create_future()

    @bot.tree.command(description="Goes on later")
    async def later(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("first")
        heard.set_result(interaction)

    await bot.tree.sync()
    await ada.command(channel.id, "later")
    interaction = await heard
    with pytest.raises(discord.InteractionResponded):
        await interaction.response.send_message("again")
    await ada.setup("POST", "/clock", json={"advance": 800})
    await interaction.followup.send("second")
    await ada.setup("POST", "/clock", json={"advance": 200})
    with pytest.raises(discord.HTTPException) as late:
        await interaction.followup.send("third")
    assert late.value.code == 50027


async def test_people_read_the_commands_of_bots_they_meet_and_change_none(
    commands_of: list[Any], bot: commands.Bot, guild: discord.Guild, playground: Playground, ada: Person
) -> None:
    path = f"/applications/{bot.application_id}/commands"
    listed = await ada.call("GET", path)
    assert {command["name"] for command in listed} == {command.name for command in commands_of}
    assert await ada.call("GET", f"{path}/{listed[0]['id']}") == listed[0]
    assert await ada.call("GET", path.replace("/commands", f"/guilds/{guild.id}/commands")) == []
    with pytest.raises(Refusal) as refused:
        await ada.call("PUT", path, json=[])
    assert refused.value.status == 403
    elsewhere = await ada.setup("POST", "/guilds", json={"name": "Elsewhere"})
    async with Person.new(playground.url, "Bob", guild_id=elsewhere["id"]) as bob:
        with pytest.raises(Refusal) as refused:
            await bob.call("GET", path)
        assert refused.value.status == 403
