"""Actions at doors: keys and knocks are held to what a door can bear."""

import pytest
from pydantic import ValidationError

from bot.core.actions import BY_NAME, Aim, CreateKey, GiveKey, HandKey, RequestAccess, RevokeKey
from bot.core.actions.definition import Need, People
from bot.core.answer_items import as_action
from tests.fakes import START


def test_a_key_is_drawn_where_none_is_given_and_has_an_end_only_where_one_is() -> None:
    drawn = CreateKey()
    assert (drawn.key, drawn.label, drawn.expires, drawn.uses) == (None, None, None, None)
    given = CreateKey.model_validate({"key": "open sesame", "expires": START.isoformat(), "uses": 3})
    assert (given.key, given.expires, given.uses) == ("open sesame", START, 3)


@pytest.mark.parametrize("uses", [0, -1, 1_000_001])
def test_a_key_is_used_at_least_once(uses: int) -> None:
    with pytest.raises(ValidationError):
        CreateKey(uses=uses)


def test_a_key_is_called_as_models_call_it() -> None:
    assert as_action({"type": "make_key", "secret": "open sesame"}) == CreateKey(key="open sesame")
    assert as_action({"type": "knock", "room": 3, "code": "open sesame"}) == RequestAccess(room_id=3, key="open sesame")


def test_only_the_owner_handles_keys_and_whoever_is_outside_knocks() -> None:
    for owned in (CreateKey, RevokeKey, GiveKey):
        assert Need.OWN_ROOM in owned.definition.needs and owned.definition.alone_only
    knock = RequestAccess.definition
    assert Need.OWN_ROOM not in knock.needs and knock.people is People.EVERYONE
    assert knock.aims == {"room_id": Aim.ROOM}


def test_a_key_goes_into_a_persons_hand_by_people_alone() -> None:
    assert not HandKey.definition.for_agents and not HandKey.definition.listed
    assert HandKey.definition.aims == {"person_id": Aim.PERSON}
    assert BY_NAME["give_key"].aims == {"agent_id": Aim.AGENT}
