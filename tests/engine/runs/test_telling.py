"""What came of a run is told whole, and of its rows alone."""

from pathlib import Path

from bot.core.runs.spec import RunScene, RunSpec
from bot.core.timelines.records import ROOT
from bot.engine.runs.playing import Length
from bot.engine.runs.telling import story
from tests.engine.runs.ground import ADA, BO, CHAT, EVENTS, ground


async def test_a_scene_is_told_with_who_said_what_how_it_ended_and_what_it_cost(tmp_path: Path) -> None:
    spec = CHAT.model_copy(update={"scene": RunScene(kind="chat", options={"turns": 4})})
    async with ground(tmp_path, spec) as there:
        played = await there.playing.go_on(ROOT, Length(), seed="1")
        told = await story(there.trees, played.node)
        assert await story(there.trees, played.node) == told
    said = [one.data for one in told.lines if one.data.get("kind") == "say"]
    assert [(one["by"], one["text"], one["heard_by"]) for one in said] == [
        (name, "Quite so.", None) for name in ("Ada", "Bo") * 2
    ]
    assert told.lines[-1].text.endswith("It is over: its turns are used up.")
    scenes = told.outcome["scenes"]
    assert isinstance(scenes, list)
    (scene,) = scenes
    assert isinstance(scene, dict)
    assert (scene["status"], scene["outcome"]) == ("over", "It is over: its turns are used up.")
    assert told.used["Ada"][0] == 3  # two turns, and what is kept of it afterwards
    assert len(told.answers) > 4


async def test_free_talk_is_told_room_by_room_in_its_order(tmp_path: Path) -> None:
    spec = RunSpec(agents=(ADA, BO), events=EVENTS)
    async with ground(tmp_path, spec) as there:
        played = await there.playing.go_on(ROOT, Length(turns=4), seed="1", events=spec.events)
        told = await story(there.trees, played.node)
    assert [one.data["text"] for one in told.lines] == ["Bo joined.", "It rains."]
    assert told.lines[-1].text.endswith("Ada's room · System: It rains.")
    assert told.outcome["scenes"] == []
