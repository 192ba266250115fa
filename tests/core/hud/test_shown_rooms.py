"""Rooms as one agent is shown them: what is behind it stays behind it, and no secret is counted as text."""

from typing import Any

from bot.core.hud.sections import Scope
from bot.core.hud.shown_rooms import SECRET_TOKENS, room_name, rooms_of, shares_of, shown_rooms_of, without_secrets
from bot.core.kinds import ReasonKind, Visibility
from bot.core.records import PUBLIC_SIDE, AgentId, Checkpoint, CheckpointId, Json, MessageId, Reason, Side
from bot.core.view import RoomView, View
from tests.core.test_gate import reason
from tests.factories import agent, membership, message, room, view
from tests.fakes import START, WordTokenizer

ADA, BO, THREAD = AgentId(1), AgentId(2), AgentId(7)
NOTE = Checkpoint(
    id=CheckpointId(1),
    room_id=BO,
    first_message_id=MessageId(1),
    last_message_id=MessageId(4),
    text="what was said before",
    created_at=START,
)


def house(**mine: Any) -> View:  # noqa: ANN401
    """Ada is in her own room and in Bo's private one, which has a summary and messages from 5 on."""
    den = RoomView(
        room=room(2, visibility=Visibility.PRIVATE),
        members=(BO, ADA),
        messages=(message(5, room_id=2), message(6, room_id=2)),
        older=4,
        checkpoint=NOTE,
    )
    own = RoomView(room=room(1), members=(ADA, BO), messages=(message(9),))
    aside = RoomView(room=room(7, thread_of=ADA, thread_name="plans [x]"), members=(ADA,))
    there = [membership(1, 2, **mine), membership(2, 1), membership(1, 7)]
    return view([agent(1), agent(2)], rooms=[own, den, aside], memberships=there)


def scope(seen: View, side: Side = PUBLIC_SIDE, *reasons: Reason, lean: bool = False) -> Scope:
    return Scope(
        view=seen,
        agent=seen.whole_agent(ADA),
        side=side,
        alone=True,
        now=START,
        tokenizer=WordTokenizer(),
        known={},
        reasons=reasons,
        lean=lean,
    )


def test_all_rooms_of_a_side_are_shown_and_to_a_weak_mind_those_of_its_reasons() -> None:
    assert [one.room.id for one in rooms_of(scope(house()))] == [ADA, THREAD]
    assert [one.room.id for one in rooms_of(scope(house(), Side(2)))] == [BO]
    for_plans = reason(room_id=THREAD)
    assert [one.room.id for one in rooms_of(scope(house(), PUBLIC_SIDE, for_plans, lean=True))] == [THREAD]
    looked_up = reason(ReasonKind.ANSWER, None, message_id=MessageId(9))
    assert [one.room.id for one in rooms_of(scope(house(), PUBLIC_SIDE, looked_up, lean=True))] == [ADA]
    knock = reason(ReasonKind.ACCESS, None)
    assert [one.room.id for one in rooms_of(scope(house(), PUBLIC_SIDE, for_plans, knock, lean=True))] == [ADA, THREAD]
    assert [one.room.id for one in rooms_of(scope(house(), lean=True))] == [ADA]


def test_who_joined_a_private_room_later_is_shown_no_summary_of_what_was_before() -> None:
    def shown(**mine: Any) -> tuple[bool, int]:  # noqa: ANN401
        where = scope(house(**mine), Side(2))
        rooms = rooms_of(where)
        (one,) = shown_rooms_of(where, rooms, shares_of(where, rooms))
        return one.view.checkpoint is not None, one.view.older

    assert shown() == (True, 4)
    assert shown(joined_after=MessageId(4)) == (False, 4)
    assert shown(joined_after=MessageId(5)) == (False, 0)


def test_a_thread_is_named_by_its_room_without_brackets() -> None:
    assert room_name(scope(house()), THREAD) == "Agent1, private thread plans x"
    assert room_name(scope(house()), BO) == "Agent2"
    assert room_name(scope(house()), AgentId(99)) == "Room 99"


def test_secrets_are_left_out_of_what_is_counted_and_their_room_is_kept() -> None:
    seat: dict[str, Json] = {"word_budget": 9, "my_keys": [{"label": "blue", "key": "open sesame"}, {"label": "red"}]}
    bare, tokens = without_secrets(seat)
    assert bare == {"word_budget": 9, "my_keys": [{"label": "blue"}, {"label": "red"}]}
    assert tokens == 2 * SECRET_TOKENS > 0
    assert without_secrets({"word_budget": 9}) == ({"word_budget": 9}, 0)
