"""Agents as people see them: a card, a list, and the numbers of a beat."""

from collections.abc import Sequence
from datetime import datetime

import discord

from bot.core.attention import shares
from bot.core.records import AgentId, Beat, Usage
from bot.core.status import state_of, waits_for
from bot.core.view import View

SIGNS = {"idle": "🟢", "thinking": "💭", "typing": "✍️", "sleeping": "💤", "paused": "⏸️", "retired": "📦"}
SLOWEST_SECONDS = 10.0


def agent_list(view: View, now: datetime) -> list[str]:
    """List everyone, one line each."""
    return [
        f"{SIGNS[state_of(agent, now)]} **{discord.utils.escape_markdown(agent.name)}** "
        f"(ID {agent.id}, {agent.type}){where(view, agent.id)}"
        for agent in sorted(view.agents.values(), key=lambda agent: agent.id)
    ]


def agent_card(
    view: View, agent_id: AgentId, now: datetime, today: tuple[int, Usage] | None, beats: Sequence[Beat]
) -> discord.Embed:
    """Show one agent on a card; `today` is its (beats, usage), of `beats` the newest is told."""
    agent, room = view.agents[agent_id], view.all_rooms[agent_id]
    state = state_of(agent, now)
    card = discord.Embed(title=agent.name, description=agent.prompt[:500])
    if agent.avatar_url:
        card.set_thumbnail(url=agent.avatar_url)
    card.add_field(name="State", value=f"{SIGNS[state]} {state}; waits for {waits_for(agent, now)}", inline=False)
    card.add_field(name="Heartbeat", value=heartbeat(agent.interval_seconds, agent.resting_interval_seconds))
    card.add_field(name="Model", value=f"{agent.model}, {agent.token_budget:,} tokens")
    card.add_field(name="Today", value=_today(today))
    keys = len([key for key in view.keys.get(agent_id, ()) if key.revoked_at is None])
    card.add_field(
        name="Room", value=f"{room.access}, {room.visibility}, {counted(keys, 'key')}{where(view, agent_id)}"
    )
    card.add_field(name="Attention", value=attention(view, agent_id), inline=False)
    if beats:
        card.add_field(name="Last beat", value=_last(beats[0]), inline=False)
    card.set_footer(text=f"ID {agent.id} · {agent.type} · input {agent.input_format}, output {agent.output_format}")
    return card


def heartbeat(interval_seconds: float, resting_seconds: float) -> str:
    """Draw the pace as a small bar: the fuller, the faster."""
    full = round(pace(interval_seconds) * 10)
    return f"`{'▰' * full}{'▱' * (10 - full)}` {interval_seconds:.1f} s, resting {resting_seconds:.1f} s"


def pace(interval_seconds: float) -> float:
    """Give how fast a heart beats, between 0 (slowest) and 1."""
    return (SLOWEST_SECONDS - interval_seconds) / (SLOWEST_SECONDS - 1)


def attention(view: View, agent_id: AgentId) -> str:
    """Draw how an agent divides its view, a small bar for each room."""
    mine = [one for (agent, _), one in view.memberships.items() if agent == agent_id]
    lines = [
        f"`{'▰' * round(share / 10)}{'▱' * (10 - round(share / 10))}` {share:.0f} % {view.agents[room].name}"
        for room, share in shares(mine).items()
    ]
    return "\n".join(lines[:8])[:1_000] or "no room"


def where(view: View, agent_id: AgentId) -> str:
    """Link its channel, when it has one."""
    channel_id = view.all_rooms[agent_id].channel_id
    return f" in <#{channel_id}>" if channel_id else ""


def counted(count: int, what: str) -> str:
    """Word how many there are."""
    return f"{count} {what}" if count == 1 else f"{count:,} {what}s"


def _today(today: tuple[int, Usage] | None) -> str:
    if today is None:
        return "no beat yet"
    beats, used = today
    return f"{counted(beats, 'beat')}, {used.input_tokens + used.output_tokens:,} tokens, {used.cost_usd:.4f} USD"


def _last(beat: Beat) -> str:
    what = beat.failed or (beat.outcome[-1] if beat.outcome else "it stayed silent")
    return f"<t:{int(beat.at.timestamp())}:R> ({beat.reason}): {what}"[:1_000]
