"""Where agents' channels are made, in which order, and what happens when there is no room for them."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.clock import SystemClock
from bot.core.changes import AddAgent, AddLetter, SetOverride
from bot.core.config import CommunityConfig
from bot.core.kinds import LetterKind
from bot.core.publishing import NewChannel
from bot.core.records import Agent, AgentId, Snowflake
from bot.playground.rest import channels as making
from tests.adapters.discord.stage import Bot, Stage, staged, until
from tests.adapters.discord.test_incoming import Scene
from tests.factories import agent, room

CATEGORY = 4
LONG_AGO = Snowflake(0)
ADMINISTRATOR, WEBHOOKS = 1 << 3, 1 << 29


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with staged(CommunityConfig(fate_seconds=0.5)) as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        yield Scene(stage, bot, stage.owner, ada, channel_id)


async def channels(stage: Stage) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await stage.owner.call("GET", f"/guilds/{stage.guild_id}/channels")
    return found


async def make_channels(stage: Stage, count: int, **fields: Any) -> None:  # noqa: ANN401
    path = f"/guilds/{stage.guild_id}/channels"
    many = [stage.owner.call("POST", path, {"name": f"filler-{number}", **fields}) for number in range(count)]
    await asyncio.gather(*many)


async def move_in(stage: Stage, bot: Bot, *names: str) -> list[AgentId]:
    """Let agents move in at once, the last one's letter first."""
    now = SystemClock().now()
    async with stage.store.writing(stage.community_id) as write:
        ids = [AgentId(write.ids.take("agent")) for _ in names]
        for id, name in reversed(list(zip(ids, names, strict=True))):
            one = agent(id, name=name, created_at=now, community_id=stage.community_id)
            place = room(id, channel_id=None, community_id=stage.community_id)
            door = AddLetter(kind=LetterKind.CHANNEL, room_id=id, payload={}, not_before=now)
            await write.apply(stage.community_id, [AddAgent(agent=one, room=place), door])
    bot.delivery.wake()
    return ids


async def has_all(stage: Stage, ids: list[AgentId]) -> None:
    for id in ids:
        await until(stage.has_channel(id))


async def of(stage: Stage, id: AgentId) -> Agent:
    async with stage.store.reading() as read:
        return (await read.views.whole(stage.community_id, agent_ids=[id])).agents[id]


async def test_a_new_channels_topic_is_clean_once_its_id_is_known(scene: Scene) -> None:
    async def is_clean() -> bool:
        [made] = [one for one in await channels(scene.stage) if one["id"] == str(scene.channel_id)]
        return not made["topic"]

    await until(is_clean)
    assert (await scene.stage.room(scene.ada)).topic == ""


async def test_a_channel_whose_answer_was_lost_is_found_again_however_often_it_is_asked_for(scene: Scene) -> None:
    stage, publisher = scene.stage, scene.bot.publisher
    wanted = NewChannel(
        agent_id=AgentId(9), name="bob", topic="x (agent 9 #ab)", marks=("(agent 9 #ab)",), after=LONG_AGO
    )
    made = await publisher.make_channel(stage.guild_id, wanted)
    assert await publisher.make_channel(stage.guild_id, wanted) == made
    assert await publisher.make_channel(stage.guild_id, replace(wanted, after=made)) != made  # older than what asks
    assert await publisher.make_channel(stage.guild_id, replace(wanted, rooms=frozenset([made]))) != made  # lived in


async def test_a_topic_that_anybody_wrote_makes_no_channel_an_agents(scene: Scene) -> None:
    stage, marks = scene.stage, " ".join(f"(agent {id}) [agent {id}]" for id in range(2, 6))
    staff = {"name": "staff-only", "topic": marks}
    made = await stage.owner.call("POST", f"/guilds/{stage.guild_id}/channels", staff)
    await stage.owner.call("PATCH", f"/channels/{scene.channel_id}", {"topic": marks})
    _, channel_id = await stage.settle_in(scene.bot, "Bob")
    assert channel_id not in (int(made["id"]), scene.channel_id)


async def test_channels_stand_in_the_order_of_their_agents_whoever_is_made_first(scene: Scene) -> None:
    ids = await move_in(scene.stage, scene.bot, "bob", "cleo", "dora", "emil")
    await has_all(scene.stage, ids)
    there = sorted(await channels(scene.stage), key=lambda one: (one["position"], int(one["id"])))
    names = ["ada", "bob", "cleo", "dora", "emil"]
    assert [one["name"] for one in there if one["name"] in names] == names


async def test_channels_are_made_in_the_category_that_managers_chose(scene: Scene) -> None:
    path = f"/guilds/{scene.stage.guild_id}/channels"
    chosen = await scene.stage.owner.call("POST", path, {"name": "The Garden", "type": CATEGORY})
    async with scene.stage.store.writing(scene.stage.community_id) as write:
        place = SetOverride(name="category_id", value=int(chosen["id"]))
        await write.apply(scene.stage.community_id, [place])
    _, channel_id = await scene.stage.settle_in(scene.bot, "Bob")
    [made] = [one for one in await channels(scene.stage) if one["id"] == str(channel_id)]
    assert made["parent_id"] == chosen["id"]


async def test_a_full_category_spills_into_a_second_one(scene: Scene) -> None:
    [category] = [one for one in await channels(scene.stage) if one["name"] == "Agents"]
    await make_channels(scene.stage, 49, parent_id=category["id"])
    _, channel_id = await scene.stage.settle_in(scene.bot, "Bob")
    there = {one["id"]: one for one in await channels(scene.stage)}
    parent = there[there[str(channel_id)]["parent_id"]]
    assert parent["name"] == "Agents 2"


async def test_a_full_server_rests_the_agent_until_there_is_room(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = scene.stage
    office = await managers_read(stage)
    assert making.MOST == 500  # as Discord has it, which would take long to fill
    monkeypatch.setattr(making, "MOST", 20)
    await make_channels(stage, 20 - len(await channels(stage)))
    [bob] = await move_in(stage, scene.bot, "Bob")

    async def rests() -> bool:
        return "all the channels it can have" in ((await of(stage, bob)).paused_reason or "")

    await until(rests)
    await told_once(scene, office, "all the channels it can have")
    await free_a_place(stage)
    await stage.owner.call("PATCH", f"/guilds/{stage.guild_id}", {"name": "Roomier"})  # any news has it look again
    await until(stage.has_channel(bob))
    assert not await rests()


async def free_a_place(stage: Stage) -> None:
    filler = next(one for one in await channels(stage) if one["name"].startswith("filler"))
    await stage.owner.call("DELETE", f"/channels/{filler['id']}")


async def test_too_many_webhooks_are_told_and_waited_for(scene: Scene) -> None:
    stage, office = scene.stage, await managers_read(scene.stage)
    path = f"/channels/{scene.channel_id}/webhooks"
    hooks = [await stage.owner.call("POST", path, {"name": f"hook {number}"}) for number in range(15)]
    await stage.say(scene.bot, scene.ada, "hello?")

    async def rests() -> bool:
        return "all the webhooks it can have" in ((await of(stage, scene.ada)).paused_reason or "")

    await until(rests)
    await told_once(scene, office, "all the webhooks it can have")
    await stage.owner.call("DELETE", f"/webhooks/{hooks[0]['id']}")
    await stage.owner.call("PATCH", f"/guilds/{stage.guild_id}", {"name": "Roomier"})
    await until(lambda: stands(scene, "hello?"))


async def managers_read(stage: Stage) -> Snowflake:
    """Make a managers' channel."""
    made = await stage.owner.call("POST", f"/guilds/{stage.guild_id}/channels", {"name": "office"})
    async with stage.store.writing(stage.community_id) as write:
        await write.apply(stage.community_id, [SetOverride(name="managers_channel_id", value=int(made["id"]))])
    return Snowflake(int(made["id"]))


async def told_once(scene: Scene, office: Snowflake, words: str) -> None:
    """Wait until the managers are told; nothing else stands there."""

    async def told() -> bool:
        return bool(await scene.mira.read(office))

    await until(told)
    [notice] = await scene.mira.read(office)
    assert words in notice["content"]


async def test_a_permission_taken_away_is_told_once_and_the_agent_rests_till_it_is_back(scene: Scene) -> None:
    office = await managers_read(scene.stage)
    role = await forbid(scene, WEBHOOKS)
    await scene.stage.say(scene.bot, scene.ada, "hello?")
    await scene.stage.say(scene.bot, scene.ada, "anybody?")
    await told_once(scene, office, "give Selfroom's role that permission")
    assert "that permission" in ((await of(scene.stage, scene.ada)).paused_reason or "")
    path = f"/guilds/{scene.stage.guild_id}/roles/{role['id']}"
    await scene.mira.call("PATCH", path, {"permissions": role["permissions"]})

    async def back() -> bool:
        return [one["content"] for one in await scene.mira.read(scene.channel_id)] == ["hello?", "anybody?"]

    await until(back)
    await told_once(scene, office, "give Selfroom's role that permission")
    assert (await of(scene.stage, scene.ada)).paused_reason is None


async def stands(scene: Scene, content: str, channel_id: Snowflake | None = None) -> bool:
    said = await scene.mira.read(channel_id or scene.channel_id)
    return [one["content"] for one in said if one.get("webhook_id")] == [content]


async def test_an_answer_opens_its_archived_thread_again(scene: Scene) -> None:
    path = f"/channels/{scene.channel_id}/threads"
    thread = await scene.mira.call("POST", path, {"name": "Roses", "type": 11})
    thread_id = Snowflake(int(thread["id"]))
    await scene.mira.say(thread_id, "in here?")
    [asked] = await scene.heard("in here?")
    await scene.mira.call("PATCH", f"/channels/{thread_id}", {"archived": True})
    await scene.stage.say(scene.bot, scene.ada, "yes, here", reply_to=asked.id)

    async def answered() -> bool:
        return any(one["content"].endswith("yes, here") for one in await scene.mira.read(thread_id))

    await until(answered)
    assert not (await scene.mira.call("GET", f"/channels/{thread_id}"))["thread_metadata"]["archived"]


async def forbid(scene: Scene, bits: int) -> dict[str, Any]:
    """Take permissions from the bot's role; gives the role as it was."""
    path = f"/guilds/{scene.stage.guild_id}/roles"
    roles = await scene.mira.call("GET", path)
    role: dict[str, Any] = next(role for role in roles if role.get("tags", {}).get("bot_id") == scene.stage.bot_id)
    weak = str(int(role["permissions"]) & ~bits & ~ADMINISTRATOR)
    await scene.mira.call("PATCH", f"{path}/{role['id']}", {"permissions": weak})
    return role


async def test_kicked_and_invited_again_the_agents_rest_in_between(scene: Scene) -> None:
    stage = scene.stage
    await scene.mira.call("DELETE", f"/guilds/{stage.guild_id}/members/{stage.bot_id}")
    await until(lambda: at_rest(stage))
    await stage.say(scene.bot, scene.ada, "still here")
    await invite(stage)
    await until(lambda: stands(scene, "still here"))
    await until(lambda: is_up(stage))  # the post may be out before the news that ends the rest is taken in


async def test_a_removal_that_nobody_heard_of_is_noticed_at_the_start_and_ends_with_the_invitation() -> None:
    async with staged() as stage:
        async with stage.bot() as bot:
            await stage.settle_in(bot)
        await stage.owner.call("DELETE", f"/guilds/{stage.guild_id}/members/{stage.bot_id}")
        async with stage.bot():
            assert await at_rest(stage)
            await invite(stage)
            await until(lambda: is_up(stage))


async def at_rest(stage: Stage) -> bool:
    async with stage.store.reading() as read:
        [community] = await read.communities.all()
    return community.paused


async def is_up(stage: Stage) -> bool:
    return not await at_rest(stage)


async def invite(stage: Stage) -> None:
    url = f"{stage.playground.url}/playground/guilds/{stage.guild_id}/members/{stage.bot_id}"
    async with stage.session.put(url, json={}) as answer:
        assert answer.status < 300, await answer.text()
