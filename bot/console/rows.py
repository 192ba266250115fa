"""What the console shows, as rows of JSON."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.core.attention import shares
from bot.core.day_usage import DayUsage
from bot.core.keeping import Used
from bot.core.kinds import BECAUSE
from bot.core.models import Model
from bot.core.next_beat import NextBeat
from bot.core.page_rows import agent_row, sections_of
from bot.core.ports.talk import Queue
from bot.core.records import (
    PUBLIC_SIDE,
    Agent,
    AgentId,
    Beat,
    Focus,
    Letter,
    Membership,
    Message,
    Mind,
    Plan,
    Room,
    Usage,
)
from bot.core.view import Glance, Roster, View

Row = dict[str, object]


def resident_row(view: Glance, agent: Agent, look: NextBeat, used: tuple[int, Usage] | None, now: datetime) -> Row:
    """Give what the overview shows of an agent: as the playground's page does, with what it cost and how it fails."""
    row = agent_row(view, agent, look)
    del row["room"]
    beats, usage = used or (0, Usage())
    return row | {
        "at_work_in": {str(room_id): what for room_id, what in look.doing.items()},
        "beats_today": beats,
        "usd_today": float(usage.cost_usd),
        "failures": agent.failures_in_a_row,
        "rests": agent.backs_off_until is not None and agent.backs_off_until > now,
    }


def place_row(view: Roster, room: Room) -> Row:
    """Give a room, or a private thread in one, as a heading names it."""
    owner = view.agents.get(room.owner_id)
    return {
        "id": room.id,
        "name": room.thread_name or "private thread" if room.thread_of is not None else owner.name if owner else "",
        "owner": owner.name if owner else "",
        "thread_of": room.thread_of,
        "private": room.side != PUBLIC_SIDE,
        "channel_id": str(room.channel_id) if room.channel_id else None,
    }


def room_row(view: Glance, room: Room, lately: int, *, closed: bool) -> Row:
    """Give what the overview shows of a room: how warm it is, and what holds it; of a closed one that it is there."""
    if closed:
        room, lately = replace(room, last_message_at=None, hushed_until=None), 0
    inside = None if closed else view.rooms.get(room.id)
    return place_row(view, room) | {
        "closed": closed,
        "lately": lately,
        "members": list(inside.members) if inside else [],
        "last_message_at": stamp(room.last_message_at),
        "hushed_until": stamp(room.hushed_until),
        "unposted": 0 if closed else len(view.unposted.get(room.id, ())),
        "fault_at": stamp(room.fault_told_at),
    }


def budget_row(spent: DayUsage) -> Row:
    """Give what today used of its limits."""
    limits = spent.spending
    return {
        "share": limits.share,
        "usd": float(spent.usd),
        "usd_limit": None if limits.usd_limit is None else float(limits.usd_limit),
        "tokens": spent.tokens,
        "tokens_limit": limits.tokens_limit,
        "coin": spent.model.source.coin,
        "unknown": [name for name in spent.models if not spent.model.price_is_known(name)],
    }


def wait_row(kind: str, room_id: AgentId, at: datetime, text: str) -> Row:
    """Give something that a manager is to decide or to mend, and in whose room."""
    return {"kind": kind, "room": room_id, "at": stamp(at), "text": text}


def queue_row(queue: Queue) -> Row:
    return {"kind": queue.kind, "state": queue.state, "letters": queue.letters, "since": stamp(queue.since)}


def message_row(view: Roster, message: Message, beat: Beat | None, letter: Letter | None, model: Model) -> Row:
    """Give a line of a transcript, and of an agent's what lies behind it."""
    sender = message.sender
    agent = view.agents.get(sender.agent_id) if sender.agent_id is not None else None
    return {
        "id": message.id,
        "discord_id": str(message.discord_id) if message.discord_id else None,
        "room": message.room_id,
        "at": stamp(message.sent_at),
        "by": agent.name if agent else sender.shown(),
        "kind": sender.kind,
        "agent": sender.agent_id,
        "text": message.content,
        "reply_to": message.reply_to,
        "reactions": [list(one) for one in message.reactions],
        "edited": message.edited,
        "thread": message.thread_name,
        "files": [one.name for one in message.attachments],
        "beat": None if beat is None else brief_row(beat, model),
        "delivery": None if letter is None else delivery_row(letter),
    }


def brief_row(beat: Beat, model: Model) -> Row:
    """Give a beat on a line."""
    used = beat.usage
    return {
        "id": beat.id,
        "agent": beat.agent_id,
        "at": stamp(beat.at),
        "reason": beat.reason,
        "because": BECAUSE[beat.reason],
        "side": beat.side,
        "model": beat.model,
        "silent": beat.silent,
        "failed": beat.failed,
        "outcome": list(beat.outcome),
        "tokens": {"input": used.input_tokens, "cached": used.cached_tokens, "output": used.output_tokens},
        "cost_usd": float(used.cost_usd) if model.price_is_known(beat.model) else None,
        "imaginary": model.source.imaginary,
        "latency_seconds": used.latency_seconds,
    }


def delivery_row(letter: Letter) -> Row:
    """Give how a message came, or comes, to Discord."""
    return {
        "state": letter.state,
        "attempts": letter.attempts,
        "parts": len(letter.posted_as),
        "written_at": stamp(letter.created_at),
        "not_before": stamp(letter.not_before),
    }


def mind_row(view: View, mind: Mind) -> Row:
    """Give what an agent carries on one side."""
    place = view.all_rooms.get(AgentId(mind.side))
    return {
        "side": mind.side,
        "where": "the public rooms" if mind.side == PUBLIC_SIDE else place_row(view, place)["name"] if place else "",
        "knowledge": dict(mind.knowledge),
        "focus": focus_row(mind.focus),
        "plan": plan_row(mind.focus.plan),
        "feelings": [{"emotion": one.emotion, "why": one.why, "at": stamp(one.at)} for one in mind.focus.feelings],
    }


def focus_row(focus: Focus) -> Row:
    return {
        "current_task": focus.current_task,
        "key_decisions": list(focus.key_decisions),
        "active_files": list(focus.active_files),
        "notes": list(focus.notes),
        "blockers": list(focus.blockers),
        "next_steps": list(focus.next_steps),
        "compacted_context": focus.compacted_context,
    }


def plan_row(plan: Plan) -> Row:
    return {
        "goals": [{"id": one.id, "text": one.text, "done": one.done} for one in plan.goals],
        "milestones": [{"id": one.id, "text": one.text, "done": one.done} for one in plan.milestones],
        "strategy": plan.strategy,
        "current": plan.current,
    }


def attention_rows(view: View, agent_id: AgentId) -> list[Row]:
    """Give how an agent divides its view, side by side of the barrier."""
    mine = [one for (agent, _), one in view.memberships.items() if agent == agent_id]
    by_side: dict[int, list[Membership]] = {}
    for one in mine:
        by_side.setdefault(view.all_rooms[one.room_id].side, []).append(one)
    return [
        {"room": place_row(view, view.all_rooms[room]), "side": side, "share": share}
        for side, here in sorted(by_side.items())
        for room, share in shares(here).items()
    ]


def day_rows(days: Sequence[Used]) -> list[Row]:
    return [
        {
            "day": one.day.isoformat(),
            "beats": one.beats,
            "tokens": one.usage.input_tokens + one.usage.output_tokens,
            "usd": float(one.usage.cost_usd),
        }
        for one in days
    ]


def section_rows(now: Beat, before: Beat | None) -> list[Row]:
    """Give how large each section of a HUD is, and how large it was the time before."""
    are, were = dict(sections_of(now)), dict(sections_of(before)) if before is not None else {}
    return [{"name": name, "tokens": are.get(name, 0), "before": were.get(name)} for name in {**are, **were}]


def stamp(at: datetime | None) -> str | None:
    """Give a time as programs read it; None for none."""
    return at.isoformat() if at is not None else None
