"""The board of a tree: all its nodes can be chosen, the newest first."""

from dataclasses import replace
from decimal import Decimal

import discord
import pytest

from bot.core.records import AgentId, CommunityId, Snowflake
from bot.core.timelines.records import NOW, QUIET_TOLD, NodeId, Timeline, Tree, TreeId, TreeKey
from bot.core.timelines.showing import Shown
from cogs.ui.trees import NodesButton, NodeSelect, board_text, board_view, branches
from tests.core.timelines.test_growth import node
from tests.fakes import START

KEY = TreeKey(CommunityId(1), TreeId(3))


def shown(nodes: int) -> Shown:
    timeline = Timeline(
        community_id=KEY.community_id,
        id=KEY.id,
        room_id=AgentId(1),
        title="the lights",
        made_by=Snowflake(5),
        usd_cap=Decimal(1),
        created_at=START,
        expires_at=START,
    )
    tree = Tree(
        key=KEY,
        title="",
        rooms=(AgentId(1),),
        point=NOW,
        made_by=Snowflake(5),
        made_at=START,
        at=START,
        seed="",
        revision="",
        program="1",
    )
    there = [node(0, None, 0), *(node(one, one - 1, one) for one in range(1, nodes))]
    return Shown(timeline=timeline, tree=tree, nodes=there)


def chosen_from(view: discord.ui.View) -> list[str]:
    """Give the nodes that a view offers."""
    (select,) = [one.item for one in view.children if isinstance(one, NodeSelect)]
    assert isinstance(select, discord.ui.Select)
    return [one.value for one in select.options]


@pytest.mark.parametrize(("nodes", "more"), [(25, 0), (26, 1), (60, 1)])
async def test_what_has_no_place_in_the_select_is_a_page_further(nodes: int, more: int) -> None:
    view = board_view(shown(nodes))
    assert chosen_from(view) == [str(one) for one in range(nodes - 1, max(-1, nodes - 26), -1)]
    assert sum(isinstance(one, NodesButton) for one in view.children) == more


def test_where_it_begins_stands_on_the_board_as_a_link() -> None:
    there = shown(2)
    assert " at " not in board_text(there).splitlines()[1]
    assert " at https://discord.com/channels/1/2/3." in board_text(
        replace(there, point="https://discord.com/channels/1/2/3")
    )


def test_a_node_that_came_out_as_its_sibling_did_says_so() -> None:
    one, two = (replace(node(id, 0, 1, outcome="quiet"), digest="a") for id in (1, 2))
    lines = branches([node(0, None, 0), one, two, replace(two, id=NodeId(3), outcome="")])
    assert [line.partition("went on")[2] for line in lines[1:]] == [
        f": {QUIET_TOLD}",
        f": {QUIET_TOLD}; the same as node 1",
        ": the same as node 1",
    ]
