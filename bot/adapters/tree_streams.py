"""Trees of timelines for a page: what is in them, with its number, and from there on what happens, as it happens."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final, Protocol, TypeVar, cast

from aiohttp import web

from bot.core.errors import NotFound, SelfroomError
from bot.core.page_rows import OF_TREES, event_row, node_row, price_rows, seen_row, tree_row, world_mind_row
from bot.core.records import AgentId, Beat, Community, Snowflake
from bot.core.timelines.growth import Operation, no_node
from bot.core.timelines.records import Event, Node, NodeId, Timeline
from bot.core.timelines.showing import MindShown

LOOK_SECONDS: Final = 0.2  # how often a file is looked at for who waits
ASKED_AGAIN_SECONDS: Final = 10.0  # rights are taken away as well
MOST_STREAMS: Final = 32  # beyond them who has most of them gives one up
MOST_EACH: Final = 16  # a page that is left is noticed within seconds
LARGEST: Final = 2**53  # of a number on a page


class TreeVisitors(Protocol):
    """Who may look into trees, and what they see there; raises SelfroomError where they may not, or there is none."""

    async def trees(self, token: str, guild_id: Snowflake) -> Sequence[Timeline]:
        """Give the trees that there are."""

    async def tree(self, token: str, guild_id: Snowflake, tree_id: int) -> Timeline:
        """Give a tree to who may look into it."""

    async def remarks(self, token: str, guild_id: Snowflake, timeline: Timeline) -> Sequence[str]:
        """Say what the person has to know of how it begins."""

    async def coin(self, timeline: Timeline) -> str:
        """Name the money in which its calls are counted."""

    async def snapshot(self, timeline: Timeline) -> tuple[int, Sequence[Node]]:
        """Give the nodes of a tree by id, and the number of the newest event that they show."""

    async def events(self, timeline: Timeline, after: int, node_id: NodeId | None) -> Sequence[Event]:
        """Give what happened since an event, oldest first; `node_id`: in that node alone."""

    async def read(self, timeline: Timeline, node_id: NodeId) -> Sequence[str]:
        """Give what was said in a node since the fork."""

    async def compare(self, timeline: Timeline, one: NodeId, two: NodeId | None) -> tuple[str, Sequence[str]]:
        """Compare two nodes, or all children of one."""

    async def minds(self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId) -> Sequence[MindShown]:
        """Give what the agents of a node carry, of those into whose heads the person may look."""

    async def seen(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, agent_id: AgentId, beat_id: int
    ) -> Beat:
        """Give what an agent saw at a beat of a node."""

    async def prices(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, *, turns: int, siblings: int
    ) -> Mapping[Operation, Decimal | str]:
        """Give what each operation on a node is thought to cost in USD, or the sentence that keeps it from it."""


T = TypeVar("T")
Asker = tuple[str, Snowflake]  # by which token, and of which server
CommunityOf = Callable[[web.Request], Awaitable[Community | None]]  # raises for who is no visitor


class TreeStreams:
    """The addresses of trees on the bot's own face."""

    def __init__(self, community_of: CommunityOf, visitors: Callable[[], TreeVisitors]) -> None:
        self._community_of = community_of
        self._visitors = visitors
        self._open: dict[asyncio.Task[object], Asker] = {}  # the oldest first

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Let them be asked."""
        tree, node = "/trees/{tree:[0-9]{1,9}}", "/nodes/{node:[0-9]{1,9}}"
        router.add_get("/trees", self._trees)
        router.add_get(tree, self._snapshot)
        router.add_get(f"{tree}/events", self._stream)
        router.add_get(f"{tree}/compare", self._compare)
        router.add_get(f"{tree}{node}", self._node)
        router.add_get(f"{tree}{node}/events", self._stream)
        router.add_get(f"{tree}{node}/transcript", self._transcript)
        router.add_get(f"{tree}{node}/minds", self._minds)
        router.add_get(f"{tree}{node}/prices", self._prices)
        router.add_get(f"{tree}{node}/agents/{{agent:[0-9]{{1,9}}}}/beats/{{beat:[0-9]{{1,15}}}}", self._seen)

    async def _asker(self, request: web.Request) -> Asker:
        """Give who asks, and of which server."""
        community = await self._community_of(request)
        if community is None:
            raise web.HTTPNotFound
        return request.headers.get("Authorization", ""), community.guild_id

    async def _tree(self, request: web.Request, asker: Asker | None = None) -> Timeline:
        asker = asker or await self._asker(request)
        return await _told(self._visitors().tree(*asker, int(request.match_info["tree"])))

    async def _trees(self, request: web.Request) -> web.Response:
        trees = await _told(self._visitors().trees(*await self._asker(request)))
        return web.json_response([await self._row(one) for one in trees])

    async def _snapshot(self, request: web.Request) -> web.Response:
        asker = await self._asker(request)
        timeline = await self._tree(request, asker)
        seq, nodes = await self._visitors().snapshot(timeline)
        row = await self._row(timeline) | {"remarks": [*await self._visitors().remarks(*asker, timeline)]}
        return web.json_response({"seq": seq, "tree": row, "nodes": [node_row(one) for one in nodes]})

    async def _row(self, timeline: Timeline) -> dict[str, object]:
        return tree_row(timeline, await self._visitors().coin(timeline))

    async def _node(self, request: web.Request) -> web.Response:
        timeline, node_id = await self._tree(request), NodeId(int(request.match_info["node"]))
        seq, nodes = await self._visitors().snapshot(timeline)
        node = next((one for one in nodes if one.id == node_id), None)
        if node is None:
            raise refusal(no_node(node_id))
        told = [one for one in await self._visitors().events(timeline, 0, node_id) if one.seq <= seq]
        rows = [event_row(one) for one in told if one.kind not in OF_TREES]
        return web.json_response({"seq": seq, "node": node_row(node), "events": rows})

    async def _transcript(self, request: web.Request) -> web.Response:
        timeline = await self._tree(request)
        return web.json_response({"lines": list(await _told(self._visitors().read(timeline, _node_id(request))))})

    async def _compare(self, request: web.Request) -> web.Response:
        timeline = await self._tree(request)
        one, two = (request.query.get(name, "") for name in ("one", "two"))
        nodes = NodeId(_number(one)), NodeId(_number(two)) if two else None
        header, lines = await _told(self._visitors().compare(timeline, *nodes))
        return web.json_response({"header": header, "lines": list(lines)})

    async def _minds(self, request: web.Request) -> web.Response:
        timeline = await self._tree(request)
        carried = await _told(self._visitors().minds(*await self._asker(request), timeline, _node_id(request)))
        return web.json_response({"minds": [world_mind_row(one) for one in carried]})

    async def _seen(self, request: web.Request) -> web.Response:
        timeline, asker = await self._tree(request), await self._asker(request)
        agent, beat = AgentId(int(request.match_info["agent"])), int(request.match_info["beat"])
        return web.json_response(
            seen_row(await _told(self._visitors().seen(*asker, timeline, _node_id(request), agent, beat)))
        )

    async def _prices(self, request: web.Request) -> web.Response:
        """Tell of each operation on a node what it is thought to cost, or why it cannot be done."""
        timeline, asker = await self._tree(request), await self._asker(request)
        turns, siblings = (_number(request.query.get(name, "")) for name in ("turns", "siblings"))
        prices = await _told(
            self._visitors().prices(*asker, timeline, _node_id(request), turns=turns, siblings=siblings)
        )
        return web.json_response(price_rows(prices))

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        asker = await self._asker(request)
        timeline = await self._tree(request, asker)
        self._make_place(asker)
        node = request.match_info.get("node")
        after = _number(request.query.get("after", "") or request.headers.get("Last-Event-ID", ""))
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        if origin := request.headers.get("Origin"):  # once it has begun nobody adds any
            headers |= {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
        response = web.StreamResponse(headers=headers)
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._open[task] = asker
        try:
            await response.prepare(request)
            await self._tell(request, response, timeline, after, None if node is None else NodeId(int(node)))
        except ConnectionResetError:
            pass  # the page is gone
        finally:
            self._open.pop(task, None)
        return response

    def _make_place(self, asker: Asker) -> None:
        """Close a stream of who has most, where all are taken; raises where that is who asks."""
        have = Counter(self._open.values())
        if len(self._open) >= MOST_STREAMS and have[asker] < MOST_EACH:
            ((most, count),) = have.most_common(1)
            if have[asker] + 1 < count:
                oldest = next(task for task, one in self._open.items() if one == most)
                del self._open[oldest]
                oldest.cancel()
        if have[asker] >= MOST_EACH or len(self._open) >= MOST_STREAMS:
            raise web.HTTPServiceUnavailable(text="Too many look at trees just now: close a page.")

    async def _tell(
        self,
        request: web.Request,
        response: web.StreamResponse,
        timeline: Timeline,
        after: int,
        node_id: NodeId | None,
    ) -> None:
        """Write what happens until the tree, the page or its right is gone; a comment shows that it is still there."""
        clock = asyncio.get_running_loop().time
        asked = clock()
        while True:
            if clock() - asked > ASKED_AGAIN_SECONDS:
                asked = clock()
                await response.write(b": here\n\n")
                try:
                    await self._tree(request)
                except web.HTTPException:
                    return
            try:
                events = await self._visitors().events(timeline, after, node_id)
            except NotFound:
                return
            for one in events:
                after = one.seq
                if (one.kind in OF_TREES) is (node_id is None):
                    text = f"id: {one.seq}\nevent: {one.kind}\ndata: {json.dumps(event_row(one))}\n\n"
                    await response.write(text.encode())
            if (
                request.transport is None or request.transport.is_closing()
            ):  # the page is gone, and writing says so late
                return
            if not events:
                await asyncio.sleep(LOOK_SECONDS)


async def _told(asked: Awaitable[T]) -> T:
    """Give what was asked for, or tell the page why not."""
    try:
        return await asked
    except SelfroomError as error:
        raise refusal(error) from error


def _node_id(request: web.Request) -> NodeId:
    return NodeId(int(request.match_info["node"]))


def refusal(error: SelfroomError) -> web.HTTPException:
    """Give what a page is told that may not look, or looks for what is not there."""
    kind = web.HTTPNotFound if isinstance(error, NotFound) else web.HTTPForbidden
    return kind(text=json.dumps({"message": error.sentence}), content_type="application/json")


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 16 else 0
    return number if number < LARGEST else 0
