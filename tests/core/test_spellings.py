"""What models call things is read as what they mean: every other spelling leads to one parameter."""

import json
from itertools import product

import pytest

from bot.core.actions import BY_NAME, CATALOGUE, SendMessage, Set
from bot.core.answers import AgentAnswer, parse_answer
from bot.core.records import AgentId
from bot.core.spellings import (
    ACTION_PARAMETERS,
    ACTION_TYPE,
    AGENT_FIELDS,
    AGENT_LISTS,
    IMPLIED,
    PARAMETERS,
    RESPONSE_FIELDS,
    SILENCE,
)

ADA = AgentId(1)


def read(text: str) -> AgentAnswer:
    """Read what agent 1 answers alone."""
    return parse_answer(text, asked=[ADA]).replies[ADA]


def test_the_right_spelling_is_tried_first() -> None:
    for table in (AGENT_FIELDS, RESPONSE_FIELDS, PARAMETERS):
        assert all(names[0] == name and len(set(names)) == len(names) for name, names in table.items())


def test_every_parameter_with_other_spellings_is_one_of_an_action() -> None:
    known = {name for action in CATALOGUE for name in action.parameters}
    assert PARAMETERS.keys() <= known


def test_what_a_name_implies_is_given_to_the_action_that_it_means() -> None:
    for name, given in IMPLIED.items():
        meant = next(one for one in CATALOGUE if name in one.also)
        assert given.keys() <= BY_NAME[meant.name].parameters.keys()


def test_what_is_said_is_read_by_whatever_names_it_goes() -> None:
    for names in product(AGENT_FIELDS["responses"], RESPONSE_FIELDS["room_id"], RESPONSE_FIELDS["message"]):
        responses, room, message = names
        if responses not in AGENT_LISTS:  # there it may as well be a list of agents
            said = read(json.dumps({responses: [{room: 3, message: "hi"}]}))
            assert said.actions == (SendMessage(room_id=3, message="hi"),), names


def test_an_action_is_read_by_whatever_names_its_parts_go() -> None:
    for kind, parameters in product(ACTION_TYPE, ACTION_PARAMETERS):
        done = {kind: "set", parameters: {"key": "mood", "data": "calm"}}
        assert read(json.dumps({"actions": [done]})).actions == (Set(path="mood", value="calm"),), (kind, parameters)


@pytest.mark.parametrize("silence", sorted(SILENCE))
def test_silence_in_any_words_is_none_said(silence: str) -> None:
    answer = read(json.dumps({"responses": [{"room_id": 3, "message": silence.upper()}]}))
    assert (answer.actions, answer.rejected) == ((), ())
