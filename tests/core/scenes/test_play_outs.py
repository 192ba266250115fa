"""A scene played out by rules alone, before anybody begins it."""

from dataclasses import replace

import pytest

from bot.core.records import AgentId, CommunityId, Json, SceneId, Snowflake
from bot.core.scenes.kind import MOST_TURNS
from bot.core.scenes.play_outs import Answered, PlayOut, begun
from bot.core.scenes.records import Scene, Seated
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import Turn
from tests.core.scenes.plays import dice
from tests.fakes import START

SEATS = {"chat": 3, "council": 4, "village": 3, "werewolf": 8, "landlord": 3}


def lobby(kind: str, *, people: int = 0, **options: object) -> Scene:
    seats = SEATS[kind]
    return Scene(
        community_id=CommunityId(1),
        id=SceneId(1),
        kind=kind,
        version=KINDS[kind].version,
        title="",
        room_id=AgentId(1),
        options=KINDS[kind].options.model_validate(options).model_dump(mode="json"),
        started_by=Snowflake(1),
        created_at=START,
        seats=tuple(
            Seated(seat=seat, person_id=Snowflake(seat))
            if seat > seats - people
            else Seated(seat=seat, agent_id=AgentId(seat))
            for seat in range(1, seats + 1)
        ),
    )


def by_chance(turn: Turn) -> Answered:
    """Make some move of those that are shown."""
    rng = dice(len(turn.lines) * 100 + turn.seat)
    form = rng.choice(turn.moves)
    given: dict[str, Json] = {}
    for one in form.parameters:
        values = [*form.values.get(one.name, ())]
        match one.what:
            case "text":
                given[one.name] = "some words"
            case "many":
                some = form.suggested.get(one.name)
                given[one.name] = [*(rng.choice(some) if some else values[:1])]
            case "one":
                given[one.name] = rng.choice(values)
    return Answered(move=form.name, arguments=given, tokens=100)


def played(scene: Scene) -> PlayOut:
    return to_its_end(begun(scene, by_chance, seed="a seed"))


def to_its_end(found: PlayOut | None, steps: int = 5) -> PlayOut:
    assert found is not None
    while found.went_on(steps):
        pass
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_played_out_to_its_end_the_same_each_time(kind: str) -> None:
    scene = lobby(kind)
    first, again = played(scene), played(scene)
    assert first.events[-1].kind == "outcome"
    assert first.asked == again.asked
    assert first.seconds == again.seconds > 0
    assert set(first.asked) <= set(scene.taken)
    assert first.asked.total() > 0
    assert first.tokens == {seat: 100 * count for seat, count in first.asked.items()}


@pytest.mark.parametrize("ordering", KINDS["chat"].orderings)
def test_a_talk_is_played_out_in_every_order(ordering: str) -> None:
    found = played(lobby("chat", ordering=ordering))
    assert found.events[-1].kind == "outcome"
    assert found.asked.total() < MOST_TURNS


def test_people_take_their_time() -> None:
    assert played(lobby("chat", people=2)).seconds > played(lobby("chat")).seconds


def test_who_makes_no_legal_move_is_asked_some_times_and_passed_over() -> None:
    found = to_its_end(begun(lobby("chat", turns=3), lambda _: Answered(move="sing", arguments={}), seed="a seed"))
    assert found is not None
    assert found.asked == {1: 3, 2: 3, 3: 3}


def test_a_kind_that_is_played_no_more_is_not_played_out() -> None:
    assert begun(replace(lobby("chat"), version=0), by_chance, seed="") is None
