"""What people do to messages, reactions, names and channels while we listen, told by raw events."""

from collections.abc import AsyncIterator

import pytest

from bot.core.kinds import Visibility
from bot.core.records import Agent, Snowflake
from tests.adapters.discord.stage import staged, until
from tests.adapters.discord.test_incoming import Scene

VIEW, READ_HISTORY = 1 << 10, 1 << 16
CATEGORY = 4


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged() as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        yield Scene(stage, bot, await stage.guest("mira"), ada, channel_id)


async def reactions_are(scene: Scene, *wanted: tuple[str, int]) -> None:
    async def is_so() -> bool:
        return set((await scene.stage.history(scene.ada))[0].reactions) == set(wanted)

    await until(is_so)


async def test_a_moderator_takes_one_reaction_or_all_of_an_emoji(scene: Scene) -> None:
    owner, path = scene.stage.owner, f"/channels/{scene.channel_id}/messages"
    said = await scene.mira.say(scene.channel_id, "like it?")
    for emoji in ("👍", "🎉"):
        await scene.mira.react(scene.channel_id, said, emoji)
        await owner.react(scene.channel_id, said, emoji)
    await scene.heard("like it?")
    await reactions_are(scene, ("thumbs_up", 2), ("🎉", 2))
    await owner.call("DELETE", f"{path}/{said}/reactions/👍/{scene.mira.id}")
    await reactions_are(scene, ("thumbs_up", 1), ("🎉", 2))
    await owner.call("DELETE", f"{path}/{said}/reactions/🎉")
    await reactions_are(scene, ("thumbs_up", 1))


async def test_every_event_twice_is_stored_once(scene: Scene) -> None:
    twice = {"kind": "duplicate_events", "event": "MESSAGE_*", "probability": 1.0}
    await scene.stage.faults(user_id=scene.stage.bot_id, **twice)
    await scene.stage.say(scene.bot, scene.ada, "hello")
    await scene.heard("hello")
    said = await scene.mira.say(scene.channel_id, "helo")
    gone = await scene.mira.say(scene.channel_id, "gone")
    await scene.mira.call("PATCH", f"/channels/{scene.channel_id}/messages/{said}", {"content": "hello there"})
    await scene.mira.call("DELETE", f"/channels/{scene.channel_id}/messages/{gone}")
    [ours, *_] = await scene.mira.read(scene.channel_id)
    await scene.mira.react(scene.channel_id, int(ours["id"]), "👍")
    await scene.heard("hello", "hello there")
    await reactions_are(scene, ("thumbs_up", 1))
    assert (await of(scene)).interval_seconds == 4.5


async def of(scene: Scene) -> Agent:
    async with scene.stage.store.reading() as read:
        return (await read.views.whole(scene.stage.community_id, agent_ids=[scene.ada])).agents[scene.ada]


async def test_what_the_cache_does_not_know_is_edited_deleted_and_reacted_to() -> None:
    async with staged() as stage:
        async with stage.bot() as bot:
            ada, channel_id = await stage.settle_in(bot)
            scene = Scene(stage, bot, await stage.guest("mira"), ada, channel_id)
            one, two, three = [await scene.mira.say(channel_id, content) for content in ("one", "two", "three")]
            await scene.heard("one", "two", "three")
        async with stage.bot() as bot:
            assert list(bot.client.cached_messages) == []
            path = f"/channels/{channel_id}/messages"
            await scene.mira.call("PATCH", f"{path}/{one}", {"content": "ONE"})
            await scene.mira.call("DELETE", f"{path}/{two}")
            await scene.mira.react(channel_id, one, "🧠")
            await scene.heard("ONE", "three")
            await reactions_are(scene, ("brain", 1))
            await stage.owner.call("POST", f"{path}/bulk-delete", {"messages": [str(one), str(three)]})
            await scene.heard()


async def test_a_person_is_known_by_their_new_name_from_their_next_word_or_reaction_on(scene: Scene) -> None:
    said = await scene.mira.say(scene.channel_id, "before")
    await scene.heard("before")
    await scene.mira.call("PATCH", "/users/@me", {"username": "miranda"})
    await scene.mira.react(scene.channel_id, said, "🎉")
    await reactions_are(scene, ("🎉", 1))

    async def known() -> bool:
        async with scene.stage.store.reading() as read:
            person = await read.people.find(scene.stage.community_id, Snowflake(scene.mira.id))
        return person is not None and person.username == "miranda"

    await until(known)
    await scene.mira.say(scene.channel_id, "after")
    before, after = await scene.heard("before", "after")
    assert [before.sender.shown(), after.sender.shown()] == ["@mira", "@miranda"]


async def test_a_channel_that_people_rename_and_move_stays_the_agents_room(scene: Scene) -> None:
    stage = scene.stage

    async def settled() -> bool:
        return not (await stage.owner.call("GET", f"/channels/{scene.channel_id}"))["topic"]

    await until(settled)  # the mark by which it was made is gone
    path = f"/guilds/{stage.guild_id}/channels"
    garden = await stage.owner.call("POST", path, {"name": "The Garden", "type": CATEGORY})
    changes = {"name": "rose-garden", "parent_id": garden["id"], "topic": "Roses (agent 1)"}
    await stage.owner.call("PATCH", f"/channels/{scene.channel_id}", changes)
    await scene.mira.say(scene.channel_id, f"here, in <#{scene.channel_id}>?")
    await scene.heard("here, in #rose-garden?")
    await stage.say(scene.bot, scene.ada, "yes")
    await scene.heard("here, in #rose-garden?", "yes")
    assert (await of(scene)).name == "Ada"

    async def followed() -> bool:
        return (await stage.room(scene.ada)).topic == "Roses"

    await until(followed)


async def test_a_channel_made_private_and_public_again_on_discord_is_a_room_of_that_kind(scene: Scene) -> None:
    stage = scene.stage
    us = {"id": stage.bot_id, "type": 1, "allow": str(VIEW | READ_HISTORY), "deny": "0"}
    everyone = {"id": str(stage.guild_id), "type": 0, "allow": "0"}
    for denied, visibility in ((VIEW, Visibility.PRIVATE), (0, Visibility.PUBLIC)):
        overwrites = [us, everyone | {"deny": str(denied)}]
        await stage.owner.call("PATCH", f"/channels/{scene.channel_id}", {"permission_overwrites": overwrites})

        async def followed(wanted: Visibility = visibility) -> bool:
            return (await stage.room(scene.ada)).visibility is wanted

        await until(followed)


async def test_everyone_kept_from_seeing_any_channel_makes_all_rooms_private(scene: Scene) -> None:
    """Roles decide too who sees a channel, not only its own overwrites."""
    stage = scene.stage
    path = f"/guilds/{stage.guild_id}/roles"
    roles = await stage.owner.call("GET", path)
    everyone = next(role for role in roles if role["id"] == str(stage.guild_id))
    for rights, visibility in (
        (int(everyone["permissions"]) & ~VIEW, Visibility.PRIVATE),
        (int(everyone["permissions"]), Visibility.PUBLIC),
    ):
        await stage.owner.call("PATCH", f"{path}/{everyone['id']}", {"permissions": str(rights)})

        async def followed(wanted: Visibility = visibility) -> bool:
            return (await stage.room(scene.ada)).visibility is wanted

        await until(followed)


async def test_what_was_said_while_the_bot_was_not_in_the_server_is_read_on(scene: Scene) -> None:
    stage = scene.stage
    await scene.mira.say(scene.channel_id, "before")
    await scene.heard("before")
    await stage.owner.call("DELETE", f"/guilds/{stage.guild_id}/members/{stage.bot_id}")
    await scene.mira.say(scene.channel_id, "while it was away")
    url = f"{stage.playground.url}/playground/guilds/{stage.guild_id}/members/{stage.bot_id}"
    async with stage.session.put(url, json={}) as answer:
        assert answer.status < 300
    await scene.mira.say(scene.channel_id, "since it is back")
    await scene.heard("before", "while it was away", "since it is back")


async def test_a_retired_agent_whose_channel_was_deleted_is_not_listened_to(scene: Scene) -> None:
    await scene.stage.owner.call("DELETE", f"/channels/{scene.channel_id}")

    async def retired() -> bool:
        return (await of(scene)).retired_at is not None

    await until(retired)
    room = await scene.stage.room(scene.ada)
    assert (room.channel_id, (await of(scene)).name) == (None, "Ada")
