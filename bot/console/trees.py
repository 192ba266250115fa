"""What-if trees in the console: what is in them, as on the playground's page, for who may look into all their rooms."""

from dataclasses import dataclass
from typing import Final

from aiohttp import web
from typing_extensions import TypedDict

from bot.console import shapes
from bot.console.reading import CLOSED
from bot.console.routes import Route
from bot.console.rows import Row
from bot.console.standing import Asker
from bot.core.errors import NotFound, Rejected
from bot.core.page_rows import node_row
from bot.core.records import PUBLIC_SIDE, AgentId, Side
from bot.core.timelines.records import Timeline
from bot.core.view import Roster
from bot.engine.front_desk import FrontDesk

TREE: Final = "/trees/{tree}"
NODE: Final = "/trees/{tree}/nodes/{node}"


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
        ]

    async def all(self, asker: Asker, _: web.Request) -> Row:
        """Give the trees that there are, the oldest first; of those of closed rooms none."""
        found = await self.desk.timelines.all(asker.guild_id)
        view = await self.desk.community.view(asker.guild_id, messages=0) if found else None
        return {"trees": [await self._row(one) for one in found if view and await self._is_open(asker, one, view)]}

    async def one(self, asker: Asker, request: web.Request) -> Row:
        """Give a tree with its nodes, and the number (`seq`) of the newest event that they show."""
        timeline = await self._tree(asker, request)
        seq, nodes = await self.desk.timelines.snapshot(timeline)
        return {"seq": seq, "tree": await self._row(timeline), "nodes": [node_row(one) for one in nodes]}

    async def _row(self, one: Timeline) -> Row:
        thread_id, coin = None if one.thread_id is None else str(one.thread_id), await self.desk.timelines.coin(one)
        return {"id": one.id, "title": one.title, "thread_id": thread_id, "usd_cap": str(one.usd_cap), "coin": coin}

    async def said(self, asker: Asker, request: web.Request) -> Row:
        """Give what was said in a node since the fork."""
        timeline = await self._tree(asker, request)
        return {"lines": list(await self.desk.timelines.read(timeline, _node(request)))}

    async def minds(self, asker: Asker, request: web.Request) -> Row:
        """Give what the agents of a node carry, of those into whose heads the person may look."""
        timeline = await self._tree(asker, request)
        carried = await self.desk.timelines.minds(timeline, _node(request), who=asker.person.id)
        view = await self.desk.community.view(asker.guild_id, messages=0)
        carried = [one for one in carried if await _may_read(asker, view, one.side)]
        return {
            "minds": [
                {"agent": one.agent_id, "name": one.name, "side": one.side}
                | {"knowledge": dict(one.knowledge), "focus": dict(one.focus)}
                for one in carried
            ]
        }

    async def compare(self, asker: Asker, request: web.Request) -> Row:
        """Compare two nodes, or all children of one."""
        timeline = await self._tree(asker, request)
        one, two = (_number(request.query.get(name, "")) for name in ("one", "two"))
        if one is None:
            raise NotFound("Say which node: ?one= with its number.")
        header, lines = await self.desk.timelines.compare(timeline, one, two)
        return {"header": header, "lines": list(lines)}

    async def _tree(self, asker: Asker, request: web.Request) -> Timeline:
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


def _node(request: web.Request) -> int:
    return int(request.match_info["node"])


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
