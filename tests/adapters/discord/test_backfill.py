"""What happened while nobody listened is read on: once, in order, with edits and deletions."""

import asyncio
from collections.abc import AsyncIterator

import discord
import pytest

from bot.core.config import CommunityConfig
from bot.core.records import AgentId, Snowflake
from tests.adapters.discord.stage import Bot, Guest, Stage, staged, until


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged(CommunityConfig(fate_seconds=0.5)) as made:
        yield made


async def first_life(stage: Stage, *contents: str) -> tuple[AgentId, Snowflake, Guest, list[int]]:
    """Let the bot live until these messages are stored, and end."""
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        mira = await stage.guest("mira")
        ids = [await mira.say(channel_id, content) for content in contents]
        await heard(stage, ada, *contents)
    return ada, channel_id, mira, ids


async def heard(stage: Stage, ada: AgentId, *contents: str) -> None:
    """Wait until exactly this is stored."""

    async def is_so() -> bool:
        return await stage.contents(ada) == list(contents)

    try:
        await until(is_so)
    except AssertionError:
        assert await stage.contents(ada) == list(contents)


async def test_what_was_said_meanwhile_is_stored_once_and_in_order(stage: Stage) -> None:
    ada, channel_id, mira, _ = await first_life(stage, "before")
    missed = [f"missed {number}" for number in range(120)]
    for content in missed:
        await mira.say(channel_id, content)
    async with stage.bot():
        await heard(stage, ada, "before", *missed)
    async with stage.bot():
        await mira.say(channel_id, "now")
        await heard(stage, ada, "before", *missed, "now")


async def test_the_first_words_ever_are_read_on_too(stage: Stage) -> None:
    ada, channel_id, mira, _ = await first_life(stage)
    await mira.say(channel_id, "anybody?")
    async with stage.bot():
        await heard(stage, ada, "anybody?")


async def test_edits_and_deletions_of_what_agents_still_see_are_found(stage: Stage) -> None:
    ada, channel_id, mira, ids = await first_life(stage, "one", "two", "three")
    await mira.call("PATCH", f"/channels/{channel_id}/messages/{ids[0]}", {"content": "ONE"})
    await mira.call("DELETE", f"/channels/{channel_id}/messages/{ids[1]}")
    async with stage.bot():
        await heard(stage, ada, "ONE", "three")


async def test_threads_are_read_on_as_well(stage: Stage) -> None:
    ada, channel_id, mira, [start] = await first_life(stage, "start")
    thread = await mira.call("POST", f"/channels/{channel_id}/messages/{start}/threads", {"name": "aside"})
    await mira.say(int(thread["id"]), "in the thread")
    await mira.say(channel_id, "outside")
    async with stage.bot():
        await heard(stage, ada, "start", "in the thread", "outside")


async def test_a_message_that_discord_reported_late_is_not_passed_over(stage: Stage) -> None:
    ada, channel_id, mira, _ = await first_life(stage, "before")
    async with stage.bot():
        late = {"event": "MESSAGE_CREATE", "seconds": 30, "probability": 1.0}
        await stage.faults(kind="delay_events", user_id=stage.bot_id, **late)
        await mira.say(channel_id, "reported late")
        await stage.clear_faults()
        await mira.say(channel_id, "reported in time")
        await heard(stage, ada, "before", "reported in time")
    async with stage.bot():
        await heard(stage, ada, "before", "reported late", "reported in time")


async def test_a_channel_deleted_meanwhile_retires_its_agent(stage: Stage) -> None:
    ada, channel_id, _, _ = await first_life(stage, "hello")
    await stage.owner.call("DELETE", f"/channels/{channel_id}")
    async with stage.bot():

        async def retired() -> object:
            async with stage.store.reading() as read:
                return (await read.views.whole(stage.community_id, agent_ids=[ada])).agents[ada].retired_at

        await until(retired)


async def test_a_post_that_the_last_life_did_not_confirm_is_recognised(stage: Stage) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        await stage.faults(kind="latency", seconds=30, route="GET /channels/*/messages*", user_id=stage.bot_id)
        await stage.faults(kind="drop_after", route="POST /webhooks/*")
        await stage.say(bot, ada, "said once")

        async def posted() -> object:
            return await stage.owner.read(channel_id)

        await until(posted)
        await kill(bot)
    await stage.clear_faults()
    async with stage.bot():
        await heard(stage, ada, "said once")
        assert [message["content"] for message in await stage.owner.read(channel_id)] == ["said once"]


async def kill(bot: Bot) -> None:
    """End delivery in the middle of whatever it does."""
    await bot.delivery.close(0)


@pytest.mark.parametrize("fault", [{"kind": "invalid_session"}, {"kind": "close", "code": 4000}, {"kind": "reconnect"}])
async def test_a_broken_gateway_loses_nothing(stage: Stage, fault: dict[str, object]) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        mira = await stage.guest("mira")
        await mira.say(channel_id, "one")
        await heard(stage, ada, "one")
        await stage.faults(**fault)
        for number in range(5):
            await mira.say(channel_id, f"meanwhile {number}")
            await asyncio.sleep(0.05)
        await until(lambda: came(stage, ada, 6))
        assert await stage.contents(ada) == ["one", *(f"meanwhile {number}" for number in range(5))]
        await until(lambda: all_taken_in(bot))


async def all_taken_in(bot: Bot) -> bool:
    return bot.client.waiting == 0


async def came(stage: Stage, ada: AgentId, count: int) -> bool:
    return len(await stage.contents(ada)) >= count


async def test_many_who_spoke_meanwhile_are_met_at_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    fetch = discord.Guild.fetch_member

    async def noted(guild: discord.Guild, member_id: int) -> discord.Member:
        asked.append(member_id)
        return await fetch(guild, member_id)

    monkeypatch.setattr(discord.Guild, "fetch_member", noted)
    ada, channel_id, _, _ = await first_life(stage, "before")
    crowd = [await stage.guest(f"guest{number}") for number in range(12)]
    for number, guest in enumerate(crowd):
        await guest.say(channel_id, f"line {number}")
    lines = [f"line {number}" for number in range(12)]
    async with stage.bot():
        await heard(stage, ada, "before", *lines)
    assert asked == []


ARCHIVED = "GET /channels/*/threads/archived/*"


@pytest.mark.parametrize("status", [404, 403, 400])
async def test_a_channel_is_read_on_where_there_is_no_list_of_archived_threads(stage: Stage, status: int) -> None:
    ada, channel_id, mira, _ = await first_life(stage, "before")
    await mira.say(channel_id, "missed")
    await stage.faults(kind="status", route=ARCHIVED, status=status, count=None, user_id=stage.bot_id)
    async with stage.bot():
        await heard(stage, ada, "before", "missed")


async def test_archived_threads_that_could_not_be_listed_are_read_on_later(stage: Stage) -> None:
    ada, channel_id, mira, [start] = await first_life(stage, "start")
    thread = await mira.call("POST", f"/channels/{channel_id}/messages/{start}/threads", {"name": "aside"})
    await mira.say(int(thread["id"]), "in the thread")
    await stage.owner.call("PATCH", f"/channels/{thread['id']}", {"archived": True})
    await mira.say(channel_id, "outside")
    await stage.faults(kind="status", route=ARCHIVED, status=501, count=None, user_id=stage.bot_id)
    async with stage.bot():
        await heard(stage, ada, "start", "outside")
    await stage.clear_faults()
    async with stage.bot():
        await until(lambda: came(stage, ada, 3))
    assert sorted(await stage.contents(ada)) == ["in the thread", "outside", "start"]
