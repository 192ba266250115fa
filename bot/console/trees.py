"""What-if trees in the console: what is in them, as on the playground's page, for who may look into all their rooms."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from aiohttp import web
from pydantic import JsonValue
from typing_extensions import TypedDict

from bot.console import shapes
from bot.console.reading import CLOSED
from bot.console.routes import Route
from bot.console.rows import Row
from bot.console.standing import Asker
from bot.core.errors import NotFound, Rejected
from bot.core.page_rows import OF_TREES, event_row, node_row, price_rows, seen_row, tree_row, world_mind_row
from bot.core.records import PUBLIC_SIDE, AgentId, Side
from bot.core.timelines.growth import no_node
from bot.core.timelines.merging import Item, What
from bot.core.timelines.records import NodeId, Timeline
from bot.core.view import Roster
from bot.engine.front_desk import FrontDesk

TREE: Final = "/trees/{tree}"
NODE: Final = "/trees/{tree}/nodes/{node}"
MOST_OFFERED: Final = 200


class TreeLines(TypedDict):
    lines: list[str]


class WorldsApart(TypedDict):
    header: str
    lines: list[str]


class TreeMind(TypedDict):
    agent: int
    name: str
    side: int
    knowledge: shapes.Values
    focus: shapes.Values


class TreeMinds(TypedDict):
    minds: list[TreeMind]


class TreeHeading(TypedDict):
    id: int
    title: str
    thread_id: str | None
    usd_cap: str
    coin: str


class Trees(TypedDict):
    trees: list[TreeHeading]


class OneTree(TypedDict):
    seq: int
    tree: TreeHeading
    nodes: list[shapes.World]


class OneNode(TypedDict):
    seq: int
    node: shapes.World
    events: list[shapes.Values]  # each has seq, node and kind, and by that what it tells


class Priced(TypedDict, total=False):
    usd: str
    refused: str


class Prices(TypedDict):
    advance: Priced
    multi: Priced
    chain: Priced
    frontier: Priced
    branch: Priced
    ask: Priced


class SeenThere(TypedDict):
    beat_id: int
    agent: int
    at: datetime
    hud: str
    answer: str
    thoughts: str


class Takeable(TypedDict):
    """What may be taken over into life: in the node, live, and as it was at the fork; null is not there."""

    mark: str
    what: What
    agent: int
    by: str
    side: int
    name: str
    node: JsonValue
    live: JsonValue
    fork: JsonValue
    changed: bool


class Offered(TypedDict):
    items: list[Takeable]
    more: int


@dataclass(frozen=True, slots=True)
class TreePages:
    """What is asked about trees."""

    desk: FrontDesk

    def routes(self) -> list[Route]:
        """Give what can be asked."""
        two = {"one": "a node", "two": "another; without it, all children of the first"}
        return [
            Route(path="/trees", told=self.all, about="The what-if trees that there are.", gives=Trees),
            Route(path=TREE, told=self.one, about="One tree with its nodes.", gives=OneTree),
            Route(
                path=f"{TREE}/compare",
                told=self.compare,
                about="Two nodes compared.",
                query=two,
                gives=WorldsApart,
            ),
            Route(path=f"{NODE}/transcript", told=self.said, about="What was said in a node.", gives=TreeLines),
            Route(path=f"{NODE}/minds", told=self.minds, about="What its agents carry.", gives=TreeMinds),
            Route(path=NODE, told=self.node, about="One node, and what happened in it.", gives=OneNode),
            Route(
                path=f"{NODE}/prices",
                told=self.prices,
                about="What each operation on a node is thought to cost, or why it cannot be done.",
                query={"turns": "of how many turns each child is", "siblings": "how many children `multi` makes"},
                gives=Prices,
            ),
            Route(
                path=f"{NODE}/agents/{{agent}}/beats/{{beat}}",
                told=self.seen,
                about="What an agent saw at a beat of a node, which is run again for it.",
                gives=SeenThere,
                is_large=True,
            ),
            Route(path=f"{NODE}/offer", told=self.offer, about="What of a node life may take over.", gives=Offered),
        ]

    async def all(self, asker: Asker, _: web.Request) -> Row:
        """Give the trees that there are, the oldest first; of those of closed rooms none."""
        found = await self.desk.timelines.all(asker.guild_id)
        view = await self.desk.community.view(asker.guild_id, messages=0) if found else None
        return {"trees": [await self._row(one) for one in found if view and await self._is_open(asker, one, view)]}

    async def one(self, asker: Asker, request: web.Request) -> Row:
        """Give a tree with its nodes, and the number (`seq`) of the newest event that they show."""
        timeline = await self.tree(asker, request)
        seq, nodes = await self.desk.timelines.snapshot(timeline)
        return {"seq": seq, "tree": await self._row(timeline), "nodes": [node_row(one) for one in nodes]}

    async def _row(self, one: Timeline) -> Row:
        return tree_row(one, await self.desk.timelines.coin(one))

    async def node(self, asker: Asker, request: web.Request) -> Row:
        """Give a node with what happened in it, and the number (`seq`) of the newest event that both show."""
        timeline, node_id = await self.tree(asker, request), node_of(request)
        seq, nodes = await self.desk.timelines.snapshot(timeline)
        node = next((one for one in nodes if one.id == node_id), None)
        if node is None:
            raise no_node(node_id)
        told = await self.desk.timelines.told_in(timeline, node_id)
        rows = [event_row(one) for one in told if one.seq <= seq and one.kind not in OF_TREES]
        return {"seq": seq, "node": node_row(node), "events": rows}

    async def prices(self, asker: Asker, request: web.Request) -> Row:
        """Give what operations on a node are thought to cost."""
        timeline = await self.tree(asker, request)
        turns, siblings = (
            _number(request.query.get(name, "")) or least for name, least in (("turns", 1), ("siblings", 2))
        )
        prices = await self.desk.timelines.prices(
            timeline, asker.person, node_of(request), turns=turns, siblings=siblings
        )
        return {**price_rows(prices)}

    async def seen(self, asker: Asker, request: web.Request) -> Row:
        """Give what an agent saw at a beat of a node."""
        timeline = await self.tree(asker, request)
        agent_id, beat_id = AgentId(int(request.match_info["agent"])), int(request.match_info["beat"])
        found = await self.desk.timelines.seen(timeline, node_of(request), agent_id, beat_id, who=asker.person.id)
        return seen_row(found)

    async def offer(self, asker: Asker, request: web.Request) -> Row:
        """Give what of a node may be taken over into life."""
        timeline = await self.tree(asker, request)
        found = await self.desk.merges.offered(timeline, node_of(request), who=asker.person.id)
        rows = [_item(one, found.names.get(one.agent_id, "an agent")) for one in found.items[:MOST_OFFERED]]
        return {"items": rows, "more": len(found.items) - len(rows)}

    async def said(self, asker: Asker, request: web.Request) -> Row:
        """Give what was said in a node since the fork."""
        timeline = await self.tree(asker, request)
        return {"lines": list(await self.desk.timelines.read(timeline, node_of(request)))}

    async def minds(self, asker: Asker, request: web.Request) -> Row:
        """Give what the agents of a node carry, of those into whose heads the person may look."""
        timeline = await self.tree(asker, request)
        carried = await self.desk.timelines.minds(timeline, node_of(request), who=asker.person.id)
        view = await self.desk.community.view(asker.guild_id, messages=0)
        carried = [one for one in carried if await _may_read(asker, view, one.side)]
        return {"minds": [world_mind_row(one) for one in carried]}

    async def compare(self, asker: Asker, request: web.Request) -> Row:
        """Compare two nodes, or all children of one."""
        timeline = await self.tree(asker, request)
        one, two = (_number(request.query.get(name, "")) for name in ("one", "two"))
        if one is None:
            raise NotFound("Say which node: ?one= with its number.")
        header, lines = await self.desk.timelines.compare(timeline, one, two)
        return {"header": header, "lines": list(lines)}

    async def tree(self, asker: Asker, request: web.Request) -> Timeline:
        """Give a tree to who may look into it, as `/timeline show` asks it, and to whom all its rooms are open."""
        number = int(request.match_info["tree"])
        timeline = await self.desk.timelines.find(asker.guild_id, number, None, who=asker.person.id)
        if not await self._is_open(asker, timeline, await self.desk.community.view(asker.guild_id, messages=0)):
            raise Rejected(CLOSED)
        return timeline

    async def _is_open(self, asker: Asker, timeline: Timeline, view: Roster) -> bool:
        """Tell whether all rooms of a tree are open to who asks; of one that is gone nobody can tell that any more."""
        there = await self.desk.timelines.rooms(timeline) or view.all_rooms
        return all(one in view.all_rooms and not asker.is_closed(view.all_rooms[one]) for one in there)


async def _may_read(asker: Asker, view: Roster, side: Side) -> bool:
    """Tell whether a side is open to who asks: that of a private thread only where they read that now."""
    if side == PUBLIC_SIDE:
        return True
    room = view.all_rooms.get(AgentId(side))
    return room is not None and (room.thread_of is None or await asker.may_read(room))


def node_of(request: web.Request) -> NodeId:
    """Give which node is meant."""
    return NodeId(int(request.match_info["node"]))


def _item(one: Item, by: str) -> Row:
    return {
        "mark": one.mark,
        "what": one.what,
        "agent": one.agent_id,
        "by": by,
        "side": one.side,
        "name": one.name,
        "node": one.node,
        "live": one.live,
        "fork": one.fork,
        "changed": one.is_changed,
    }


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
