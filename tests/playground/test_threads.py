"""Threads and forum posts as discord.py opens, fills, closes and lists them."""

import asyncio
from typing import Any

import discord
import pytest
from discord.ext import commands

from bot.playground.server import Playground
from tests.playground.person import PATIENCE_SECONDS, Person, Refusal


def _next(bot: commands.Bot, event: str) -> asyncio.Task[Any]:
    return asyncio.ensure_future(bot.wait_for(event, timeout=PATIENCE_SECONDS))


async def test_a_thread_grows_from_a_message(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    message = await channel.send("start here")
    opened = _next(bot, "thread_create")
    thread = await message.create_thread(name="aside", auto_archive_duration=60)
    assert (thread.id, thread.parent_id, thread.name) == (message.id, channel.id, "aside")
    assert (await opened).id == thread.id
    assert (await ada.hears("THREAD_CREATE", id=str(thread.id)))["newly_created"]
    await thread.send("inside")
    heard = await ada.hears("MESSAGE_CREATE", content="inside")
    assert heard["channel_id"] == str(thread.id)
    fetched = await channel.fetch_message(message.id)
    assert fetched.flags.has_thread
    assert fetched.thread is not None
    again = await thread.fetch_message((await thread.send("x")).id)
    assert again.position == 3


async def test_a_message_has_one_thread(channel: discord.TextChannel) -> None:
    message = await channel.send("once")
    await message.create_thread(name="one")
    with pytest.raises(discord.HTTPException) as refused:
        await message.create_thread(name="two")
    assert refused.value.code == 160004


async def test_a_thread_of_its_own_is_announced(channel: discord.TextChannel, ada: Person) -> None:
    thread = await channel.create_thread(name="on its own", type=discord.ChannelType.public_thread)
    notice = await ada.hears("MESSAGE_CREATE", type=18)
    assert (notice["content"], notice["message_reference"]["channel_id"]) == ("on its own", str(thread.id))


async def test_a_private_thread_is_seen_by_its_members_only(
    channel: discord.TextChannel, ada: Person, owner: Person
) -> None:
    thread = await channel.create_thread(name="secret", type=discord.ChannelType.private_thread)
    await thread.send("quiet")
    with pytest.raises(Refusal) as refused:
        await ada.call("GET", f"/channels/{thread.id}/messages")
    assert refused.value.body["code"] == 50001
    assert not [e for e in ada.heard("MESSAGE_CREATE") if e["content"] == "quiet"]
    await thread.add_user(discord.Object(int(ada.id)))
    await ada.hears("THREAD_CREATE", id=str(thread.id))
    await thread.send("welcome in")
    await ada.hears("MESSAGE_CREATE", content="welcome in")
    assert {m.id for m in await thread.fetch_members()} >= {int(ada.id)}
    await thread.remove_user(discord.Object(int(ada.id)))
    with pytest.raises(Refusal):
        await ada.say(thread.id, "still here?")


async def test_writing_joins_and_wakes_a_thread(channel: discord.TextChannel, ada: Person) -> None:
    thread = await channel.create_thread(name="sleepy", type=discord.ChannelType.public_thread)
    await thread.edit(archived=True)
    assert (await ada.hears("THREAD_UPDATE", id=str(thread.id)))["thread_metadata"]["archived"]
    await ada.say(thread.id, "wake up")
    fetched = await channel.guild.fetch_channel(thread.id)
    assert isinstance(fetched, discord.Thread)
    assert not fetched.archived
    assert int(ada.id) in {member.id for member in await thread.fetch_members()}


async def test_a_locked_thread_stays_shut_for_plain_members(channel: discord.TextChannel, ada: Person) -> None:
    thread = await channel.create_thread(name="done", type=discord.ChannelType.public_thread)
    await thread.edit(locked=True, archived=True)
    with pytest.raises(Refusal):
        await ada.say(thread.id, "one more thing")


async def test_archived_and_active_threads_are_listed(channel: discord.TextChannel, guild: discord.Guild) -> None:
    threads = [await channel.create_thread(name=f"t{n}", type=discord.ChannelType.public_thread) for n in range(4)]
    for thread in threads[:3]:
        await thread.edit(archived=True)
    assert [t.name async for t in channel.archived_threads(limit=None)] == ["t2", "t1", "t0"]
    assert [t.name async for t in channel.archived_threads(limit=2)] == ["t2", "t1"]
    assert [t.name for t in await guild.active_threads()] == ["t3"]
    secret = await channel.create_thread(name="secret", type=discord.ChannelType.private_thread)
    await secret.edit(archived=True)
    assert [t.name async for t in channel.archived_threads(private=True)] == ["secret"]
    assert [t.name async for t in channel.archived_threads(private=True, joined=True)] == ["secret"]


async def test_threads_are_joined_left_renamed_and_deleted(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    thread = await channel.create_thread(name="passing", type=discord.ChannelType.public_thread)
    await ada.call("PUT", f"/channels/{thread.id}/thread-members/@me")
    assert (await ada.hears("THREAD_MEMBERS_UPDATE"))["member_count"] == 2
    await thread.leave()
    await thread.join()
    assert (await thread.edit(name="passed")).name == "passed"
    gone = _next(bot, "raw_thread_delete")
    await thread.delete()
    assert (await gone).thread_id == thread.id


async def test_a_forum_post_begins_with_its_message(guild: discord.Guild, ada: Person) -> None:
    tags = [discord.ForumTag(name="idea")]
    forum = await guild.create_forum("ideas", available_tags=tags, topic="what if")
    await ada.hears("CHANNEL_CREATE", id=str(forum.id))
    made = await forum.create_thread(name="A plan", content="first words", applied_tags=[forum.available_tags[0]])
    assert (made.thread.id, made.message.id) == (made.thread.id, made.thread.id)
    assert [tag.name for tag in made.thread.applied_tags] == ["idea"]
    heard = await ada.hears("MESSAGE_CREATE", content="first words")
    assert heard["channel_id"] == str(made.thread.id)
    with pytest.raises(Refusal) as refused:
        await ada.say(forum.id, "not here")
    assert refused.value.body["code"] == 50008


async def test_a_private_thread_is_told_of_only_to_its_members_and_to_who_manages_threads(
    channel: discord.TextChannel, ada: Person, owner: Person, playground: Playground
) -> None:
    async with Person.new(playground.url, "bea") as bea:
        made = await ada.call("POST", f"/channels/{channel.id}/threads", json={"name": "secret", "type": 12})
        path = f"/channels/{made['id']}"
        await ada.hears("THREAD_CREATE", id=made["id"])
        await owner.hears("THREAD_CREATE", id=made["id"])
        said = await ada.say(made["id"], "quiet")
        await owner.hears("MESSAGE_CREATE", content="quiet")
        for refused in (
            bea.call("PUT", f"{path}/thread-members/@me"),
            bea.call("PUT", f"{path}/thread-members/{bea.id}"),
            bea.call("GET", f"{path}/thread-members"),
            bea.call("GET", f"{path}/messages/{said['id']}"),
            bea.call("GET", path),
            bea.call("GET", f"/channels/{channel.id}/threads/archived/private"),
        ):
            with pytest.raises(Refusal):
                await refused
        await ada.call("PATCH", path, json={"name": "secrets"})
        assert not [event for event in bea.events if event["d"].get("id") == made["id"]]
        await ada.call("PUT", f"{path}/thread-members/{bea.id}")
        shown = await bea.hears("THREAD_CREATE", id=made["id"])
        assert shown["member"]["user_id"] == bea.id
        assert not bea.heard("MESSAGE_CREATE")
        assert (await bea.call("GET", f"{path}/thread-members/@me"))["user_id"] == bea.id
        await ada.call("DELETE", f"{path}/thread-members/{bea.id}")
        await ada.say(made["id"], "among ourselves")
        await owner.hears("MESSAGE_CREATE", content="among ourselves")
        assert not bea.heard("MESSAGE_CREATE")
        with pytest.raises(Refusal):
            await bea.call("GET", f"{path}/messages")


async def test_who_manages_threads_sees_a_private_one_without_being_in_it(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    made = await ada.call("POST", f"/channels/{channel.id}/threads", json={"name": "secret", "type": 12})
    thread = await channel.guild.fetch_channel(int(made["id"]))
    assert isinstance(thread, discord.Thread)
    assert thread.me is None
    assert bot.user is not None
    with pytest.raises(discord.NotFound):
        await thread.fetch_member(bot.user.id)
    joined = _next(bot, "thread_join")
    await ada.call("PUT", f"/channels/{thread.id}/thread-members/{bot.user.id}")
    assert (await joined).me is not None
    removed = _next(bot, "thread_remove")
    await ada.call("DELETE", f"/channels/{thread.id}/thread-members/{bot.user.id}")
    assert (await removed).id == thread.id
