"""Rooms as people see them."""

from datetime import datetime

import discord

from bot.core.attention import word_attention
from bot.core.records import AgentId, Checkpoint
from bot.core.status import state_of
from bot.core.view import View
from cogs.ui.cards import SIGNS


def room_card(view: View, room_id: AgentId, now: datetime) -> discord.Embed:
    """Show one room on a card."""
    room, owner = view.all_rooms[room_id], view.agents[room_id]
    card = discord.Embed(title=f"{owner.name}'s room", description=room.topic or "No topic yet.")
    card.add_field(name="Access", value=f"{room.access}, {room.visibility}")
    card.add_field(name="Pace", value=f"{room.wpm} words, {room.rpm} messages a minute")
    silent = room.hushed_until is not None and room.hushed_until > now
    if silent and room.hushed_until is not None:
        card.add_field(name="Silent until", value=f"<t:{int(room.hushed_until.timestamp())}:t>")
    members = ", ".join(view.agents[one].name for one in view.rooms[room_id].members)
    card.add_field(name="Members", value=members[:1_000] or "nobody", inline=False)
    if room.billboard:
        card.add_field(name="Billboard", value=room.billboard[:1_000], inline=False)
    knocks = view.requests.get(room_id, ())
    card.set_footer(text=f"ID {room_id} · {len(knocks)} wait at the door")
    return card


def member_lines(view: View, room_id: AgentId, now: datetime) -> list[str]:
    """List a room's members, the owner first."""
    return [
        f"{SIGNS[state_of(view.agents[id], now)]} **{view.agents[id].name}** (ID {id})"
        f"{', its own room' if id == room_id else ''}, attention {word_attention(one.attention)}"
        for id in view.rooms[room_id].members
        if (one := view.memberships[id, room_id])
    ]


def summary_lines(summary: Checkpoint) -> list[str]:
    """Show one summary under what it covers."""
    covers = f"messages {summary.first_message_id} to {summary.last_message_id}"
    return [f"**{summary.id}** · <t:{int(summary.created_at.timestamp())}:f> · {covers}", *summary.text.splitlines()]
