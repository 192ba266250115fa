"""What agents do reaches Discord through the real HTTP client, through faults too."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any

import pytest

from bot.adapters.clock import SystemClock
from bot.core.changes import AddLetter, Change, Say, SetOverride, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import LetterKind, Visibility
from bot.core.letters import RESTS, BillboardPayload, NoticePayload, PermissionPayload, ReactPayload, TopicPayload
from bot.core.records import SYSTEM, Json, MessageId, Snowflake
from tests.adapters.discord.stage import staged, until
from tests.adapters.discord.test_incoming import Scene
from tests.storage.lines import forget

ADMINISTRATOR = 1 << 3
WEBHOOKS = 1 << 29
QUICK = CommunityConfig(fate_seconds=0.5)


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged(QUICK) as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        yield Scene(stage, bot, await stage.guest("mira"), ada, channel_id)


async def shown(scene: Scene, *contents: str) -> list[dict[str, Any]]:
    """Wait until exactly this can be read in the channel."""

    async def is_so() -> bool:
        return [message["content"] for message in await scene.mira.read(scene.channel_id)] == list(contents)

    try:
        await until(is_so)
    except AssertionError:
        assert [message["content"] for message in await scene.mira.read(scene.channel_id)] == list(contents)
    return await scene.mira.read(scene.channel_id)


async def send(scene: Scene, kind: LetterKind, payload: Mapping[str, Json], *beside: Change) -> None:
    stage = scene.stage
    async with stage.store.writing(stage.community_id) as write:
        letter = AddLetter(kind=kind, room_id=scene.ada, payload=payload, not_before=SystemClock().now())
        await write.apply(stage.community_id, [*beside, letter])
    scene.bot.delivery.wake()


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "drop_before"},
        {"kind": "drop_after"},
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 503},
        {"kind": "rate_limit", "retry_after": 0.2},
        {"kind": "rate_limit", "retry_after": 0.2, "scope": "global"},
    ],
)
async def test_a_fault_while_posting_neither_loses_nor_doubles(scene: Scene, fault: dict[str, Any]) -> None:
    await scene.stage.say(scene.bot, scene.ada, "before")
    await shown(scene, "before")
    await scene.stage.faults(route="POST /webhooks/*", **fault)
    await scene.stage.say(scene.bot, scene.ada, "during")
    await scene.stage.say(scene.bot, scene.ada, "after")
    await shown(scene, "before", "during", "after")


async def test_one_webhook_serves_the_channel_through_restarts(scene: Scene) -> None:
    await scene.stage.say(scene.bot, scene.ada, "one")
    await shown(scene, "one")
    publisher = scene.bot.publisher
    publisher.webhooks.forget(await publisher.territory.place(scene.stage.guild_id, scene.channel_id))
    await scene.stage.say(scene.bot, scene.ada, "two")
    await shown(scene, "one", "two")
    assert len(await scene.stage.owner.call("GET", f"/channels/{scene.channel_id}/webhooks")) == 1


async def test_a_deleted_webhook_is_made_anew(scene: Scene) -> None:
    await scene.stage.say(scene.bot, scene.ada, "one")
    await shown(scene, "one")
    [hook] = await scene.stage.owner.call("GET", f"/channels/{scene.channel_id}/webhooks")
    await scene.stage.owner.call("DELETE", f"/webhooks/{hook['id']}")
    await scene.stage.say(scene.bot, scene.ada, "two")
    first, second = await shown(scene, "one", "two")
    assert first["webhook_id"] != second["webhook_id"]


async def test_nobody_is_pinged_unless_the_community_allows_it(scene: Scene) -> None:
    await scene.stage.say(scene.bot, scene.ada, f"hey <@{scene.mira.id}> and @everyone")
    [message] = await shown(scene, f"hey <@{scene.mira.id}> and @everyone")
    assert not message["mention_everyone"]
    assert message["mentions"] == []


async def test_a_channel_is_made_in_our_category_and_no_other_letter_takes_it_for_its_own(scene: Scene) -> None:
    async with scene.stage.store.writing(scene.stage.community_id) as write:
        forget = UpdateRoom(room_id=scene.ada, fields={"channel_id": None})
        await write.apply(scene.stage.community_id, [forget])
    await send(scene, LetterKind.CHANNEL, {})
    await until(scene.stage.has_channel(scene.ada))
    another = (await scene.stage.room(scene.ada)).channel_id
    assert another != scene.channel_id
    channels = await scene.stage.owner.call("GET", f"/guilds/{scene.stage.guild_id}/channels")
    [made] = [channel for channel in channels if channel["id"] == str(another)]
    [category] = [channel for channel in channels if channel["id"] == made["parent_id"]]
    assert (made["name"], category["name"]) == ("ada", "Agents")


async def test_a_billboard_is_one_pinned_message_edited_in_place(scene: Scene) -> None:
    for text in ("Roses today", "Tulips today", ""):
        board = UpdateRoom(room_id=scene.ada, fields={"billboard": text})
        await send(scene, LetterKind.BILLBOARD, BillboardPayload(text=text).stored(), board)
        await until(partial(pinned, scene, text))


async def pinned(scene: Scene, text: str) -> bool:
    pins = await scene.mira.call("GET", f"/channels/{scene.channel_id}/messages/pins")
    return [pin["message"]["content"] for pin in pins["items"]] == ([f"📌 {text}"] if text else [])


async def test_topic_and_visibility_reach_the_channel(scene: Scene) -> None:
    topic = UpdateRoom(room_id=scene.ada, fields={"topic": "Roses", "visibility": Visibility.PRIVATE})
    await send(scene, LetterKind.TOPIC, TopicPayload(topic="Roses").stored(), topic)
    await send(scene, LetterKind.PERMISSION, PermissionPayload(allowed=False).stored())

    async def is_so() -> bool:
        channel = await scene.stage.owner.call("GET", f"/channels/{scene.channel_id}")
        return channel["topic"] == "Roses" and not await may_read(scene)

    await until(is_so)
    invited = PermissionPayload(person_id=scene.mira.id, allowed=True)
    await send(scene, LetterKind.PERMISSION, invited.stored())
    await until(lambda: may_read(scene))
    await scene.stage.say(scene.bot, scene.ada, "still here")
    await until(lambda: may_read(scene, "still here"))


async def may_read(scene: Scene, content: str = "") -> bool:
    url = f"{scene.mira.api}/channels/{scene.channel_id}/messages"
    async with scene.stage.session.get(url, headers={"Authorization": scene.mira.token}) as answer:
        return answer.status == 200 and (not content or content in await answer.text())


async def test_reactions_cues_and_notices_come_from_the_bot_itself(scene: Scene) -> None:
    id = await scene.mira.say(scene.channel_id, "hello")
    [heard] = await scene.heard("hello")
    await send(scene, LetterKind.REACT, ReactPayload(message_id=heard.id, emoji="🧠").stored())
    managers = SetOverride(name="managers_channel_id", value=scene.channel_id)
    await send(scene, LetterKind.NOTICE, NoticePayload(text="Look!").stored(), managers)
    messages = await shown(scene, "hello", "Look!")
    await until(lambda: reacted(scene, id))
    assert messages[1]["author"]["bot"]
    assert await scene.stage.contents(scene.ada) == ["hello"]


async def reacted(scene: Scene, id: int) -> bool:
    message = await scene.mira.call("GET", f"/channels/{scene.channel_id}/messages/{id}")
    return [one["emoji"]["name"] for one in message.get("reactions", [])] == ["🧠"]


async def test_long_words_arrive_in_parts_with_the_rest_as_a_file(scene: Scene) -> None:
    await scene.stage.say(scene.bot, scene.ada, "\n\n".join("word " * 380 for _ in range(5)))

    async def three() -> bool:
        return len(await scene.mira.read(scene.channel_id)) == 3

    await until(three)
    messages = await scene.mira.read(scene.channel_id)
    assert [attachment["filename"] for attachment in messages[-1]["attachments"]] == ["rest.txt"]


async def test_the_drawn_avatar_is_set_once_on_the_rooms_own_webhook(scene: Scene) -> None:
    await scene.stage.say(scene.bot, scene.ada, "look at me")
    await shown(scene, "look at me")
    [hook] = await scene.stage.owner.call("GET", f"/channels/{scene.channel_id}/webhooks")
    assert hook["avatar"]
    face = await scene.bot.publisher.face(scene.stage.guild_id, scene.channel_id, scene.ada, "Ada")
    assert face is not None
    async with scene.stage.session.get(face) as answer:
        assert answer.content_type == "image/png"


async def test_a_permission_taken_away_rests_the_channel_and_given_back_ends_the_rest(scene: Scene) -> None:
    stage, roles = scene.stage, await scene.stage.owner.call("GET", f"/guilds/{scene.stage.guild_id}/roles")
    role = next(role for role in roles if role.get("tags", {}).get("bot_id") == stage.bot_id)
    weak = str(int(role["permissions"]) & ~WEBHOOKS & ~ADMINISTRATOR)
    await stage.owner.call("PATCH", f"/guilds/{stage.guild_id}/roles/{role['id']}", {"permissions": weak})
    await stage.say(scene.bot, scene.ada, "hello?")

    async def paused() -> bool:
        async with stage.store.reading() as read:
            agent = (await read.views.whole(stage.community_id, agent_ids=[scene.ada])).agents[scene.ada]
            return (agent.paused_reason or "").startswith(RESTS)

    await until(paused)
    strong = {"permissions": role["permissions"]}
    await stage.owner.call("PATCH", f"/guilds/{stage.guild_id}/roles/{role['id']}", strong)
    await shown(scene, "hello?")
    assert not await paused()


async def test_letters_of_the_last_run_wait_until_we_are_online() -> None:
    async with staged(QUICK) as stage:
        async with stage.bot() as bot:
            ada, channel_id = await stage.settle_in(bot)
        await stage.say(bot, ada, "from before")
        async with stage.bot() as again:
            scene = Scene(stage, again, stage.owner, ada, channel_id)
            await shown(scene, "from before")
        async with stage.store.reading() as read:
            assert await read.letters.due(SystemClock().now(), limit=10) == []


async def test_what_is_for_one_person_is_told_to_them_alone(scene: Scene) -> None:
    for words in ("The door is open.", "Come in."):
        await scene.bot.publisher.tell(Snowflake(scene.mira.id), words)
    alone = await scene.mira.call("POST", "/users/@me/channels", {"recipient_id": scene.stage.bot_id})
    assert [one["content"] for one in await scene.mira.read(int(alone["id"]))] == ["The door is open.", "Come in."]
    assert await scene.mira.read(scene.channel_id) == []


async def test_what_system_told_of_a_forgotten_person_says_it_no_longer(scene: Scene) -> None:
    await scene.mira.say(scene.channel_id, "good day")
    await until(lambda: scene.stage.contents(scene.ada))
    stage, now = scene.stage, SystemClock().now()
    async with stage.store.writing(stage.community_id) as write:
        id_ = MessageId(write.ids.take("message"))
        told = Say(message_id=id_, room_id=scene.ada, sender=SYSTEM, content="@mira asks to come in.", sent_at=now)
        await write.apply(stage.community_id, [told])
    scene.bot.delivery.wake()
    first, second = await shown(scene, "good day", told.content)
    async with stage.store.writing(stage.community_id) as write:
        await forget(write.personal, stage.community_id, Snowflake(int(first["author"]["id"])), SystemClock().now())
    scene.bot.delivery.wake()
    _, after = await shown(scene, "good day", "@someone asks to come in.")
    assert after["id"] == second["id"]
