"""A tree as it is shown."""

from dataclasses import replace
from decimal import Decimal
from typing import cast

from bot.core.timelines.records import Timeline, Tree
from bot.core.timelines.showing import Shown
from tests.core.timelines.test_growth import TREE


def test_what_a_tree_costs_is_what_its_nodes_cost() -> None:
    nodes = [replace(one, usd=Decimal("0.01")) for one in TREE]
    assert Shown(timeline=cast(Timeline, None), tree=cast(Tree, None), nodes=nodes).usd == Decimal("0.05")
