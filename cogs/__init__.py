"""Slash commands: one file per command group, thin."""

from cogs.access import AccessCog
from cogs.agent import AgentCog
from cogs.attention import AttentionCog
from cogs.base import Cog
from cogs.console import ConsoleCog
from cogs.focus import FocusCog
from cogs.heartbeat import HeartbeatCog
from cogs.hud import HudCog
from cogs.key import KeyCog
from cogs.knowledge import KnowledgeCog
from cogs.looking import LookingCog
from cogs.menu import MenuCog
from cogs.people import PersonCog, PrivacyCog
from cogs.plan import PlanCog
from cogs.room import RoomCog
from cogs.say import SayCog
from cogs.scene import SceneCog
from cogs.seats import SeatsCog
from cogs.setup import SetupCog
from cogs.talk import TalkCog
from cogs.timeline import TimelineCog
from cogs.usage import UsageCog

COGS: tuple[type[Cog], ...] = (
    AgentCog,
    RoomCog,
    LookingCog,
    SayCog,
    TalkCog,
    HeartbeatCog,
    UsageCog,
    ConsoleCog,
    HudCog,
    KnowledgeCog,
    FocusCog,
    PlanCog,
    AttentionCog,
    KeyCog,
    AccessCog,
    PersonCog,
    PrivacyCog,
    SetupCog,
    MenuCog,
    SceneCog,
    SeatsCog,
    TimelineCog,
)
"""Every cog, the ones that are used most first: in this order people are offered commands."""
