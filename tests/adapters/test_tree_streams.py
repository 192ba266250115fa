"""A page sees a tree as it is, and from there on everything that happens in it, once."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from bot.adapters.tree_streams import ASKED_AGAIN_SECONDS, MOST_EACH, MOST_STREAMS, TreeStreams
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import ReasonKind
from bot.core.permissions import ONLY_MANAGERS
from bot.core.records import PUBLIC_SIDE, AgentId, Beat, BeatId, Community, CommunityId, Snowflake
from bot.core.timelines.growth import Operation
from bot.core.timelines.records import Event, EventKind, Node, NodeId, Timeline, Told
from bot.core.timelines.showing import MindShown
from bot.engine.timelines import looking
from tests.adapters.no_trees import NoTrees
from tests.fakes import START
from tests.storage.timelines.orchard import Orchard, orchard

BOSS, DEPUTY, GUEST = "a-manager's-token", "another's-token", "a-third-one's-token"
TREE = [EventKind.ATTACHED, EventKind.RUN_START, EventKind.RUN_FINISH]


class Gate(NoTrees):
    """One manager, who may look into tree 1."""

    def __init__(self, there: Orchard) -> None:
        self.there = there

    async def tree(self, token: str, guild_id: Snowflake, tree_id: int) -> Timeline:
        if token not in (BOSS, DEPUTY, GUEST):
            raise Rejected(ONLY_MANAGERS)
        if tree_id != self.there.key.id:
            raise NotFound("There is no such tree.")
        return Timeline(
            community_id=self.there.key.community_id,
            id=self.there.key.id,
            room_id=AgentId(1),
            title="dark",
            made_by=Snowflake(1),
            usd_cap=Decimal(1),
            created_at=START,
            expires_at=START,
        )

    async def trees(self, token: str, guild_id: Snowflake) -> Sequence[Timeline]:
        return [await self.tree(token, guild_id, 1)]

    async def read(self, timeline: Timeline, node_id: NodeId) -> Sequence[str]:
        return await looking.transcript(self.there.trees, timeline.key, node_id)

    async def compare(self, timeline: Timeline, one: NodeId, two: NodeId | None) -> tuple[str, Sequence[str]]:
        assert two is not None
        return await looking.difference(self.there.trees, timeline.key, one, two, "USD")

    async def minds(self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId) -> Sequence[MindShown]:
        return [MindShown(agent_id=AgentId(1), name="Ada", side=PUBLIC_SIDE, knowledge={"mood": "calm"}, focus={})]

    async def seen(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, agent_id: AgentId, beat_id: int
    ) -> Beat:
        if agent_id != 1:
            raise Rejected("You sit in a scene with it.")
        return Beat(id=BeatId(beat_id), agent_id=agent_id, at=START, reason=ReasonKind.TIMER, hud="AGENT 1: Ada")

    async def prices(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, *, turns: int, siblings: int
    ) -> Mapping[Operation, Decimal | str]:
        return {"advance": Decimal(turns), "multi": Decimal(turns) * siblings, "frontier": "No leaf can go on."}

    async def remarks(self, token: str, guild_id: Snowflake, timeline: Timeline) -> Sequence[str]:
        return ["It begins in the dark."]

    async def coin(self, timeline: Timeline) -> str:
        return "imaginary USD"

    async def snapshot(self, timeline: Timeline) -> tuple[int, Sequence[Node]]:
        return await self.there.trees.snapshot(timeline.key)

    async def events(self, timeline: Timeline, after: int, node_id: NodeId | None) -> Sequence[Event]:
        return await self.there.trees.events(timeline.key, after=after, node_id=node_id)


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[Orchard, aiohttp.ClientSession]]:
    async def here(request: web.Request) -> Community:
        return Community(id=CommunityId(1), guild_id=Snowflake(1), name="Testers", paused=False, overrides={})

    async with orchard(folder) as there:
        app = web.Application()
        TreeStreams(here, lambda: Gate(there)).add_to(app.router)
        runner = web.AppRunner(app, shutdown_timeout=0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            async with aiohttp.ClientSession(url, headers={"Authorization": BOSS}) as session:
                yield there, session
        finally:
            await runner.cleanup()


async def read(session: aiohttp.ClientSession, path: str, many: int) -> list[dict[str, Any]]:
    """Read so many events of a stream, and leave."""
    async with session.get(path) as response:
        assert response.content_type == "text/event-stream"
        return await heard(response, many)


async def heard(response: aiohttp.ClientResponse, many: int) -> list[dict[str, Any]]:
    """Read so many events of an answer that goes on."""
    found: list[dict[str, Any]] = []
    while len(found) < many:
        line = (await response.content.readline()).decode()
        assert line, "the stream ended"
        if line.startswith("data: "):
            found.append(json.loads(line.removeprefix("data: ")))
    return found


async def test_what_happens_after_a_snapshot_comes_once_however_often_a_page_comes_back(tmp_path: Path) -> None:
    async with served(tmp_path) as (there, session):
        await there.grow(0)
        async with session.get("/trees/1") as response:
            shown = await response.json()
        assert [(one["id"], one["parent"], one["status"]) for one in shown["nodes"]] == [
            (0, None, "done"),
            (1, 0, "done"),
        ]
        assert shown["tree"]["remarks"] == ["It begins in the dark."]

        async def grow() -> None:
            for parent in range(1, 6):
                await there.grow(parent)

        growing = asyncio.create_task(grow())
        seen: list[dict[str, Any]] = []
        while len(seen) < 15:  # one event, and gone again
            after = seen[-1]["seq"] if seen else shown["seq"]
            seen += await read(session, f"/trees/1/events?after={after}", 1)
        await growing
        events = await there.trees.events(there.key, after=shown["seq"])
        assert [one["seq"] for one in seen] == [one.seq for one in events]
        assert [(one["node"], one["kind"]) for one in seen] == [(node, kind) for node in range(2, 7) for kind in TREE]


async def test_a_node_tells_what_was_said_in_it_and_the_tree_does_not(tmp_path: Path) -> None:
    async with served(tmp_path) as (there, session):
        node = await there.grow(0)
        said = Told(kind=EventKind.MESSAGE, data={"text": "It is dark."})
        await there.trees.tell(there.key, node.id, [said])
        async with session.get(f"/trees/1/nodes/{node.id}") as response:
            shown = await response.json()
        assert [one["text"] for one in shown["events"]] == ["It is dark."]
        reading = asyncio.create_task(read(session, f"/trees/1/nodes/{node.id}/events?after={shown['seq']}", 1))
        await there.trees.tell(there.key, node.id, [Told(kind=EventKind.MOVE, data={"move": "vote"})])
        (event,) = await reading
        assert (event["kind"], event["move"], event["node"]) == ("move", "vote", node.id)


async def test_a_node_is_read_compared_and_priced_and_its_agents_looked_into(tmp_path: Path) -> None:
    async with served(tmp_path) as (there, session):
        node = await there.grow(0)

        async def given(path: str) -> tuple[int, Any]:
            async with session.get(f"/trees/1{path}") as response:
                return response.status, await response.json()

        about = {"id": 1, "title": "dark", "thread_id": None, "usd_cap": "1", "coin": "imaginary USD"}
        async with session.get("/trees") as response:
            assert await response.json() == [about]
        assert (await given(f"/nodes/{node.id}/transcript"))[1] == {"lines": []}
        assert (await given(f"/compare?one=0&two={node.id}"))[1]["header"].startswith(
            f"Node 0 and node {node.id} differ in nothing"
        )
        assert await given("/compare?one=0&two=77") == (404, {"message": "There is no node 77."})
        carried = {"agent": 1, "name": "Ada", "side": 0, "knowledge": {"mood": "calm"}, "focus": {}}
        assert await given(f"/nodes/{node.id}/minds") == (200, {"minds": [carried]})
        assert (await given(f"/nodes/{node.id}/agents/1/beats/5"))[1]["hud"] == "AGENT 1: Ada"
        refused = {"message": "You sit in a scene with it."}
        assert await given(f"/nodes/{node.id}/agents/2/beats/5") == (403, refused)
        prices = (await given(f"/nodes/{node.id}/prices?turns=2&siblings=3"))[1]
        assert prices["multi"] == {"usd": "6"}
        assert prices["advance"] == {"usd": "2"}
        assert prices["frontier"] == {"refused": "No leaf can go on."}


async def test_a_node_that_is_over_tells_what_it_came_to_and_cost(tmp_path: Path) -> None:
    async with served(tmp_path) as (there, session):
        await there.grow(0)
        *_, ended = await read(session, "/trees/1/events?after=0", 3)
        assert (ended["kind"], ended["status"], ended["turns"], ended["usd"]) == ("run_finish", "done", 1, "0")


async def test_nobody_else_looks_into_a_tree(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, session):
        node = "/trees/1/nodes/0"
        parts = ("", "/events", "/transcript", "/minds", "/prices", "/agents/1/beats/1")
        for path in ("/trees", "/trees/1", "/trees/1/events", "/trees/1/compare?one=0", *(node + one for one in parts)):
            async with session.get(path, headers={"Authorization": "a-guest's"}) as response:
                assert (response.status, await response.json()) == (403, {"message": ONLY_MANAGERS})
        async with session.get("/trees/9/events") as response:
            assert response.status == 404
        async with session.get("/trees/1/nodes/9") as response:
            assert (response.status, await response.json()) == (404, {"message": "There is no node 9."})


async def test_a_page_that_left_takes_nobodys_place(tmp_path: Path) -> None:
    async with served(tmp_path) as (there, session):
        await there.grow(0)
        for _ in range(MOST_EACH):
            async with session.get("/trees/1/events?after=99999") as response:
                assert response.status == 200

        async def let_in() -> bool:
            async with session.get("/trees/1/events?after=99999") as response:
                return response.status == 200

        async with asyncio.timeout(ASKED_AGAIN_SECONDS / 2):  # before anything is written to those that are gone
            while not await let_in():
                pass


async def test_who_opens_many_pages_leaves_others_a_place(tmp_path: Path) -> None:
    async with served(tmp_path) as (there, session), AsyncExitStack() as pages:
        await there.grow(0)

        async def opened(token: str) -> int:
            asked = session.get("/trees/1/events?after=99999", headers={"Authorization": token})
            return (await pages.enter_async_context(asked)).status

        assert [await opened(BOSS) for _ in range(MOST_EACH + 1)] == [200] * MOST_EACH + [503]
        assert [await opened(DEPUTY) for _ in range(MOST_STREAMS - MOST_EACH)] == [200] * (MOST_STREAMS - MOST_EACH)
        assert await opened(GUEST) == 200, "who has most gives one up"
