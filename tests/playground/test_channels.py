"""Channels, categories, roles, members and who sees what."""

import asyncio
from collections.abc import Callable
from typing import Any

import discord
import pytest
from discord.ext import commands

from bot.playground.server import Playground
from tests.playground.conftest import INTENTS, connected
from tests.playground.person import PATIENCE_SECONDS, Person, Refusal

Overwrites = dict[discord.Role | discord.Member | discord.Object, discord.PermissionOverwrite]


def _next(bot: commands.Bot, event: str) -> asyncio.Task[Any]:
    return asyncio.ensure_future(bot.wait_for(event, timeout=PATIENCE_SECONDS))


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110 - a cache changes without telling
            await asyncio.sleep(0.005)


async def test_channels_are_made_changed_and_removed(bot: commands.Bot, guild: discord.Guild, ada: Person) -> None:
    made = _next(bot, "guild_channel_create")
    channel = await guild.create_text_channel("Quiet Corner", topic="whisper", slowmode_delay=5)
    assert (await made).id == channel.id
    assert (channel.name, channel.topic, channel.slowmode_delay) == ("quiet-corner", "whisper", 5)
    changed = _next(bot, "guild_channel_update")
    await channel.edit(name="loud corner", topic="")
    _, after = await changed
    assert (after.name, after.topic) == ("loud-corner", None)
    assert (await ada.hears("CHANNEL_UPDATE"))["name"] == "loud-corner"
    await channel.delete()
    assert (await ada.hears("CHANNEL_DELETE"))["id"] == str(channel.id)
    with pytest.raises(discord.NotFound) as missing:
        await guild.fetch_channel(channel.id)
    assert missing.value.code == 10003


async def test_categories_hold_channels_and_are_reordered(guild: discord.Guild) -> None:
    category = await guild.create_category("Rooms")
    first = await category.create_text_channel("first")
    second = await category.create_text_channel("second")
    await second.move(before=first)
    fetched = {c.name: c for c in await guild.fetch_channels()}
    assert fetched["second"].position < fetched["first"].position
    assert isinstance(fetched["first"], discord.TextChannel)
    assert fetched["first"].category_id == category.id
    await category.delete()
    assert (await guild.fetch_channel(first.id)).category_id is None


async def test_a_category_is_full_at_fifty(guild: discord.Guild) -> None:
    category = await guild.create_category("Rooms")
    for number in range(50):
        await category.create_text_channel(f"room {number}")
    with pytest.raises(discord.HTTPException, match="Maximum number of channels in category"):
        await category.create_text_channel("one more")


async def test_a_private_channel_is_nobody_elses_business(guild: discord.Guild, ada: Person) -> None:
    overwrites: Overwrites = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        guild.me: discord.PermissionOverwrite(view_channel=True),
    }
    secret = await guild.create_text_channel("secret", overwrites=overwrites)
    await secret.send("hush")
    marker = await guild.text_channels[0].send("marker")
    await ada.hears("MESSAGE_CREATE", content="marker")
    assert not [e for e in ada.heard("CHANNEL_CREATE") if e["id"] == str(secret.id)]
    assert not [e for e in ada.heard("MESSAGE_CREATE") if e["content"] == "hush"]
    for path in (f"/channels/{secret.id}", f"/channels/{secret.id}/messages"):
        with pytest.raises(Refusal) as refused:
            await ada.call("GET", path)
        assert refused.value.body["code"] == 50001
    assert marker.channel.id != secret.id
    listed = await ada.call("GET", f"/guilds/{guild.id}/channels")
    assert str(secret.id) not in [c["id"] for c in listed]


async def test_a_channel_made_without_overwrites_takes_its_categorys(guild: discord.Guild) -> None:
    """discord.py always sends the list; an empty one means the same as none."""
    hidden: Overwrites = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        guild.me: discord.PermissionOverwrite(view_channel=True),
    }
    category = await guild.create_category("Back rooms", overwrites=hidden)
    taken = await guild.create_text_channel("taken", category=category, overwrites={})
    own = await guild.create_text_channel(
        "own", category=category, overwrites={guild.default_role: discord.PermissionOverwrite(view_channel=True)}
    )
    assert not taken.permissions_for(guild.default_role).view_channel
    assert own.permissions_for(guild.default_role).view_channel


async def test_access_is_given_and_taken_by_overwrites(guild: discord.Guild, ada: Person) -> None:
    overwrites: Overwrites = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        guild.me: discord.PermissionOverwrite(view_channel=True, send_messages=True),
    }
    room = await guild.create_text_channel("room", overwrites=overwrites)
    member = await guild.fetch_member(int(ada.id))
    await room.set_permissions(member, view_channel=True)
    await ada.hears("CHANNEL_CREATE", id=str(room.id))
    await room.send("come in")
    await ada.hears("MESSAGE_CREATE", content="come in")
    await ada.say(room.id, "thanks")
    await room.set_permissions(member, overwrite=None)
    await ada.hears("CHANNEL_DELETE", id=str(room.id))
    await room.send("alone again")
    await guild.text_channels[0].send("marker")
    await ada.hears("MESSAGE_CREATE", content="marker")
    assert not [e for e in ada.heard("MESSAGE_CREATE") if e["content"] == "alone again"]


async def test_reading_is_allowed_where_writing_is_not(guild: discord.Guild, ada: Person) -> None:
    silent = discord.PermissionOverwrite(send_messages=False)
    stage = await guild.create_text_channel("stage", overwrites={guild.default_role: silent})
    await ada.call("GET", f"/channels/{stage.id}/messages")
    with pytest.raises(Refusal) as refused:
        await ada.say(stage.id, "me too")
    assert refused.value.body["code"] == 50013


async def test_a_bot_can_shut_itself_out(guild: discord.Guild) -> None:
    closed = discord.PermissionOverwrite(view_channel=False)
    room = await guild.create_text_channel("locked", overwrites={guild.default_role: closed})
    with pytest.raises(discord.Forbidden) as refused:
        await room.send("hello?")
    assert refused.value.code == 50001


async def test_nobody_gives_what_it_does_not_have(guild: discord.Guild, channel: discord.TextChannel) -> None:
    with pytest.raises(discord.Forbidden):
        await channel.set_permissions(guild.default_role, moderate_members=True)
    with pytest.raises(discord.Forbidden):
        await guild.create_role(name="boss", permissions=discord.Permissions(administrator=True))


async def test_roles_are_made_given_and_taken(bot: commands.Bot, guild: discord.Guild, ada: Person) -> None:
    role = await guild.create_role(name="Architects", colour=discord.Colour.red(), mentionable=True)
    member = await guild.fetch_member(int(ada.id))
    await member.add_roles(role)
    assert (await ada.hears("GUILD_MEMBER_UPDATE"))["roles"] == [str(role.id)]
    assert [r.id for r in (await guild.fetch_member(member.id)).roles[1:]] == [role.id]
    message = await guild.text_channels[0].send(role.mention)
    assert message.role_mentions == [role]
    await role.edit(name="Builders")
    assert (await ada.hears("GUILD_ROLE_UPDATE"))["role"]["name"] == "Builders"
    await member.remove_roles(role)
    await role.delete()
    assert (await ada.hears("GUILD_ROLE_DELETE"))["role_id"] == str(role.id)
    assert role.id not in {r.id for r in await guild.fetch_roles()}


async def test_a_role_can_open_a_channel(guild: discord.Guild, ada: Person) -> None:
    role = await guild.create_role(name="Insiders")
    overwrites: Overwrites = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        guild.me: discord.PermissionOverwrite(view_channel=True),
        role: discord.PermissionOverwrite(view_channel=True),
    }
    room = await guild.create_text_channel("inside", overwrites=overwrites)
    member = await guild.fetch_member(int(ada.id))
    await member.add_roles(role)
    await ada.hears("CHANNEL_CREATE", id=str(room.id))
    await member.remove_roles(role)
    await ada.hears("CHANNEL_DELETE", id=str(room.id))


async def test_members_come_and_go(bot: commands.Bot, guild: discord.Guild, playground: Playground) -> None:
    came = _next(bot, "member_join")
    async with Person.new(playground.url, "Bo Li", manager=True) as person:
        member: discord.Member = await came
        assert (member.name, member.display_name) == ("bo_li", "Bo Li")
        await _until(lambda: guild.get_member(member.id) is not None)
        assert (await guild.fetch_member(member.id)).guild_permissions.manage_guild
        found = await guild.query_members("bo", limit=5)
        assert [m.id for m in found] == [member.id]
        left = _next(bot, "raw_member_remove")
        await person.call("DELETE", f"/users/@me/guilds/{guild.id}")
        assert (await left).user.id == member.id
        await person.hears("GUILD_DELETE", id=str(guild.id))


async def test_members_are_listed_page_by_page(guild: discord.Guild, playground: Playground, owner: Person) -> None:
    for number in range(5):
        await owner.setup("POST", "/people", json={"name": f"Guest {number}"})
    names = {m.name async for m in guild.fetch_members(limit=None)}
    assert names == {"robin", "Selfroom", *(f"guest_{n}" for n in range(5))}


async def test_nicknames_change(guild: discord.Guild, ada: Person) -> None:
    await ada.call("PATCH", f"/guilds/{guild.id}/members/@me", json={"nick": "Countess"})
    assert (await guild.fetch_member(int(ada.id))).display_name == "Countess"


async def test_a_server_made_later_arrives_at_its_members(
    bot: commands.Bot, ada: Person, playground: Playground
) -> None:
    made = await ada.setup("POST", "/guilds", json={"name": "Second Home", "owner_id": ada.id})
    assert [c["name"] for c in made["channels"]] == ["general"]
    joined = _next(bot, "guild_join")
    assert bot.user is not None
    await ada.setup("PUT", f"/guilds/{made['id']}/members/{bot.user.id}", json={})
    guild: discord.Guild = await joined
    assert (guild.name, guild.owner_id) == ("Second Home", int(ada.id))
    assert guild.me.guild_permissions.manage_webhooks


async def test_a_bot_invited_with_less_may_do_less(pointed: Playground, owner: Person) -> None:
    rights = discord.Permissions(view_channel=True, send_messages=True).value
    made = await owner.setup("POST", "/bots", json={"name": "Small", "permissions": str(rights)})
    small = commands.Bot("?", intents=INTENTS, guild_ready_timeout=0.02, help_command=None)
    async with connected(small, made["token"]):
        room = small.guilds[0].text_channels[0]
        await room.send("I can talk")
        with pytest.raises(discord.Forbidden) as refused:
            await room.create_webhook(name="x")
        assert refused.value.code == 50013
        assert small.application_id == int(made["application_id"])


async def test_bans_keep_out(guild: discord.Guild, ada: Person, owner: Person) -> None:
    await owner.call("PUT", f"/guilds/{guild.id}/bans/{ada.id}", json={})
    await ada.hears("GUILD_DELETE", id=str(guild.id))
    bans = await owner.call("GET", f"/guilds/{guild.id}/bans")
    assert [entry["user"]["id"] for entry in bans] == [ada.id]
    await owner.call("DELETE", f"/guilds/{guild.id}/bans/{ada.id}")
    with pytest.raises(Refusal):
        await owner.call("GET", f"/guilds/{guild.id}/bans/{ada.id}")


async def test_the_application_knows_itself(bot: commands.Bot) -> None:
    info = await bot.application_info()
    assert (info.name, info.owner.name, info.id) == ("Selfroom", "robin", bot.application_id)
    assert info.flags.gateway_message_content_limited
