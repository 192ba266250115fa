"""Rooms as people see them."""

from datetime import datetime

import discord

from bot.core.attention import word_attention
from bot.core.kinds import LetterKind
from bot.core.letters import wanted_visibility
from bot.core.records import AgentId, Checkpoint
from bot.core.view import Glance, Outline, View
from bot.core.wording import counted
from cogs.ui.cards import SIGNS, Looks, shown_state
from cogs.ui.texts import honest, label


def room_card(view: View, room_id: AgentId, now: datetime) -> discord.Embed:
    """Show one room on a card."""
    room, owner = view.all_rooms[room_id], view.agents[room_id]
    card = discord.Embed(title=f"{label(owner.name)}'s room", description=honest(room.topic or "No topic yet."))
    card.add_field(name="Access", value=f"{room.access}, {seen_by(view, room_id)}")
    card.add_field(name="Pace", value=f"{room.wpm} words, {room.rpm} messages a minute{_queue(view, room_id)}")
    silent = room.hushed_until is not None and room.hushed_until > now
    if silent and room.hushed_until is not None:
        card.add_field(name="Silent until", value=f"<t:{int(room.hushed_until.timestamp())}:t>")
    members = ", ".join(label(view.agents[one].name) for one in view.rooms[room_id].members)
    card.add_field(name="Members", value=members[:1_000] or "nobody", inline=False)
    if room.billboard:
        card.add_field(name="Billboard", value=honest(room.billboard)[:1_000], inline=False)
    knocks = view.requests.get(room_id, ())
    card.set_footer(text=f"ID {room_id} · {len(knocks)} wait at the door")
    return card


def _queue(view: Glance, room_id: AgentId) -> str:
    """Word how many messages wait in the room's one queue to Discord."""
    waiting = sum(letter.kind is LetterKind.POST for letter in view.unposted.get(room_id, ()))
    return f"\n{counted(waiting, 'message')} waiting to be posted" if waiting else ""


def seen_by(view: Glance, room_id: AgentId) -> str:
    """Word who sees a room: what Discord shows, and what is asked for but not so yet."""
    room, wanted = view.all_rooms[room_id], wanted_visibility(view.unposted.get(room_id, ()))
    if room.channel_id is None:
        return f"to be {wanted or room.visibility}: its channel is not there yet"
    if wanted in (None, room.visibility):
        return str(room.visibility)
    return f"{room.visibility} (to be {wanted}: Discord does not show that yet; `/setup start` says what is missing)"


def member_lines(view: Outline, room_id: AgentId, looks: Looks, now: datetime) -> list[str]:
    """List a room's members, the owner first, with what they are at in it."""
    return [
        f"{SIGNS[shown_state(view.agents[id], looks, now)]} **{label(view.agents[id].name)}** (ID {id})"
        f"{', its own room' if id == room_id else ''}, attention {word_attention(one.attention)}"
        f"{f', {looks[id].doing[room_id]}' if id in looks and room_id in looks[id].doing else ''}"
        for id in view.rooms[room_id].members
        if (one := view.memberships[id, room_id])
    ]


def summary_lines(summary: Checkpoint) -> list[str]:
    """Show one summary under what it covers."""
    covers = f"messages {summary.first_message_id} to {summary.last_message_id}"
    return [
        f"**{summary.id}** · <t:{int(summary.created_at.timestamp())}:f> · {covers}",
        *honest(summary.text).splitlines(),
    ]
