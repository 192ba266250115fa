"""How numbers and names from inside are worded."""

import pytest
from pydantic import BaseModel, Field, ValidationError

from bot.core.answer_items import told_of
from bot.core.wording import as_words, choice_of, counted, retold


class Form(BaseModel):
    """What somebody fills in."""

    background_prompt: str = Field(default="", max_length=8)
    temperature: float = Field(default=1.0, le=2)


def test_one_of_a_thing_is_one() -> None:
    assert [counted(number, "agent") for number in (0, 1, 2, 1_200)] == [
        "0 agents",
        "1 agent",
        "2 agents",
        "1,200 agents",
    ]
    assert (counted(1.0, "minute"), counted(0.5, "minute")) == ("1 minute", "0.5 minutes")
    assert counted(2, "memory", "memories") == "2 memories"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"background_prompt": "x" * 9}, "The background prompt does not fit: it should have at most 8 characters."),
        ({"temperature": 3}, "The temperature does not fit: it should be less than or equal to 2."),
    ],
)
def test_a_person_reads_what_does_not_fit_without_names_from_inside(given: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError) as wrong:
        Form.model_validate(given)
    assert told_of(wrong.value) == f"{told} Change it and try again."
    assert as_words("set_wpm") == "set wpm"


def test_a_run_of_numbers_to_choose_from_is_told_by_its_ends() -> None:
    assert choice_of(range(1, 21)) == "1 to 20"
    assert choice_of([1, 2, 4]) == "1, 2, 4"
    assert choice_of(["yes", "no", "abstain"]) == "yes, no, abstain"
    assert choice_of([1, 2]) == "1, 2"
    assert choice_of([]) == ""


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("You are in Bo's room now.", "Wren is in Bo's room now."),
        ("You left Bo's room.", "Wren left Bo's room."),
        ("Your request waits there already.", "Wren's request waits there already."),
        ("You cannot react to your own message.", "Wren cannot react to their own message."),
        ("Said in room 1.", "Said in room 1."),
    ],
)
def test_what_somebody_was_told_of_their_deed_is_read_by_others_as_theirs(told: str, read: str) -> None:
    assert retold(told, "Wren") == read
