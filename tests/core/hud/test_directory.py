"""The directory tells everyone who lives here, and nobody what is talked about behind a door."""

from bot.core.hud.directory import EVERYONE, shown_directory
from bot.core.hud.values import entries
from bot.core.kinds import Visibility
from bot.core.records import AgentId
from bot.core.view import RoomView, View
from tests.factories import agent, membership, room, view

OWNER, GUEST, STRANGER = AgentId(1), AgentId(2), AgentId(3)


def town() -> View:
    """Agent 1 has a private room with agent 2 in it; agent 3 is elsewhere."""
    private = room(1, visibility=Visibility.PRIVATE, topic="the surprise party")
    rooms = [
        RoomView(room=private, members=(OWNER, GUEST)),
        RoomView(room=room(2, topic="tea"), members=(GUEST,)),
        RoomView(room=room(3), members=(STRANGER,)),
    ]
    return view([agent(id) for id in (1, 2, 3)], rooms=rooms, memberships=[membership(2, 1)])


def topics(agent_id: AgentId, *room_ids: AgentId) -> dict[object, object]:
    shown = entries(shown_directory(town(), agent_id, room_ids, EVERYONE))
    return {entry["id"]: entry["topic"] for entry in shown}


def test_a_private_rooms_topic_is_not_told_to_agents_outside() -> None:
    assert topics(STRANGER, STRANGER) == {0: "", 1: "", 2: "tea", 3: ""}


def test_a_members_beat_in_the_open_does_not_show_it_either() -> None:
    assert topics(GUEST, GUEST)[1] == ""
    assert topics(OWNER)[1] == ""


def test_those_inside_see_it() -> None:
    assert topics(GUEST, OWNER)[1] == "the surprise party"
    assert topics(OWNER, OWNER)[1] == "the surprise party"
