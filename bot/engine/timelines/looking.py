"""Worlds apart as people look at them: what was said there, and what of them is compared."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, takewhile

from pydantic import TypeAdapter

from bot.core.ports import Reading
from bot.core.ports.talk import Talk
from bot.core.ports.trees import Trees, World
from bot.core.records import AgentId, CommunityId, Focus, Json, Message, MessageId, Mind, SceneId
from bot.core.scenes.kind import RULES
from bot.core.scenes.moves import parameters
from bot.core.scenes.play import Entry
from bot.core.scenes.records import Scene
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import Cast, begun, on_one_line, texts_in
from bot.core.timelines.comparing import Sighting, common, compared, tabled
from bot.core.timelines.merging import Carried
from bot.core.timelines.records import ROOT, AtMessage, AtStep, NodeId, Point, TreeKey
from bot.core.timelines.showing import MindShown
from bot.core.view import View
from bot.core.wording import counted
from bot.engine.scene_posts import names_of

FOCUS: TypeAdapter[Focus] = TypeAdapter(Focus)
MOST_LINES = 2_000  # that are counted of each child, and of which some may be taken over
MOST_CHILDREN = 25
SHOWN_OF_A_LINE = 60  # characters, of what was reacted to
MOST_DIFFERENCES = 8_000_000  # bytes that are told of two worlds: Discord takes no larger file


async def carried(trees: Trees, key: TreeKey, node_id: NodeId) -> Carried:
    """Give what may be taken over from a node."""
    makers = {one.made_by for one in await trees.path(key, node_id)}
    async with trees.look(key, ROOT) as world:
        fork = (await _view(world)).minds
    async with trees.look(key, node_id) as world:
        view = await _view(world)
        said = await _said(world, view, since=world.tree.at)
        ids = makers | {one.sender.person_id for one in said if one.sender.person_id is not None}
        async with world.store.reading() as read:
            known = await read.people.known(key.community_id, list(ids))
    people = {id_: known[id_].username if id_ in known else "" for id_ in ids}
    people |= {one.sender.person_id: one.sender.name for one in said if one.sender.person_id is not None}
    return Carried(fork=fork, node=view.minds, said=said, people=people)


async def transcript(trees: Trees, key: TreeKey, node_id: NodeId) -> list[str]:
    """Give what was said in a node's world since the fork, line by line, oldest first."""
    async with trees.look(key, node_id) as world:
        view = await _view(world)
        said = await _said(world, view, since=world.tree.at, most=None)
    names = {id_: agent.name for id_, agent in view.agents.items()}
    return [
        f"{one.sent_at:%H:%M:%S} {_room(view, one.room_id)} · {_who(one, names)}: {one.content}"
        for one in sorted(said, key=lambda one: (one.sent_at, one.id))
    ]


async def minds(trees: Trees, key: TreeKey, node_id: NodeId) -> list[MindShown]:
    """Give what the agents of a node's world carry, by agent and side."""
    async with trees.look(key, node_id) as world:
        view = await _view(world)
    return [
        MindShown(
            agent_id=agent_id,
            name=view.agents[agent_id].name,
            side=side,
            knowledge=dict(mind.knowledge),
            focus=_focus(mind.focus),
        )
        for (agent_id, side), mind in sorted(view.minds.items())
        if agent_id in view.agents
    ]


async def link_to(read: Reading, community_id: CommunityId, point: Point) -> str:
    """Give a link to the message or the scene at which a tree begins; empty where there is none any more."""
    if isinstance(point, AtStep):
        scene = await read.scenes.find(community_id, SceneId(point.scene_id))
        return f"<#{scene.thread_id}>" if scene is not None and scene.thread_id is not None else ""
    if not isinstance(point, AtMessage):
        return ""
    id_ = MessageId(point.message_id)
    message = (await read.talk.by_id(community_id, [id_])).get(id_)
    if message is None or message.discord_id is None:
        return ""
    view = await read.views.action_view(community_id, agent_ids=(), room_ids=[message.room_id], doors=False)
    place = message.thread_id or view.all_rooms[message.room_id].channel_id
    return f"https://discord.com/channels/{view.community.guild_id}/{place}/{message.discord_id}"


async def difference(trees: Trees, key: TreeKey, one: NodeId, two: NodeId, coin: str) -> tuple[str, list[str]]:
    """Compare two nodes from their last common ancestor: a header that counts, and every difference."""
    paths = [[node.id for node in await trees.path(key, id_)] for id_ in (one, two)]
    ancestor = await trees.node(key, common(*paths))
    steps = await _steps(trees, key, ancestor.id)
    left, right = [await _sighting(trees, key, id_, ancestor.until_at, steps, most=None) for id_ in (one, two)]
    header, lines = await asyncio.to_thread(compared, left, right, coin)  # minds may be large, and many
    sizes = accumulate(len(line.encode()) + 1 for line in lines)
    kept = sum(1 for _ in takewhile(lambda size: size <= MOST_DIFFERENCES, sizes))
    more = counted(len(lines) - kept, "more line")
    return (header, lines) if kept == len(lines) else (f"{header} Here {more} are left out.", lines[:kept])


async def children_compared(trees: Trees, key: TreeKey, parent: NodeId, coin: str) -> list[str]:
    """Give a table of a node's finished children, and how often each outcome came."""
    node = await trees.node(key, parent)
    done = [one for one in await trees.nodes(key) if one.parent == parent and one.digest]
    newest = done[-MOST_CHILDREN:]  # whoever looks keeps the process from others, and from saying that it lives
    older = [f"Of {counted(len(done) - len(newest), 'older child', 'older children')} nothing is told."]
    steps = await _steps(trees, key, parent)
    seen = [await _sighting(trees, key, one.id, node.until_at, steps, most=MOST_LINES) for one in newest]
    table = await asyncio.to_thread(tabled, seen, coin)
    return [*table, *(older if len(done) > len(newest) else ())]


async def _steps(trees: Trees, key: TreeKey, node_id: NodeId) -> Mapping[SceneId, int]:
    """Give how far the scenes of a world were."""
    async with trees.look(key, node_id) as world, world.store.reading() as read:
        return {one.id: one.step for one in await read.scenes.all(key.community_id)}


async def _sighting(
    trees: Trees,
    key: TreeKey,
    node_id: NodeId,
    since: datetime | None,
    steps: Mapping[SceneId, int],
    *,
    most: int | None,
) -> Sighting:
    async with trees.look(key, node_id) as world:
        view = await _view(world)
        said = await _said(world, view, since=since or world.tree.at, most=most)
        async with world.store.reading() as read:
            scenes = [await _scene(read, one, steps) for one in await read.scenes.all(key.community_id)]
            older = [one for room_id in sorted(view.rooms) for one in await _older(read.talk, world, room_id, said)]
    names = {id_: agent.name for id_, agent in view.agents.items()}
    rooms: dict[str, list[tuple[str, str]]] = {}
    for one in said:
        rooms.setdefault(_room(view, one.room_id), []).append((_who(one, names), one.content))
    return Sighting(
        node=world.node,
        said=rooms,
        more_was_said=most is not None and len(said) > most,
        minds={at: {"knowledge": dict(mind.knowledge), **_focus(mind.focus)} for at, mind in view.minds.items()},
        names=names,
        members=frozenset(
            (names.get(agent, str(agent)), _room(view, room)) for agent, room in view.memberships if agent in names
        ),
        scenes={one.title: one.came for one in scenes},
        won_by={one.title: one.won_by for one in scenes},
        moves={one.title: one.moves for one in scenes},
        votes=[vote for one in scenes for vote in one.votes],
        reactions={
            (_room(view, one.room_id), f"“{_who(one, names)}: {one.content[:SHOWN_OF_A_LINE]}”"): " ".join(
                f"{name} ×{count}" for name, count in one.reactions
            )
            for one in (*older, *said)
            if one.reactions
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """What is compared of a scene."""

    title: str
    came: str
    won_by: str
    moves: Mapping[int, str]
    votes: Sequence[str]


async def _scene(read: Reading, light: Scene, steps: Mapping[SceneId, int]) -> _Scene:
    """Give what came of a scene, and of its moves those after so many `steps`."""
    scene = await read.scenes.find(light.community_id, light.id) or light
    texts = await read.scenes.texts(scene.community_id, scene.id, set(texts_in(scene.outcome)))
    cast = Cast(names=await names_of(read, scene), texts=texts, options=scene.options)
    since = steps.get(scene.id, 0)
    log = [one for one in await read.scenes.log(scene.community_id, scene.id) if one.step > since]
    found = begun(scene) if scene.outcome else None
    return _Scene(
        title=f"{scene.kind} {scene.id}",
        came=on_one_line(cast.words(scene.outcome)) or str(scene.status),
        won_by=found[1].state.won_by if found is not None else "",
        moves={one.step: _move(scene, one, cast) for one in log},
        votes=[_values(scene, one, cast) for one in log if one.move == "vote"],
    )


def _move(scene: Scene, entry: Entry, cast: Cast) -> str:
    who = "the rules" if entry.seat == RULES else cast.name(entry.seat)
    return " ".join(filter(None, (who, entry.move, _values(scene, entry, cast))))


def _values(scene: Scene, entry: Entry, cast: Cast) -> str:
    """Word what a move was for; who sits on a seat goes by name, and what was said beside it is no part of it."""
    kind = KINDS.get(scene.kind)
    model = kind.move_named(entry.move) if kind is not None else None
    texts = {one.name for one in parameters(model) if one.what == "text"} if model is not None else set[str]()
    given = [(name, one) for name, one in entry.arguments.items() if name not in texts]
    return ", ".join(cast.name(one) if name == "seat" and isinstance(one, int) else str(one) for name, one in given)


def carried_by(mind: Mind) -> dict[str, Json]:
    """Give what a mind carries by its paths at the top: what it knows, and what stands in its focus and plan."""
    return {**mind.knowledge, **{f"focus.{name}": value for name, value in _focus(mind.focus).items()}}


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
        return await read.views.whole(community_id, agent_ids=everyone, messages=0, minds=None)


async def _said(world: World, view: View, *, since: datetime, most: int | None = MOST_LINES) -> Sequence[Message]:
    """Give what was said later than a moment, room by room; what had just been said then is not part of it.

    `most`: about so many of all rooms, the newest of each.
    """
    community_id = world.tree.key.community_id
    said: list[Message] = []
    async with world.store.reading() as read:
        for room_id in sorted(view.rooms):
            before: MessageId | None = None
            while page := await read.talk.history(community_id, room_id, before=before, limit=200):
                new = [one for one in page if one.sent_at > since]
                said[:0] = new
                before = page[0].id
                if len(new) < len(page) or (most is not None and len(said) > most):
                    break
    return sorted(said, key=lambda one: (one.room_id, one.sent_at, one.id))


async def _older(talk: Talk, world: World, room_id: AgentId, said: Sequence[Message]) -> Sequence[Message]:
    """Give what a room had heard last before all this was said: the same lines in worlds that parted there."""
    first = min((one.id for one in said if one.room_id == room_id), default=None)
    return await talk.history(world.tree.key.community_id, room_id, before=first)


def _room(view: View, room_id: AgentId) -> str:
    room = view.all_rooms.get(room_id)
    if room is None or room.owner_id not in view.agents:
        return f"room {room_id}"
    return f"{view.agents[room.owner_id].name}'s room"


def _who(one: Message, names: dict[AgentId, str]) -> str:
    if one.sender.agent_id is not None:
        return names.get(one.sender.agent_id, "an agent that is gone")
    return one.sender.shown()
