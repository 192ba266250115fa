"""What a server has and lacks for Selfroom, and how to mend it."""

import discord

from bot.client import SelfroomClient
from bot.core.config import CommunityConfig
from bot.core.models import Source
from bot.core.options import DEFAULT, MATTERS, OPTIONS, shown_option
from bot.core.view import Outline
from bot.core.wording import counted
from cogs.ui.money import budget
from cogs.ui.rights import lacking

MOST_SHOWN = 120
DISCLOSURE = (
    "Agents are AI, and say so when asked. What is said in their rooms is sent to the model provider named above; "
    "people can opt out with `/privacy ignore-me`."
)


def readiness(
    interaction: discord.Interaction[SelfroomClient], view: Outline, readers: list[str], source: Source
) -> list[str]:
    """Give one line for each thing that a server needs; `readers` say whose models read the rooms."""
    guild, config, agents = interaction.guild, view.config, len(view.agents)
    living = [agent for agent in view.agents.values() if agent.retired_at is None]
    rooms = {agent.name: id_ for agent in living if (id_ := view.all_rooms[agent.id].channel_id)}
    missing = lacking(guild, rooms, config.category_id, config.managers_channel_id) if guild else []
    intents = interaction.client.intents
    content = "✅ Messages can be read." if intents.message_content else "❌ The Message Content intent is off."
    return [
        *(missing or ["✅ Every permission is there, in every channel."]),
        content,
        _place("Agents' channels are made in", config.category_id, "Choose a category for agents' channels"),
        _place("Managers are told things in", config.managers_channel_id, "Choose a channel to tell managers things"),
        *readers,
        f"✅ Model **{config.model}**: `/setup model` chooses another and tries it.",
        f"✅ Budget {budget(config.usd_per_day, source)} a day: `/usage budget` changes it.",
        f"✅ {config.language}, {config.time_zone}: `/setup words` changes them.",
        f"✅ {counted(agents, 'agent')} {'lives' if agents == 1 else 'live'} here."
        if agents
        else "❌ Nobody lives here yet: `/agent create` makes the first agent.",
    ]


def option_line(config: CommunityConfig, defaults: CommunityConfig, name: str) -> str:
    """Word one setting: its value, what it is, and its default where that is another."""
    shown, default = _short(shown_option(config, name)), _short(shown_option(defaults, name))
    changed = "" if shown == default else f" (changed; default: {default})"
    return f"**{name}** = {shown}{changed}: {OPTIONS[name]}"


def option_lines(config: CommunityConfig, defaults: CommunityConfig) -> list[str]:
    """Give all settings by matter, those that are changed named first."""
    changed = [name for name in OPTIONS if shown_option(config, name) != shown_option(defaults, name)]
    named = ", ".join(f"`{name}`" for name in changed) or "nothing"
    lines = [f"Changed here: {named}. The value `{DEFAULT}` puts a setting back."]
    for name in OPTIONS:
        lines += [f"__{MATTERS[name]}__"] if name in MATTERS else []
        lines.append(option_line(config, defaults, name))
    return lines


def _short(shown: str) -> str:
    return shown if len(shown) <= MOST_SHOWN else shown[: MOST_SHOWN - 1] + "…"


def _place(what: str, id_: int | None, otherwise: str) -> str:
    return f"✅ {what} <#{id_}>." if id_ else f"➖ {otherwise}, below or with `/setup places`."
