"""What changed on Discord while nobody listened is found: reactions, threads, channels, rights."""

from collections.abc import AsyncIterator, Sequence

import discord
import pytest
from structlog.testing import capture_logs

from bot.core.config import CommunityConfig
from bot.core.kinds import Visibility
from bot.core.records import AgentId, Message, Snowflake
from tests.adapters.discord.stage import Bot, Guest, Stage, staged, until
from tests.adapters.discord.test_backfill import first_life, heard

VIEW, READ_HISTORY = 1 << 10, 1 << 16


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged(CommunityConfig(fate_seconds=0.5)) as made:
        yield made


async def reactions_are(stage: Stage, ada: AgentId, *wanted: Sequence[tuple[str, int]]) -> None:
    """Wait until the messages of a room have these reactions."""

    async def is_so() -> bool:
        return [set(message.reactions) for message in await stage.history(ada)] == [set(one) for one in wanted]

    try:
        await until(is_so)
    except AssertionError:
        assert [set(message.reactions) for message in await stage.history(ada)] == [set(one) for one in wanted]


async def interval(stage: Stage, ada: AgentId) -> float:
    async with stage.store.reading() as read:
        return (await read.views.whole(stage.community_id, agent_ids=[ada])).agents[ada].interval_seconds


async def life_with_a_post(stage: Stage) -> tuple[AgentId, Snowflake, int]:
    """Let Ada say something, and end; gives the Discord id of what she said too."""
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        await stage.say(bot, ada, "like it?")
        await heard(stage, ada, "like it?")
        [said] = await stage.owner.read(channel_id)
    return ada, channel_id, int(said["id"])


async def test_reactions_put_meanwhile_count_once_and_move_the_author(stage: Stage) -> None:
    ada, channel_id, said = await life_with_a_post(stage)
    mira = await stage.guest("mira")
    await mira.react(channel_id, said, "👍")
    await mira.react(channel_id, said, "👍🏽")
    await stage.owner.react(channel_id, said, "👍")
    await stage.owner.react(channel_id, said, "🎉")
    for _ in range(2):
        async with stage.bot():
            await reactions_are(stage, ada, [("thumbs_up", 2), ("🎉", 1)])
            assert await interval(stage, ada) == 4.0


async def test_reactions_taken_back_meanwhile_are_undone(stage: Stage) -> None:
    ada, channel_id, said = await life_with_a_post(stage)
    mira = await stage.guest("mira")
    async with stage.bot():
        for emoji in ("👍", "❤️", "🎉"):
            await mira.react(channel_id, said, emoji)
        await stage.owner.react(channel_id, said, "👍")
        await reactions_are(stage, ada, [("thumbs_up", 2), ("heart", 1), ("🎉", 1)])
    await mira.react(channel_id, said, "👍", method="DELETE")
    await mira.react(channel_id, said, "❤️", method="DELETE")
    await stage.owner.call("DELETE", f"/channels/{channel_id}/messages/{said}/reactions/🎉")
    async with stage.bot():
        await reactions_are(stage, ada, [("thumbs_up", 1)])
        assert await interval(stage, ada) == 4.5


async def test_reactions_on_what_was_said_meanwhile_come_with_it(stage: Stage) -> None:
    ada, channel_id, mira, [_] = await first_life(stage, "before")
    missed = await mira.say(channel_id, "missed")
    await stage.owner.react(channel_id, missed, "🧠")
    async with stage.bot():
        await reactions_are(stage, ada, [], [("brain", 1)])


async def test_nobody_is_asked_who_reacted_where_the_counts_are_the_same(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, channel_id, said = await life_with_a_post(stage)
    await stage.owner.react(channel_id, said, "👍")
    async with stage.bot():
        await reactions_are(stage, ada, [("thumbs_up", 1)])
    asked: list[str] = []
    users = discord.Reaction.users

    def noted(reaction: discord.Reaction, **options: object) -> object:
        asked.append(str(reaction.emoji))
        return users(reaction, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(discord.Reaction, "users", noted)
    async with stage.bot():
        await reactions_are(stage, ada, [("thumbs_up", 1)])
    assert asked == []


async def test_an_agents_own_reaction_is_not_taken_for_a_persons(stage: Stage) -> None:
    ada, channel_id, _, [said] = await first_life(stage, "look")
    async with stage.bot() as bot:
        assert bot.client.user is not None
        await bot.client.http.add_reaction(channel_id, said, "❤️")
    async with stage.bot():
        await reactions_are(stage, ada, [])


async def thread_with(stage: Stage, mira: Guest, channel_id: Snowflake, start: int, *contents: str) -> Snowflake:
    thread = await mira.call("POST", f"/channels/{channel_id}/messages/{start}/threads", {"name": "aside"})
    for content in contents:
        await mira.say(int(thread["id"]), content)
    return Snowflake(int(thread["id"]))


async def test_edits_deletions_and_reactions_in_threads_are_found(stage: Stage) -> None:
    ada, channel_id, mira, [start] = await first_life(stage, "start")
    async with stage.bot():
        thread_id = await thread_with(stage, mira, channel_id, start, "one", "two")
        await heard(stage, ada, "start", "one", "two")
    one, two = [int(said["id"]) for said in await mira.read(thread_id) if said["content"] in ("one", "two")]
    await mira.call("PATCH", f"/channels/{thread_id}/messages/{one}", {"content": "ONE"})
    await stage.owner.react(thread_id, one, "❤️")
    await mira.call("DELETE", f"/channels/{thread_id}/messages/{two}")
    async with stage.bot():
        await heard(stage, ada, "start", "ONE")
        await reactions_are(stage, ada, [], [("heart", 1)])


@pytest.mark.parametrize("deleted", [0, 1, 2])
async def test_a_part_deleted_meanwhile_takes_the_whole_message_with_it(stage: Stage, deleted: int) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        long = "\n\n".join(letter * 1_500 for letter in "abc")
        await stage.say(bot, ada, long)
        await heard(stage, ada, long)
    posts = await stage.owner.read(channel_id)
    await stage.owner.call("DELETE", f"/channels/{channel_id}/messages/{posts[deleted]['id']}")

    async def gone() -> bool:
        return await stage.owner.read(channel_id) == []

    async with stage.bot():
        await heard(stage, ada)
        await until(gone)


async def test_a_thread_deleted_meanwhile_takes_its_words_with_it(stage: Stage) -> None:
    ada, channel_id, mira, [start] = await first_life(stage, "start")
    async with stage.bot():
        thread_id = await thread_with(stage, mira, channel_id, start, "aside")
        await heard(stage, ada, "start", "aside")
    await stage.owner.call("DELETE", f"/channels/{thread_id}")
    async with stage.bot():
        await heard(stage, ada, "start")


async def test_a_thread_archived_meanwhile_is_read_on(stage: Stage) -> None:
    ada, channel_id, mira, [start] = await first_life(stage, "start")
    thread_id = await thread_with(stage, mira, channel_id, start, "aside")
    await mira.call("PATCH", f"/channels/{thread_id}", {"archived": True})
    async with stage.bot():
        await heard(stage, ada, "start", "aside")


async def test_channel_and_threads_are_read_on_in_the_order_of_what_was_said(stage: Stage) -> None:
    ada, channel_id, mira, [start] = await first_life(stage, "start")
    thread_id = await thread_with(stage, mira, channel_id, start, "1")
    for number in range(2, 8):
        await mira.say(channel_id if number % 2 == 0 else thread_id, str(number))
    async with stage.bot():
        await heard(stage, ada, "start", *"1234567")
        ids = [message.id for message in await stage.history(ada)]
        assert ids == sorted(ids)


async def test_a_channel_made_private_or_given_a_topic_meanwhile_is_followed(stage: Stage) -> None:
    ada, channel_id, _, _ = await first_life(stage, "before")  # what was heard there was in a channel that was seen
    await stage.owner.call("PATCH", f"/channels/{channel_id}", {"topic": "Roses"})
    everyone = {"id": str(stage.guild_id), "type": 0, "allow": "0", "deny": str(VIEW)}
    us = {"id": stage.bot_id, "type": 1, "allow": str(VIEW | READ_HISTORY), "deny": "0"}
    overwrites = {"permission_overwrites": [everyone, us]}
    await stage.owner.call("PATCH", f"/channels/{channel_id}", overwrites)
    async with stage.bot():

        async def followed() -> bool:
            room = await stage.room(ada)
            return (room.topic, room.visibility) == ("Roses", Visibility.PRIVATE)

        await until(followed)


async def test_a_first_topic_is_no_news(stage: Stage) -> None:
    ada, _, _, _ = await first_life(stage)
    async with stage.bot():
        assert (await stage.room(ada)).topic == ""


async def shut(stage: Stage, channel_id: Snowflake, bits: int) -> None:
    """Take rights in a channel from the bot, or (0) give them back."""
    path = f"/channels/{channel_id}/permissions/{stage.bot_id}"
    await stage.owner.call("PUT", path, {"type": 1, "allow": str((VIEW | READ_HISTORY) & ~bits), "deny": str(bits)})


@pytest.mark.parametrize("bits", [VIEW, READ_HISTORY])
async def test_what_was_said_while_we_had_no_right_to_read_is_read_on(stage: Stage, bits: int) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        mira = await stage.guest("mira")
        await mira.say(channel_id, "before")
        await heard(stage, ada, "before")
        await shut(stage, channel_id, bits)
        await mira.say(channel_id, "behind the door")
        await all_taken_in(bot)
        await shut(stage, channel_id, 0)
        await heard(stage, ada, "before", "behind the door")


async def test_a_channel_whose_history_we_may_not_read_is_not_taken_for_an_empty_one(stage: Stage) -> None:
    ada, channel_id, _, _ = await first_life(stage, "one", "two")
    await shut(stage, channel_id, READ_HISTORY)
    async with stage.bot():
        await heard(stage, ada, "one", "two")


async def test_a_channel_that_was_emptied_meanwhile_is_empty(stage: Stage) -> None:
    ada, channel_id, mira, ids = await first_life(stage, "one", "two")
    for id in ids:
        await mira.call("DELETE", f"/channels/{channel_id}/messages/{id}")
    async with stage.bot():
        await heard(stage, ada)


async def all_taken_in(bot: Bot) -> None:
    async def empty() -> bool:
        return bot.client.waiting == 0

    await until(empty)


async def test_a_gap_that_could_not_be_read_is_read_when_it_can_be(stage: Stage) -> None:
    """Live messages after it must not hide what lies before them."""
    ada, channel_id, mira, _ = await first_life(stage, "before")
    await mira.say(channel_id, "missed")
    await shut(stage, channel_id, READ_HISTORY)
    async with stage.bot():
        await mira.say(channel_id, "live")
        await heard(stage, ada, "before", "live")
        await shut(stage, channel_id, 0)
        await heard(stage, ada, "before", "missed", "live")


async def test_our_role_given_back_lets_us_read_on(stage: Stage) -> None:
    ada, channel_id, mira, _ = await first_life(stage, "before")
    me = await stage.owner.call("GET", f"/guilds/{stage.guild_id}/members/{stage.bot_id}")
    roles = await stage.owner.call("GET", f"/guilds/{stage.guild_id}/roles")
    everyone = next(role for role in roles if role["id"] == str(stage.guild_id))
    [ours] = [role for role in roles if role["id"] in me["roles"]]
    async with stage.bot() as bot:
        await stage.owner.call("PATCH", f"/guilds/{stage.guild_id}/roles/{ours['id']}", {"permissions": "0"})
        closed = str(int(everyone["permissions"]) & ~READ_HISTORY)
        await stage.owner.call("PATCH", f"/guilds/{stage.guild_id}/roles/{everyone['id']}", {"permissions": closed})
        await mira.say(channel_id, "meanwhile")
        await all_taken_in(bot)
        path = f"/guilds/{stage.guild_id}/roles/{ours['id']}"
        await stage.owner.call("PATCH", path, {"permissions": ours["permissions"]})
        await heard(stage, ada, "before", "meanwhile")


def contents(messages: Sequence[Message]) -> list[str]:
    return [message.content for message in messages]


async def test_reading_on_waits_out_rate_limits_and_goes_on(stage: Stage) -> None:
    ada, channel_id, mira, _ = await first_life(stage, "before")
    missed = [f"missed {number}" for number in range(250)]
    for content in missed:
        await mira.say(channel_id, content)
    limited = {"kind": "rate_limit", "retry_after": 0.2, "route": "GET /channels/*/messages*"}
    await stage.faults(user_id=stage.bot_id, probability=0.5, seed=3, **limited)
    async with stage.bot(seconds=20):
        assert contents(await stage.history(ada)) == (["before", *missed])[-200:]
        async with stage.session.get(f"{stage.playground.url}/playground/faults") as answer:
            assert sum(fault["hits"] for fault in await answer.json()) > 0


async def test_a_room_that_was_refused_is_read_at_the_next_start_with_its_progress_in_the_log(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.discord.backfill.AT_ONCE", 100)
    ada, channel_id, mira, _ = await first_life(stage, "before")
    for number in range(250):
        await mira.say(channel_id, f"missed {number}")
    await stage.faults(kind="status", status=403, route="GET /channels/*/messages*", user_id=stage.bot_id, count=1)
    async with stage.bot():
        assert contents(await stage.history(ada)) == ["before"]
    with capture_logs() as logged:
        async with stage.bot():
            assert contents(await stage.history(ada))[-2:] == ["missed 248", "missed 249"]
    told = [line["messages"] for line in logged if line["event"] == "reading on"]
    assert told == [99, 199]  # the first stretch begins with what is known
    assert [line["messages"] for line in logged if line["event"] == "read on"] == [250]
