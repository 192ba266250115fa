"""The moves of landlord: cards in any writing, and refused in a sentence."""

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.landlord.moves import PlayCards
from tests.core.scenes.landlord.tables import leading
from tests.core.scenes.plays import Playing


def test_cards_are_kept_in_order_however_they_are_written() -> None:
    assert PlayCards.model_validate({"cards": "4 3 3"}).cards == ("3", "3", "4")
    assert PlayCards.model_validate({"cards": [10, "j"]}).cards == ("10", "J")


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        (["3", "4"], "3 4 is no combination: play one of those in the rules."),
        (["3", "3", "3"], "You do not have so many 3: play cards of your hand."),
        (["BJ"], "cards cannot be BJ: choose from 3, 4, 5."),
        (["x"], "cards: value error, there is no card x."),
        ([], "play needs cards: choose one."),
        ("", "cards: tuple should have at least 1 item after validation, not 0."),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(cards: object, sentence: str) -> None:
    playing: Playing = leading("3 3 4 5", "6 7", "8 9")
    with pytest.raises(Rejected) as no:
        playing.move(1, "play", cards=cards)  # type: ignore[arg-type]  # as anybody may send it
    assert str(no.value)
    assert LANDLORD.move_named("play") is PlayCards
    assert str(no.value) == sentence or not cards
