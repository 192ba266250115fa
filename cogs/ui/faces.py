"""Avatars from uploaded files: the address of an upload expires, that of a webhook's picture does not."""

import asyncio

import discord

from bot.client import SelfroomClient
from bot.core.errors import Rejected
from bot.core.records import AgentId, Snowflake
from bot.core.sentences import Sentence

MOST_BYTES = 8_000_000
LOOKS, LOOK_SECONDS = 60, 0.25  # a new room's channel may take a moment

Interaction = discord.Interaction[SelfroomClient]


async def lasting(interaction: Interaction, agent_id: AgentId, file: discord.Attachment) -> str | None:
    """Keep an uploaded picture as an agent's and give its address; raises Rejected when it is none."""
    if file.size > MOST_BYTES:
        raise Rejected(Sentence("That picture is too large: an avatar has at most 8 MB."))
    guild_id = Snowflake(interaction.guild_id or 0)
    return await interaction.client.dress(guild_id, await _channel(interaction, agent_id), await file.read())


async def _channel(interaction: Interaction, agent_id: AgentId) -> Snowflake:
    """Wait for the channel of an agent's room; it is made a moment after the agent."""
    guild_id, community = Snowflake(interaction.guild_id or 0), interaction.client.desk.community
    for _ in range(LOOKS):
        if (channel_id := (await community.view(guild_id, messages=0)).all_rooms[agent_id].channel_id) is not None:
            return channel_id
        await asyncio.sleep(LOOK_SECONDS)
    raise Rejected(Sentence("The agent's room has no channel yet: give it the picture a little later."))
