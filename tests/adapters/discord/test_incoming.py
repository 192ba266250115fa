"""What people do on Discord reaches the store through the real gateway."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest

from bot.core.records import AgentId, Message, Snowflake
from tests.adapters.discord.stage import Bot, Guest, Stage, staged, until


@dataclass
class Scene:
    stage: Stage
    bot: Bot
    mira: Guest
    ada: AgentId
    channel_id: Snowflake

    async def heard(self, *contents: str) -> list[Message]:
        """Wait until exactly this is stored."""

        async def is_so() -> bool:
            return await self.stage.contents(self.ada) == list(contents)

        try:
            await until(is_so)
        except AssertionError:
            assert await self.stage.contents(self.ada) == list(contents)
        return list(await self.stage.history(self.ada))


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged() as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        yield Scene(stage, bot, await stage.guest("mira"), ada, channel_id)


async def test_a_plain_member_is_shown_by_name_and_a_manager_as_the_architect(scene: Scene) -> None:
    boss = await scene.stage.guest("boss", manager=True)
    await scene.mira.say(scene.channel_id, "one")
    await boss.say(scene.channel_id, "two")
    messages = await scene.heard("one", "two")
    assert [message.sender.shown() for message in messages] == ["@mira", "The Architect (@boss)"]


async def test_mentions_and_channels_become_names(scene: Scene) -> None:
    content = f"<@{scene.mira.id}> see <#{scene.channel_id}>, <:wave:{scene.channel_id}>"
    await scene.stage.owner.say(scene.channel_id, content)
    await scene.heard("@mira see #ada, :wave:")


async def test_a_reply_knows_what_it_answers(scene: Scene) -> None:
    first = await scene.mira.say(scene.channel_id, "question")
    await scene.mira.say(scene.channel_id, "answer", message_reference={"message_id": str(first)})
    one, two = await scene.heard("question", "answer")
    assert two.reply_to == one.id


async def test_edits_are_followed_and_deletions_too(scene: Scene) -> None:
    one = await scene.mira.say(scene.channel_id, "teh")
    two = await scene.mira.say(scene.channel_id, "gone soon")
    await scene.mira.call("PATCH", f"/channels/{scene.channel_id}/messages/{one}", {"content": "the"})
    await scene.mira.call("DELETE", f"/channels/{scene.channel_id}/messages/{two}")
    [kept] = await scene.heard("the")
    assert kept.edited


async def test_messages_deleted_in_bulk_go_together(scene: Scene) -> None:
    ids = [str(await scene.mira.say(scene.channel_id, f"spam {number}")) for number in range(4)]
    await scene.heard("spam 0", "spam 1", "spam 2", "spam 3")
    await scene.stage.owner.call("POST", f"/channels/{scene.channel_id}/messages/bulk-delete", {"messages": ids[:3]})
    await scene.heard("spam 3")


async def test_what_is_said_in_a_thread_belongs_to_the_room(scene: Scene) -> None:
    start = await scene.mira.say(scene.channel_id, "start")
    thread = await scene.mira.call("POST", f"/channels/{scene.channel_id}/messages/{start}/threads", {"name": "aside"})
    await scene.mira.say(int(thread["id"]), "in the thread")
    _, inside = await scene.heard("start", "in the thread")
    assert inside.thread_id == int(thread["id"])


async def test_a_deleted_thread_takes_its_words_with_it(scene: Scene) -> None:
    start = await scene.mira.say(scene.channel_id, "start")
    thread = await scene.mira.call("POST", f"/channels/{scene.channel_id}/messages/{start}/threads", {"name": "aside"})
    await scene.mira.say(int(thread["id"]), "in the thread")
    await scene.mira.say(scene.channel_id, "outside")
    await scene.heard("start", "in the thread", "outside")
    await scene.stage.owner.call("DELETE", f"/channels/{thread['id']}")
    await scene.heard("start", "outside")


async def test_an_answer_to_something_in_a_thread_is_posted_there(scene: Scene) -> None:
    start = await scene.mira.say(scene.channel_id, "start")
    thread = await scene.mira.call("POST", f"/channels/{scene.channel_id}/messages/{start}/threads", {"name": "aside"})
    await scene.mira.say(int(thread["id"]), "in the thread")
    _, inside = await scene.heard("start", "in the thread")
    await scene.stage.say(scene.bot, scene.ada, "here", reply_to=inside.id)

    async def posted() -> bool:
        return any(message["content"].endswith("\nhere") for message in await scene.mira.read(int(thread["id"])))

    await until(posted)


async def test_reactions_count_and_are_taken_back(scene: Scene) -> None:
    await scene.stage.say(scene.bot, scene.ada, "like it?")
    await scene.heard("like it?")
    [message] = await scene.mira.read(scene.channel_id)
    await scene.mira.react(scene.channel_id, message["id"], "👍🏽")
    await scene.stage.owner.react(scene.channel_id, message["id"], "❤️")

    async def counted(*wanted: tuple[str, int]) -> bool:
        [stored] = await scene.stage.history(scene.ada)
        return set(stored.reactions) == set(wanted)

    await until(lambda: counted(("thumbs_up", 1), ("heart", 1)))
    await scene.mira.react(scene.channel_id, message["id"], "👍🏽", method="DELETE")
    await until(lambda: counted(("heart", 1)))
    await scene.stage.owner.call("DELETE", f"/channels/{scene.channel_id}/messages/{message['id']}/reactions")
    await until(lambda: counted())


async def test_a_strange_webhook_is_ignored_and_our_own_posts_are_not_heard_twice(scene: Scene) -> None:
    strange = await scene.stage.owner.call("POST", f"/channels/{scene.channel_id}/webhooks", {"name": "news"})
    url = f"{scene.stage.playground.api_url}/webhooks/{strange['id']}/{strange['token']}"
    async with scene.stage.session.post(url, json={"content": "buy now"}) as answer:
        assert answer.status < 300
    await scene.stage.say(scene.bot, scene.ada, "mine")
    await scene.heard("mine")
    await scene.mira.say(scene.channel_id, "last")
    await scene.heard("mine", "last")


async def test_a_text_file_is_read_and_a_picture_is_named(scene: Scene) -> None:
    form = aiohttp.FormData()
    form.add_field("payload_json", '{"content": "see"}')
    form.add_field("files[0]", b"all about roses", filename="notes.txt", content_type="text/plain")
    form.add_field("files[1]", b"\x89PNG", filename="rose.png", content_type="image/png")
    url = f"{scene.mira.api}/channels/{scene.channel_id}/messages"
    async with scene.stage.session.post(url, data=form, headers={"Authorization": scene.mira.token}) as answer:
        assert answer.status < 300
    [heard] = await scene.heard("see")
    assert [(one.name, one.text) for one in heard.attachments] == [("notes.txt", "all about roses"), ("rose.png", None)]


async def test_a_deleted_channel_retires_the_agent(scene: Scene) -> None:
    await scene.mira.say(scene.channel_id, "hello")
    await scene.heard("hello")
    await scene.stage.owner.call("DELETE", f"/channels/{scene.channel_id}")

    async def retired() -> object:
        async with scene.stage.store.reading() as read:
            view = await read.views.whole(scene.stage.community_id, agent_ids=[scene.ada])
        return view.agents[scene.ada].retired_at

    await until(retired)
    await scene.heard()
