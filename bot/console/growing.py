"""What-if trees grow in the console, and are cut back: the same operations as by `/timeline`, in the same audit."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from aiohttp import web
from pydantic import Field
from typing_extensions import TypedDict

from bot.console import shapes
from bot.console.door import Guest
from bot.console.live import Asking
from bot.console.routes import LARGEST_NUMBER, Given, Route, Scope, Told, read_body
from bot.console.rows import Row
from bot.console.standing import Asker
from bot.console.streams import HERE, HERE_SECONDS, Streams, heard_until, is_there, worded
from bot.console.trees import NODE, TREE, TreePages, node_of
from bot.core.errors import NotFound, Rejected
from bot.core.page_rows import OF_TREES, event_row, node_row
from bot.core.records import Agent
from bot.core.runs.spec import Whole
from bot.core.timelines.growth import Growth, Operation
from bot.core.timelines.records import NodeId, Timeline
from bot.core.timelines.typed import Typed, changes_of
from bot.engine.front_desk import FrontDesk

LOOK_SECONDS: Final = 0.2  # how often a tree's file is looked at for who hears of it
AGREE: Final = "That is thought to cost about {usd} {coin}: look at the price, and say `usd` to agree to it."
Number = Annotated[Whole, Field(ge=0, le=LARGEST_NUMBER)]


class Asked(Given):
    """Whom one asks what."""

    agent: Number
    question: Annotated[str, Field(min_length=1, max_length=1_500)]


class Otherwise(Typed):
    """What is to be otherwise, in the words of `/timeline change`; `agent`: whose head is meant."""

    agent: Number | None = None


class Grows(Given):
    """One operation on nodes; `usd`: the price that one has seen and agrees to."""

    what: Operation
    nodes: Annotated[tuple[Number, ...], Field(max_length=8)] = ()
    turns: Annotated[Whole, Field(ge=1, le=20)] = 1
    minutes: Annotated[float, Field(gt=0, le=1_440)] | None = None
    siblings: Annotated[Whole, Field(ge=2, le=8)] = 3
    deepest: bool = True
    change: Otherwise | None = None
    asked: Asked | None = None
    usd: Annotated[Decimal, Field(ge=0, le=1_000)] = Decimal(0)


class Remarked(Given):
    """What is noted beside a node."""

    text: Annotated[str, Field(max_length=200)]


class TakenOver(Given):
    """What life takes over: marks of an offer with + between, or `all` that life did not change."""

    what: Annotated[str, Field(min_length=1, max_length=300)]


class Made(TypedDict):
    nodes: list[shapes.World]


@dataclass(frozen=True, slots=True)
class Growing:
    """Changes of trees; `pages` judges who may look into one."""

    desk: FrontDesk
    pages: TreePages

    def routes(self) -> list[Route]:
        """Give what can be asked."""

        def change(path: str, told: Told, about: str, gives: object = shapes.Done, **more: object) -> Route:
            asked = {"method": "POST", "scope": Scope.MANAGE, **more}
            return Route(**asked, path=path, told=told, about=about, gives=gives)  # type: ignore[arg-type]

        gone = "Delete a node and all that came from it."
        return [
            change(f"{TREE}/grow", self.grow, "Let a tree grow by new nodes.", Made, body=Grows),
            change(TREE, self.remove, "Delete a tree.", method="DELETE"),
            change(NODE, self.delete, gone, method="DELETE"),
            change(f"{NODE}/rerun", self.rerun, "Run a node again from its record, and tell whether it differs."),
            change(f"{NODE}/note", self.note, "Note something beside a node.", body=Remarked),
            change(f"{NODE}/stop", self.stop, "End a node after its present call."),
            change(f"{NODE}/merge", self.merge, "Take over into life what is offered.", body=TakenOver),
        ]

    async def grow(self, asker: Asker, request: web.Request) -> Row:
        """Make nodes, and let them run, at a price that was agreed to where it is more than a little."""
        timeline = await self.pages.tree(asker, request)
        said = await read_body(request, Grows)
        everyone = await self.desk.agents.everyone(asker.guild_id)
        otherwise, asked = said.change, None
        if said.asked is not None and (whom := _named(everyone, said.asked.agent)):
            asked = (whom.id, said.asked.question)
        growth = Growth(
            what=said.what,
            by=asker.person,
            nodes=tuple(NodeId(one) for one in said.nodes),
            turns=said.turns,
            minutes=said.minutes,
            siblings=said.siblings,
            only_max_depth=said.deepest,
            changes=changes_of(otherwise, _named(everyone, otherwise.agent), everyone, timeline.room_id)
            if otherwise is not None
            else (),
            asked=asked,
        )
        await self._check_agreed(timeline, growth, said.usd)
        nodes = await self.desk.timelines.grow(timeline, asker.person, growth)
        return {"nodes": [node_row(one) for one in nodes]}

    async def _check_agreed(self, timeline: Timeline, growth: Growth, agreed: Decimal) -> None:
        """Raise Rejected where it costs more than is asked about, and more than somebody has seen."""
        desk = self.desk.timelines
        thought = (await desk.estimate(timeline, growth)).usd
        if thought > max(agreed, await desk.asks_above(timeline)):
            raise Rejected(AGREE.format(usd=f"{thought:.4f}", coin=await desk.coin(timeline)))

    async def rerun(self, asker: Asker, request: web.Request) -> Row:
        """Run a node again."""
        timeline = await self.pages.tree(asker, request)
        return {"told": await self.desk.timelines.rerun(timeline, asker.person, node_of(request))}

    async def note(self, asker: Asker, request: web.Request) -> Row:
        """Note something."""
        timeline, said = await self.pages.tree(asker, request), await read_body(request, Remarked)
        node_id = node_of(request)
        await self.desk.timelines.note(timeline, asker.person, node_id, said.text)
        return {"told": f"Noted beside node {node_id}."}

    async def stop(self, asker: Asker, request: web.Request) -> Row:
        """End a node."""
        timeline, node_id = await self.pages.tree(asker, request), node_of(request)
        await self.desk.timelines.stop(timeline, asker.person, node_id)
        return {"told": f"Node {node_id} is stopped."}

    async def delete(self, asker: Asker, request: web.Request) -> Row:
        """Delete a node."""
        timeline = await self.pages.tree(asker, request)
        return {"told": await self.desk.timelines.delete(timeline, asker.person, node_of(request))}

    async def remove(self, asker: Asker, request: web.Request) -> Row:
        """Delete a tree."""
        timeline = await self.pages.tree(asker, request)
        return {"told": await self.desk.timelines.remove(timeline, asker.person)}

    async def merge(self, asker: Asker, request: web.Request) -> Row:
        """Take over into life."""
        timeline, said = await self.pages.tree(asker, request), await read_body(request, TakenOver)
        done = await self.desk.merges.take(asker.guild_id, asker.person, timeline, node_of(request), said.what)
        return {"told": done}


@dataclass(frozen=True, slots=True)
class TreeLive:
    """What happens in a tree, or in a node of it, as it happens; `asker` judges who asks, `still` whether they may."""

    desk: FrontDesk
    pages: TreePages
    streams: Streams
    asker: Asking
    still: Asking

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Tell what happened `after` a number, and from then on what happens."""
        asker = await self.asker(request)
        timeline = await self.pages.tree(asker, request)
        node_id = node_of(request) if "node" in request.match_info else None

        async def tell(response: web.StreamResponse) -> None:
            await self._tell(request, response, timeline, node_id)

        return await self.streams.told(request, Guest(asker.guild_id, asker.person.id), tell)

    async def _tell(
        self, request: web.Request, response: web.StreamResponse, timeline: Timeline, node_id: NodeId | None
    ) -> None:
        clock = asyncio.get_running_loop().time
        after, judged = heard_until(request) or 0, clock()
        while is_there(request):
            events = await self.desk.timelines.events(timeline, after, node_id)
            if events or clock() - judged >= HERE_SECONDS:
                await self.pages.tree(await self.still(request), request)
                judged = clock()
                mine = [one for one in events if (one.kind in OF_TREES) is (node_id is None)]
                await response.write(b"".join(worded(one.seq, one.kind, event_row(one)) for one in mine) or HERE)
                after = max([after, *(one.seq for one in events)])
            else:
                await asyncio.sleep(LOOK_SECONDS)


def _named(everyone: Sequence[Agent], number: int | None) -> Agent | None:
    """Give the agent that is meant; raises NotFound where there is none of that number."""
    found = next((one for one in everyone if one.id == number), None)
    if number is not None and found is None:
        raise NotFound(f"There is no agent {number}.")
    return found
