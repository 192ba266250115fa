"""What people do through slash commands: they ask here, and the same actions and handlers answer as for agents."""

from bot.engine.front_desk.community import CommunityDesk
from bot.engine.front_desk.doors import Doors
from bot.engine.front_desk.heads import Heads
from bot.engine.front_desk.held import HeldBack
from bot.engine.front_desk.moving import Moving
from bot.engine.front_desk.people import PeopleDesk
from bot.engine.front_desk.providing import Providing
from bot.engine.front_desk.talk import Talk
from bot.engine.front_desk.traces import TracesDesk


class FrontDesk(Heads, Talk, Doors, HeldBack, Moving, PeopleDesk, TracesDesk, CommunityDesk, Providing):
    """One use case for every command."""


__all__ = ["FrontDesk"]
