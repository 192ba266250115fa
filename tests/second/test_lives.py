"""Journeys in which the bot dies, or people take away what it stands on."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.visitor import Json
from tests.second.town import Home, Town, eventually, people_of
from tests.second.world import World, bot

pytestmark = pytest.mark.asyncio(loop_scope="session")

MANAGE_ROLES, MANAGE_WEBHOOKS = 1 << 28, 1 << 29


async def answers(town: Town, home: Home, said: Json) -> list[str]:
    """Give what agents posted after a line."""
    return [one["content"] for one in await town.posts(home.channel_id) if int(one["id"]) > int(said["id"])]


async def test_killed_in_mid_sentence_it_loses_nothing_and_says_nothing_twice(world: World, tmp_path: Path) -> None:
    slow = {"SELFROOM_COMMUNITY__TYPING_AT_MOST_SECONDS": "2"}
    async with people_of(world) as town:
        async with bot(world, tmp_path, **slow) as life:
            wren = await town.agent("Wren")
            said = await town.you.say(wren.channel_id, "Hello Wren, tell me a story")
            await town.you.hear("TYPING_START", lambda data: data["channel_id"] == wren.channel_id)
            await life.end(signal.SIGKILL)
        async with bot(world, tmp_path, **slow):
            await town.answered(said)
            assert len(await answers(town, wren, said)) == 1
            again = await town.asked(town.you, wren, "Thank you, Wren. Who are you?")
            told = await answers(town, wren, said)
    assert len(told) == len(set(told)) == 2
    assert again["author"]["username"] == "Wren"


async def test_what_is_said_while_it_is_away_is_answered_once(world: World, tmp_path: Path) -> None:
    async with people_of(world) as town:
        async with bot(world, tmp_path) as life:
            wren = await town.agent("Wren")
            await town.asked(town.you, wren, "Hello Wren")
            await life.end(signal.SIGINT)
        first = await town.guest.visitor.say(wren.channel_id, "Wren, is anybody there?")
        await town.guest.visitor.say(wren.channel_id, "Wren, who are you?")
        async with bot(world, tmp_path):
            await town.answered(first)
            await town.sees("history", "is anybody there?", room="Wren")
            told = await answers(town, wren, first)
            history = await town.seen("history", room="Wren")
    assert len(told) == 1
    assert history.count("is anybody there?") == 1


async def test_what_is_deleted_while_it_is_away_is_not_remembered(world: World, tmp_path: Path) -> None:
    async with people_of(world) as town:
        async with bot(world, tmp_path) as life:
            wren = await town.agent("Wren")
            said = await town.guest.visitor.say(wren.channel_id, "Wren, my secret is marzipan")
            await town.answered(said)
            await life.end(signal.SIGINT)
        await town.guest.visitor.ask("DELETE", f"/channels/{wren.channel_id}/messages/{said['id']}")
        async with bot(world, tmp_path):

            async def gone() -> bool:
                return "marzipan" not in await town.seen("history", room="Wren")

            await eventually(gone, "history without it")


async def test_buttons_and_questions_can_be_answered_after_a_restart(world: World, tmp_path: Path) -> None:
    async with people_of(world) as town:
        async with bot(world, tmp_path) as life:
            attic = await town.agent("Attic")
            await town.manager.told("agent pause", agent="Attic")
            await town.manager.told("key create", room="Attic", label="one", key="open sesame")
            await town.close(attic)
            assert "You knocked" in await town.guest.told("access request", room=str(attic.id), key="open sesame")
            pending = await town.manager.run("access pending")
            question = await town.manager.run("agent delete", agent="Attic")
            await life.end(signal.SIGKILL)
        async with bot(world, tmp_path):
            grant = pending["components"][0]["components"][0]["label"]
            assert "@gus is let in." in words_of(await town.manager.press(pending, grant))
            assert "deleted for good" in words_of(await town.manager.press(question, "Delete Attic"))


async def test_webhooks_that_people_delete_are_made_again(town: Town) -> None:
    hook = await town.agent("Hook")
    first = await town.asked(town.you, hook, "Hello Hook")
    await without_webhooks(town, hook)
    second = await town.asked(town.you, hook, "Hook, are you still there?")
    assert second["webhook_id"] != first["webhook_id"]
    assert second["author"]["username"] == "Hook"


async def without_webhooks(town: Town, home: Home) -> None:
    """Delete a channel's webhooks, as people may in its settings."""
    for one in await town.owner.ask("GET", f"/channels/{home.channel_id}/webhooks"):
        await town.owner.ask("DELETE", f"/webhooks/{one['id']}")


async def test_an_agent_whose_channel_people_deleted_is_restored_into_a_new_one(town: Town) -> None:
    lark = await town.agent("Lark")
    await town.asked(town.you, lark, "Hello Lark, remember the word heliotrope")
    await town.owner.ask("DELETE", f"/channels/{lark.channel_id}")
    await town.sees("agent show", "retired", agent="Lark")
    assert "Nothing was found." in await town.seen("search", words="heliotrope")
    assert "Lark is back." in await town.manager.told("agent restore", agent="Lark")
    again = Home(lark.id, "Lark", await town.you.channel("lark"))
    assert again.channel_id != lark.channel_id
    assert (await town.asked(town.you, again, "Hello Lark"))["author"]["username"] == "Lark"


async def test_without_manage_webhooks_managers_are_told_and_nothing_is_lost(town: Town) -> None:
    mute = await town.agent("Mute")
    await town.manager.told("setup places", managers_channel=town.manager.channel_id)
    await without_webhooks(town, mute)  # through one that is there, posts go also without the right
    async with lacking(town, MANAGE_WEBHOOKS):
        said = await town.you.say(mute.channel_id, "Hello Mute, who are you?")
        await town.wait_for(town.manager.channel_id, "does not let me", town.you)
        assert "**manage webhooks** is missing" in await town.manager.told("setup start")
        assert await answers(town, mute, said) == []
    await town.answered(said)
    assert len(await answers(town, mute, said)) == 1


async def test_without_manage_roles_a_room_stays_open_until_the_right_is_there(town: Town) -> None:
    loft = await town.agent("Loft")
    async with lacking(town, MANAGE_ROLES):
        owner = Commander(town.owner, town.manager.channel_id)
        await owner.told("room visibility", room="Loft", visibility="private")
        assert "**manage roles** is missing" in await town.manager.told("setup start")
        assert "loft" in await town.guest.visitor.channels()
    await town.close(loft)


@asynccontextmanager
async def lacking(town: Town, bit: int) -> AsyncIterator[None]:
    """Take a permission from the bot's role until the block ends."""
    path = f"/guilds/{town.owner.about['guild_id']}/roles"
    role = next(one for one in await town.owner.ask("GET", path) if one["managed"] and one["name"] == "Selfroom")
    await town.owner.ask("PATCH", f"{path}/{role['id']}", {"permissions": str(int(role["permissions"]) & ~bit)})
    try:
        yield
    finally:
        await town.owner.ask("PATCH", f"{path}/{role['id']}", {"permissions": role["permissions"]})


async def test_a_new_manager_is_known_as_one_without_a_restart(town: Town) -> None:
    await town.agent("Rook")
    async with town.world.people("nell") as nell:
        there = Commander(nell, town.guest.channel_id)
        assert "Only people who may manage" in await there.told("agent pause", agent="Rook")
        guild = town.owner.about["guild_id"]
        roles = await town.owner.ask("GET", f"/guilds/{guild}/roles")
        role = next(one for one in roles if one["name"] == "Managers")
        await town.owner.ask("PUT", f"/guilds/{guild}/members/{nell.user['id']}/roles/{role['id']}")
        assert "Rook is paused." in await Commander(nell, town.guest.channel_id).told("agent pause", agent="Rook")
