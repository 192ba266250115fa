"""Webhooks as discord.py makes and uses them."""

import io

import aiohttp
import discord
import pytest
from discord.ext import commands
from PIL import Image

from bot.playground.server import Playground
from tests.playground.person import Person, Refusal


@pytest.fixture
async def hook(channel: discord.TextChannel) -> discord.Webhook:
    """Make a webhook in the first channel."""
    return await channel.create_webhook(name="Rooms")


async def test_each_message_has_its_own_name_and_face(hook: discord.Webhook, ada: Person) -> None:
    message = await hook.send("hi", username="Mira", avatar_url="https://example.com/mira.png", wait=True)
    assert (message.author.name, message.webhook_id, message.author.bot) == ("Mira", hook.id, True)
    heard = await ada.hears("MESSAGE_CREATE", content="hi")
    assert (heard["author"]["username"], heard["author"]["id"]) == ("Mira", str(hook.id))
    assert heard["author"]["avatar"] is not None
    assert "member" not in heard


async def test_a_message_is_changed_and_deleted_by_the_hook_that_posted_it(
    hook: discord.Webhook, channel: discord.TextChannel, ada: Person
) -> None:
    message = await hook.send("first", username="Mira", wait=True)
    await message.edit(content="second")
    assert (await ada.hears("MESSAGE_UPDATE", content="second"))["author"]["username"] == "Mira"
    other = await channel.create_webhook(name="Other")
    with pytest.raises(discord.NotFound):
        await other.edit_message(message.id, content="third")
    await message.delete()
    assert (await ada.hears("MESSAGE_DELETE"))["id"] == str(message.id)
    with pytest.raises(discord.NotFound):
        await hook.fetch_message(message.id)


async def test_without_wait_nothing_is_given_back(hook: discord.Webhook, ada: Person) -> None:
    assert await hook.send("quick") is None  # type: ignore[func-returns-value]
    await ada.hears("MESSAGE_CREATE", content="quick")


async def test_webhooks_are_listed_changed_and_removed(
    bot: commands.Bot, hook: discord.Webhook, channel: discord.TextChannel, guild: discord.Guild
) -> None:
    assert [found.id for found in await channel.webhooks()] == [hook.id]
    assert [found.token for found in await guild.webhooks()] == [hook.token]
    renamed = await hook.edit(name="Halls")
    assert (renamed.name, (await bot.fetch_webhook(hook.id)).name) == ("Halls", "Halls")
    second = await guild.create_text_channel("second")
    assert (await hook.edit(channel=second)).channel_id == second.id
    await hook.delete()
    assert await second.webhooks() == []
    with pytest.raises(discord.NotFound) as missing:
        await hook.send("gone")
    assert missing.value.code == 10015


async def test_a_face_given_as_a_picture_is_served_from_the_cdn(
    channel: discord.TextChannel, playground: Playground
) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(picture, "PNG")
    hook = await channel.create_webhook(name="Painter", avatar=picture.getvalue())
    assert hook.avatar is not None
    assert await hook.avatar.read() == picture.getvalue()
    second = await channel.create_webhook(name="Second")
    message = await second.send("x", avatar_url=hook.avatar.url, wait=True)
    assert message.author.avatar is not None
    assert message.author.avatar.key == hook.avatar.key


async def test_a_plain_picture_of_ours_is_found_again_at_another_port(
    channel: discord.TextChannel, playground: Playground
) -> None:
    hook = await channel.create_webhook(name="Plain")
    plain = f"{playground.cdn_url}/embed/avatars/3.png"
    message = await hook.send("x", avatar_url=plain, wait=True)
    assert message.author.avatar is not None
    playground.world.cdn_url = "http://127.0.0.1:1/cdn"  # as after a start that found the port taken
    page = {"Sec-Fetch-Site": "same-origin"}
    url = message.author.avatar.url.split("?")[0]
    async with aiohttp.ClientSession() as session, session.get(url, headers=page) as got:
        assert got.status == 200 and got.url.path == "/cdn/embed/avatars/3.png"


async def test_who_has_no_face_gets_a_drawn_one(ada: Person, playground: Playground) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{playground.cdn_url}/embed/avatars/3.png") as got:
        data = await got.read()
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == (128, 128)
        white, ground = sorted(count for count, _ in image.getcolors() or ())
        assert ground > white > 500  # it has eyes and a mouth
    far = f"{playground.cdn_url}/embed/avatars/{'9' * 5_000}.png"
    async with aiohttp.ClientSession() as session, session.get(far) as got:
        assert got.status == 404


async def test_a_hook_posts_into_threads_and_forums(
    hook: discord.Webhook, channel: discord.TextChannel, guild: discord.Guild
) -> None:
    thread = await channel.create_thread(name="aside", type=discord.ChannelType.public_thread)
    message = await hook.send("in here", thread=thread, wait=True)
    assert message.channel.id == thread.id
    forum = await guild.create_forum("ideas")
    poster = await forum.create_webhook(name="Poster")
    post = await poster.send("first", thread_name="An idea", wait=True)
    found = await guild.fetch_channel(post.channel.id)
    assert isinstance(found, discord.Thread)
    assert (found.name, found.parent_id) == ("An idea", forum.id)
    with pytest.raises(discord.HTTPException) as refused:
        await poster.send("nowhere")
    assert refused.value.code == 220001


async def test_a_hook_sends_files_and_embeds(hook: discord.Webhook) -> None:
    file = discord.File(io.BytesIO(b"long text"), "answer.txt")
    message = await hook.send(embed=discord.Embed(title="T"), file=file, wait=True)
    assert (message.embeds[0].title, await message.attachments[0].read()) == ("T", b"long text")


@pytest.mark.parametrize("name", ["Clyde", "my Discord bot", "x" * 81])
async def test_forbidden_names_are_refused(channel: discord.TextChannel, hook: discord.Webhook, name: str) -> None:
    with pytest.raises(discord.HTTPException) as refused:
        await channel.create_webhook(name=name)
    assert refused.value.code == 50035
    with pytest.raises(discord.HTTPException):
        await hook.send("x", username=name)


async def test_a_wrong_token_opens_nothing(hook: discord.Webhook, playground: Playground) -> None:
    url = f"{playground.api_url}/webhooks/{hook.id}/wrong"
    async with aiohttp.ClientSession() as session, session.post(url, json={"content": "x"}) as got:
        assert (got.status, (await got.json())["code"]) == (401, 50027)


async def test_a_channel_has_at_most_fifteen(channel: discord.TextChannel) -> None:
    for number in range(15):
        await channel.create_webhook(name=f"hook {number}")
    with pytest.raises(discord.HTTPException) as refused:
        await channel.create_webhook(name="one more")
    assert refused.value.code == 30007


async def test_plain_members_make_no_webhooks(channel: discord.TextChannel, ada: Person) -> None:
    with pytest.raises(Refusal) as refused:
        await ada.call("POST", f"/channels/{channel.id}/webhooks", json={"name": "mine"})
    assert refused.value.body["code"] == 50013
