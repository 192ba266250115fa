"""A world apart goes on by the same engine as life does, and nothing of it is ever in life."""

from pathlib import Path

import pytest

from bot.core.errors import ModelUnreachable, Rejected
from bot.core.models import ModelCall
from bot.core.publishing import Post
from bot.core.records import Snowflake
from bot.core.timelines.records import Edge, Status
from bot.engine.timelines.chance import VirtualClock
from bot.engine.timelines.play import Loopback
from tests.engine.hearts import everyone_says
from tests.engine.test_replaying import moody
from tests.engine.timelines.garden import EVENT, garden
from tests.fakes import START


async def test_a_node_goes_on_from_the_fork_and_says_what_was_said(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("So it could have been.")) as grown:
        before = await grown.home.lines()
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        assert (event.status, event.turns, event.edge) == (Status.DONE, 0, Edge.PUBLIC_EVENT)
        (node,) = await grown.grow("advance", event.id, turns=2)
        assert (node.status, node.turns, node.outcome) == (Status.DONE, 2, "")
        told = await grown.lines(node.id)
        assert told[: len(before) + 1] == [*before, ("System", "The lights go out.")]
        assert [text for _, text in told].count("So it could have been.") == 2
        assert await grown.home.lines() == before
        assert grown.home.publisher.posts == []


async def test_where_nobody_has_a_reason_a_node_is_quiet_and_nothing_goes_on_from_it(tmp_path: Path) -> None:
    async with garden(tmp_path, moody) as grown:
        (node,) = await grown.grow("advance", 0)
        assert (node.turns, node.outcome) == (0, "quiet")
        with pytest.raises(Rejected, match="nobody has a reason: give an event"):
            await grown.grow("advance", node.id)
        assert len(await grown.trees.nodes(grown.key)) == 2


async def test_a_model_that_fails_five_times_fails_its_node_and_no_sibling(tmp_path: Path) -> None:
    def down(call: ModelCall) -> str:
        raise ModelUnreachable("Nothing answers there.")

    async with garden(tmp_path, down) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        (node,) = await grown.grow("advance", event.id)
        assert (node.status, node.outcome) == (Status.FAILED, "Nothing answers there.")
        grown.home.model.script.clear()
        grown.home.model.script.extend([everyone_says("Here.")] * 99)
        (other,) = await grown.grow("advance", event.id)
        assert other.status is Status.DONE


POST = Post(guild_id=Snowflake(1), channel_id=Snowflake(2), name="Wren", avatar_url=None, content="Hello.")


async def test_ids_are_ordered_and_those_of_a_child_at_the_same_moment_are_others() -> None:
    clock = VirtualClock(START)
    parent, child = Loopback(clock, depth=1), Loopback(clock, depth=2)
    first, second, third = await parent.post(POST), await parent.post(POST), await child.post(POST)
    assert first < second < third
    again = Loopback(clock, depth=1)
    assert await again.post(POST) == first
