"""Who speaks to an agent where none hears is told where it lives: in a channel that is no room, and in private."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import discord
import pytest

from bot.core.records import Snowflake
from tests.adapters.discord.stage import Bot, Guest, Stage, staged, until


@dataclass
class Scene:
    stage: Stage
    bot: Bot
    ada_at: Snowflake
    welcome: int

    async def said_in(self, channel_id: int, who: Guest, count: int) -> list[str]:
        """Wait until so much was said by the bot in a channel, and give it."""

        async def there() -> bool:
            return len(await self._by_bot(channel_id, who)) >= count

        await until(there)
        return await self._by_bot(channel_id, who)

    async def _by_bot(self, channel_id: int, who: Guest) -> list[str]:
        return [one["content"] for one in await who.read(channel_id) if one["author"]["id"] == self.stage.bot_id]


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged() as stage, stage.bot() as bot, aiohttp.ClientSession() as session:
        _, ada_at = await stage.settle_in(bot)
        async with session.get(f"{stage.playground.url}/playground") as answer:
            welcome = int((await answer.json())["channel_id"])
        yield Scene(stage, bot, ada_at, welcome)


async def test_who_greets_an_agent_where_no_agent_hears_is_told_once_where_it_lives(scene: Scene) -> None:
    mira, bob = await scene.stage.guest("mira"), await scene.stage.guest("bob")
    await mira.say(scene.welcome, "Hello Ada! Anyone here?")
    [told] = await scene.said_in(scene.welcome, mira, 1)
    assert f"**Ada** in <#{scene.ada_at}>" in told
    await mira.say(scene.welcome, "Ada? Ada?")
    await bob.say(scene.welcome, "Is there bread left?")
    await bob.say(scene.welcome, "Ada, hello")
    assert len(await scene.said_in(scene.welcome, mira, 2)) == 2


async def test_who_calls_again_soon_is_pointed_at_what_was_said_above(scene: Scene) -> None:
    mira = await scene.stage.guest("mira")
    await mira.say(scene.welcome, "Hello Ada! Anyone here?")
    await scene.said_in(scene.welcome, mira, 1)
    again = await mira.say(scene.welcome, "Hello Ada!")

    async def is_pointed() -> bool:
        found = next(one for one in await mira.read(scene.welcome) if one["id"] == str(again))
        return [one["emoji"]["name"] for one in found.get("reactions", [])] == ["👆"]

    await until(is_pointed)
    assert len(await scene.said_in(scene.welcome, mira, 1)) == 1


async def test_who_greets_an_agent_before_it_has_its_channel_is_told_once_it_has() -> None:
    async with staged() as stage, stage.bot() as bot, aiohttp.ClientSession() as session:
        async with session.get(f"{stage.playground.url}/playground") as answer:
            welcome = int((await answer.json())["channel_id"])
        mira = await stage.guest("mira")
        said = await mira.say(welcome, "Hello Ada! Anyone here?")

        async def is_heard() -> bool:
            channel = bot.client.get_channel(welcome)
            return isinstance(channel, discord.TextChannel) and channel.last_message_id == said

        await until(is_heard)
        _, ada_at = await stage.settle_in(bot)
        [told] = await Scene(stage, bot, ada_at, welcome).said_in(welcome, mira, 1)
        assert f"**Ada** in <#{ada_at}>" in told


async def test_who_greets_an_agent_while_the_bot_is_away_is_told_once_when_it_is_back() -> None:
    async with staged() as stage, aiohttp.ClientSession() as session:
        async with session.get(f"{stage.playground.url}/playground") as answer:
            welcome = int((await answer.json())["channel_id"])
        mira, bob = await stage.guest("mira"), await stage.guest("bob")
        async with stage.bot() as bot:
            _, ada_at = await stage.settle_in(bot)
        await bob.say(welcome, "Is there bread left?")
        await mira.say(welcome, "Hello Ada! Anyone here?")
        async with stage.bot() as bot:
            [told] = await Scene(stage, bot, ada_at, welcome).said_in(welcome, mira, 1)
            assert f"**Ada** in <#{ada_at}>" in told
        await bob.say(welcome, "Ada, hello")
        async with stage.bot() as bot:
            assert len(await Scene(stage, bot, ada_at, welcome).said_in(welcome, mira, 2)) == 2


async def test_who_calls_the_bot_itself_is_told_too(scene: Scene) -> None:
    mira = await scene.stage.guest("mira")
    await mira.say(scene.welcome, f"<@{scene.stage.bot_id}> are you there?")
    [told] = await scene.said_in(scene.welcome, mira, 1)
    assert "**Ada** in" in told


async def test_in_a_room_and_by_bots_nothing_is_pointed_at(scene: Scene) -> None:
    mira = await scene.stage.guest("mira")
    await mira.say(scene.ada_at, "Hello Ada!")
    channel = scene.bot.client.get_partial_messageable(scene.welcome)
    await channel.send("Ada is a gardener")
    await mira.say(scene.welcome, "Ada?")
    told = await scene.said_in(scene.welcome, mira, 2)
    assert len(told) == 2 and "lives" not in told[0]
    assert await scene.said_in(scene.ada_at, mira, 0) == []


async def test_a_private_message_to_the_bot_is_answered_with_what_works_there(scene: Scene) -> None:
    mira = await scene.stage.guest("mira")
    direct = await mira.call("POST", "/users/@me/channels", {"recipient_id": scene.stage.bot_id})
    await mira.say(int(direct["id"]), "Hello?")
    [told] = await scene.said_in(int(direct["id"]), mira, 1)
    assert f"**Ada** in <#{scene.ada_at}>" in told
    assert "commands work only there" in told and "/" not in told


async def test_nobody_is_told_of_a_room_that_they_do_not_see(scene: Scene) -> None:
    mira = await scene.stage.guest("mira")
    closed = {"id": str(scene.stage.guild_id), "type": 0, "deny": str(1 << 10)}
    ours = {"id": scene.stage.bot_id, "type": 1, "allow": str(1 << 10)}
    await scene.stage.owner.call("PATCH", f"/channels/{scene.ada_at}", {"permission_overwrites": [closed, ours]})

    async def is_hidden() -> bool:
        guild = scene.bot.client.guilds[0]
        channel = guild.get_channel(scene.ada_at)
        return channel is not None and not channel.permissions_for(guild.default_role).view_channel

    await until(is_hidden)
    await mira.say(scene.welcome, "Hello Ada!")
    await scene.stage.owner.say(scene.welcome, "Hello Ada!")
    assert len(await scene.said_in(scene.welcome, mira, 1)) == 1
