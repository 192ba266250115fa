"""Where a scene stands may come from anywhere: what no rules could have made is no state, and nobody waits for it."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.core.errors import Rejected
from bot.core.records import AgentId, CommunityId, SceneId, Snowflake
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.play import Play
from bot.core.scenes.records import Scene, SceneStatus, Seated
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import begun, board_of, refolded, turn_of
from tests.fakes import START

Standing = dict[str, Any]
Change = Callable[[Standing], object]
FEWEST = {"chat": 2, "council": 3, "village": 2, "werewolf": 6, "landlord": 3}
MANY = list(range(1, 400))
TALLY = {"what": "Motion 1", "yes": 1, "no": 1, "abstained": 1, "absent": 1, "passed": True}


def scene_of(kind: SceneKind, status: SceneStatus = SceneStatus.RUNNING) -> Scene:
    options = kind.options()
    standing = Play(kind=kind, options=options, seed="seed").begin(tuple(range(1, FEWEST[kind.kind] + 1))).standing
    return Scene(
        community_id=CommunityId(1),
        id=SceneId(7),
        kind=kind.kind,
        version=kind.version,
        title="",
        room_id=AgentId(1),
        status=status,
        options=options.model_dump(mode="json"),
        seed="seed",
        standing=json.loads(json.dumps(standing.packed())),
        started_by=Snowflake(1),
        created_at=START,
    )


def seated(seats: int) -> tuple[Seated, ...]:
    return tuple(Seated(seat=seat) for seat in range(1, seats + 1))


def changed(scene: Scene, change: Change) -> Scene:
    standing: Standing = json.loads(json.dumps(dict(scene.standing)))
    change(standing)
    return replace(scene, standing=standing)


def is_refused(scene: Scene) -> bool:
    board = board_of(scene, [], {})
    assert turn_of(scene, [], {}, 1) is None
    return begun(scene) is None and "not played any more" in board.lines[-1]


def of_state(**values: Any) -> Change:  # noqa: ANN401
    return lambda standing: standing["state"].update(values)


def of_body(**values: Any) -> Change:  # noqa: ANN401
    return lambda standing: standing["state"]["bodies"]["1"].update(values)


MONSTERS: list[tuple[str, str, Change]] = [
    *((name, "more seats than any", of_state(seats=MANY)) for name in KINDS),
    *((name, "turns that never end", lambda standing: standing.update(turns=-(10**9))) for name in KINDS),
    *(
        (name, "very many who missed", lambda standing: standing.update(misses=dict.fromkeys(MANY, 1)))
        for name in KINDS
    ),
    *((name, "no state at all", lambda standing: standing.pop("state")) for name in KINDS),
    ("chat", "an endless queue", lambda standing: standing["state"]["order"].update(queue=MANY)),
    ("council", "endless decisions", of_state(decided=[TALLY] * 400)),
    ("village", "an hour that never comes", of_state(rounds=10**12)),
    ("village", "a sleep of ages", of_body(energy=-(10**9), asleep=True)),
    ("village", "a tile beside the world", of_body(tile=10**9)),
    ("village", "an endless walk", of_state(trails={"1": [0, 399] * 5_000})),
    ("werewolf", "days without end", of_state(day=10**9, won="village")),
    ("werewolf", "speakers without end", of_state(speakers=MANY)),
    ("landlord", "more cards than there are", of_state(hands=[[10**9] * 15] * 3)),
    ("landlord", "decks without end", lambda standing: standing["state"]["house"].update(decks=10**9)),
]


@pytest.mark.parametrize(("name", "what", "change"), MONSTERS, ids=[f"{name}: {what}" for name, what, _ in MONSTERS])
def test_a_standing_that_no_rules_could_have_made_is_not_played_on(name: str, what: str, change: Change) -> None:
    kind = KINDS[name]
    for status in (SceneStatus.RUNNING, SceneStatus.OVER):
        whole = scene_of(kind, status)
        assert begun(whole) is not None
        assert is_refused(changed(whole, change)), what


@pytest.mark.parametrize("name", KINDS)
def test_options_that_nobody_could_choose_are_not_played_by(name: str) -> None:
    scene = scene_of(KINDS[name])
    assert is_refused(replace(scene, options={**scene.options, "turns": 10**9}))


@pytest.mark.parametrize("name", KINDS)
def test_a_log_is_folded_again_only_for_as_many_as_may_sit_there(name: str) -> None:
    scene = scene_of(KINDS[name])
    assert refolded(replace(scene, seats=seated(FEWEST[name])), ())[1] == 0  # it has no digest
    with pytest.raises(Rejected, match="is not played by 399 seats"):
        refolded(replace(scene, seats=seated(399)), ())
