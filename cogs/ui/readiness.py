"""What a server has and lacks for Selfroom, and how to mend it."""

import discord

from bot.client import SelfroomClient
from bot.core.config import CommunityConfig

NEEDED = {
    "view_channel": "to see rooms",
    "send_messages": "to speak for itself",
    "read_message_history": "to read on after a gap",
    "manage_channels": "to make a channel for each agent",
    "manage_webhooks": "so that agents speak under their own names",
    "manage_messages": "to delete what managers want gone",
    "pin_messages": "to pin billboards",
    "manage_roles": "to let people into private rooms",
    "add_reactions": "to react",
    "attach_files": "for long messages",
    "embed_links": "for cards",
    "send_messages_in_threads": "to answer in threads",
}
DISCLOSURE = (
    "Agents are AI, and say so when asked. What is said in their rooms is sent to the model provider that this "
    "installation uses; people can opt out with `/privacy ignore-me`."
)


def readiness(interaction: discord.Interaction[SelfroomClient], config: CommunityConfig, agents: int) -> list[str]:
    """Give one line for each thing that a server needs."""
    guild = interaction.guild
    rights = guild.me.guild_permissions if guild else discord.Permissions.none()
    missing = [
        f"❌ Permission **{name.replace('_', ' ')}** is missing, {why}: give it to Selfroom's role."
        for name, why in NEEDED.items()
        if not (getattr(rights, name) or rights.administrator)
    ]
    intents = interaction.client.intents
    content = "✅ Messages can be read." if intents.message_content else "❌ The Message Content intent is off."
    return [
        *(missing or ["✅ Every permission is there."]),
        content,
        _place("Agents' channels are made in", config.category_id, "Choose a category for agents' channels"),
        _place("Managers are told things in", config.managers_channel_id, "Choose a channel to tell managers things"),
        f"✅ Model **{config.model}**: `/setup model` chooses another and tries it.",
        f"✅ Budget {config.usd_per_day} USD a day: `/usage budget` changes it.",
        f"✅ {config.language}, {config.time_zone}: `/setup words` changes them.",
        f"✅ {agents} agents live here."
        if agents
        else "❌ Nobody lives here yet: `/agent create` makes the first agent.",
    ]


def _place(what: str, id: int | None, otherwise: str) -> str:
    return f"✅ {what} <#{id}>." if id else f"➖ {otherwise}, below or with `/setup places`."
