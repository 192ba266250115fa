"""A node is run, asked, and run again from its record."""

from pathlib import Path

import pytest

from bot.core.actions import Set
from bot.core.errors import ModelUnreachable, NotFound, Rejected
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import AgentId, BeatId
from bot.core.timelines.changes import AgentCtx
from bot.core.timelines.records import Edge, EventKind, NodeId, Status, TreeKey
from bot.engine.timelines import runner
from bot.engine.timelines.answers import GrantSpent
from tests.engine.hearts import everyone_says
from tests.engine.test_replaying import moody
from tests.engine.timelines.garden import EVENT, garden


@pytest.mark.slow
async def test_a_run_again_from_the_record_asks_nobody_and_differs_in_nothing(tmp_path: Path) -> None:
    async with garden(tmp_path, moody) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        nodes = [event, *await grown.grow("chain", event.id, turns=3)]
        nodes += await grown.grow("multi", nodes[0].id, siblings=3, turns=2)
        asked = len(grown.house.answered)
        assert asked > 5
        for node in nodes:
            assert node.status is Status.DONE, node.outcome
            assert await grown.operations.rerun(grown.key, node.id) == ""
        assert len(grown.house.answered) == asked


async def test_the_architect_asks_an_agent_which_answers(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Wood.")) as grown:
        (node,) = await grown.grow("ask", 0, asked=(AgentId(1), "of what is the boat?"))
        assert node.edge is Edge.ASK
        assert (await grown.lines(node.id))[-2:] == [
            ("The Architect (@manager)", "Agent1, of what is the boat?"),
            ("1", "Wood."),
        ]
        assert await grown.operations.rerun(grown.key, node.id) == ""


async def test_a_spent_grant_ends_a_node_at_a_turn(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        asked = 0

        def count(call: ModelCall) -> None:
            nonlocal asked
            asked += 1
            if asked > 2:
                raise GrantSpent("spent")

        grown.house.before = count
        (node,) = await grown.grow("advance", event.id, turns=9)
        assert (node.status, node.turns, node.outcome) == (Status.DONE, 2, "the money of its grant was spent")
        assert await grown.operations.rerun(grown.key, node.id) == ""


OWN = (EventKind.MESSAGE, EventKind.BEAT, EventKind.KNOWLEDGE, EventKind.MOVE)


async def test_messages_beats_and_knowledge_of_a_node_are_told_once(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        knows = AgentCtx(agent_id=1, actions=(Set(path="m", value=1),))
        (event,) = await grown.grow("branch", 0, changes=(*EVENT, knows))
        (node,) = await grown.grow("advance", event.id)
        first = [one for one in await grown.trees.events(grown.key, node_id=event.id) if one.kind in OWN]
        assert [(one.kind, one.data.get("text"), one.data.get("path")) for one in first] == [
            (EventKind.MESSAGE, "The lights go out.", None),
            (EventKind.KNOWLEDGE, None, "m"),
        ]
        then = [one for one in await grown.trees.events(grown.key, node_id=node.id) if one.kind in OWN]
        assert [one.kind for one in then] == [EventKind.BEAT, EventKind.MESSAGE]  # for it took a while to be typed
        assert then[1].data["text"] == "Here."


async def test_what_happens_in_a_node_is_told_while_it_runs_and_of_one_that_fails_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "TOLD_EACH_SECONDS", 0.0)
    async with garden(tmp_path, moody) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        before_call: list[int] = []
        answer = grown.house.answer

        async def looked(key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
            told = await grown.trees.events(key, node_id=node_id)
            before_call.append(sum(one.kind is EventKind.BEAT for one in told))
            if len(before_call) > 2:
                raise ModelUnreachable("The provider is down.")
            return await answer(key, node_id, call)

        monkeypatch.setattr(grown.house, "answer", looked)
        (node,) = await grown.grow("advance", event.id, turns=9)
        assert before_call[:3] == [0, 1, 2]
        assert node.status is Status.FAILED
        told = await grown.trees.events(grown.key, node_id=node.id)
        beats = [one.data["id"] for one in told if one.kind is EventKind.BEAT]
        assert len(beats) == len({*beats}) >= 2
        assert told[-1].kind is EventKind.RUN_FAILED


async def test_of_a_large_value_is_told_how_large_it_is(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        knows = AgentCtx(agent_id=1, actions=(Set(path="m", value=["a word"] * 300),))
        (event,) = await grown.grow("branch", 0, changes=(knows,))
        known = [
            one for one in await grown.trees.events(grown.key, node_id=event.id) if one.kind is EventKind.KNOWLEDGE
        ]
        assert [(one.data["before"], one.data["after"]) for one in known] == [(None, "(3,000 characters)")]


async def test_what_an_agent_saw_is_put_together_again_word_for_word_and_asks_nobody(tmp_path: Path) -> None:
    async with garden(tmp_path, moody) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        (node,) = await grown.grow("advance", event.id, turns=2)
        told = await grown.trees.events(grown.key, node_id=node.id)
        beats = [one.data for one in told if one.kind is EventKind.BEAT]
        assert len(beats) == 2
        inputs = [call.input for id_, call in grown.house.answered if id_ == node.id]
        asked = len(grown.house.answered)
        for beat, said in zip(beats, inputs, strict=True):
            seen = await grown.operations.seen(grown.key, node.id, BeatId(int(str(beat["id"]))))
            assert seen.agent_id == beat["agent"]
            assert "The lights go out." in seen.hud
            assert said in seen.hud
        assert len(grown.house.answered) == asked
        with pytest.raises(NotFound, match="Nobody had beat 99"):
            await grown.operations.seen(grown.key, node.id, BeatId(99))
        with pytest.raises(NotFound, match="Nobody had beat"):
            await grown.operations.seen(grown.key, event.id, BeatId(int(str(beats[0]["id"]))))
        with pytest.raises(Rejected, match="The root was never run"):
            await grown.operations.seen(grown.key, NodeId(0), BeatId(1))
