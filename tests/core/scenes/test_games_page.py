"""The page of games says what the kinds say, and every rulebook is short enough for a prompt."""

import pytest

from bot.core.hud.turn import rules_of
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.registry import KINDS
from bot.tokens import tokenizer_for
from tests.core.scenes.games_page import PAGE, drawn

LONGEST_RULES = 900  # tokens


def test_the_tables_on_the_page_are_those_of_the_kinds() -> None:
    page = PAGE.read_text()
    assert drawn(page) == page, "python -m tests.cogs.pages writes them anew"


def test_a_table_that_says_something_else_is_written_anew_and_one_that_lacks_is_told() -> None:
    page = PAGE.read_text()
    assert drawn(page.replace("| 12–16 | 4 |", "| 12–16 | 5 |")) == page
    with pytest.raises(ValueError, match="no table on the page"):
        drawn(page.replace("| players | wolves |", "| people | wolves |"))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("emotions", [False, True])
def test_rules_moves_and_answer_of_every_kind_fit_into_a_prompt(kind: SceneKind, emotions: bool) -> None:
    assert tokenizer_for("gpt-4o-mini").count(rules_of(kind, emotions=emotions)) <= LONGEST_RULES
