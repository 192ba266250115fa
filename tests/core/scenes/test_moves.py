"""Parameters of moves are read off their models, and texts are set apart by their numbers."""

from typing import Annotated

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.council.moves import Amend, Vote
from bot.core.scenes.council.state import CouncilOptions
from bot.core.scenes.kind import TextId, Words
from bot.core.scenes.moves import Parameter, parameters, proposed
from bot.core.scenes.orderings import Schedule
from tests.core.scenes.plays import of


def test_what_a_parameter_is_follows_from_its_type() -> None:
    assert parameters(Vote) == (
        Parameter(name="choice", what="one"),
        Parameter(name="comment", what="text", words=30, optional=True),
    )
    assert [one.what for one in parameters(Schedule)] == ["many"]
    assert [one.what for one in parameters(Amend)] == ["one", "text"]
    assert Annotated[TextId, Words(3)]


def test_texts_become_numbers_and_an_optional_one_may_be_left_out() -> None:
    council = of(COUNCIL, CouncilOptions(), 3)
    state = council.standing.state
    found = proposed(COUNCIL, state, 1, "move_motion", {"title": " Tea ", "text": "At five."}, texts=4)
    assert found.texts == ("Tea", "At five.")
    assert found.move.model_dump() == {"title": 5, "text": 6}


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("vote", {"choice": "yes"}, "vote cannot be done now: choose"),
        ("dance", {}, "dance is no move here: choose"),
        ("speak", {"text": ["a"]}, "text is a text: write it."),
        ("speak", {"text": "a", "to": 2}, "speak takes no to: leave it out."),
        ("speak", {"text": "a" * 10_000}, "text has 1 word, of 150 words at most"),
    ],
)
def test_a_refusal_is_one_sentence_that_says_what_to_do(name: str, arguments: dict[str, object], sentence: str) -> None:
    council = of(COUNCIL, CouncilOptions(), 3)
    with pytest.raises(Rejected, match=sentence):
        proposed(COUNCIL, council.standing.state, 1, name, arguments, texts=0)  # type: ignore[arg-type]
