"""Reactions and pins as discord.py gives, takes back, lists and clears them."""

import asyncio
from typing import Any

import discord
import pytest
from discord.ext import commands

from tests.playground.person import PATIENCE_SECONDS, Person, Refusal


def _next(bot: commands.Bot, event: str) -> asyncio.Task[Any]:
    return asyncio.ensure_future(bot.wait_for(event, timeout=PATIENCE_SECONDS))


async def test_a_reaction_is_given_counted_and_taken_back(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    message = await channel.send("react to me")
    given = _next(bot, "raw_reaction_add")
    said = await ada.hears("MESSAGE_CREATE", content="react to me")
    await ada.react(said, "👍")
    event: discord.RawReactionActionEvent = await given
    assert (event.user_id, str(event.emoji), event.message_id) == (int(ada.id), "👍", message.id)
    assert event.message_author_id == message.author.id
    assert event.member is not None
    await message.add_reaction("👍")
    kept = await channel.fetch_message(message.id)
    assert [(str(r.emoji), r.count, r.me) for r in kept.reactions] == [("👍", 2, True)]
    taken = _next(bot, "raw_reaction_remove")
    await ada.react(said, "👍", method="DELETE")
    assert (await taken).user_id == int(ada.id)


async def test_reacting_twice_counts_once(channel: discord.TextChannel, ada: Person) -> None:
    await channel.send("once")
    said = await ada.hears("MESSAGE_CREATE", content="once")
    await ada.react(said, "🧠")
    await ada.react(said, "🧠")
    message = await channel.fetch_message(int(said["id"]))
    assert [r.count for r in message.reactions] == [1]
    assert len(ada.heard("MESSAGE_REACTION_ADD")) == 1


async def test_a_moderator_removes_reactions_of_one_of_an_emoji_and_of_all(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    message = await channel.send("clean me")
    said = await ada.hears("MESSAGE_CREATE", content="clean me")
    for emoji in ("👍", "👎", "❤️"):
        await ada.react(said, emoji)
    await message.remove_reaction("👍", discord.Object(int(ada.id)))
    cleared = _next(bot, "raw_reaction_clear_emoji")
    await message.clear_reaction("👎")
    assert str((await cleared).emoji) == "👎"
    assert [str(r.emoji) for r in (await channel.fetch_message(message.id)).reactions] == ["❤️"]
    everything = _next(bot, "raw_reaction_clear")
    await message.clear_reactions()
    assert (await everything).message_id == message.id
    assert (await channel.fetch_message(message.id)).reactions == []


async def test_who_reacted_is_listed_page_by_page(channel: discord.TextChannel, ada: Person, owner: Person) -> None:
    message = await channel.send("who")
    said = await ada.hears("MESSAGE_CREATE", content="who")
    await ada.react(said, "👍")
    await owner.react(said, "👍")
    reaction = (await channel.fetch_message(message.id)).reactions[0]
    assert {user.id async for user in reaction.users()} == {int(ada.id), int(owner.id)}
    assert len([user async for user in reaction.users(limit=1)]) == 1


async def test_a_custom_emoji_keeps_name_and_id(channel: discord.TextChannel, ada: Person) -> None:
    await channel.send("custom")
    said = await ada.hears("MESSAGE_CREATE", content="custom")
    await ada.react(said, "blob:123456789012345678")
    emoji = (await channel.fetch_message(int(said["id"]))).reactions[0].emoji
    assert isinstance(emoji, discord.PartialEmoji)
    assert (emoji.name, emoji.id) == ("blob", 123456789012345678)


@pytest.mark.parametrize("emoji", ["x", "not an emoji", "a:b"])
async def test_what_is_no_emoji_is_refused(channel: discord.TextChannel, ada: Person, emoji: str) -> None:
    said = await ada.say(channel.id, "hm")
    with pytest.raises(Refusal) as refused:
        await ada.react(said, emoji)
    assert refused.value.body["code"] == 10014


async def test_taking_back_what_was_not_given_is_unknown(channel: discord.TextChannel, ada: Person) -> None:
    said = await ada.say(channel.id, "hm")
    with pytest.raises(Refusal) as refused:
        await ada.react(said, "👍", method="DELETE")
    assert (refused.value.status, refused.value.body["code"]) == (404, 10014)


async def test_a_pin_is_announced_listed_and_taken_away(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    message = await channel.send("keep this")
    changed = _next(bot, "guild_channel_pins_update")
    await message.pin()
    _, last_pin = await changed
    assert last_pin is not None
    pinned = [m async for m in channel.pins()]
    assert [m.id for m in pinned] == [message.id]
    assert pinned[0].pinned
    notice = await ada.hears("MESSAGE_CREATE", type=6)
    assert notice["message_reference"]["message_id"] == str(message.id)
    await message.unpin()
    assert [m async for m in channel.pins()] == []


async def test_pins_come_in_pages_and_by_the_old_route(channel: discord.TextChannel, owner: Person) -> None:
    for number in range(6):
        await (await channel.send(str(number))).pin()
    base = f"/channels/{channel.id}"
    page = await owner.call("GET", f"{base}/messages/pins?limit=4")
    assert ([item["message"]["content"] for item in page["items"]], page["has_more"]) == (list("5432"), True)
    before = page["items"][-1]["pinned_at"]
    rest = await owner.call("GET", f"{base}/messages/pins", params={"limit": 4, "before": before})
    assert ([item["message"]["content"] for item in rest["items"]], rest["has_more"]) == (list("10"), False)
    assert [row["content"] for row in await owner.call("GET", f"{base}/pins")] == list("543210")
    assert len([m async for m in channel.pins(limit=3)]) == 3


async def test_only_who_may_pin_pins(channel: discord.TextChannel, ada: Person) -> None:
    said = await ada.say(channel.id, "pin me")
    with pytest.raises(Refusal) as refused:
        await ada.call("PUT", f"/channels/{channel.id}/messages/pins/{said['id']}")
    assert (refused.value.status, refused.value.body["code"]) == (403, 50013)


@pytest.mark.parametrize("emoji", [f"{'long' * 9}:1234", "two words:1234", f"hi:{'1' * 400}"])
async def test_a_reaction_is_no_message(channel: discord.TextChannel, ada: Person, emoji: str) -> None:
    message = await channel.send("hi")
    with pytest.raises(Refusal) as refused:
        await ada.react({"channel_id": channel.id, "id": message.id}, emoji)
    assert refused.value.body["code"] == 10014
