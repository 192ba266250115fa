"""What makes a key good, when a knock is stale, and who is locked out."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.access import (
    MOST_KEYS,
    MOST_REMEMBERED,
    all_labels,
    check_door,
    check_label,
    check_lock,
    check_new_key,
    check_room_for_key,
    closing_state,
    fitting_key,
    is_by,
    is_good,
    is_stale,
    key_named,
    shown_label,
)
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.kinds import Access, RequestState, Visibility
from bot.core.records import AccessKey, AccessRequest, AgentId, KeyId, RequestId, Snowflake
from tests.factories import later, room
from tests.fakes import START

HALL, ATTIC = AgentId(1), AgentId(2)
CONFIG = CommunityConfig()


def key(id: int = 1, label: str = "Guests", **fields: Any) -> AccessKey:  # noqa: ANN401
    base: dict[str, Any] = {"room_id": HALL, "ciphertext": b"", "digest": f"digest {id}".encode(), "created_at": START}
    return AccessKey(id=KeyId(id), label=label, **(base | fields))


def knock(**fields: Any) -> AccessRequest:  # noqa: ANN401
    base: dict[str, Any] = {"id": RequestId(1), "room_id": HALL, "key_id": KeyId(1), "key_label": "Guests"}
    base["created_at"] = START
    return AccessRequest(**(base | fields))


@pytest.mark.parametrize(
    ("fields", "good"),
    [
        ({}, True),
        ({"expires_at": later(1)}, True),
        ({"expires_at": START}, False),
        ({"uses_left": 1}, True),
        ({"uses_left": 0}, False),
        ({"revoked_at": later(-1)}, False),
    ],
)
def test_a_key_opens_until_its_time_its_uses_or_its_owner_end_it(fields: dict[str, Any], good: bool) -> None:
    assert is_good(key(**fields), START) is good


def test_a_key_is_found_by_its_secret_or_by_whoever_holds_it_by_its_label() -> None:
    guests, staff = key(1), key(2, "Staff")
    assert fitting_key("sesame", [b"digest 2"], [guests, staff], [], HALL, START) == staff
    for word in ("guests", "GUESTS", "Key 1"):
        assert fitting_key(word, [], [guests, staff], [guests], HALL, START) == guests
        assert fitting_key(word, [], [guests, staff], [], HALL, START) is None
    assert fitting_key("staff", [], [guests, staff], [guests], HALL, START) is None
    assert fitting_key("guests", [], [], [guests], ATTIC, START) is None


def test_a_key_that_opens_nothing_any_more_is_passed_over() -> None:
    ended, same = key(1, uses_left=0), key(3, digest=b"digest 1")
    assert fitting_key("sesame", [b"digest 1"], [ended, same], [], HALL, START) == same
    assert fitting_key("guests", [], [], [ended, same], HALL, START) == same


def test_behind_a_private_door_a_label_shows_no_words() -> None:
    assert shown_label(key(4), room(1)) == "Guests"
    assert shown_label(key(4), room(1, visibility=Visibility.PRIVATE)) == "key 4"
    assert shown_label(key(4), None) == "key 4"
    assert all_labels([key(4), key(5, "Staff")]) == {"Guests", "key 4", "Staff", "key 5"}


def test_a_living_key_of_ones_own_is_named_by_label_or_secret() -> None:
    gone, guests = key(1, revoked_at=START), key(2)
    assert key_named("guests", [], [gone, guests]) == guests
    assert key_named("sesame", [b"digest 2"], [gone, guests]) == guests
    with pytest.raises(Rejected, match="There is no such key to your room"):
        key_named("sesame", [b"digest 1"], [gone])


def test_a_label_tells_no_secret() -> None:
    for label, digests in (("it is Sesame", []), ("nothing", [b"digest 1"])):
        with pytest.raises(Rejected, match="tells the key"):
            check_label(label, "sesame", digests, [key(1)])
    check_label("for guests", "sesame", [b"digest 9"], [key(1)])


def test_a_new_key_differs_from_those_that_live_and_ends_later_than_now() -> None:
    with pytest.raises(Rejected, match="That time is past"):
        check_new_key("Staff", [], [], START, START)
    with pytest.raises(Rejected, match='There is a key "Guests" already'):
        check_new_key("GUESTS", [], [key(1)], None, START)
    with pytest.raises(Rejected, match='That is the key "Guests" already'):
        check_new_key("Staff", [b"digest 1"], [key(1)], later(1), START)
    check_new_key("Guests", [b"digest 1"], [key(1, revoked_at=START)], later(1), START)


def test_a_room_has_only_so_many_keys_and_only_so_many_that_ended_lately() -> None:
    good = [key(id) for id in range(MOST_KEYS)]
    ended = [key(id, uses_left=0) for id in range(MOST_REMEMBERED)]
    check_room_for_key([*good[1:], *ended[:10]], CONFIG, START)
    with pytest.raises(Rejected, match=f"at most {MOST_KEYS} keys"):
        check_room_for_key(good, CONFIG, START)
    check_room_for_key(ended[1:], CONFIG, START)
    with pytest.raises(Rejected, match="forgotten 7 days after they ended"):
        check_room_for_key(ended, CommunityConfig(hud_days=7), START)


def test_a_knock_is_its_askers_and_goes_stale() -> None:
    seconds = CONFIG.request_hours * 3_600
    assert not is_stale(knock(), CONFIG, later(seconds - 1))
    assert is_stale(knock(), CONFIG, later(seconds))
    mine = knock(requester_agent_id=ATTIC)
    assert is_by(mine, ATTIC, None)
    assert not is_by(mine, ATTIC, Snowflake(501))
    assert not is_by(knock(requester_person_id=Snowflake(501)), ATTIC, None)


def test_at_an_open_door_nobody_knocks_twice_and_at_a_closed_one_nobody() -> None:
    check_door(room(1, access=Access.KNOCK), is_member=False)
    with pytest.raises(Rejected, match="in that room already"):
        check_door(room(1), is_member=True)
    with pytest.raises(Rejected, match="closed"):
        check_door(room(1, access=Access.CLOSED), is_member=False)


def test_too_many_wrong_keys_lock_a_door_for_a_while() -> None:
    check_lock(CONFIG.key_failures - 1, CONFIG)
    with pytest.raises(Rejected, match=f"again in {CONFIG.key_failure_minutes:g} minutes"):
        check_lock(CONFIG.key_failures, CONFIG)


def test_a_request_is_granted_only_while_it_is_fresh_and_its_key_good() -> None:
    late = later(CONFIG.request_hours * 3_600)
    assert closing_state(knock(), key(), CONFIG, START) is RequestState.GRANTED
    assert closing_state(knock(), key(), CONFIG, late) is RequestState.EXPIRED
    for opened in (None, key(uses_left=0), replace(key(), revoked_at=START)):
        assert closing_state(knock(), opened, CONFIG, START) is RequestState.CANCELLED
    assert closing_state(knock(), key(), CONFIG, START, can_enter=False) is RequestState.CANCELLED
