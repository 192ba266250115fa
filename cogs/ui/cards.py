"""Agents as people see them: a card and a list."""

from datetime import datetime

import discord

from bot.core.records import AgentId
from bot.core.status import state_of, waits_for
from bot.core.view import View

SIGNS = {"idle": "🟢", "thinking": "💭", "typing": "✍️", "sleeping": "💤", "paused": "⏸️", "retired": "📦"}
SLOWEST_SECONDS = 10.0
LINES = 40  # of a list; a message holds 2,000 characters


def agent_list(view: View, now: datetime) -> str:
    """List everyone, one line each."""
    if not view.agents:
        return "Nobody lives here yet: make the first one with `/agent create`."
    everyone = sorted(view.agents.values(), key=lambda agent: agent.id)
    lines = [
        f"{SIGNS[state_of(agent, now)]} **{discord.utils.escape_markdown(agent.name)}** "
        f"(ID {agent.id}, {agent.type}){where(view, agent.id)}"
        for agent in everyone[:LINES]
    ]
    if len(everyone) > LINES:
        lines.append(f"… and {len(everyone) - LINES} more.")
    return "\n".join(lines)


def agent_card(view: View, agent_id: AgentId, now: datetime) -> discord.Embed:
    """Show one agent on a card."""
    agent, room = view.agents[agent_id], view.all_rooms[agent_id]
    state = state_of(agent, now)
    card = discord.Embed(title=agent.name, description=agent.prompt[:500])
    card.add_field(name="State", value=f"{SIGNS[state]} {state}; waits for {waits_for(agent, now)}", inline=False)
    card.add_field(name="Heartbeat", value=heartbeat(agent.interval_seconds, agent.resting_interval_seconds))
    card.add_field(name="Model", value=f"{agent.model}, {agent.token_budget:,} tokens")
    card.add_field(name="Room", value=f"{room.access}, {room.visibility}{where(view, agent_id)}")
    joined = [view.agents[one.room.id].name for one in view.rooms.values() if agent_id in one.members]
    card.add_field(name="Member of", value=", ".join(joined) or "no room", inline=False)
    card.set_footer(text=f"ID {agent.id} · {agent.type} · input {agent.input_format}, output {agent.output_format}")
    return card


def heartbeat(interval_seconds: float, resting_seconds: float) -> str:
    """Draw the pace as a small bar: the fuller, the faster."""
    full = round((SLOWEST_SECONDS - interval_seconds) / (SLOWEST_SECONDS - 1) * 10)
    return f"`{'▰' * full}{'▱' * (10 - full)}` {interval_seconds:.1f} s, resting {resting_seconds:.1f} s"


def where(view: View, agent_id: AgentId) -> str:
    """Link its channel, when it has one."""
    channel_id = view.all_rooms[agent_id].channel_id
    return f" in <#{channel_id}>" if channel_id else ""
