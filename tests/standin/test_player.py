"""The scripted mind plays any kind of scene to its end by what a turn offers it."""

import random

import pytest

from bot.core.hud.turn import MOVES, build_turn, read_moves
from bot.core.records import PUBLIC_SIDE, AgentId, CommunityId, SceneId, Snowflake
from bot.core.scenes.kind import RULES, Expect, SceneKind, Wait
from bot.core.scenes.play import Rule
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus, Seated
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import Turn, turn_of
from bot.core.view import View
from bot.standin.player import played
from tests.core.scenes.plays import Playing, dice, of, some_options
from tests.factories import agent, view
from tests.fakes import START, WordTokenizer


def test_a_move_with_nothing_to_choose_is_played_without_it() -> None:
    made = read_moves(f"{MOVES}\n- vote(motion: , aside: at most 0 words, choice: yes|no): choose")
    assert made is not None and [one.name for one in made["vote"]] == ["motion", "aside", "choice"]
    answer = played(f"{MOVES}\n- vote(motion: , aside: at most 0 words, choice: yes|no): choose")
    assert answer is not None
    assert isinstance(answer["move"], dict) and answer["move"].keys() == {"type", "choice"}


def call_for(playing: Playing, seat: int, here: View) -> str:
    """What the agent on a seat would be asked."""
    standing = playing.standing
    scene = Scene(
        community_id=CommunityId(1),
        id=SceneId(1),
        kind=playing.play.kind.kind,
        version=1,
        title="",
        room_id=AgentId(1),
        status=SceneStatus.RUNNING,
        options=playing.play.options.model_dump(mode="json") | {"topic": "the garden"},
        standing=standing.packed(),
        window_step=standing.window,
        started_by=Snowflake(1),
        created_at=START,
        seats=tuple(Seated(seat=one, agent_id=AgentId(one)) for one in playing.seats),
    )
    events: list[SceneEvent] = []
    turn = turn_of(scene, events, {one: f"Agent{one}" for one in playing.seats}, seat)
    assert turn is not None
    assert {move.name for move in turn.moves} == set(read_moves(built(here, turn)) or ())
    return built(here, turn)


def built(here: View, turn: Turn) -> str:
    return build_turn(here, agent(1), PUBLIC_SIDE, turn, now=START, tokenizer=WordTokenizer()).input


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_it_plays_every_kind_to_its_end_with_legal_moves_alone(kind: SceneKind) -> None:
    here = view(agents=[agent(1)])
    for seed in range(4):
        rng: random.Random = dice(seed)
        playing = of(kind, some_options(kind, rng), max(4, kind.seats[0]), seed=str(seed))
        for _ in range(400):
            awaits = playing.standing.awaits
            if playing.is_over:
                break
            if isinstance(awaits, Wait):
                playing.enter(RULES, Rule.CHOOSE, {"seat": rng.choice(awaits.choices)})
            elif isinstance(awaits, Expect):
                seat = rng.choice(playing.standing.open_seats)
                answer = played(call_for(playing, seat, here))
                assert answer is not None
                move = answer["move"]
                assert isinstance(move, dict)
                playing.move(seat, str(move.pop("type")), **move)
        assert playing.is_over or playing.standing.turns > 20


def test_what_is_no_turn_is_not_played() -> None:
    assert played("==== AGENT 1 ====\nhello") is None
