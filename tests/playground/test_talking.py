"""Messages as discord.py and people write, read, change and delete them."""

import asyncio
import io
from datetime import UTC, datetime

import discord
import pytest
from discord.ext import commands
from PIL import Image

from tests.playground.person import PATIENCE_SECONDS, Person, Refusal


def _next(bot: commands.Bot, event: str) -> asyncio.Task[discord.Message]:
    return asyncio.ensure_future(bot.wait_for(event, timeout=PATIENCE_SECONDS))


async def test_a_person_and_a_bot_hear_one_another(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    heard = _next(bot, "message")
    await ada.say(channel.id, "good morning")
    message = await heard
    assert (message.content, message.author.name, message.author.display_name) == ("good morning", "ada", "Ada")
    await message.reply("and to you", mention_author=False)
    answer = await ada.hears("MESSAGE_CREATE", content="and to you")
    assert answer["referenced_message"]["content"] == "good morning"
    assert answer["mentions"] == []


async def test_a_reply_mentions_whom_it_answers_unless_told_not_to(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    said = await ada.say(channel.id, "hello")
    message = await channel.fetch_message(int(said["id"]))
    answer = await message.reply("hello to you")
    assert [user.id for user in answer.mentions] == [int(ada.id)]
    assert answer.reference is not None
    assert answer.reference.message_id == message.id


async def test_allowed_mentions_decide_who_is_pinged(channel: discord.TextChannel, ada: Person) -> None:
    text = f"<@{ada.id}> and @everyone"
    loud = await channel.send(text)
    quiet = await channel.send(text, allowed_mentions=discord.AllowedMentions.none())
    assert [user.id for user in loud.mentions] == [int(ada.id)]
    assert (quiet.mentions, quiet.mention_everyone) == ([], False)


async def test_history_is_read_in_every_direction(channel: discord.TextChannel) -> None:
    sent = [await channel.send(f"line {number}") for number in range(12)]
    middle = sent[6]
    newest = [m.content async for m in channel.history(limit=3)]
    before = [m.content async for m in channel.history(limit=2, before=middle)]
    after = [m.content async for m in channel.history(limit=2, after=middle)]
    around = [m.content async for m in channel.history(limit=5, around=middle)]
    every = [m.content async for m in channel.history(limit=None, oldest_first=True)]
    assert newest == ["line 11", "line 10", "line 9"]
    assert before == ["line 5", "line 4"]
    assert after == ["line 7", "line 8"]
    assert sorted(around) == [f"line {n}" for n in range(4, 9)]
    assert every[1:] == [f"line {n}" for n in range(12)]


async def test_pages_of_history_fit_together(channel: discord.TextChannel, owner: Person) -> None:
    for number in range(150):
        await owner.say(channel.id, str(number))
    told = [int(m.content) async for m in channel.history(limit=150)]
    assert told == list(range(149, -1, -1))


async def test_edits_and_deletions_reach_everyone_raw(
    bot: commands.Bot, channel: discord.TextChannel, ada: Person
) -> None:
    said = await ada.say(channel.id, "first")
    edited = asyncio.ensure_future(bot.wait_for("raw_message_edit", timeout=PATIENCE_SECONDS))
    await ada.call("PATCH", f"/channels/{channel.id}/messages/{said['id']}", json={"content": "second"})
    change: discord.RawMessageUpdateEvent = await edited
    assert (change.message.content, change.message.edited_at is not None) == ("second", True)
    deleted = asyncio.ensure_future(bot.wait_for("raw_message_delete", timeout=PATIENCE_SECONDS))
    await ada.call("DELETE", f"/channels/{channel.id}/messages/{said['id']}")
    gone: discord.RawMessageDeleteEvent = await deleted
    assert (gone.message_id, gone.channel_id) == (int(said["id"]), channel.id)
    with pytest.raises(discord.NotFound) as missing:
        await channel.fetch_message(gone.message_id)
    assert missing.value.code == 10008


async def test_many_messages_are_deleted_at_once(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    sent = [await channel.send(str(n)) for n in range(4)]
    told = asyncio.ensure_future(bot.wait_for("raw_bulk_message_delete", timeout=PATIENCE_SECONDS))
    await channel.delete_messages(sent[:3])
    event: discord.RawBulkMessageDeleteEvent = await told
    assert event.message_ids == {message.id for message in sent[:3]}
    assert [m.id async for m in channel.history(limit=1)] == [sent[3].id]
    assert (await ada.hears("MESSAGE_DELETE_BULK"))["ids"] == [str(message.id) for message in sent[:3]]


async def test_one_nonce_is_one_message(channel: discord.TextChannel, owner: Person) -> None:
    first = await owner.say(channel.id, "once", nonce="77", enforce_nonce=True)
    again = await owner.say(channel.id, "once", nonce="77", enforce_nonce=True)
    other = await owner.say(channel.id, "once", nonce="78", enforce_nonce=True)
    assert first["id"] == again["id"] != other["id"]
    await owner.setup("POST", "/clock", json={"advance": 600})
    later = await owner.say(channel.id, "once", nonce="77", enforce_nonce=True)
    assert later["id"] != first["id"]


async def test_files_come_back_as_they_were_sent(channel: discord.TextChannel, ada: Person) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (30, 20), "teal").save(picture, "PNG")
    files = [discord.File(io.BytesIO(b"some text"), "my notes.txt", description="notes")]
    files.append(discord.File(io.BytesIO(picture.getvalue()), "teal.png"))
    message = await channel.send("look", files=files)
    text, image = message.attachments
    assert (text.filename, text.description, text.size) == ("my_notes.txt", "notes", 9)
    assert await text.read() == b"some text"
    assert (image.width, image.height, image.content_type) == (30, 20, "image/png")
    assert await image.read() == picture.getvalue()
    kept = await message.edit(attachments=[image])
    assert [a.filename for a in kept.attachments] == ["teal.png"]
    grown = await kept.add_files(discord.File(io.BytesIO(b"more"), "more.txt"))
    assert [a.filename for a in grown.attachments] == ["teal.png", "more.txt"]
    assert len((await ada.hears("MESSAGE_CREATE", content="look"))["attachments"]) == 2


async def test_embeds_are_kept_whole(channel: discord.TextChannel) -> None:
    embed = discord.Embed(title="Title", description="Text", colour=0x123456, timestamp=datetime.now(UTC))
    embed.add_field(name="a", value="1").set_footer(text="foot").set_author(name="me", url="https://example.com")
    embed.set_image(url="attachment://dot.png")
    dot = io.BytesIO()
    Image.new("RGB", (1, 1)).save(dot, "PNG")
    message = await channel.send(embed=embed, file=discord.File(io.BytesIO(dot.getvalue()), "dot.png"))
    kept = (await channel.fetch_message(message.id)).embeds[0]
    assert (kept.title, kept.description, kept.colour) == ("Title", "Text", discord.Colour(0x123456))
    assert (kept.fields[0].value, kept.footer.text, kept.author.name) == ("1", "foot", "me")
    assert kept.image.url == message.attachments[0].url
    assert kept.timestamp == embed.timestamp


async def test_quiet_messages_and_hidden_embeds_carry_their_flags(channel: discord.TextChannel) -> None:
    message = await channel.send("psst", silent=True, suppress_embeds=True)
    assert (message.flags.suppress_notifications, message.flags.suppress_embeds) == (True, True)
    await message.edit(suppress=False)
    assert not (await channel.fetch_message(message.id)).flags.suppress_embeds


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"content": "x" * 2001}, 50035),
        ({"content": "   "}, 50006),
        ({"content": "x", "embeds": [{"description": "y" * 4097}]}, 50035),
        ({"content": "x", "message_reference": {"message_id": "1"}}, 50035),
        ({"content": 5}, 50035),
    ],
)
async def test_what_discord_refuses_is_refused(
    channel: discord.TextChannel, owner: Person, body: dict[str, object], code: int
) -> None:
    with pytest.raises(Refusal) as refused:
        await owner.call("POST", f"/channels/{channel.id}/messages", json=body)
    assert (refused.value.status, refused.value.body["code"]) == (400, code)


async def test_a_message_that_is_too_long_says_where(channel: discord.TextChannel) -> None:
    with pytest.raises(discord.HTTPException, match="content: Must be 2000 or fewer in length") as refused:
        await channel.send("x" * 2001)
    assert refused.value.code == 50035


async def test_nobody_changes_what_others_said(channel: discord.TextChannel, ada: Person) -> None:
    message = await channel.send("mine")
    with pytest.raises(Refusal) as refused:
        await ada.call("PATCH", f"/channels/{channel.id}/messages/{message.id}", json={"content": "yours"})
    assert refused.value.body["code"] == 50005
    with pytest.raises(Refusal) as refused:
        await ada.call("DELETE", f"/channels/{channel.id}/messages/{message.id}")
    assert refused.value.body["code"] == 50013


async def test_a_forward_keeps_what_was_said(channel: discord.TextChannel, guild: discord.Guild) -> None:
    message = await channel.send("worth passing on")
    other = await guild.create_text_channel("other")
    forwarded = await message.forward(other)
    assert (forwarded.content, forwarded.message_snapshots[0].content) == ("", "worth passing on")
    await message.delete()
    kept = await other.fetch_message(forwarded.id)
    assert kept.message_snapshots[0].content == "worth passing on"


async def test_typing_is_seen_by_the_others(bot: commands.Bot, channel: discord.TextChannel, ada: Person) -> None:
    seen = asyncio.ensure_future(bot.wait_for("raw_typing", timeout=PATIENCE_SECONDS))
    await ada.call("POST", f"/channels/{channel.id}/typing")
    assert (await seen).user_id == int(ada.id)
    async with channel.typing():
        assert bot.user is not None
        await ada.hears("TYPING_START", user_id=str(bot.user.id))


async def test_people_and_bots_can_talk_alone(bot: commands.Bot, ada: Person, owner: Person) -> None:
    user = await bot.fetch_user(int(ada.id))
    sent = await user.send("between us")
    heard = await ada.hears("MESSAGE_CREATE", content="between us")
    assert heard["channel_id"] == str(sent.channel.id)
    answered = _next(bot, "message")
    await ada.say(sent.channel.id, "yes")
    answer = await answered
    assert isinstance(answer.channel, discord.DMChannel)
    assert not [event for event in owner.heard("MESSAGE_CREATE") if event["channel_id"] == str(sent.channel.id)]
