"""Worlds apart as people look at them: what was said there, and what of them is compared."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from pydantic import TypeAdapter

from bot.core.ports.trees import Trees, World
from bot.core.records import AgentId, Focus, Json, Message, MessageId
from bot.core.timelines.comparing import Sighting, common, compared, tabled
from bot.core.timelines.records import NodeId, TreeKey
from bot.core.view import View

FOCUS: TypeAdapter[Focus] = TypeAdapter(Focus)
MOST_LINES = 2_000  # of one room
LISTED_LINES = 400


async def transcript(trees: Trees, key: TreeKey, node_id: NodeId) -> list[str]:
    """Give what was said in a node's world since the fork, line by line, oldest first."""
    async with trees.look(key, node_id) as world:
        view = await _view(world)
        said = await _said(world, view, since=world.tree.at)
    names = {id_: agent.name for id_, agent in view.agents.items()}
    return [
        f"{one.sent_at:%H:%M:%S} {_room(view, one.room_id)} · {_who(one, names)}: {one.content}"
        for one in sorted(said, key=lambda one: (one.sent_at, one.id))
    ][-LISTED_LINES:]


async def difference(trees: Trees, key: TreeKey, one: NodeId, two: NodeId) -> tuple[str, list[str]]:
    """Compare two nodes from their last common ancestor: a header that counts, and every difference."""
    paths = [[node.id for node in await trees.path(key, id_)] for id_ in (one, two)]
    ancestor = await trees.node(key, common(*paths))
    since = ancestor.until_at
    left, right = await _sighting(trees, key, one, since), await _sighting(trees, key, two, since)
    return await asyncio.to_thread(compared, left, right)  # minds may be large, and many


async def children_compared(trees: Trees, key: TreeKey, parent: NodeId) -> list[str]:
    """Give a table of a node's finished children, and how often each outcome came."""
    node = await trees.node(key, parent)
    done = [one for one in await trees.nodes(key) if one.parent == parent and one.digest]
    return await asyncio.to_thread(tabled, [await _sighting(trees, key, one.id, node.until_at) for one in done])


async def _sighting(trees: Trees, key: TreeKey, node_id: NodeId, since: datetime | None) -> Sighting:
    async with trees.look(key, node_id) as world:
        view = await _view(world)
        said = await _said(world, view, since=since or world.tree.at)
        async with world.store.reading() as read:
            scenes = await read.scenes.all(key.community_id)
    names = {id_: agent.name for id_, agent in view.agents.items()}
    rooms: dict[str, list[tuple[str, str]]] = {}
    for one in said:
        rooms.setdefault(_room(view, one.room_id), []).append((_who(one, names), one.content))
    return Sighting(
        node=world.node,
        said=rooms,
        minds={at: {"knowledge": dict(mind.knowledge), **_focus(mind.focus)} for at, mind in view.minds.items()},
        names=names,
        members=frozenset(
            (names.get(agent, str(agent)), _room(view, room)) for agent, room in view.memberships if agent in names
        ),
        scenes={f"{one.kind} {one.id}": one.outcome or str(one.status) for one in scenes},
    )


def _focus(focus: Focus) -> dict[str, Json]:
    told: dict[str, Json] = FOCUS.dump_python(focus, mode="json")
    plan = told.pop("plan", None)
    if isinstance(plan, dict):
        told["plan"] = {name: value for name, value in plan.items() if value}
    return {name: value for name, value in told.items() if value and name != "updated_at"}


async def _view(world: World) -> View:
    community_id = world.tree.key.community_id
    async with world.store.reading() as read:
        everyone = list(await read.agents.names(community_id))
        return await read.views.whole(community_id, agent_ids=everyone, messages=0)


async def _said(world: World, view: View, *, since: datetime) -> Sequence[Message]:
    """Give what was said later than a moment, room by room; what had just been said then is not part of it."""
    community_id = world.tree.key.community_id
    said: list[Message] = []
    async with world.store.reading() as read:
        for room_id in sorted(view.rooms):
            before: MessageId | None = None
            while page := await read.talk.history(community_id, room_id, before=before, limit=200):
                new = [one for one in page if one.sent_at > since]
                said[:0] = new
                before = page[0].id
                if len(new) < len(page) or len(said) > MOST_LINES:
                    break
    return sorted(said, key=lambda one: (one.room_id, one.sent_at, one.id))


def _room(view: View, room_id: AgentId) -> str:
    room = view.all_rooms.get(room_id)
    if room is None or room.owner_id not in view.agents:
        return f"room {room_id}"
    return f"{view.agents[room.owner_id].name}'s room"


def _who(one: Message, names: dict[AgentId, str]) -> str:
    if one.sender.agent_id is not None:
        return names.get(one.sender.agent_id, "an agent that is gone")
    return one.sender.shown()
