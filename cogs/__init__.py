"""Slash commands: one file per command group, thin."""

from cogs.agent import AgentCog
from cogs.base import Group
from cogs.hud import HudCog

COGS: tuple[type[Group], ...] = (AgentCog, HudCog)
