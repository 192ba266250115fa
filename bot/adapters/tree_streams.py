"""Trees of timelines for a page: what is in them, with its number, and from there on what happens, as it happens."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

from aiohttp import web

from bot.core.errors import NotFound, SelfroomError
from bot.core.records import Community, Snowflake
from bot.core.timelines.records import Event, EventKind, Node, NodeId, Timeline

LOOK_SECONDS: Final = 0.2  # how often a file is looked at for who waits
ASKED_AGAIN_SECONDS: Final = 10.0  # rights are taken away as well
MOST_STREAMS: Final = 32
LARGEST: Final = 2**53  # of a number on a page
OF_TREES: Final = frozenset(
    {EventKind.ATTACHED, EventKind.RUN_START, EventKind.RUN_FINISH, EventKind.RUN_FAILED, EventKind.DELETED}
)


class TreeVisitors(Protocol):
    """Who may look into trees, and what they see there; raises SelfroomError where they may not, or there is none."""

    async def tree(self, token: str, guild_id: Snowflake, tree_id: int) -> Timeline:
        """Give a tree to who may look into it."""

    async def snapshot(self, timeline: Timeline) -> tuple[int, Sequence[Node]]:
        """Give the nodes of a tree by id, and the number of the newest event that they show."""

    async def events(self, timeline: Timeline, after: int, node_id: NodeId | None) -> Sequence[Event]:
        """Give what happened since an event, oldest first; `node_id`: in that node alone."""


CommunityOf = Callable[[web.Request], Awaitable[Community | None]]  # raises for who is no visitor


class TreeStreams:
    """The addresses of trees on the bot's own face."""

    def __init__(self, community_of: CommunityOf, visitors: Callable[[], TreeVisitors]) -> None:
        self._community_of = community_of
        self._visitors = visitors
        self._open = 0

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Let them be asked."""
        tree = "/trees/{tree:[0-9]{1,9}}"
        router.add_get(tree, self._snapshot)
        router.add_get(f"{tree}/events", self._stream)
        router.add_get(f"{tree}/nodes/{{node:[0-9]{{1,9}}}}", self._node)
        router.add_get(f"{tree}/nodes/{{node:[0-9]{{1,9}}}}/events", self._stream)

    async def _tree(self, request: web.Request) -> Timeline:
        community = await self._community_of(request)
        if community is None:
            raise web.HTTPNotFound
        token, number = request.headers.get("Authorization", ""), int(request.match_info["tree"])
        try:
            return await self._visitors().tree(token, community.guild_id, number)
        except SelfroomError as error:
            raise refusal(error) from error

    async def _snapshot(self, request: web.Request) -> web.Response:
        timeline = await self._tree(request)
        seq, nodes = await self._visitors().snapshot(timeline)
        about = {"id": timeline.id, "title": timeline.title, "usd_cap": str(timeline.usd_cap)}
        return web.json_response({"seq": seq, "tree": about, "nodes": [node_row(one) for one in nodes]})

    async def _node(self, request: web.Request) -> web.Response:
        timeline, node_id = await self._tree(request), NodeId(int(request.match_info["node"]))
        seq, nodes = await self._visitors().snapshot(timeline)
        node = next((one for one in nodes if one.id == node_id), None)
        if node is None:
            raise refusal(NotFound(f"There is no node {node_id}."))
        told = [one for one in await self._visitors().events(timeline, 0, node_id) if one.seq <= seq]
        rows = [event_row(one) for one in told if one.kind not in OF_TREES]
        return web.json_response({"seq": seq, "node": node_row(node), "events": rows})

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        timeline = await self._tree(request)
        if self._open >= MOST_STREAMS:
            raise web.HTTPServiceUnavailable(text="Too many look at trees just now: close a page.")
        node = request.match_info.get("node")
        after = _number(request.query.get("after", "") or request.headers.get("Last-Event-ID", ""))
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        if origin := request.headers.get("Origin"):  # once it has begun nobody adds any
            headers |= {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
        response = web.StreamResponse(headers=headers)
        self._open += 1
        try:
            await response.prepare(request)
            await self._tell(request, response, timeline, after, None if node is None else NodeId(int(node)))
        except ConnectionResetError:
            pass  # the page is gone
        finally:
            self._open -= 1
        return response

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
            if not events:
                await asyncio.sleep(LOOK_SECONDS)


def refusal(error: SelfroomError) -> web.HTTPException:
    """Give what a page is told that may not look, or looks for what is not there."""
    kind = web.HTTPNotFound if isinstance(error, NotFound) else web.HTTPForbidden
    return kind(text=json.dumps({"message": error.sentence}), content_type="application/json")


def event_row(one: Event) -> dict[str, object]:
    """Give an event as the page reads it."""
    return {"seq": one.seq, "node": one.node_id, "kind": one.kind, **one.data}


def node_row(one: Node) -> dict[str, object]:
    """Give a node as the page draws it."""
    return {
        "id": one.id,
        "parent": one.parent,
        "depth": one.depth,
        "edge": one.edge,
        "status": one.status,
        "turns": one.turns,
        "usd": str(one.usd),
        "outcome": one.outcome,
        "note": one.note,
    }


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 16 else 0
    return number if number < LARGEST else 0
