"""Managers grow what-if trees in the console as by command, at a price that they saw, and it stands in the audit."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from bot.console import growing
from bot.console.growing import Growing, TreeLive
from bot.console.reading import CLOSED
from bot.console.standing import Asker
from bot.console.streams import Streams
from bot.console.trees import TreePages
from bot.core.errors import BadSetting, NotFound, Rejected, SelfroomError
from bot.core.records import AgentId, Room
from bot.core.timelines.records import EventKind, Status
from bot.engine.front_desk import FrontDesk
from bot.engine.timelines.house import Estimate
from tests.engine.front_desk.test_timelines import GUILD, desk
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import BOSS, Garden, garden

DARK = {"what": "branch", "nodes": [0], "change": {"event": "The lights go out.", "visitor": "mira"}}


async def nobody_reads(_: Room) -> bool:
    return False


@dataclass
class Grown:
    """A tree, and a manager who grows it by requests."""

    grown: Garden
    desk: FrontDesk
    pages: TreePages
    asker: Asker

    async def ask(self, what: str, said: object = None, *, method: str = "POST", **at: object) -> Any:  # noqa: ANN401
        """Ask by the name of a route's last part, and hold what is told to its description."""
        routes = [*Growing(self.desk, self.pages).routes(), *self.pages.routes()]
        (route,) = [one for one in routes if one.method == method and one.path.rpartition("/")[2] == what]
        told = await route.told(self.asker, self.request(said, at))
        shape: Any = route.gives
        Draft202012Validator(TypeAdapter(shape).json_schema()).validate(json.loads(json.dumps(told)))
        await self.desk.timelines.orchard.grower.finished()  # type: ignore[union-attr]
        return told

    def request(self, said: object, at: dict[str, object]) -> Any:  # noqa: ANN401
        """Give what aiohttp gives of a request."""

        asked = SimpleNamespace(
            match_info={name: str(value) for name, value in ({"tree": 1} | at).items()},
            query={name: str(value) for name, value in at.items()},
        )

        async def read() -> bytes:
            return json.dumps(said).encode()

        asked.clone, asked.read = lambda **_: asked, read
        return asked

    async def audit(self) -> list[str]:
        async with self.grown.home.store.reading() as read:
            return [f"{one.by}: {one.what}" for one in await read.logs.audit(self.grown.key.community_id)]


@asynccontextmanager
async def grown(folder: Path) -> AsyncIterator[Grown]:
    async with garden(folder, everyone_says("Here.")) as there:
        timelines = desk(there)
        await timelines.fork(GUILD, BOSS, AgentId(1), title="dark", rooms=(AgentId(1),))
        front = FrontDesk(timelines.office, orchard=timelines.orchard, config=timelines.config)
        asker = Asker(guild_id=GUILD, person=BOSS, may_read=nobody_reads, sees=lambda _: True, server="")
        yield Grown(there, front, TreePages(front), asker)


async def test_a_tree_grows_by_every_operation_and_all_of_it_is_in_the_audit(tmp_path: Path) -> None:
    async with grown(tmp_path) as there:
        (event,) = (await there.ask("grow", DARK))["nodes"]
        assert (event["edge"], event["status"]) == ("public_event", "queued")
        prices = await there.ask("prices", method="GET", node=1, turns=2, siblings=3)
        assert Decimal(prices["multi"]["usd"]) == 3 * Decimal(prices["advance"]["usd"]) >= 0
        assert not Decimal(prices["branch"]["usd"])
        for said, many in (
            ({"what": "advance", "nodes": [1]}, 1),
            ({"what": "multi", "nodes": [1], "siblings": 2}, 2),
            ({"what": "ask", "nodes": [1], "asked": {"agent": 1, "question": "Are you afraid?"}}, 1),
            ({"what": "branch", "nodes": [1], "change": {"agent": 1, "knows": "mood=wild"}}, 1),
        ):
            assert len((await there.ask("grow", said | {"usd": "5"}))["nodes"]) == many
        told = await there.ask("{node}", method="GET", node=2)
        assert told["node"]["status"] == Status.DONE
        (beat,) = [one for one in told["events"] if one["kind"] == EventKind.BEAT]
        seen = await there.ask("{beat}", method="GET", node=2, agent=beat["agent"], beat=beat["id"])
        assert "The lights go out." in seen["hud"]
        assert "0 bytes differ" in (await there.ask("rerun", node=2))["told"]
        assert "node 2" in (await there.ask("note", {"text": "the quiet one"}, node=2))["told"]
        assert (await there.ask("{node}", method="GET", node=2))["node"]["note"] == "the quiet one"
        with pytest.raises(Rejected, match="Node 2 is over"):
            await there.ask("stop", node=2)
        assert "1 node" in (await there.ask("{node}", method="DELETE", node=3))["told"]
        audit = await there.audit()
        for words in ("1 node made (1)", "node 2 was run again", "a note was set beside node 2", "1 node deleted"):
            assert any(words in one and "boss" in one.casefold() for one in audit), (words, audit)
        await there.ask("{tree}", method="DELETE")
        assert (await there.ask("trees", method="GET"))["trees"] == []


async def test_what_is_otherwise_in_a_node_is_taken_over_into_life_as_it_was_chosen(tmp_path: Path) -> None:
    async with grown(tmp_path) as there:
        await there.ask("grow", DARK | {"change": {"agent": 1, "knows": "mood=wild", "note": "look up"}})
        offer = await there.ask("offer", method="GET", node=1)
        mood = next(one for one in offer["items"] if one["name"] == "mood")
        assert (mood["node"], mood["live"], mood["what"], offer["more"]) == ("wild", None, "knowledge", 0)
        assert "1 thing" in (await there.ask("merge", {"what": mood["mark"]}, node=1))["told"]
        assert (await there.grown.home.view(1)).mind_of(AgentId(1)).knowledge["mood"] == "wild"
        left = await there.ask("offer", method="GET", node=1)
        assert [one["name"] for one in left["items"]] == ["look up"]
        with pytest.raises(NotFound, match="not there any more"):
            await there.ask("merge", {"what": mood["mark"]}, node=1)


async def test_what_costs_more_than_a_little_is_run_only_at_a_price_that_was_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with grown(tmp_path) as there:
        await there.ask("grow", DARK)
        dear = Estimate(usd=Decimal("0.5"), granted_usd=Decimal("0.6"), tokens=100)

        async def estimated(*_: object) -> Estimate:
            return dear

        monkeypatch.setattr(type(there.desk.timelines), "estimate", estimated)
        further = {"what": "advance", "nodes": [1]}
        with pytest.raises(Rejected, match=r"about 0\.5000"):
            await there.ask("grow", further)
        with pytest.raises(Rejected, match="say `usd` to agree"):
            await there.ask("grow", further | {"usd": "0.4"})
        assert len(await there.grown.trees.nodes(there.grown.key)) == 2
        assert len((await there.ask("grow", further | {"usd": "0.5"}))["nodes"]) == 1


async def test_bad_requests_get_a_sentence_and_change_nothing(tmp_path: Path) -> None:
    async with grown(tmp_path) as there:
        for said, kind, words in (
            ({"what": "advance", "nodes": [9]}, NotFound, "There is no node 9"),
            ({"what": "advance", "nodes": [0], "turns": 21}, BadSetting, "turns"),
            ({"what": "fly"}, BadSetting, "what"),
            ({"what": "branch", "nodes": [0]}, Rejected, "Give 1 to"),
            ({"what": "branch", "nodes": [0], "change": {"agent": 99, "knows": "a=b"}}, NotFound, "no agent 99"),
            ({"what": "branch", "nodes": [0], "change": {"knows": "a=b"}}, Rejected, "Name the agent"),
            ({"what": "ask", "nodes": [0], "asked": {"agent": 99, "question": "?"}}, NotFound, "no agent 99"),
        ):
            with pytest.raises(SelfroomError, match=words) as caught:
                await there.ask("grow", said)
            assert isinstance(caught.value, kind), said
        assert len(await there.grown.trees.nodes(there.grown.key)) == 1


async def test_to_whom_a_room_is_closed_none_of_it_is_done(tmp_path: Path) -> None:
    async with grown(tmp_path) as there:
        there.asker = replace(there.asker, sees=lambda _: False)
        for what, method in (
            ("grow", "POST"),
            ("rerun", "POST"),
            ("note", "POST"),
            ("stop", "POST"),
            ("merge", "POST"),
        ):
            with pytest.raises(Rejected, match=CLOSED):
                await there.ask(what, {}, method=method, node=0)
        for what in ("{tree}", "{node}"):
            with pytest.raises(Rejected, match=CLOSED):
                await there.ask(what, method="DELETE", node=0)


async def test_what_happens_in_a_tree_is_heard_once_until_the_right_to_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "LOOK_SECONDS", 0.0)
    async with grown(tmp_path) as there:
        heard = asyncio.Queue[str]()
        rights = {"open": True}

        async def asker(_: object) -> Asker:
            return replace(there.asker, sees=lambda _: rights["open"])

        async def write(said: bytes) -> None:
            for line in said.decode().splitlines():
                if line.startswith("event: "):
                    heard.put_nowait(line.removeprefix("event: "))

        live: Any = TreeLive(there.desk, there.pages, Streams(), asker, asker)
        request = there.request(None, {})
        request.headers, request.transport = {}, SimpleNamespace(is_closing=lambda: False)
        timeline = await there.pages.tree(there.asker, request)
        listening = asyncio.ensure_future(live._tell(request, SimpleNamespace(write=write), timeline, None))
        await there.ask("grow", DARK)
        assert [await heard.get() for _ in range(3)] == ["attached", "run_start", "run_finish"]
        rights["open"] = False
        await there.ask("grow", DARK)
        with pytest.raises(Rejected, match=CLOSED):
            await listening
        assert heard.empty()
