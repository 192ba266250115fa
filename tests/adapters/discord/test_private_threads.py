"""Private threads through the real gateway: read only where we are a member, each as a place of its own."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from bot.core.ports import NewMessage
from bot.core.records import AgentId, Room, Snowflake
from bot.core.view import View
from tests.adapters.discord.stage import Bot, Guest, Stage, staged, until
from tests.adapters.discord.test_incoming import Scene
from tests.factories import by_person
from tests.fakes import START
from tests.storage.lines import hear

PRIVATE = 12


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged() as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        yield Scene(stage, bot, await stage.guest("mira"), ada, channel_id)


async def opened(who: Guest, channel_id: int, name: str = "Plans") -> Snowflake:
    made = await who.call("POST", f"/channels/{channel_id}/threads", {"name": name, "type": PRIVATE})
    return Snowflake(int(made["id"]))


async def brought_in(who: Guest, thread_id: int, bot: Bot) -> None:
    assert bot.client.user is not None
    await who.call("PUT", f"/channels/{thread_id}/thread-members/{bot.client.user.id}")


async def view(stage: Stage, ada: AgentId) -> View:
    async with stage.store.reading() as read:
        return await read.views.whole(stage.community_id, agent_ids=[ada])


async def place(stage: Stage, thread_id: Snowflake) -> Room | None:
    async with stage.store.reading() as read:
        found = await read.rooms.threads(stage.community_id)
    return next((room for room in found if room.channel_id == thread_id), None)


async def inside(stage: Stage, thread_id: Snowflake, *contents: str) -> Room:
    """Wait until exactly this is stored of a thread."""

    async def said() -> Sequence[str]:
        room = await place(stage, thread_id)
        return await stage.contents(room.id) if room else []

    async def is_so() -> bool:
        return list(await said()) == list(contents)

    try:
        await until(is_so)
    except AssertionError:
        assert list(await said()) == list(contents)
    room = await place(stage, thread_id)
    assert room is not None
    return room


async def test_a_thread_that_we_only_manage_is_not_read_at_all(scene: Scene) -> None:
    thread_id = await opened(scene.mira, scene.channel_id)
    await scene.mira.say(thread_id, "the lamp is under the oak")
    await scene.mira.say(scene.channel_id, "outside")
    await scene.heard("outside")
    assert await place(scene.stage, thread_id) is None


async def test_a_thread_that_we_are_brought_into_is_read_as_a_place_of_its_own(scene: Scene) -> None:
    thread_id = await opened(scene.mira, scene.channel_id)
    await scene.mira.say(thread_id, "before")
    await brought_in(scene.mira, thread_id, scene.bot)
    await scene.mira.say(thread_id, "after")
    room = await inside(scene.stage, thread_id, "before", "after")
    await scene.mira.say(scene.channel_id, "outside")
    await scene.heard("outside")
    assert (room.thread_of, room.thread_name, int(room.side)) == (scene.ada, "Plans", int(room.id))
    assert (scene.ada, room.id) in (await view(scene.stage, scene.ada)).memberships


async def test_an_agents_words_in_a_private_thread_are_posted_there(scene: Scene) -> None:
    thread_id = await opened(scene.mira, scene.channel_id)
    await brought_in(scene.mira, thread_id, scene.bot)
    await scene.mira.say(thread_id, "are you there?")
    room = await inside(scene.stage, thread_id, "are you there?")
    await scene.stage.say(scene.bot, scene.ada, "I am.", at=room.id)

    async def posted() -> bool:
        return any(said["content"] == "I am." for said in await scene.mira.read(thread_id))

    await until(posted)
    assert not [said for said in await scene.mira.read(scene.channel_id) if said["content"] == "I am."]


async def test_an_answer_to_a_private_thread_that_is_gone_is_said_nowhere(scene: Scene) -> None:
    thread_id = await opened(scene.mira, scene.channel_id)
    await brought_in(scene.mira, thread_id, scene.bot)
    await scene.mira.say(thread_id, "are you there?")
    room = await inside(scene.stage, thread_id, "are you there?")
    await scene.stage.owner.call("DELETE", f"/channels/{thread_id}")
    await scene.stage.say(scene.bot, scene.ada, "the lamp is under the oak", at=room.id)

    async def closed() -> bool:
        return await place(scene.stage, thread_id) is None

    await until(closed)
    await scene.stage.say(scene.bot, scene.ada, "outside")

    async def posted() -> bool:
        return any(said["content"] == "outside" for said in await scene.mira.read(scene.channel_id))

    await until(posted)
    assert not [said for said in await scene.mira.read(scene.channel_id) if "oak" in said["content"]]
    found = await view(scene.stage, scene.ada)
    assert found.agents[scene.ada].retired_at is None
    assert "oak" not in repr(found)


async def test_a_thread_that_we_are_taken_out_of_is_heard_no_more(scene: Scene) -> None:
    thread_id = await opened(scene.mira, scene.channel_id)
    await brought_in(scene.mira, thread_id, scene.bot)
    said = await scene.mira.say(thread_id, "one")
    room = await inside(scene.stage, thread_id, "one")
    assert scene.bot.client.user is not None
    await scene.mira.call("DELETE", f"/channels/{thread_id}/thread-members/{scene.bot.client.user.id}")
    await scene.mira.say(thread_id, "two")
    await scene.mira.call("PATCH", f"/channels/{thread_id}/messages/{said}", {"content": "ONE"})

    async def has_left() -> bool:
        return (scene.ada, room.id) not in (await view(scene.stage, scene.ada)).memberships

    await until(has_left)
    await scene.mira.say(scene.channel_id, "outside")
    await scene.heard("outside")
    assert await scene.stage.contents(room.id) == ["one"]
    await brought_in(scene.mira, thread_id, scene.bot)
    await scene.mira.say(thread_id, "three")
    await inside(scene.stage, thread_id, "one", "two", "three")
    assert not await has_left()


async def test_what_is_said_in_a_thread_of_unknown_kind_is_not_read_in_the_open(scene: Scene) -> None:
    thread_id = await opened(scene.mira, scene.channel_id)
    await brought_in(scene.mira, thread_id, scene.bot)
    await scene.mira.say(thread_id, "one")
    room = await inside(scene.stage, thread_id, "one")
    guild = scene.bot.client.get_guild(scene.stage.guild_id)
    assert guild is not None
    known = guild.get_thread(thread_id)
    assert known is not None
    guild._remove_thread(known)
    hidden = {"kind": "status", "status": 403, "route": f"GET /channels/{thread_id}", "count": 100}
    await scene.stage.faults(user_id=scene.stage.bot_id, **hidden)
    await scene.mira.say(thread_id, "two")
    await scene.mira.say(scene.channel_id, "outside")
    await scene.heard("outside")
    assert await scene.stage.contents(room.id) == ["one"]
    await scene.stage.clear_faults()
    await scene.mira.say(thread_id, "three")

    async def told() -> bool:
        return (await scene.stage.contents(room.id))[-1] == "three"

    await until(told)
    assert "two" not in await scene.stage.contents(scene.ada)  # if it was read on since, then where it was said


async def test_edits_deletions_and_bulk_deletions_in_a_private_thread_are_followed(scene: Scene) -> None:
    thread_id = await opened(scene.mira, scene.channel_id)
    await brought_in(scene.mira, thread_id, scene.bot)
    ids = [await scene.mira.say(thread_id, content) for content in ("a", "b", "c", "d")]
    await inside(scene.stage, thread_id, "a", "b", "c", "d")
    await scene.mira.call("PATCH", f"/channels/{thread_id}/messages/{ids[0]}", {"content": "A"})
    await scene.mira.call("DELETE", f"/channels/{thread_id}/messages/{ids[1]}")
    await inside(scene.stage, thread_id, "A", "c", "d")
    body: dict[str, Any] = {"messages": [str(id) for id in ids[2:]]}
    await scene.stage.owner.call("POST", f"/channels/{thread_id}/messages/bulk-delete", body)
    await inside(scene.stage, thread_id, "A")


async def test_what_a_private_thread_missed_is_read_on_there_archived_or_not(scene: Scene) -> None:
    stage, mira = scene.stage, scene.mira
    threads = [await opened(mira, scene.channel_id, name) for name in ("kept", "archived", "not ours")]
    for thread_id in threads[:2]:
        await brought_in(mira, thread_id, scene.bot)
        await mira.say(thread_id, "one")
        await inside(stage, thread_id, "one")
    await scene.bot.client.close()
    for thread_id in threads:
        await mira.say(thread_id, "two")
    await mira.call("PATCH", f"/channels/{threads[1]}", {"archived": True})
    async with stage.bot():
        for thread_id in threads[:2]:
            await inside(stage, thread_id, "one", "two")
        assert await place(stage, threads[2]) is None
        assert await stage.contents(scene.ada) == []


async def test_what_changed_in_a_private_thread_meanwhile_is_found(scene: Scene) -> None:
    stage, mira = scene.stage, scene.mira
    kept, left = [await opened(mira, scene.channel_id, name) for name in ("kept", "left")]
    for thread_id in (kept, left):
        await brought_in(mira, thread_id, scene.bot)
    ids = [await mira.say(kept, content) for content in ("one", "two")]
    await inside(stage, kept, "one", "two")
    await mira.say(left, "one")
    gone = await inside(stage, left, "one")
    assert scene.bot.client.user is not None
    me = scene.bot.client.user.id
    await scene.bot.client.close()
    await mira.call("PATCH", f"/channels/{kept}/messages/{ids[0]}", {"content": "ONE"})
    await mira.call("DELETE", f"/channels/{kept}/messages/{ids[1]}")
    await mira.call("DELETE", f"/channels/{left}/thread-members/{me}")
    await mira.say(left, "two")
    async with stage.bot():
        await inside(stage, kept, "ONE")
        assert await stage.contents(gone.id) == ["one"]
        assert (scene.ada, gone.id) not in (await view(stage, scene.ada)).memberships


async def test_what_stood_in_the_open_of_a_thread_that_is_private_goes_to_its_own_place(scene: Scene) -> None:
    stage, mira = scene.stage, scene.mira
    thread_id = await opened(mira, scene.channel_id)
    await brought_in(mira, thread_id, scene.bot)
    await scene.bot.client.close()
    said = await mira.say(thread_id, "the lamp is under the oak")
    await stored_in_the_open(stage, scene, thread_id, said)
    async with stage.bot():
        await inside(stage, thread_id, "the lamp is under the oak")
        assert await stage.contents(scene.ada) == []


async def stored_in_the_open(stage: Stage, scene: Scene, thread_id: Snowflake, said: int) -> None:
    """Store a message as it was stored before threads were told apart."""
    async with stage.store.writing(stage.community_id) as write:
        old = NewMessage(
            room_id=scene.ada,
            discord_id=Snowflake(said),
            thread_id=thread_id,
            sender=by_person(),
            content="the lamp is under the oak",
            sent_at=START,
            edited=False,
            reply_to=None,
            attachments=(),
            tokens=0,
        )
        await hear(write.talk, stage.community_id, old)
