"""A tree as a picture: from left to right as worlds came from one another, status by colour, edge by letter."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import discord
from PIL import Image, ImageDraw

from bot.core.timelines.records import ROOT, Edge, Node, NodeId, Status
from bot.core.wording import counted
from bot.picture_text import width, write
from cogs.ui.files import picture
from cogs.ui.pictures import COLOURS, FAINT, GROUND, INK

DRAWN_NODES = 60
MARGIN, ROW, DISC = 34, 44, 17
WIDEST, WIDE, NARROW = 1_100, 96, 40  # of all levels, and of one
THICK, THIN = 6, 2
LARGE, SMALL = 16, 14
FILLS: Mapping[Status, str] = {
    Status.QUEUED: FAINT,
    Status.RUNNING: COLOURS[0],
    Status.DONE: COLOURS[1],
    Status.FAILED: COLOURS[4],
    Status.STOPPED: COLOURS[2],
}
LETTERS: Mapping[Edge, str] = {
    Edge.ROOT: "",
    Edge.ADVANCE: "a",
    Edge.MULTI: "m",
    Edge.CHAIN: "c",
    Edge.ASK: "?",
    Edge.BRANCH: "b",
    Edge.AGENT_CTX: "k",
    Edge.AGENT_PLAN: "p",
    Edge.AGENT_PROPS: "r",
    Edge.SCENE_STATE: "s",
    Edge.PUBLIC_EVENT: "e",
    Edge.SETTINGS: "o",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A node where it is drawn: level and row; `above`: the nearest of its ancestors that is drawn."""

    node: Node
    above: NodeId | None
    level: int
    row: float


async def tree_picture(nodes: Sequence[Node]) -> discord.File:
    """Draw a tree without holding others up; the file's name tells a page the ground, which it may turn to light."""
    return picture("tree.dark.png", await asyncio.to_thread(drawn, nodes), words(nodes))


def words(nodes: Sequence[Node]) -> str:
    """Say in words what the picture shows."""
    told = [f"{one.id} from {one.parent} {one.status}" for one in nodes if one.parent is not None]
    return f"A tree of {counted(len(nodes), 'node')}: " + ("; ".join(told[-DRAWN_NODES:]) or "only its root")


def placed(nodes: Sequence[Node]) -> list[Placed]:
    """Give the root and the newest nodes where they are drawn; those between are folded into the lines."""
    shown = {one.id for one in [*nodes[:1], *nodes[1:][-(DRAWN_NODES - 1) :]]}
    by_id = {one.id: one for one in nodes}
    children: dict[NodeId | None, list[Node]] = {}
    above = dict[NodeId, NodeId | None]()
    for node in nodes:
        up = node.parent
        while up is not None and up not in shown:
            up = by_id[up].parent
        if node.id in shown:
            above[node.id] = up
            children.setdefault(up, []).append(node)
    rows, levels = dict[NodeId, float](), dict[NodeId, int]()
    order: list[Node] = []
    waiting = children.get(None, [])[::-1]
    while waiting:
        node = waiting.pop()
        up = above[node.id]
        levels[node.id] = 0 if up is None else levels[up] + 1
        order.append(node)
        waiting += children.get(node.id, [])[::-1]
    leaf = 0
    for node in order:
        if node.id not in children:
            rows[node.id], leaf = leaf, leaf + 1
    for node in reversed(order):
        if below := children.get(node.id):
            rows[node.id] = (rows[below[0].id] + rows[below[-1].id]) / 2
    return [Placed(node=one, above=above[one.id], level=levels[one.id], row=rows[one.id]) for one in order]


def drawn(nodes: Sequence[Node]) -> bytes:
    """Draw a tree; the way to the newest node is thick."""
    places = placed(nodes)
    levels = max(one.level for one in places)
    step = max(NARROW, min(WIDE, WIDEST / max(1, levels)))
    size = int(2 * MARGIN + step * levels), int(2 * MARGIN + ROW * max(one.row for one in places))
    image = Image.new("RGB", size, GROUND)
    draw = ImageDraw.Draw(image)
    at = {one.node.id: (MARGIN + step * one.level, MARGIN + ROW * one.row) for one in places}
    newest = newest_path(places)
    for one in places:
        if one.above is not None:
            _line(draw, at[one.above], at[one.node.id], one, is_newest=one.node.id in newest)
    for one in places:
        x, y = at[one.node.id]
        draw.ellipse((x - DISC, y - DISC, x + DISC, y + DISC), fill=FILLS[one.node.status])
        number = str(one.node.id)
        write(draw, (x - width(number, LARGE) / 2, y), number, LARGE, GROUND)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def newest_path(places: Sequence[Placed]) -> set[NodeId]:
    """Give the newest node and those drawn on the way to it."""
    above = {one.node.id: one.above for one in places}
    at: NodeId | None = max(above, default=ROOT)
    found = set[NodeId]()
    while at is not None:
        found.add(at)
        at = above[at]
    return found


def _line(
    draw: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float], one: Placed, *, is_newest: bool
) -> None:
    """Draw how a node came from the one before it; of one whose parent is folded away, with dots for its letter."""
    draw.line([start, end], fill=INK if is_newest else FAINT, width=THICK if is_newest else THIN)
    letter = LETTERS[one.node.edge] if one.above == one.node.parent else "…"
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    half = width(letter, SMALL) / 2 + 4
    draw.rectangle((x - half, y - 9, x + half, y + 9), fill=GROUND)
    write(draw, (x - half + 4, y), letter, SMALL, INK)
