"""Slash commands: one file per command group, thin."""

from cogs.agent import AgentCog
from cogs.base import Cog
from cogs.hud import HudCog

COGS: tuple[type[Cog], ...] = (AgentCog, HudCog)
"""Every cog, in the order in which they are put in."""
