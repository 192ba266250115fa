"""What is posted nowhere has ids of its own moment and depth."""

from bot.core.publishing import Post
from bot.core.records import Snowflake
from bot.engine.timelines.chance import VirtualClock
from bot.engine.timelines.loopback import Loopback
from tests.fakes import START

POST = Post(guild_id=Snowflake(1), channel_id=Snowflake(2), name="Wren", avatar_url=None, content="Hello.")


async def test_ids_are_ordered_and_those_of_a_child_at_the_same_moment_are_others() -> None:
    clock = VirtualClock(START)
    parent, child = Loopback(clock, depth=1), Loopback(clock, depth=2)
    first, second, third = await parent.post(POST), await parent.post(POST), await child.post(POST)
    assert first < second < third
    again = Loopback(clock, depth=1)
    assert await again.post(POST) == first
