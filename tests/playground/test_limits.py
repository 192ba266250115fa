"""Rate limits as Discord shows them, and as discord.py heeds them."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import discord
import pytest
from discord.ext import commands

from bot.playground.clock import Clock
from bot.playground.ratelimits import RateLimited, RateLimits
from bot.playground.server import Playground, PlaygroundOptions
from tests.playground.person import Person, Refusal

POST = "POST /channels/{channel_id}/messages"
EXECUTE = "POST /webhooks/{webhook_id}/{webhook_token}"


class StillClock(Clock):
    """A clock that only a test moves."""

    @property
    def seconds(self) -> float:
        """Give the time."""
        return 1_000_000.0 + self.offset_seconds


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def limits(clock: StillClock) -> RateLimits:
    return RateLimits(clock, "discord")


def test_a_bucket_empties_and_fills_again(limits: RateLimits, clock: StillClock) -> None:
    left = [limits.take(POST, {"channel_id": "1"}, "bot")["X-RateLimit-Remaining"] for _ in range(5)]
    assert left == ["4", "3", "2", "1", "0"]
    with pytest.raises(RateLimited) as limited:
        limits.take(POST, {"channel_id": "1"}, "bot")
    assert limited.value.retry_after == pytest.approx(5)
    assert limited.value.headers["Via"]
    assert limited.value.headers["X-RateLimit-Scope"] == "user"
    limits.take(POST, {"channel_id": "2"}, "bot")
    limits.take(POST, {"channel_id": "1"}, "somebody else")
    clock.advance(5.01)
    limits.take(POST, {"channel_id": "1"}, "bot")


def test_fifty_a_second_is_all(limits: RateLimits, clock: StillClock) -> None:
    for number in range(50):
        limits.take(POST, {"channel_id": str(number)}, "bot")
    with pytest.raises(RateLimited) as limited:
        limits.take(POST, {"channel_id": "x"}, "bot")
    assert limited.value.body()["global"] is True
    assert limited.value.headers["X-RateLimit-Global"] == "true"
    limits.take(EXECUTE, {"webhook_id": "1", "webhook_token": "t"}, "anyone")
    clock.advance(1.01)
    limits.take(POST, {"channel_id": "x"}, "bot")


def test_webhooks_have_a_bucket_each_and_a_channel_thirty_a_minute(limits: RateLimits, clock: StillClock) -> None:
    hooks = [{"webhook_id": str(n), "webhook_token": "t"} for n in range(2)]
    for hook in hooks:
        for _ in range(5):
            limits.take(EXECUTE, hook, "anyone")
        with pytest.raises(RateLimited):
            limits.take(EXECUTE, hook, "anyone")
    for _ in range(30):
        limits.take_webhook("1")
    with pytest.raises(RateLimited) as limited:
        limits.take_webhook("1")
    assert limited.value.scope == "shared"
    assert limited.value.retry_after == pytest.approx(60)
    clock.advance(60.01)
    limits.take_webhook("1")


def test_a_channel_is_renamed_twice_in_ten_minutes(limits: RateLimits, clock: StillClock) -> None:
    limits.take_rename("1")
    clock.advance(300)
    limits.take_rename("1")
    with pytest.raises(RateLimited) as limited:
        limits.take_rename("1")
    assert limited.value.retry_after == pytest.approx(300)
    limits.take_rename("2")


def test_a_faster_pace_has_the_same_counts_in_shorter_windows(clock: StillClock) -> None:
    limits = RateLimits(clock, "fast")
    for _ in range(30):
        limits.take_webhook("1")
    with pytest.raises(RateLimited) as limited:
        limits.take_webhook("1")
    assert limited.value.retry_after == pytest.approx(1)


def test_without_a_pace_nothing_is_counted(clock: StillClock) -> None:
    limits = RateLimits(clock, "off")
    assert [limits.take(POST, {}, "bot") for _ in range(200)] == [{}] * 200
    for _ in range(100):
        limits.take_webhook("1")
        limits.take_rename("1")


@pytest.fixture
def options() -> PlaygroundOptions:
    """Run with limits, in windows sixty times shorter."""
    return PlaygroundOptions(port=0, pace="fast")


@pytest.fixture
def stopped() -> Iterator[pytest.MonkeyPatch]:
    """Stop the playground's clock, so that a slow machine empties a bucket too; `undo()` lets it go on."""
    at = Clock().seconds
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Clock, "seconds", property(lambda clock: at + clock.offset_seconds))
        yield patch


async def test_discord_py_waits_its_turn(channel: discord.TextChannel, playground: Playground) -> None:
    began = time.monotonic()
    sent = await asyncio.gather(*(channel.send(str(n)) for n in range(16)))
    assert len({message.id for message in sent}) == 16
    assert time.monotonic() - began >= 3 * 5 / 60 * 0.9
    statuses = await _statuses(playground)
    assert statuses.get("429", 0) <= 1


async def test_webhooks_wait_their_turn(
    channel: discord.TextChannel, playground: Playground, stopped: pytest.MonkeyPatch
) -> None:
    hook = await channel.create_webhook(name="hook")
    async with asyncio.TaskGroup() as tasks:
        going_on = tasks.create_task(_go_on_when_limited(playground, stopped))
        for number in range(32):
            await hook.send(str(number))
        assert going_on.done()
    told = [int(m.content) async for m in channel.history(limit=32)]
    assert told == list(range(31, -1, -1))


async def _go_on_when_limited(playground: Playground, stopped: pytest.MonkeyPatch) -> None:
    while not (await _statuses(playground)).get("429"):  # noqa: ASYNC110 - what is polled counts in another task
        await asyncio.sleep(0.01)
    stopped.undo()


async def _statuses(playground: Playground) -> dict[str, int]:
    async with aiohttp.ClientSession() as session, session.get(f"{playground.url}/playground/stats") as got:
        return (await got.json())["statuses"]  # type: ignore[no-any-return]


@pytest.mark.usefixtures("stopped")
async def test_people_are_limited_too_and_told_how_long(ada: Person, playground: Playground) -> None:
    headers = {"Authorization": ada._token}
    url = f"{playground.api_url}/channels/{ada.about['channel_id']}/typing"
    async with aiohttp.ClientSession() as session:
        answers = [await session.post(url, headers=headers) for _ in range(6)]
        body = await answers[-1].json()
    assert [answer.status for answer in answers] == [204] * 5 + [429]
    assert body["message"] == "You are being rate limited."
    assert 0 < body["retry_after"] <= 5 / 60
    assert answers[0].headers["X-RateLimit-Limit"] == "5"


async def test_a_third_rename_is_told_to_wait(bot: commands.Bot, channel: discord.TextChannel) -> None:
    bot.http.max_ratelimit_timeout = 1.0
    for name in ("one", "two"):
        await channel.edit(name=name)
    with pytest.raises(discord.RateLimited) as limited:
        await channel.edit(name="three")
    assert 1.0 < limited.value.retry_after <= 10


@pytest.mark.usefixtures("stopped")
async def test_a_limit_within_a_bucket_shows_what_is_left_of_the_bucket(ada: Person, playground: Playground) -> None:
    headers = {"Authorization": f"Bot {playground.bot_token}"}
    url = f"{playground.api_url}/channels/{ada.about['channel_id']}"
    async with aiohttp.ClientSession() as session:
        answers = [await session.patch(url, headers=headers, json={"topic": topic}) for topic in "abc"]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["4", "3", "2"]


@pytest.fixture
async def loud(ada: Person, stopped: pytest.MonkeyPatch) -> AsyncIterator[Person]:
    """Give a person who has spent its first five messages."""
    for number in range(5):
        await ada.say(ada.about["channel_id"], str(number))
    yield ada


@pytest.mark.usefixtures("stopped")
async def test_a_refused_message_leaves_no_trace(channel: discord.TextChannel, loud: Person) -> None:
    with pytest.raises(Refusal) as refused:
        await loud.say(channel.id, "one too many")
    assert refused.value.status == 429
    contents: list[Any] = [m.content async for m in channel.history(limit=5)]
    assert "one too many" not in contents
