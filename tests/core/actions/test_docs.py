"""The vocabulary as a page: every action a row, with whoever may do it."""

from bot.core.actions import CATALOGUE, actions_table
from bot.core.actions.definition import People


def rows() -> dict[str, list[str]]:
    """The cells of each action's row."""
    lines = [line for line in actions_table().splitlines() if line.startswith("| `")]
    cells = [line.replace("\\|", "/").strip("| ").split(" | ") for line in lines]
    return {one[0].strip("`").split("(")[0]: one for one in cells}


def test_every_action_has_one_row_of_three_cells() -> None:
    assert rows().keys() == {one.name for one in CATALOGUE}
    assert all(len(cells) == 3 for cells in rows().values())


def test_a_row_says_who_may_do_it() -> None:
    for one in CATALOGUE:
        who = rows()[one.name][2]
        assert ("agents" in who) is one.for_agents
        assert ("that may create agents" in who) is (one.for_agents and one.privileged)
        assert ("managers" in who, "everyone" in who) == (one.people is People.MANAGERS, one.people is People.EVERYONE)


def test_categories_stand_in_their_order_once() -> None:
    heads = [line.removeprefix("### ") for line in actions_table().splitlines() if line.startswith("### ")]
    assert heads == list(dict.fromkeys(one.category.value for one in CATALOGUE))
