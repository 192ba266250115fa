"""People and agents meet on Discord: what is said comes in once, what agents say goes out under their names."""

from collections.abc import AsyncIterator

import pytest

from bot.core.kinds import SenderKind
from bot.core.ports import Post
from tests.adapters.discord.stage import Stage, staged, until


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def test_a_message_comes_in_with_reasons_and_an_answer_goes_out_under_the_agents_name(stage: Stage) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        await stage.owner.say(channel_id, "Good morning, Ada!")
        await until(lambda: stage.contents(ada))
        [heard] = await stage.history(ada)
        assert (heard.content, heard.sender.kind) == ("Good morning, Ada!", SenderKind.ARCHITECT)
        assert bot.nudges.at

        await stage.say(bot, ada, "And to you.", reply_to=heard.id)
        await until(lambda: said(stage, channel_id, 2))
        _, answer = await stage.owner.read(channel_id)
        assert answer["author"]["username"] == "Ada"
        assert answer["content"].endswith("\nAnd to you.")
        assert answer["content"].startswith("-# ↪ [")
        assert answer["author"]["avatar"] or answer.get("avatar_url")


async def test_what_system_says_bears_the_bots_picture_not_that_of_the_agent_whose_room_it_is(stage: Stage) -> None:
    async with stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        await bot.publisher.face(stage.guild_id, channel_id, ada, "Ada")
        url = bot.publisher.own_face()
        post = Post(guild_id=stage.guild_id, channel_id=channel_id, name="System", avatar_url=url, content="Bob left.")
        await bot.publisher.post(post)
        await stage.say(bot, ada, "Farewell, Bob.")
        await until(lambda: said(stage, channel_id, 2))
        told, hers = (one["author"]["avatar"] for one in await stage.owner.read(channel_id))
        assert url and told and hers and told != hers


async def said(stage: Stage, channel_id: int, count: int) -> bool:
    return len(await stage.owner.read(channel_id)) >= count
