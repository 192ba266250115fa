"""What happened in a node, as it is told to whoever looks at it: told from the rows, so that nothing else decides."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.ports.trees import World
from bot.core.records import AgentId, Beat, BeatId, Json, Message, MessageId, SceneId
from bot.core.timelines.records import EventKind, Told
from bot.core.view import View

MOST_TOLD = 400  # events of one kind and node
SHOWN_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far everything was at one moment."""

    view: View
    beats: Mapping[AgentId, BeatId]
    messages: Mapping[AgentId, MessageId]
    steps: Mapping[SceneId, int] = field(default_factory=dict)


async def marked(world: World) -> Mark:
    """Note how far a world is."""
    community_id = world.tree.key.community_id
    async with world.store.reading() as read:
        agents = list(await read.agents.names(community_id))
        view = await read.views.whole(community_id, agent_ids=agents, messages=1)
        newest = {id_: (await read.beats.newest(community_id, id_, limit=1)) for id_ in agents}
        scenes = await read.scenes.all(community_id)
    return Mark(
        view=view,
        beats={id_: beats[0].id for id_, beats in newest.items() if beats},
        messages={id_: room.messages[-1].id for id_, room in view.rooms.items() if room.messages},
        steps={one.id: one.step for one in scenes},
    )


async def happened(world: World, since: Mark) -> Sequence[Told]:
    """Give what happened since: messages, beats, changed knowledge, and moves in scenes."""
    community_id = world.tree.key.community_id
    async with world.store.reading() as read:
        agents = list(await read.agents.names(community_id))
        view = await read.views.whole(community_id, agent_ids=agents, messages=0)
        said: list[Message] = []
        for room_id in view.rooms:
            after = since.messages.get(room_id, MessageId(0))
            said += await read.talk.after(community_id, room_id, after, limit=MOST_TOLD)
        beats: list[Beat] = []
        for id_ in agents:
            agent = since.view.agents.get(id_)
            if agent is None or view.agents[id_].last_beat_at != agent.last_beat_at:
                newest = await read.beats.newest(community_id, id_, limit=MOST_TOLD)
                beats += [one for one in newest if one.id > since.beats.get(id_, BeatId(0))]
        moves: list[Told] = []
        for scene in await read.scenes.all(community_id):
            before = since.steps.get(scene.id, 0)
            if scene.step > before:
                log = await read.scenes.log(community_id, scene.id)
                moves += [
                    Told(
                        kind=EventKind.MOVE,
                        data={"scene": scene.id, "step": one.step, "seat": one.seat, "move": str(one.move)},
                    )
                    for one in log
                    if one.step > before
                ]
    told = [_message(one) for one in sorted(said, key=lambda one: one.id)]
    return [*told, *moves, *_knowledge(since.view, view), *map(_beat, sorted(beats, key=lambda one: one.id))]


def _message(one: Message) -> Told:
    data: dict[str, Json] = {
        "id": one.id,
        "room": one.room_id,
        "by": one.sender.shown(),
        "text": one.content[:SHOWN_CHARACTERS],
        "at": one.sent_at.isoformat(),
    }
    return Told(kind=EventKind.MESSAGE, data=data, message_ids=(one.id,))


def _beat(one: Beat) -> Told:
    data: dict[str, Json] = {
        "id": one.id,
        "agent": one.agent_id,
        "reason": str(one.reason),
        "silent": one.silent,
        "failed": one.failed,
        "usd": str(one.usage.cost_usd),
        "did": list(one.outcome),
        "at": one.at.isoformat(),
    }
    return Told(kind=EventKind.BEAT, data=data)


def _knowledge(before: View, after: View) -> list[Told]:
    """Tell which knowledge, plan and focus is otherwise, by the agent and the path at the top."""
    told = []
    for (agent_id, side), mind in sorted(after.minds.items()):
        was = before.mind_of(agent_id, side)
        for path in sorted({*was.knowledge, *mind.knowledge}):
            if was.knowledge.get(path) != mind.knowledge.get(path):
                data: dict[str, Json] = {
                    "agent": agent_id,
                    "side": side,
                    "path": path,
                    "before": _shown(was.knowledge.get(path)),
                    "after": _shown(mind.knowledge.get(path)),
                }
                told.append(Told(kind=EventKind.KNOWLEDGE, data=data))
    return told


def _shown(value: Json) -> Json:
    """Give a value, or how long it is: events are read many at a time, and a mind may be large."""
    characters = len(json.dumps(value))
    return value if characters <= SHOWN_CHARACTERS else f"({characters:,} characters)"
