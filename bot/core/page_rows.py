"""What pages show of agents, of their beats and of worlds, as rows of JSON: the playground's drawer and the console."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from bot.core.kinds import LetterKind
from bot.core.models import Model
from bot.core.next_beat import NextBeat
from bot.core.records import PUBLIC_SIDE, Agent, Beat, Room
from bot.core.timelines.growth import Operation
from bot.core.timelines.records import Event, EventKind, Node, Timeline
from bot.core.timelines.showing import MindShown
from bot.core.view import Glance, Outline

OF_TREES: Final = frozenset(
    {EventKind.ATTACHED, EventKind.RUN_START, EventKind.RUN_FINISH, EventKind.RUN_FAILED, EventKind.DELETED}
)
SHARED, COUNTED, TAKEN = "others' share", "provider adds", "provider counts less"  # so sections add up to the input


def agent_row(view: Glance, agent: Agent, look: NextBeat) -> dict[str, object]:
    """Give what the page's agent list shows of one agent."""
    room = view.all_rooms.get(agent.id)
    return {
        "id": agent.id,
        "name": agent.name,
        "type": agent.type,
        "model": agent.model,
        "spare_models": list(agent.spare_models),
        "channel_id": str(room.channel_id) if room and room.channel_id else None,
        "state": look.state,
        "doing": _doing_in_public(view, look),
        "hears": heard_by(view, agent),
        "room": room_row(view, room) if room and room.channel_id else None,
        "interval_seconds": agent.interval_seconds,
        "resting_interval_seconds": agent.resting_interval_seconds,
        "last_beat_at": agent.last_beat_at.isoformat() if agent.last_beat_at else None,
        "last_reason": agent.last_reason,
        "next_beat_at": look.at.isoformat() if look.at else None,
        "waits_for": look.words,
        "waiting": look.waiting,
    }


def room_row(view: Glance, room: Room) -> dict[str, object]:
    """Give what the page's pane shows of a room, to who sees it."""
    inside = view.rooms.get(room.id)
    return {
        "topic": room.topic,
        "billboard": room.billboard,
        "access": room.access,
        "visibility": room.visibility,
        "wpm": room.wpm,
        "rpm": room.rpm,
        "hushed_until": room.hushed_until.isoformat() if room.hushed_until else None,
        "summaries": inside.checkpoints if inside else 0,
        "waiting": sum(letter.kind is LetterKind.POST for letter in view.unposted.get(room.id, ())),
    }


def _doing_in_public(view: Outline, look: NextBeat) -> dict[str, str]:
    """Give by channel what an agent is at, private rooms left out: the page does not know who looks."""
    rooms = ((view.all_rooms[room_id], what) for room_id, what in look.doing.items())
    return {str(room.channel_id): what for room, what in rooms if room.side == PUBLIC_SIDE and room.channel_id}


def heard_by(view: Outline, agent: Agent) -> list[str]:
    """Give the channels whose rooms an agent is in."""
    rooms = map(view.all_rooms.get, view.joined(agent.id))
    return [str(room.channel_id) for room in rooms if room is not None and room.channel_id is not None]


def beat_row(beat: Beat, model: Model) -> dict[str, object]:
    """Give what the drawer shows of one beat: sections that add up to the input, and a cost only where it is known."""
    used = beat.usage
    return {
        "beat_id": beat.id,
        "at": beat.at.isoformat(),
        "reason": beat.reason,
        "side": beat.side,
        "model": beat.model,
        "format": beat.input_format,
        "hud": beat.hud,
        "answer": beat.answer,
        "thoughts": beat.thoughts,
        "tokens": {"input": used.input_tokens, "cached": used.cached_tokens, "output": used.output_tokens},
        "agents_in_call": beat.agents_in_call,
        "cost_usd": float(used.cost_usd) if model.price_is_known(beat.model) else None,
        "imaginary": model.source.imaginary,
        "latency_seconds": used.latency_seconds,
        "sections": [{"name": name, "tokens": tokens} for name, tokens in sections_of(beat)],
        "outcome": list(beat.outcome),
    }


def sections_of(beat: Beat) -> list[tuple[str, int]]:
    """Give the tokens of each section of a beat's HUD, which add up to what was paid for."""
    rest = beat.usage.input_tokens - sum(tokens for _, tokens in beat.sections)
    own = COUNTED if rest > 0 else TAKEN
    return [*beat.sections, *([(SHARED if beat.agents_in_call > 1 else own, rest)] if rest else [])]


def node_row(one: Node) -> dict[str, object]:
    """Give a node as the picture of its tree draws it."""
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


def tree_row(one: Timeline, coin: str) -> dict[str, object]:
    """Give a tree as pages tell of it; `coin`: the money in which its calls are counted."""
    return {
        "id": one.id,
        "title": one.title,
        "thread_id": None if one.thread_id is None else str(one.thread_id),
        "usd_cap": str(one.usd_cap),
        "coin": coin,
    }


def world_mind_row(one: MindShown) -> dict[str, object]:
    """Give what an agent carries as the page shows it; side 0 are the public rooms."""
    return {
        "agent": one.agent_id,
        "name": one.name,
        "side": one.side,
        "knowledge": dict(one.knowledge),
        "focus": dict(one.focus),
    }


def seen_row(beat: Beat) -> dict[str, object]:
    """Give what an agent saw, said and thought at a beat that never was."""
    return {
        "beat_id": beat.id,
        "agent": beat.agent_id,
        "at": beat.at.isoformat(),
        "hud": beat.hud,
        "answer": beat.answer,
        "thoughts": beat.thoughts,
    }


def event_row(one: Event) -> dict[str, object]:
    """Give an event as the page reads it."""
    return {"seq": one.seq, "node": one.node_id, "kind": one.kind, **one.data}


def price_rows(prices: Mapping[Operation, Decimal | str]) -> dict[str, dict[str, str]]:
    """Give what operations on a node are thought to cost, or why they cannot be done."""
    return {what: {"refused": one} if isinstance(one, str) else {"usd": str(one)} for what, one in prices.items()}
