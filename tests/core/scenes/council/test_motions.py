"""How votes are counted."""

from itertools import product

import pytest

from bot.core.scenes.council.motions import passes


@pytest.mark.parametrize("two_thirds", [False, True])
def test_every_tally_of_up_to_five_each_is_counted_as_the_rule_says(two_thirds: bool) -> None:
    for yes, no, abstained, absent in product(range(6), repeat=4):
        members = yes + no + abstained + absent
        enough = yes + no + abstained >= members / 2
        outweighs = (yes / (yes + no) >= 2 / 3 if yes else False) if two_thirds else yes - no > 0
        assert passes(yes, no, abstained, members, two_thirds=two_thirds) is (enough and outweighs)
