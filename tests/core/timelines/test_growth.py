"""Which nodes an operation makes, and in which words it is refused."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.errors import NotFound, Rejected
from bot.core.records import Person, Snowflake
from bot.core.timelines.growth import Growth, Limits, leaves, planned
from bot.core.timelines.records import QUIET, Edge, Node, NodeId, Status
from tests.fakes import START

BOSS = Person(id=Snowflake(1), username="boss", is_architect=True)


def node(id: int, parent: int | None, depth: int, status: Status = Status.DONE, outcome: str = "") -> Node:
    return Node(
        id=NodeId(id),
        parent=None if parent is None else NodeId(parent),
        depth=depth,
        edge=Edge.ADVANCE,
        seed="",
        status=status,
        outcome=outcome,
        made_by=BOSS.id,
        made_at=START,
    )


TREE = (node(0, None, 0), node(1, 0, 1), node(2, 0, 1, Status.RUNNING), node(3, 1, 2, outcome=QUIET), node(4, 1, 2))


def growth(what: str, *nodes: int, **more: object) -> Growth:
    return Growth(what=what, by=BOSS, nodes=tuple(map(NodeId, nodes)), **more)  # type: ignore[arg-type]


def test_the_frontier_is_the_deepest_leaves_or_all() -> None:
    tree = (*TREE[:2], node(5, 0, 1), *TREE[3:])
    assert [one.id for one in leaves(tree)] == [3, 4]
    assert [one.id for one in leaves(tree, only_max_depth=False)] == [5, 3, 4]
    assert [one.parent for one in planned(growth("frontier"), tree, "s")] == [4]


def test_a_chain_hangs_together_and_siblings_have_seeds_of_their_own() -> None:
    chain = planned(growth("chain", 4, turns=3), TREE, "s")
    assert [(one.parent, one.turns_wanted) for one in chain] == [(4, 1), (-1, 1), (-2, 1)]
    siblings = planned(growth("multi", 4, siblings=8, turns=2), TREE, "s")
    assert {(one.parent, one.turns_wanted, one.edge) for one in siblings} == {(4, 2, Edge.MULTI)}
    assert len({one.seed for one in siblings}) == 8


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (growth("advance", 2), "Node 2 is still running."),
        (growth("advance", 99), "There is no node 99."),
        (growth("chain", 3), "Node 3 is quiet: nobody has a reason: give an event."),
        (growth("multi", 4, siblings=9), "Give 2 to 8 siblings at once."),
        (growth("advance", 4, turns=21), "Give 1 to 20 turns at once."),
        (growth("multi", 4, siblings=3, limits=Limits(nodes=7)), "Over the limit of 7 nodes: delete some first."),
        (growth("chain", 4, turns=3, limits=Limits(depth=4)), "Over the limit of 4 steps from the root"),
        (growth("ask", 4), "Ask something."),
        (growth("branch", 4), "Give 1 to 10 changes at once."),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wanted: Growth, why: str) -> None:
    with pytest.raises((Rejected, NotFound), match=why):
        planned(wanted, TREE, "s")


@given(st.sampled_from(["advance", "multi", "chain"]), st.integers(1, 20), st.integers(2, 8), st.integers(5, 40))
def test_an_operation_makes_all_it_says_and_never_more_than_the_limit(
    what: str, turns: int, siblings: int, most: int
) -> None:
    wanted = growth(what, 4, turns=turns, siblings=siblings, limits=Limits(nodes=most))
    count = {"advance": 1, "multi": siblings, "chain": turns}[what]
    make: Callable[[], object] = lambda: planned(wanted, TREE, "s")  # noqa: E731
    if len(TREE) + count > most:
        with pytest.raises(Rejected):
            make()
    else:
        assert len(planned(wanted, TREE, "s")) == count
