"""What people see of worlds apart."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.core.actions import Set
from bot.core.models import ModelCall
from bot.core.timelines.changes import AgentCtx, PublicEvent
from bot.core.timelines.records import NodeId
from bot.engine.timelines import looking
from bot.engine.timelines.looking import children_compared, difference, minds, transcript
from tests.engine.hearts import answer, asked, everyone_says
from tests.engine.timelines.garden import EVENT, garden


async def test_a_transcript_tells_what_was_said_since_the_fork_and_a_comparison_what_differs(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        (one,) = await grown.grow("advance", event.id)
        knows = AgentCtx(agent_id=1, actions=(Set(path="m", value=1),))
        (two,) = await grown.grow("branch", event.id, changes=(knows,))
        told = await transcript(grown.trees, grown.key, one.id)
        assert [line.partition(" · ")[2] for line in told] == ["System: The lights go out.", "Agent1: Here."]
        header, lines = await difference(grown.trees, grown.key, one.id, two.id, "USD")
        assert "differ in 1 line, 1 path" in header
        assert "Agent1 `knowledge.m`: only in 3: 1" in lines
        assert (await difference(grown.trees, grown.key, one.id, one.id, "USD"))[0] == "These worlds are the same."
        assert (await children_compared(grown.trees, grown.key, event.id, "USD"))[-1] == "2 of 2: went on"


@pytest.mark.slow
async def test_all_that_was_said_since_the_fork_can_be_read_however_much_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "MOST_LINES", 100)  # of what is compared
    bells = tuple(PublicEvent(room_id=1, text=f"A bell, {number}.") for number in range(10))
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        node_id = 0
        for _ in range(42):
            (node,) = await grown.grow("branch", node_id, changes=bells)
            node_id = node.id
        told = await grown.operations.read(grown.key, NodeId(node_id))
        beside = await difference(grown.trees, grown.key, NodeId(0), NodeId(node_id), "USD")
        table = await children_compared(grown.trees, grown.key, NodeId(node_id - 1), "USD")
        counted = await children_compared(grown.trees, grown.key, NodeId(0), "USD")
        monkeypatch.setattr(looking, "MOST_DIFFERENCES", 1_000)  # bytes
        cut = await difference(grown.trees, grown.key, NodeId(0), NodeId(node_id), "USD")
    assert len(told) == 420
    assert told[0].endswith("System: A bell, 0.")
    assert "differ in 420 lines" in beside[0] and "  42: System: A bell, 0." in beside[1]
    assert ": went on, 10 lines," in table[0]
    assert ": went on, 10 lines," in counted[0]
    left_out = len(beside[1]) - len(cut[1])
    assert cut[0] == f"{beside[0]} Here {left_out} more lines are left out." and left_out > 800
    assert len("\n".join(cut[1])) <= 1_000


async def test_of_a_child_in_which_very_much_was_said_at_least_so_much_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "MOST_LINES", 4)
    bells = tuple(PublicEvent(room_id=1, text=f"A bell, {number}.") for number in range(10))
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        await grown.grow("branch", 0, changes=bells)
        (line, _) = await children_compared(grown.trees, grown.key, NodeId(0), "USD")
    assert ": went on, at least 10 lines," in line


@pytest.mark.slow
async def test_a_reaction_to_what_both_worlds_heard_before_is_the_same_in_both_however_much_one_heard_since(
    tmp_path: Path,
) -> None:
    def reacts(call: ModelCall) -> str:
        return answer({}, {1: [{"type": "react", "message_id": 1, "reaction": "heart"}]} if 1 in asked(call) else {})

    lines = tuple(PublicEvent(room_id=1, text=f"A bell, {number}.") for number in range(10))
    async with garden(tmp_path, reacts) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        (both,) = await grown.grow("advance", event.id)
        (little,) = await grown.grow("branch", both.id, changes=EVENT)
        much = both
        for _ in range(6):
            (much,) = await grown.grow("branch", much.id, changes=lines)
        header, told = await difference(grown.trees, grown.key, little.id, much.id, "USD")
        assert "heart" in str(await difference(grown.trees, grown.key, event.id, both.id, "USD"))
    assert "reaction" not in header
    assert "## Reactions" not in told


async def test_worlds_are_compared_beside_everything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where: list[bool] = []

    def noted(work: Callable[..., object]) -> Callable[..., object]:
        def done(*given: object) -> object:
            where.append(threading.current_thread() is threading.main_thread())
            return work(*given)

        return done

    for name in ("compared", "tabled"):
        monkeypatch.setattr(looking, name, noted(getattr(looking, name)))
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        one, two = await grown.grow("multi", (await grown.grow("branch", 0, changes=EVENT))[0].id, siblings=2)
        await looking.difference(grown.trees, grown.key, one.id, two.id, "USD")
        await looking.children_compared(grown.trees, grown.key, NodeId(one.parent or 0), "USD")
    assert where == [False, False]


async def test_what_agents_carry_is_told_of_the_node_and_not_of_its_parent(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        knows = AgentCtx(agent_id=2, actions=(Set(path="mood", value="wild"),))
        (node,) = await grown.grow("branch", 0, changes=(knows,))
        carried = {one.name: one.knowledge for one in await minds(grown.trees, grown.key, node.id)}
        assert carried["Agent2"] == {"mood": "wild"}
        before = await minds(grown.trees, grown.key, NodeId(0))
        assert all("mood" not in one.knowledge for one in before)
