"""Errors say in a sentence what to do, and know what was spent before they came."""

import pytest

from bot.core.errors import (
    Broken,
    FateUnknown,
    Gone,
    Limited,
    ModelBusy,
    ModelUnreachable,
    PublishError,
    SelfroomError,
    StoreError,
    TooMuch,
    Unreadable,
    one_of,
)
from bot.core.records import Usage


@pytest.mark.parametrize(
    ("names", "words"), [((), ""), (("a",), "a"), (("a", "b"), "a or b"), (("a", "b", "c"), "a, b or c")]
)
def test_a_choice_is_worded_as_people_say_it(names: tuple[str, ...], words: str) -> None:
    assert one_of(names) == words


def test_a_model_that_failed_spent_nothing_unless_it_says_so_and_nobody_knows_when_unsure() -> None:
    spent = Usage(input_tokens=7)
    assert ModelBusy("Later.").usage == Usage()
    assert ModelBusy("Later.", usage=spent).usage == spent
    assert ModelUnreachable("Gone.", usage=spent, unsure=True).usage is None
    assert ModelBusy("Later.", retry_after_seconds=3).retry_after_seconds == 3
    assert Broken("Ours.").retry_after_seconds is None


def test_rows_that_cannot_be_read_are_named_by_their_keys_and_not_in_the_sentence() -> None:
    error = Unreadable("agents", [(1, 2), (1, 3)])
    assert isinstance(error, StoreError)
    assert (error.table, error.keys) == ("agents", ((1, 2), (1, 3)))
    assert error.sentence == "Rows of agents cannot be read: the log names them."


def test_every_error_has_its_sentence_and_its_kin() -> None:
    assert TooMuch().sentence.endswith("give something smaller.")
    assert Limited("Later.", retry_after_seconds=2).retry_after_seconds == 2
    for error in (FateUnknown("?"), Gone("!"), Limited("…", retry_after_seconds=1)):
        assert isinstance(error, PublishError)
    assert issubclass(PublishError, SelfroomError)
