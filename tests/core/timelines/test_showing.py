"""A tree as it is shown."""

from dataclasses import replace
from decimal import Decimal
from typing import cast

from bot.core.timelines.records import Timeline, Tree
from bot.core.timelines.showing import Shown, same_as
from tests.core.timelines.test_growth import TREE, node


def test_what_a_tree_costs_is_what_its_nodes_cost() -> None:
    nodes = [replace(one, usd=Decimal("0.01")) for one in TREE]
    assert Shown(timeline=cast(Timeline, None), tree=cast(Tree, None), nodes=nodes).usd == Decimal("0.05")


def test_siblings_that_came_out_alike_say_so() -> None:
    digests = {1: "a", 2: "b", 3: "a", 4: "", 5: "", 6: "a"}
    nodes = [node(0, None, 0), *(replace(node(id, 0, 1), digest=digest) for id, digest in digests.items())]
    nodes.append(replace(node(7, 1, 2), digest="a"))  # of another parent
    assert same_as(nodes) == {3: "the same as node 1", 6: "the same as node 1"}
