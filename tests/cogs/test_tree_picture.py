"""Trees as pictures: every node is there, or folded, and the newest way stands out."""

from io import BytesIO

import pytest
from PIL import Image

from bot.core.records import Snowflake
from bot.core.timelines.records import Edge, Node, NodeId, Status
from cogs.ui.pictures import INK
from cogs.ui.tree_picture import DRAWN_NODES, FILLS, LETTERS, drawn, newest_path, placed, tree_picture, words
from tests.fakes import START


def node(id_: int, parent: int | None, depth: int = 0, status: Status = Status.DONE, edge: Edge = Edge.ADVANCE) -> Node:
    return Node(
        id=NodeId(id_),
        parent=None if parent is None else NodeId(parent),
        depth=depth,
        edge=Edge.ROOT if parent is None else edge,
        seed="",
        status=status,
        made_by=Snowflake(1),
        made_at=START,
    )


TREE = [node(0, None), node(1, 0, 1), node(2, 1, 2), node(3, 1, 2, Status.FAILED), node(4, 0, 1, Status.RUNNING)]


def colours(png: bytes) -> set[object]:
    found = Image.open(BytesIO(png)).getcolors(1 << 16)
    return {colour for _, colour in found or ()}


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def test_children_stand_right_of_their_parents_and_no_two_nodes_in_one_place() -> None:
    places = {one.node.id: one for one in placed(TREE)}
    assert {id_: one.level for id_, one in places.items()} == {0: 0, 1: 1, 2: 2, 3: 2, 4: 1}
    assert len({(one.level, one.row) for one in places.values()}) == len(TREE)
    assert newest_path([*places.values()]) == {0, 4}


def test_every_status_has_its_colour_and_every_edge_its_letter() -> None:
    shown = colours(drawn(TREE))
    for status in (Status.DONE, Status.FAILED, Status.RUNNING):
        assert rgb(FILLS[status]) in shown
    assert rgb(FILLS[Status.STOPPED]) not in shown
    assert rgb(INK) in shown
    assert set(FILLS) == set(Status)
    assert set(LETTERS) == set(Edge)


@pytest.mark.parametrize("count", [1, 2, DRAWN_NODES, 200])
def test_of_many_nodes_the_newest_are_drawn_and_the_rest_is_folded(count: int) -> None:
    line = [node(at, at - 1 if at else None, at) for at in range(count)]
    places = placed(line)
    assert len(places) == min(count, DRAWN_NODES)
    assert (places[0].node.id, places[-1].node.id) == (0, count - 1)
    assert all(one.above is None or one.above < one.node.id for one in places)
    image = Image.open(BytesIO(drawn(line)))
    assert image.width < 2_600


async def test_the_picture_is_told_in_words() -> None:
    assert words(TREE[:2]) == "A tree of 2 nodes: 1 from 0 done"
    assert (await tree_picture(TREE[:1])).description == "A tree of 1 node: only its root"
