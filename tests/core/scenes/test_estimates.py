"""What a scene will cost and take, before it begins."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from bot.core.records import AgentId, CommunityId, SceneId, Snowflake
from bot.core.scenes.chat import CHAT
from bot.core.scenes.estimates import Expected, estimated
from bot.core.scenes.records import Scene, SceneStatus, Seated
from tests.fakes import START

LOBBY = Scene(
    community_id=CommunityId(1),
    id=SceneId(7),
    kind="chat",
    version=CHAT.version,
    title="Tea",
    room_id=AgentId(1),
    options={"turns": 40},
    started_by=Snowflake(1),
    created_at=START,
    seats=(Seated(seat=1, agent_id=AgentId(1)), Seated(seat=2, person_id=Snowflake(5))),
)
PLAYED = replace(
    LOBBY,
    id=SceneId(3),
    status=SceneStatus.OVER,
    started_at=START,
    ended_at=START + timedelta(minutes=10),
    seats=(
        Seated(seat=1, agent_id=AgentId(1), turns=10, usd=Decimal("0.10")),
        Seated(seat=2, agent_id=AgentId(2), turns=10, usd=Decimal("0.20")),
    ),
)
THOUGHT = Expected(asked={1: 18.0, 2: 20.0}, tokens={1: 2_000, 2: 1_000}, seconds=900.0)


def words(scene: Scene, *past: Scene, usd: str | None = "0.001") -> str:
    def price(seat: int, tokens: int) -> Decimal | None:
        return None if usd is None else Decimal(usd) * tokens / 1_000

    found = estimated(scene, past, THOUGHT, price)
    return found.words if found is not None else ""


def test_without_experience_it_says_what_play_outs_came_to_for_the_seats_of_agents() -> None:
    assert words(LOBBY) == "Estimate: about 18 turns of agents, 0.04 USD, 15 minutes."
    assert words(LOBBY, usd=None) == "Estimate: about 18 turns of agents, cost unknown, 15 minutes."
    assert words(LOBBY, replace(PLAYED, kind="council")) == words(LOBBY)


def test_it_learns_from_scenes_of_its_kind_with_as_many_seats() -> None:
    """Of 40 turns 20 were used, in ten minutes, for 0.015 USD each."""
    assert words(LOBBY, PLAYED) == "Estimate: about 10 turns of agents, 0.15 USD, 10 minutes."
    third = Seated(seat=3, agent_id=AgentId(3), turns=10)
    assert words(LOBBY, replace(PLAYED, seats=(*PLAYED.seats, third))) == words(LOBBY)


def test_who_comments_is_counted_as_often_as_there_is_something_to_look_at() -> None:
    """Of fifteen minutes 30 looks, each with what 38 turns are shown on average: 1,474 tokens."""
    commented = replace(LOBBY, commentator=Seated(seat=0, agent_id=AgentId(9)))
    assert words(commented) == "Estimate: about 48 turns of agents, 0.08 USD, 15 minutes."
    assert "cost unknown" in words(commented, usd=None)


def test_a_scene_costs_no_more_than_it_may() -> None:
    assert "0.25 USD" in words(LOBBY, usd="1")


def test_people_alone_cost_nothing() -> None:
    assert words(replace(LOBBY, seats=LOBBY.seats[1:])) == ""
