"""What happened in a node is told in order, and only what happened there."""

from pathlib import Path

from bot.core.actions import Set
from bot.core.timelines.changes import AgentCtx
from bot.core.timelines.records import EventKind
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import EVENT, garden

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
        assert [one.kind for one in then] == [EventKind.MESSAGE, EventKind.BEAT]
        assert then[0].data["text"] == "Here."


async def test_of_a_large_value_is_told_how_large_it_is(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        knows = AgentCtx(agent_id=1, actions=(Set(path="m", value=["a word"] * 300),))
        (event,) = await grown.grow("branch", 0, changes=(knows,))
        known = [
            one for one in await grown.trees.events(grown.key, node_id=event.id) if one.kind is EventKind.KNOWLEDGE
        ]
        assert [(one.data["before"], one.data["after"]) for one in known] == [(None, "(3,000 characters)")]
