"""What came of a run: what was said and played, how it ended, what everybody knows, and what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from pydantic import TypeAdapter

from bot.core.kinds import UsedBy
from bot.core.ports.beats import Money
from bot.core.ports.talk import Talk
from bot.core.ports.trees import Trees
from bot.core.records import AgentId, Focus, Json, Message, MessageId, Usage
from bot.core.scenes.kind import Seat
from bot.core.scenes.records import Scene, SceneEvent
from bot.core.scenes.showing import TEXT, Cast, board_of, cast_of, line
from bot.core.spending import added
from bot.core.timelines.records import Answer, NodeId
from bot.core.view import View
from bot.engine.runs.playing import KEY
from bot.engine.scene_posts import names_of

FOCUS: TypeAdapter[Focus] = TypeAdapter(Focus)
PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that was said or happened: as people read it, and as programs do."""

    at: datetime
    text: str
    data: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A scene: its kind, what its picture is drawn from, and who sits where."""

    id: int
    kind: str
    picture: Mapping[str, Json]
    names: Mapping[Seat, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """All that is told of one world of a run; everything in it follows from the rows, so it is the same each time."""

    lines: Sequence[Line]
    outcome: dict[str, Json]
    knowledge: dict[str, Json]
    usage: dict[str, Json]
    used: Mapping[str, tuple[int, Usage]]
    answers: Sequence[Answer]
    scenes: Sequence[Played] = field(default_factory=tuple)


async def story(trees: Trees, node_id: NodeId) -> Story:
    """Tell of a world of a run, from its founding on."""
    path = await trees.path(KEY, node_id)
    answers = [answer for node in path for answer in await trees.recorded(KEY, node.id)]
    async with trees.look(KEY, node_id) as world, world.store.reading() as read:
        agents = dict(await read.agents.names(KEY.community_id))
        view = await read.views.whole(KEY.community_id, agent_ids=list(agents), messages=0, minds=None)
        messages = [one for room_id in sorted(view.rooms) for one in await _said(read.talk, room_id)]
        there = sorted(one.id for one in await read.scenes.all(KEY.community_id))
        scenes = [one for id_ in there if (one := await read.scenes.find(KEY.community_id, id_)) is not None]
        shown = [
            (scene, await read.scenes.events(KEY.community_id, scene.id), await names_of(read, scene))
            for scene in scenes
        ]
        used = await _used(read.money, agents)
    lines = [_message(one, view, agents) for one in messages]
    for scene, events, names in shown:
        lines += _events(scene, events, cast_of(scene, events, names))
    order = sorted(range(len(lines)), key=lambda place: (lines[place].at, place))
    node = path[-1]
    outcome: dict[str, Json] = {
        "title": world.tree.title,
        "seed": world.tree.seed,
        "from": world.tree.at.isoformat(),
        "until": (node.until_at or world.tree.at).isoformat(),
        "turns": sum(one.turns for one in path),
        "messages": len(messages),
        "digest": node.digest,
        "scenes": [_ended(scene, cast_of(scene, events, names)) for scene, events, names in shown],
    }
    return Story(
        lines=[lines[place] for place in order],
        outcome=outcome,
        knowledge=_knowledge(view, agents),
        usage=_usage(used, sum((one.usd for one in path), Decimal(0))),
        used=used,
        answers=answers,
        scenes=[_picture(*one) for one in shown],
    )


async def _said(talk: Talk, room_id: AgentId) -> list[Message]:
    said: list[Message] = []
    before: MessageId | None = None
    while page := await talk.history(KEY.community_id, room_id, before=before, limit=PAGE):
        said[:0] = page
        before = page[0].id
        if len(page) < PAGE:
            break
    return said


def _message(one: Message, view: View, agents: Mapping[AgentId, str]) -> Line:
    room = view.all_rooms.get(one.room_id)
    place = agents.get(room.owner_id, str(one.room_id)) if room is not None else str(one.room_id)
    who = one.sender.shown()
    if one.sender.agent_id is not None:
        who = agents.get(one.sender.agent_id, "an agent that is gone")
    data: dict[str, Json] = {
        "type": "message",
        "at": one.sent_at.isoformat(),
        "id": one.id,
        "room": place,
        "by": who,
        "text": one.content,
        "reply_to": one.reply_to,
    }
    return Line(at=one.sent_at, text=f"{one.sent_at:%H:%M:%S} {place}'s room · {who}: {one.content}", data=data)


def _events(scene: Scene, events: Sequence[SceneEvent], cast: Cast) -> list[Line]:
    """Give what happened in a scene: all of it, also what only some seats heard."""
    told = []
    for one in events:
        if one.kind == TEXT:
            continue
        words = cast.words(one.text or "")
        heard = None if one.audience is None else [cast.name(seat) for seat in one.audience]
        data: dict[str, Json] = {
            "type": "scene",
            "at": one.at.isoformat(),
            "scene": scene.id,
            "step": one.step,
            "kind": one.kind,
            "seat": one.seat,
            "by": cast.name(one.seat) if one.seat else None,
            "heard_by": None if heard is None else [*heard],
            "text": words,
        }
        only = "" if heard is None else f" (to {', '.join(heard) or 'nobody'})"
        told.append(Line(at=one.at, text=f"{one.at:%H:%M:%S} {scene.kind}{only} · {line(one, cast)}", data=data))
    return told


def _ended(scene: Scene, cast: Cast) -> dict[str, Json]:
    return {
        "scene": scene.id,
        "kind": scene.kind,
        "title": scene.title,
        "status": scene.status.value,
        "steps": scene.step,
        "outcome": cast.words(scene.outcome),
        "digest": scene.digest,
        "seats": [
            {
                "seat": one.seat,
                "agent": cast.name(one.seat),
                "result": one.result,
                "score": one.score,
                "turns": one.turns,
                "refused": one.refused,
                "misses": one.misses,
                "usd": str(one.usd),
            }
            for one in scene.seats
        ],
    }


def _picture(scene: Scene, events: Sequence[SceneEvent], names: Mapping[Seat, str]) -> Played:
    board = board_of(scene, events, names)
    return Played(id=scene.id, kind=scene.kind, picture=board.picture, names=board.names)


def _knowledge(view: View, agents: Mapping[AgentId, str]) -> dict[str, Json]:
    told: dict[str, Json] = {}
    for (agent_id, side), mind in sorted(view.minds.items()):
        place = "public" if side == 0 else f"scene {-side}" if side < 0 else f"room {side}"
        focus = {name: one for name, one in FOCUS.dump_python(mind.focus, mode="json").items() if one}
        own = told.setdefault(agents.get(agent_id, str(agent_id)), {})
        if isinstance(own, dict):
            own[place] = {"knowledge": dict(mind.knowledge), "focus": focus}
    return told


async def _used(money: Money, agents: Mapping[AgentId, str]) -> dict[str, tuple[int, Usage]]:
    """Give beats and usage of everybody, by name."""
    used: dict[str, tuple[int, Usage]] = {name: (0, Usage()) for name in agents.values()}
    for one in await money.used_daily(KEY.community_id, UsedBy.AGENT, None):
        name = agents.get(AgentId(int(one.key)), one.key) if one.key.isdecimal() else one.key
        beats, usage = used.get(name, (0, Usage()))
        used[name] = beats + one.beats, added(usage, one.usage)
    return used


def _usage(used: Mapping[str, tuple[int, Usage]], usd: Decimal) -> dict[str, Json]:
    agents: dict[str, Json] = {
        name: {
            "beats": beats,
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
            "usd": str(usage.cost_usd),
        }
        for name, (beats, usage) in used.items()
    }
    return {"usd": str(usd), "agents": agents}
