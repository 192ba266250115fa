"""Rooms share what there is: by attention, each with its newest message, names only when there are too many."""

from dataclasses import replace

from bot.core.hud.call import BuiltCall
from bot.core.records import AgentId
from bot.core.view import RoomView, View
from tests import factories
from tests.core.hud.worlds import counted, hud


def a_house(rooms: int, messages: int, attention: dict[int, int], budget: int = 4_000, **fields: object) -> View:
    """Agent 1 in so many rooms, each with so many messages of its own."""
    shown = [
        RoomView(
            room=factories.room(id, **fields),
            members=(AgentId(id), AgentId(1)),
            messages=tuple(
                counted(factories.message(id * 1_000 + i, f"room{id} word{i} " + "word " * 20, room_id=id))
                for i in range(messages)
            ),
        )
        for id in range(1, rooms + 1)
    ]
    return factories.view(
        [factories.agent(id, token_budget=budget) for id in range(1, rooms + 1)],
        rooms=shown,
        memberships=[factories.membership(1, id, attention=attention.get(id)) for id in range(1, rooms + 1)],
    )


def shown_of(built: BuiltCall, room_id: int) -> int:
    return sum(id // 1_000 == room_id for id in built.parts[0].message_ids)


def test_a_fixed_share_counts_as_it_is_and_dynamic_rooms_share_the_rest() -> None:
    built = hud(a_house(3, 300, {1: 60}), 1)
    first, second, third = (shown_of(built, room) for room in (1, 2, 3))
    assert abs(second - third) <= 1
    assert 2.4 < first / second < 4


def test_what_a_room_does_not_need_goes_to_the_others() -> None:
    view = a_house(2, 300, {1: 80})
    quiet = RoomView(room=view.rooms[AgentId(1)].room, members=(AgentId(1),))
    rooms = {AgentId(1): quiet, AgentId(2): view.rooms[AgentId(2)]}
    full = shown_of(hud(replace(view, rooms=rooms), 1), 2)
    assert full > 2 * shown_of(hud(view, 1), 2)


def test_a_room_without_attention_still_shows_its_newest_message() -> None:
    built = hud(a_house(2, 300, {1: 100, 2: 0}), 1)
    assert shown_of(built, 2) >= 1


def test_with_many_rooms_billboards_and_members_go_before_messages_do() -> None:
    built = hud(a_house(30, 3, {}, billboard="read me " * 40), 1)
    assert len(built.parts[0].room_ids) == 30
    assert "read me" not in built.input
    assert all(shown_of(built, room) >= 1 for room in range(1, 31))


def test_with_too_many_rooms_those_of_least_attention_are_shown_by_name() -> None:
    built = hud(a_house(120, 3, {77: 50, 1: 0}), 1)
    assert 20 < len(built.parts[0].room_ids) < 120
    assert 77 in built.parts[0].room_ids
    assert "no space to show: " in built.input
    assert built.parts[0].tokens <= 4_000
