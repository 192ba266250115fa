"""The HUD as one nested value: what is not there has no field, and nothing holds half a character."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.hud.agent_hud import CallTime, RoomDetail, ShownRoom
from bot.core.hud.formats.document import clean, message_entry, meta_section, room, seat
from bot.core.records import Checkpoint, CheckpointId, Json, MessageId
from bot.core.view import RoomView
from tests import factories
from tests.fakes import START

JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.integers() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def shown(detail: RoomDetail, **fields: str) -> ShownRoom:
    told = Checkpoint(
        id=CheckpointId(1),
        room_id=factories.room(1).id,
        first_message_id=MessageId(1),
        last_message_id=MessageId(4),
        text="tea was had",
        created_at=START,
    )
    record = factories.room(1, topic="tea" * 99, billboard="b" * 2_000, **fields)
    here = RoomView(room=record, members=(record.id,), checkpoint=told)
    said = (factories.message(5), factories.message(6))
    return ShownRoom(view=here, name="Ada", detail=detail, seat={"word_budget": 9}, messages=said, people=("@mira",))


def test_a_plain_message_has_no_field_that_it_does_not_need() -> None:
    assert message_entry(factories.message(5)).keys() == {"id", "timestamp", "sender", "content", "type"}
    more = factories.message(5, reply_to=MessageId(4), reactions=(("heart", 2),), edited=True, thread_name="plans [x]")
    entry = message_entry(more)
    assert (entry["reply_to"], entry["reactions"], entry["edited"], entry["thread"]) == (
        4,
        {"heart": 2},
        True,
        "plans x",
    )


def test_a_room_in_full_is_bounded_and_a_bare_one_keeps_to_its_name_and_messages() -> None:
    full, bare = room(shown(RoomDetail.FULL)), room(shown(RoomDetail.BARE))
    assert full["summary"] == {"covers": [1, 4], "text": "tea was had"}
    assert (len(str(full["topic"])), len(str(full["billboard"]))) == (120, 1_000)
    assert (full["members"], full["people"]) == (["0", "1"], ["@mira"])
    assert (bare["members"], bare["people"], bare["billboard"], bare["summary"]) == ([], [], "", None)
    assert full.keys() == bare.keys() and len(bare["messages"]) == 2  # type: ignore[arg-type]


def test_a_seat_names_the_first_message_it_is_shown() -> None:
    assert seat(shown(RoomDetail.FULL)) == {"word_budget": 9, "first_message": 5}


def test_local_time_stands_beside_utc_only_where_it_is_another() -> None:
    told = CallTime(at="2026-11-20 10:00:00", local="", zone="UTC", language="en")
    assert meta_section(told) == {"now": "2026-11-20 10:00:00 UTC", "time_zone": "UTC", "language": "en"}
    local = CallTime(at="2026-11-20 10:00:00", local="11:00", zone="Europe/Vienna", language="de")
    assert meta_section(local)["now"] == "2026-11-20 10:00:00 UTC (11:00)"


@settings(deadline=None)
@given(JSON)
def test_every_value_can_be_encoded_once_it_is_clean(value: Json) -> None:
    str(clean(value)).encode()
    assert clean(clean(value)) == clean(value)
