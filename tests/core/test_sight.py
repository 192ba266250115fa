"""What somebody sees of a community who may not see all of its rooms."""

from datetime import timedelta

from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind, State
from bot.core.records import AgentId, BeatId
from bot.core.sight import Sight, members_of
from bot.core.status import state_of
from bot.core.view import RoomView, View
from tests.factories import agent, community, membership, room
from tests.fakes import START

HALL, VAULT = AgentId(1), AgentId(2)


def town() -> View:
    """Two agents in a hall; the second lives in a vault, where it is just thinking."""
    soon = START + timedelta(seconds=5)
    busy = agent(
        2,
        beat_id=BeatId(7),
        lease_until=soon,
        next_beat_at=soon,
        last_beat_at=START,
        last_reason=ReasonKind.ADDRESSED,
        interval_seconds=1.0,
    )
    rooms = {HALL: room(1), VAULT: room(2, topic="the amulet", billboard="under the stone")}
    ones = [membership(1), membership(2), membership(2, 1)]
    return View(
        community=community(),
        config=CommunityConfig(),
        agents={HALL: agent(1), VAULT: busy},
        all_rooms=rooms,
        rooms={
            HALL: RoomView(room=rooms[HALL], members=(HALL, VAULT)),
            VAULT: RoomView(room=rooms[VAULT], members=(VAULT,)),
        },
        memberships={(one.agent_id, one.room_id): one for one in ones},
    )


def test_who_sees_every_room_sees_everything() -> None:
    assert Sight().of(town()) == town()


def test_an_agent_of_a_hidden_room_looks_as_if_nothing_happened() -> None:
    view = town()
    seen = Sight(hidden_rooms=frozenset({VAULT}), hidden_agents=members_of(view, [VAULT])).of(view)
    assert state_of(view.agents[VAULT], START) is State.THINKING
    assert state_of(seen.agents[VAULT], START) is State.IDLE
    assert (seen.agents[VAULT].last_beat_at, seen.agents[VAULT].interval_seconds) == (None, 10.0)
    assert seen.agents[HALL] == view.agents[HALL]


def test_a_hidden_room_keeps_its_place_its_words_and_its_members_to_itself() -> None:
    view = town()
    seen = Sight(hidden_rooms=frozenset({VAULT}), hidden_agents=frozenset({VAULT})).of(view)
    vault = seen.all_rooms[VAULT]
    assert (vault.channel_id, vault.topic, vault.billboard) == (None, "", "")
    assert set(seen.rooms) == {HALL}
    assert set(seen.memberships) == {(HALL, HALL), (VAULT, HALL)}
