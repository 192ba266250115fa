"""An agent's picture is a decoration: its words never wait for it, and it comes when it can."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.adapters.discord import faces
from tests.adapters.discord.stage import Json, Stage, staged, until

DRESSING = "PATCH /webhooks/*"


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def last(stage: Stage, channel_id: int) -> Json:
    return (await stage.owner.read(channel_id))[-1]


async def test_the_first_words_do_not_wait_for_a_picture_that_hangs(stage: Stage) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        await stage.faults(kind="latency", route=DRESSING, seconds=6.0)
        at = asyncio.get_running_loop().time()
        await stage.say(bot, ada, "Hello!")
        await until(lambda: stage.owner.read(channel_id))
        assert asyncio.get_running_loop().time() - at < 5.0
        assert (await last(stage, channel_id))["author"]["avatar"] is None

        async def dressed() -> object:
            place = await bot.publisher.territory.place(stage.guild_id, channel_id)
            return (await bot.publisher.webhooks.of(place)).picture

        await until(dressed)  # beside everything else
        await stage.say(bot, ada, "And now with my face.")

        async def shown() -> bool:
            said = await last(stage, channel_id)
            return said["content"] == "And now with my face." and said["author"]["avatar"] is not None

        await until(shown)


async def test_a_picture_that_was_refused_is_tried_again_later(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "AGAIN_SECONDS", 0.5)
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        await stage.faults(kind="status", route=DRESSING, status=400)
        assert await bot.publisher.face(stage.guild_id, channel_id, ada, "Ada") is None
        assert await bot.publisher.face(stage.guild_id, channel_id, ada, "Ada") is None  # it rests
        await asyncio.sleep(0.6)
        assert await bot.publisher.face(stage.guild_id, channel_id, ada, "Ada") is not None
