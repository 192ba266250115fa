"""What a look holds, and what agents see in it."""

from dataclasses import fields

import pytest

from bot.core.errors import NotFound
from bot.core.kinds import Visibility
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, MessageId, Side
from bot.core.view import Outline, RoomView, Roster, Subject, agent_named
from tests.factories import agent, by_agent, community, membership, message, room, view

ADA, BO, CY = (AgentId(id_) for id_ in (1, 2, 3))
DEN = room(2, visibility=Visibility.PRIVATE)


def house() -> Outline:
    """Ada and Cy are in Bo's private room, Cy since message 4."""
    said = tuple(message(id_, room_id=2) for id_ in (3, 4, 5))
    den = RoomView(room=DEN, members=(BO, ADA, CY), messages=said)
    late = membership(3, 2, joined_after=MessageId(4))
    return view([agent(1), agent(2), agent(3)], rooms=[den], memberships=[membership(1, 2), late, membership(1, 3)])


def test_an_agents_rooms_are_those_of_one_side_its_own_first() -> None:
    assert [one.room.id for one in house().rooms_of(ADA)] == [ADA, CY]
    assert [one.room.id for one in house().rooms_of(ADA, Side(2))] == [BO]
    assert set(house().joined(ADA)) == {ADA, BO, CY} and house().joined(AgentId(9)) == ()


def test_who_joined_a_private_room_later_sees_what_was_said_since() -> None:
    den = house().rooms[BO]
    assert [len(house().visible(who, den)) for who in (ADA, BO, CY)] == [3, 3, 1]


def test_a_prompt_that_was_not_read_is_not_taken_for_an_empty_one() -> None:
    whole = house().whole_agent(ADA)
    assert whole.prompt == "You are the resident number 1."
    plain = Agent(**{one.name: getattr(whole, one.name) for one in fields(Agent)})
    read = Roster(community=community(), config=house().config, agents={ADA: plain}, all_rooms={})
    with pytest.raises(LookupError, match="prompt of agent 1"):
        read.whole_agent(ADA)


def test_doors_that_were_not_asked_for_are_not_taken_for_none() -> None:
    seen = house()
    asked = Subject(
        community=seen.community,
        config=seen.config,
        agents=seen.agents,
        all_rooms=seen.all_rooms,
        rooms=seen.rooms,
        memberships=seen.memberships,
    )
    with pytest.raises(LookupError, match="doors"):
        _ = asked.opened
    assert asked.mind_of(ADA).knowledge == {}


def test_a_side_that_is_not_in_view_may_be_a_threads() -> None:
    thread = room(7, thread_of=ADA, visibility=Visibility.PRIVATE)
    seen = view([agent(1)], rooms=[RoomView(room=DEN, members=(BO,)), RoomView(room=thread, members=(ADA,))])
    assert [seen.is_thread(side) for side in (PUBLIC_SIDE, Side(2), Side(7), Side(99))] == [False, False, True, True]


def test_words_still_to_be_posted_are_their_speakers() -> None:
    own, others = message(5, sender=by_agent(1)), message(6, sender=by_agent(2))
    seen = view([agent(1), agent(2)], being_posted={ADA: (own, others, message(7))})
    assert (list(seen.speaking_in(ADA)), seen.own_words(ADA, ADA)) == ([ADA], (own,))
    assert (list(seen.speaking_in(CY)), seen.own_words(ADA, BO)) == ([], ())


@pytest.mark.parametrize("typed", ["2", "Agent2", " agent2 ", "#Agent2"])
def test_an_agent_is_found_by_name_or_id_in_any_case(typed: str) -> None:
    assert agent_named([agent(1), agent(2)], typed).id == BO


@pytest.mark.parametrize(
    ("typed", "why"), [("0", "The Architect"), ("the architect", "Name an agent"), ("Zoe", "'Zoe'")]
)
def test_who_is_no_agent_is_told_as_what(typed: str, why: str) -> None:
    with pytest.raises(NotFound, match=why):
        agent_named([agent(1)], typed)
