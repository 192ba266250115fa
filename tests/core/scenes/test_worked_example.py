"""The kind that docs/scenes.md shows plays as it stands there, and keeps its secret."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from bot.core.records import AgentId, CommunityId, SceneId, Snowflake
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.play import replayed
from bot.core.scenes.records import Scene, SceneStatus, Seated
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import board_of, turn_of
from tests.core.scenes.plays import Playing, dice, of, play_out
from tests.fakes import START

PAGE = Path("docs/scenes.md")
NAME = "twenty_questions_of_the_page"


@pytest.fixture(scope="module")
def kind() -> Iterator[SceneKind]:
    """Twenty questions, as the page has it."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 60
    module = sys.modules[NAME] = ModuleType(NAME)
    exec(compile(code, str(PAGE), "exec"), module.__dict__)  # noqa: S102  # our own page
    found: SceneKind = module.KIND
    yield found
    del sys.modules[NAME]


def test_it_is_played_to_its_end_and_replays(kind: SceneKind) -> None:
    outcomes = set()
    for seed in range(30):
        *_, playing = play_out(kind, dice(seed), digests=True)
        assert playing.is_over
        assert not playing.standing.stuck
        assert replayed(playing.play, playing.seats, playing.log, playing.first)[1] is None
        outcomes.add(playing.outcome.rpartition(": ")[2])
    assert {"found.", "not found."} >= outcomes - {"its turns are used up.", "everybody is away."}


def shown(playing: Playing, standing: object, seat: int) -> list[object]:
    """Everything that a seat is shown, and everybody: what a turn says, and the board."""
    scene = Scene(
        community_id=CommunityId(1),
        id=SceneId(1),
        kind=playing.play.kind.kind,
        version=1,
        title="",
        room_id=AgentId(1),
        status=SceneStatus.RUNNING,
        options=playing.play.options.model_dump(mode="json"),
        standing=standing.packed(),  # type: ignore[attr-defined]
        started_by=Snowflake(1),
        created_at=START,
        seats=tuple(Seated(seat=one, agent_id=AgentId(one)) for one in playing.seats),
    )
    names = {one: f"Agent{one}" for one in playing.seats}
    return [turn_of(scene, [], names, seat), board_of(scene, [], names)]


def test_whoever_guesses_sees_the_same_whatever_it_is(kind: SceneKind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Non-interference: another state that looks the same to a seat gives it the same bytes, and the keeper others."""
    monkeypatch.setitem(KINDS, kind.kind, kind)
    pairs = 0
    for seed in range(20):
        for playing in play_out(kind, dice(seed), illegal=False):
            if playing.is_over:
                break
            standing = playing.standing
            thing = standing.state.model_dump()["thing"]
            other = "violin" if thing != "violin" else "cat"
            hidden = replace(standing, state=standing.state.model_copy(update={"thing": other}))
            for seat in playing.seats[1:]:
                assert str(shown(playing, standing, seat)) == str(shown(playing, hidden, seat))
                pairs += 1
            assert str(shown(playing, standing, 1)) != str(shown(playing, hidden, 1))
    assert pairs > 100


def test_the_answer_of_the_keeper_is_all_that_is_told(kind: SceneKind) -> None:
    playing = of(kind, kind.options(), 3)
    assert playing.move(2, "ask", text="Is it alive?") == ["{t1}"]
    assert playing.move(1, "answer", answer="no") == ["{s1}: no."]
    assert playing.move(3, "guess", thing="spoon")[0] == "{s3} guesses: spoon."
