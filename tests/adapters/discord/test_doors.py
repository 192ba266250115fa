"""Who sees a room is what Discord shows, whatever was asked for, and in whichever order we hear of it."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from bot.adapters.clock import SystemClock
from bot.core.changes import AddAgent, AddLetter, Change, SetOverride
from bot.core.config import CommunityConfig
from bot.core.kinds import LetterKind, Visibility
from bot.core.letters import ChannelPayload, PermissionPayload
from bot.core.records import AgentId, Snowflake
from tests.adapters.discord.stage import Bot, Stage, staged, until
from tests.adapters.discord.test_incoming import Scene
from tests.adapters.discord.test_outgoing import may_read, send
from tests.adapters.discord.test_places import CATEGORY, forbid, managers_read
from tests.factories import agent, room

VIEW, SEND, ATTACH = 1 << 10, 1 << 11, 1 << 15
MANAGE_ROLES = 1 << 28
CLOSE = PermissionPayload(allowed=False).stored()


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged(CommunityConfig(fate_seconds=0.5)) as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        yield Scene(stage, bot, await stage.guest("mira"), ada, channel_id)


async def seen_as(stage: Stage, id: AgentId, visibility: Visibility) -> bool:
    return (await stage.room(id)).visibility is visibility


async def overwrites(scene: Scene) -> dict[str, dict[str, Any]]:
    channel = await scene.stage.owner.call("GET", f"/channels/{scene.channel_id}")
    return {one["id"]: one for one in channel["permission_overwrites"]}


async def set_for(scene: Scene, id: int, type: int, *, allow: int = 0, deny: int = 0) -> None:
    body = {"type": type, "allow": str(allow), "deny": str(deny)}
    await scene.stage.owner.call("PUT", f"/channels/{scene.channel_id}/permissions/{id}", body)


async def test_a_room_that_discord_does_not_close_counts_as_public_until_it_does(scene: Scene) -> None:
    stage, owner = scene.stage, Scene(scene.stage, scene.bot, scene.stage.owner, scene.ada, scene.channel_id)
    office = await managers_read(stage)
    role = await forbid(owner, MANAGE_ROLES)
    await send(scene, LetterKind.PERMISSION, CLOSE)

    async def told() -> bool:
        return any("the room counts as public" in one["content"] for one in await stage.owner.read(office))

    await until(told)
    assert await may_read(scene)
    assert await seen_as(stage, scene.ada, Visibility.PUBLIC)
    path = f"/guilds/{stage.guild_id}/roles/{role['id']}"
    await stage.owner.call("PATCH", path, {"permissions": role["permissions"]})
    await until(partial(seen_as, stage, scene.ada, Visibility.PRIVATE))
    assert not await may_read(scene)


async def begin_in_private_category(stage: Stage, bot: Bot) -> AgentId:
    """Have a channel made without overwrites of its own in a category that everyone is kept from."""
    everyone = {"id": str(stage.guild_id), "type": 0, "allow": "0", "deny": str(VIEW)}
    us = {"id": stage.bot_id, "type": 1, "allow": str(VIEW | SEND), "deny": "0"}
    body = {"name": "Back rooms", "type": CATEGORY, "permission_overwrites": [everyone, us]}
    category = await stage.owner.call("POST", f"/guilds/{stage.guild_id}/channels", body)
    now = SystemClock().now()
    async with stage.store.writing(stage.community_id) as write:
        id = AgentId(write.ids.take("agent"))
        one = agent(id, name="Vault", created_at=now, community_id=stage.community_id)
        place = room(id, channel_id=None, community_id=stage.community_id, visibility=Visibility.PRIVATE)
        door = ChannelPayload(private=False).stored()
        changes: list[Change] = [
            SetOverride(name="category_id", value=int(category["id"])),
            AddAgent(agent=one, room=place),
            AddLetter(kind=LetterKind.CHANNEL, room_id=id, payload=door, not_before=now),
        ]
        await write.apply(stage.community_id, changes)
    bot.delivery.wake()
    return id


@pytest.mark.parametrize("late", ["answer", "event"])
async def test_a_room_made_in_a_private_category_is_private_whatever_comes_first(scene: Scene, late: str) -> None:
    stage = scene.stage
    if late == "answer":
        await stage.faults(kind="latency", route="POST /guilds/*/channels", seconds=0.5, after=True, count=9)
    else:
        await stage.faults(kind="delay_events", event="CHANNEL_CREATE", seconds=0.5, count=9)
    vault = await begin_in_private_category(stage, scene.bot)
    await until(stage.has_channel(vault))
    channel_id = (await stage.room(vault)).channel_id or Snowflake(0)
    assert not await may_read(Scene(stage, scene.bot, scene.mira, vault, channel_id))
    await stage.owner.say(channel_id, "seen?")

    async def heard() -> bool:  # by then everything on the channel was taken in
        return await stage.contents(vault) == ["seen?"]

    await until(heard)
    assert await seen_as(stage, vault, Visibility.PRIVATE)


@pytest.mark.parametrize("late", ["answer", "event"])
async def test_a_room_that_everyone_sees_becomes_public_and_what_was_said_there_before_is_read(
    scene: Scene, late: str
) -> None:
    stage = scene.stage
    if late == "answer":
        await stage.faults(kind="latency", route="POST /guilds/*/channels", seconds=0.8, after=True, count=9)
    else:
        await stage.faults(kind="delay_events", event="CHANNEL_CREATE", seconds=0.5, count=9)
    now = SystemClock().now()
    async with stage.store.writing(stage.community_id) as write:
        id = AgentId(write.ids.take("agent"))
        one = agent(id, name="Hall", created_at=now, community_id=stage.community_id)
        place = room(id, channel_id=None, community_id=stage.community_id, visibility=Visibility.PRIVATE)
        door = AddLetter(
            kind=LetterKind.CHANNEL, room_id=id, payload=ChannelPayload(private=False).stored(), not_before=now
        )
        await write.apply(stage.community_id, [AddAgent(agent=one, room=place), door])
    scene.bot.delivery.wake()
    channel_id = 0

    async def there() -> bool:
        nonlocal channel_id
        found = await stage.owner.call("GET", f"/guilds/{stage.guild_id}/channels")
        channel_id = next((int(each["id"]) for each in found if each["name"] == "hall"), 0)
        return channel_id != 0

    await until(there)
    await scene.mira.say(channel_id, "early bird")
    await until(partial(seen_as, stage, id, Visibility.PUBLIC))

    async def heard() -> bool:
        return await stage.contents(id) == ["early bird"]

    await until(heard)


async def test_letting_a_person_in_and_out_keeps_what_the_channel_denies_them(scene: Scene) -> None:
    mira = scene.mira.id
    await send(scene, LetterKind.PERMISSION, CLOSE)
    await until(partial(seen_as, scene.stage, scene.ada, Visibility.PRIVATE))
    await set_for(scene, mira, 1, deny=SEND | ATTACH)
    await send(scene, LetterKind.PERMISSION, PermissionPayload(person_id=Snowflake(mira), allowed=True).stored())
    await until(partial(may_read, scene))
    kept = (await overwrites(scene))[str(mira)]
    assert (int(kept["allow"]), int(kept["deny"])) == (VIEW, SEND | ATTACH)
    await send(scene, LetterKind.PERMISSION, PermissionPayload(person_id=Snowflake(mira), allowed=False).stored())

    async def out() -> bool:
        return not await may_read(scene)

    await until(out)
    kept = (await overwrites(scene))[str(mira)]
    assert (int(kept["allow"]), int(kept["deny"])) == (0, SEND | ATTACH)


async def test_closing_and_opening_a_channel_keeps_what_people_set_there(scene: Scene) -> None:
    everyone, us = scene.stage.guild_id, int(scene.stage.bot_id)
    await set_for(scene, everyone, 0, deny=SEND)
    await set_for(scene, us, 1, allow=ATTACH)
    for allowed, visibility in ((False, Visibility.PRIVATE), (True, Visibility.PUBLIC)):
        await send(scene, LetterKind.PERMISSION, PermissionPayload(allowed=allowed).stored())
        await until(partial(seen_as, scene.stage, scene.ada, visibility))
        found = await overwrites(scene)
        assert int(found[str(everyone)]["deny"]) == SEND | (0 if allowed else VIEW)
        assert int(found[str(us)]["allow"]) & ATTACH


async def test_a_retired_agents_channel_is_read_only_and_seen_by_whom_it_was_seen(scene: Scene) -> None:
    await send(scene, LetterKind.PERMISSION, CLOSE)
    await until(partial(seen_as, scene.stage, scene.ada, Visibility.PRIVATE))
    await send(scene, LetterKind.PERMISSION, PermissionPayload().stored())

    async def carried() -> bool:
        async with scene.stage.store.reading() as read:
            return not (await read.views.whole(scene.stage.community_id, room_ids=[scene.ada])).unposted

    await until(carried)
    assert not await may_read(scene)


async def test_pings_never_reach_everyone_or_a_role() -> None:
    async with staged(CommunityConfig(fate_seconds=0.5, pings=True)) as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        mira = await stage.guest("mira")
        path = f"/guilds/{stage.guild_id}/roles"
        role = await stage.owner.call("POST", path, {"name": "crew", "mentionable": True})
        await stage.say(bot, ada, f"hey <@{mira.id}>, <@&{role['id']}>, @everyone and @here")

        async def there() -> bool:
            return bool(await mira.read(channel_id))

        await until(there)
        [message] = await mira.read(channel_id)
        assert [one["id"] for one in message["mentions"]] == [str(mira.id)]
        assert not message["mention_everyone"]
        assert message["mention_roles"] == []
