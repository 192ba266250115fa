"""What people see of worlds apart."""

from pathlib import Path

from bot.core.actions import Set
from bot.core.timelines.changes import AgentCtx
from bot.engine.timelines.looking import children_compared, difference, transcript
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import EVENT, garden


async def test_a_transcript_tells_what_was_said_since_the_fork_and_a_comparison_what_differs(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        (one,) = await grown.grow("advance", event.id)
        knows = AgentCtx(agent_id=1, actions=(Set(path="m", value=1),))
        (two,) = await grown.grow("branch", event.id, changes=(knows,))
        told = await transcript(grown.trees, grown.key, one.id)
        assert [line.partition(" · ")[2] for line in told] == ["System: The lights go out.", "Agent1: Here."]
        header, lines = await difference(grown.trees, grown.key, one.id, two.id)
        assert "differ in 1 line, 1 path" in header
        assert "Agent1 `knowledge.m`: only in 3: 1" in lines
        assert (await difference(grown.trees, grown.key, one.id, one.id))[0] == "These worlds are the same."
        assert (await children_compared(grown.trees, grown.key, event.id))[-1] == "2 of 2: went on"
