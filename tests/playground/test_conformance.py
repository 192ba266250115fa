"""What a community's bot does with Discord, done with discord.py and a person's REST calls alone.

The other tests here look at one thing each, closely. These walk through whole errands, as a stranger's bot would.
"""

import io

import discord
import pytest
from discord import ui
from discord.ext import commands

from tests.playground.person import Person, Refusal


async def test_a_bot_furnishes_a_server(guild: discord.Guild, ada: Person) -> None:
    rooms = await guild.create_category("Rooms")
    shut: dict[discord.Role | discord.Member | discord.Object, discord.PermissionOverwrite] = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        guild.me: discord.PermissionOverwrite(view_channel=True),
    }
    room = await guild.create_text_channel("attic", category=rooms, topic="Old things", overwrites=shut)
    with pytest.raises(Refusal):
        await ada.call("GET", f"/channels/{room.id}")
    await room.move(beginning=True)
    opened = await room.edit(sync_permissions=True)
    assert opened is not None
    assert (await ada.call("GET", f"/channels/{room.id}"))["topic"] == "Old things"
    twin = await opened.clone(name="cellar")
    assert (await ada.call("GET", f"/channels/{twin.id}"))["parent_id"] == str(rooms.id)
    await room.delete()
    assert room.id not in [channel.id for channel in await guild.fetch_channels()]


async def test_a_message_lives_through_all_that_can_happen_to_it(channel: discord.TextChannel, ada: Person) -> None:
    picture = discord.File(io.BytesIO(b"not really"), "note.txt")
    message = await channel.send("hi", embed=discord.Embed(title="Look"), file=picture, silent=True)
    assert (await ada.hears("MESSAGE_CREATE", content="hi"))["attachments"][0]["filename"] == "note.txt"
    assert (await message.edit(content="ho", attachments=[])).attachments == []
    answer = await message.reply("and so on", mention_author=False)
    assert (await ada.hears("MESSAGE_CREATE", id=str(answer.id)))["referenced_message"]["content"] == "ho"
    await message.add_reaction("👍")
    await ada.react({"channel_id": channel.id, "id": message.id}, "👍")
    assert (await channel.fetch_message(message.id)).reactions[0].count == 2
    await message.clear_reactions()
    await message.pin()
    assert [pin.id async for pin in channel.pins()] == [message.id]
    await message.unpin()
    assert len(await channel.purge(limit=2)) == 2


async def test_a_webhook_speaks_in_many_names(channel: discord.TextChannel, guild: discord.Guild, ada: Person) -> None:
    hook = await channel.create_webhook(name="Hall")
    said = await hook.send("x", wait=True, username="Quill", allowed_mentions=discord.AllowedMentions.none())
    assert (await ada.hears("MESSAGE_CREATE", id=str(said.id)))["author"]["username"] == "Quill"
    await said.edit(content="y")
    assert (await hook.fetch_message(said.id)).content == "y"
    await said.delete()
    other = await guild.create_text_channel("elsewhere")
    await hook.edit(name="Moved", channel=other)
    assert [(found.name, found.channel_id) for found in await guild.webhooks()] == [("Moved", other.id)]
    thread = await other.create_thread(name="aside", type=discord.ChannelType.public_thread)
    await hook.send("in the thread", thread=thread)
    assert (await ada.hears("MESSAGE_CREATE", content="in the thread"))["channel_id"] == str(thread.id)
    await hook.delete()
    assert await other.webhooks() == []


async def test_a_webhook_shows_a_layout(channel: discord.TextChannel, ada: Person) -> None:
    hook = await channel.create_webhook(name="Board")
    board: ui.LayoutView = ui.LayoutView()
    board.add_item(ui.Container(ui.TextDisplay("## Today")))
    shown = await hook.send(view=board, wait=True)
    heard = await ada.hears("MESSAGE_CREATE", id=str(shown.id))
    assert heard["components"][0]["components"][0]["content"] == "## Today"
    assert heard["flags"] & 1 << 15


async def test_threads_and_posts_come_go_and_wake(channel: discord.TextChannel, guild: discord.Guild) -> None:
    thread = await (await channel.send("a thought")).create_thread(name="thought")
    await thread.join()
    assert guild.me.id in [member.id for member in await thread.fetch_members()]
    await thread.edit(archived=True)
    assert [found.id async for found in channel.archived_threads()] == [thread.id]
    await thread.send("wake up")
    assert [found.id for found in await guild.active_threads()] == [thread.id]
    forum = await guild.create_forum("ideas")
    post = await forum.create_thread(name="a post", content="the first words")
    assert post.message.content == "the first words"
    await post.thread.edit(archived=True, locked=True)
    assert [found.id async for found in forum.archived_threads()] == [post.thread.id]


async def test_roles_and_members_are_managed(bot: commands.Bot, guild: discord.Guild, ada: Person) -> None:
    role = await guild.create_role(name="guest", colour=discord.Colour.teal(), hoist=True)
    await role.edit(name="friend", permissions=discord.Permissions(send_messages=True))
    member = await guild.fetch_member(int(ada.id))
    await member.add_roles(role)
    assert (await ada.call("GET", f"/guilds/{guild.id}/members/{ada.id}"))["roles"] == [str(role.id)]
    assert [found.id for found in await guild.query_members("Ada")] == [int(ada.id)]
    await member.send("between us")
    assert (await ada.hears("MESSAGE_CREATE", content="between us")).get("guild_id") is None
    await role.delete()
    assert role.id not in [found.id for found in await guild.fetch_roles()]
    await guild.me.edit(nick="Nick")
    assert bot.user is not None
    await ada.hears("GUILD_MEMBER_UPDATE", nick="Nick")
    await bot.change_presence(activity=discord.Game("a game"))


async def test_a_server_is_changed_by_those_who_manage_it_only(
    guild: discord.Guild, owner: Person, ada: Person
) -> None:
    with pytest.raises(discord.Forbidden):
        await guild.edit(name="Taken over")
    with pytest.raises(Refusal):
        await ada.call("PATCH", f"/guilds/{guild.id}", json={"name": "Mine"})
    await owner.call("PATCH", f"/guilds/{guild.id}", json={"name": "Ours"})
    assert (await ada.hears("GUILD_UPDATE", id=str(guild.id)))["name"] == "Ours"
