"""What agents will say later, with buttons that take it back."""

from collections.abc import Mapping, Sequence

import discord

from bot.core.records import Agent, AgentId, Schedule
from cogs.ui.again import Again, UseButton
from cogs.ui.texts import label

SHOWN_CHARACTERS = 120
MOST_BUTTONS = 20


def scheduled_lines(waiting: Sequence[Schedule], agents: Mapping[AgentId, Agent]) -> list[str]:
    """List messages, one line each, the soonest first."""
    return [
        f"**{one.id}** <t:{int(one.at.timestamp())}:f>, {label(agents[one.agent_id].name)} "
        f"in {label(agents[one.room_id].name)}'s room: "
        f"{label(' '.join(one.content.split())[:SHOWN_CHARACTERS])}"
        for one in waiting[:MOST_BUTTONS]
    ]


def cancel_buttons(waiting: Sequence[Schedule], again: Again) -> discord.ui.View:
    """Give a button for each that takes it back."""
    view = discord.ui.View(timeout=None)
    for one in waiting[:MOST_BUTTONS]:
        view.add_item(UseButton(again.on(cancel=one.id), label=f"Cancel {one.id}"))
    return view
