import pytest

from bot.core.errors import Rejected
from bot.core.focus import as_value, cleared, files_in, starting_focus, with_item, with_section, without_item
from bot.core.records import Focus
from tests.fakes import START


def test_a_full_section_lets_its_oldest_go_and_takes_no_duplicate() -> None:
    focus = Focus()
    for number in range(12):
        focus = with_item(focus, "blockers", f"blocker {number}", START)
    assert focus.blockers == tuple(f"blocker {number}" for number in range(2, 12))
    assert with_item(focus, "blockers", "blocker  5 ", START) == focus


def test_an_item_is_one_line_of_at_most_300_characters() -> None:
    assert with_item(Focus(), "notes", "two\nlines", START).notes == ("two lines",)
    with pytest.raises(Rejected, match="at most 300"):
        with_item(Focus(), "notes", "x" * 301, START)
    with pytest.raises(Rejected, match="Give a text"):
        with_item(Focus(), "notes", " \n ", START)


@pytest.mark.parametrize("named", ["write the tests", "Write", "2"])
def test_a_step_is_ticked_off_by_its_text_its_beginning_or_its_number(named: str) -> None:
    focus = with_section(Focus(), "nextSteps", ["read", "write the tests", "rest"], START)
    assert without_item(focus, "next_steps", named, START).next_steps == ("read", "rest")


def test_what_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(Rejected, match='no "sing" in nextSteps'):
        without_item(with_section(Focus(), "nextSteps", ["read"], START), "next_steps", "sing", START)


def test_replacing_a_section_keeps_the_newest_of_too_many() -> None:
    focus = with_section(Focus(), "keyDecisions", [f"d{n}" for n in range(30)], START)
    assert focus.key_decisions == tuple(f"d{n}" for n in range(20, 30))
    assert with_section(focus, "keyDecisions", "only this", START).key_decisions == ("only this",)
    assert with_section(focus, "currentTask", "ship it", START).current_task == "ship it"


def test_one_section_or_all_can_be_cleared() -> None:
    focus = with_section(with_item(Focus(), "notes", "n", START), "currentTask", "t", START)
    assert cleared(focus, "notes", START).current_task == "t"
    assert cleared(focus, None, START) == Focus(updated_at=START)


def test_it_is_shown_by_the_names_that_agents_use() -> None:
    focus = with_item(Focus(), "active_files", "https://example.org", START)
    assert as_value(focus)["activeFiles"] == ["https://example.org"]


def test_new_agents_start_with_the_house_defaults() -> None:
    focus = starting_focus({"notes": ("be kind",), "conventions": ("UTC",), "links": ("https://wiki",)}, START)
    assert focus.notes == ("be kind", "UTC")
    assert focus.active_files == ("https://wiki",)


def test_a_files_name_stands_as_it_is_looked_for_when_its_message_goes() -> None:
    (item,) = files_in("", [("two  blanks.png", "")])
    assert item == "two blanks.png"
    assert files_in("", [(" ", "")]) == ()
