"""A run goes on node by node: as long as it is to, with what happens in it, from any of its worlds."""

from pathlib import Path

import pytest

from bot.core.errors import ModelBusy, Rejected
from bot.core.runs.spec import RunEvent, RunScene, RunSpec
from bot.core.timelines.records import ROOT, NodeId
from bot.engine.runs.playing import KEY, Ending, Length
from tests.engine.hearts import everyone_says
from tests.engine.runs.ground import ADA, BO, CHAT, ground
from tests.engine.theatre import Player
from tests.fakes import ScriptedModel


async def test_it_is_kept_every_so_many_turns_and_ends_where_it_is_to(tmp_path: Path) -> None:
    async with ground(tmp_path) as there:
        played = await there.playing.go_on(ROOT, Length(turns=7), seed="1")
        nodes = await there.trees.nodes(KEY)
    assert [one.turns for one in nodes] == [0, 3, 3, 1]
    assert (played.ending, played.turns, played.node) == (Ending.PLAYED, 7, 3)
    assert played.usd == sum(one.usd for one in nodes) > 0


async def test_a_scene_that_is_over_leaves_it_quiet_and_it_goes_on_from_an_earlier_world(tmp_path: Path) -> None:
    spec = CHAT.model_copy(update={"scene": RunScene(kind="chat", options={"turns": 4})})
    async with ground(tmp_path, spec) as there:
        over = await there.playing.go_on(ROOT, Length(), seed="1")
        with pytest.raises(Rejected, match="is quiet"):
            await there.playing.go_on(over.node, Length(turns=1), seed="1")
        branch = await there.playing.go_on(NodeId(1), Length(turns=1), seed="1")
        made = await there.trees.node(KEY, branch.node)
    assert (over.ending, made.parent) == (Ending.QUIET, 1)


async def test_events_come_at_their_turn_or_once_it_is_quiet(tmp_path: Path) -> None:
    events = (RunEvent(text="It rains."), RunEvent(turn=900, text="It stops.", by="mira", room="Bo"))
    spec = RunSpec(agents=(ADA, BO), events=events, every=2)
    model = ScriptedModel([everyone_says("Indeed.")] * 2)
    async with ground(tmp_path, spec, model) as there:
        played = await there.playing.go_on(ROOT, Length(turns=9), seed="1", events=spec.events)
        nodes = await there.trees.nodes(KEY)
        async with there.trees.look(KEY, played.node) as world, world.store.reading() as read:
            said = [one.content for one in await read.talk.history(KEY.community_id, there.founded.room_of("Bo"))]
    texts = [change.text for one in nodes for change in one.changes if change.kind == "public_event"]
    assert texts == ["It rains.", "It stops."]
    assert "It stops." in said
    assert len(model.calls) > 0


async def test_minutes_pass_also_where_nobody_does_anything(tmp_path: Path) -> None:
    spec = RunSpec(agents=(ADA, BO), events=(RunEvent(text="It rains."),), every=10)
    async with ground(tmp_path, spec) as there:
        played = await there.playing.go_on(ROOT, Length(minutes=25), seed="1", events=spec.events)
        nodes = await there.trees.nodes(KEY)
    assert (played.ending, [one.minutes for one in nodes[1:]]) == (Ending.PLAYED, [10.0, 10.0, 5.0])
    begun, ended = nodes[0].until_at, nodes[-1].until_at
    assert begun is not None
    assert ended is not None
    assert 25 * 60 <= (ended - begun).total_seconds() < 25 * 60 + 30


async def test_a_model_that_fails_again_and_again_ends_it_and_what_was_played_stands(tmp_path: Path) -> None:
    turns = 0

    def failing(text: str, moves: object) -> dict[str, object] | Exception:
        nonlocal turns
        turns += 1
        return ModelBusy("Too many requests.") if turns > 4 else {"type": "say", "text": "Tea."}

    async with ground(tmp_path, model=Player(failing)) as there:  # type: ignore[arg-type]
        played = await there.playing.go_on(ROOT, Length(turns=9), seed="1")
    assert (played.ending, played.node, played.turns, played.why) == (Ending.FAILED, 1, 3, "Too many requests.")
