"""Who holds which seat of a scene."""

from bot.core.records import AgentId, Snowflake
from bot.core.scenes.records import SceneStatus, Seated
from tests.core.scenes.test_showing import SCENE
from tests.fakes import START


def test_a_seat_that_a_person_left_is_theirs_no_longer() -> None:
    mira = Seated(seat=2, person_id=Snowflake(5))
    here = type(SCENE)(**{name: getattr(SCENE, name) for name in SCENE.__slots__ if name != "seats"}, seats=(mira,))
    assert here.seat_of(person_id=Snowflake(5)) == mira
    assert here.seat_of(person_id=Snowflake(6)) is None
    assert here.seat_of(agent_id=AgentId(1)) is None
    left = Seated(seat=2, person_id=Snowflake(5), left_at=START)
    gone = type(SCENE)(**{name: getattr(SCENE, name) for name in SCENE.__slots__ if name != "seats"}, seats=(left,))
    assert gone.seat_of(person_id=Snowflake(5)) is None


def test_only_lobbies_and_what_runs_or_waits_is_open() -> None:
    assert [one.value for one in SceneStatus if one.is_open] == ["lobby", "running", "paused"]
