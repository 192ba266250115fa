"""What people do through slash commands: they ask here, and the same actions and handlers answer as for agents."""

from bot.core.config import CommunityConfig
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.cards import Agents, Cards
from bot.engine.front_desk.community import CommunityDesk, Money
from bot.engine.front_desk.endings import Endings
from bot.engine.front_desk.merges import Merges
from bot.engine.front_desk.messages import Held, Messages
from bot.engine.front_desk.minds import Beats, Minds
from bot.engine.front_desk.office import Office
from bot.engine.front_desk.privacy import Privacy
from bot.engine.front_desk.providers import Providers, Trials
from bot.engine.front_desk.rooms import Doors, Rooms
from bot.engine.front_desk.runs import Laboratory, Runs
from bot.engine.front_desk.scenes import Scenes
from bot.engine.front_desk.timelines import Timelines
from bot.engine.front_desk.traces import Traces
from bot.engine.timelines.house import Orchard


class FrontDesk:
    """The use cases of commands, by matter: each command takes the part that it needs.

    `config` is what a community's settings start from; backups are kept for `backup_days`.
    """

    def __init__(
        self,
        office: Office,
        *,
        backup_days: int = 30,
        config: CommunityConfig | None = None,
        orchard: Orchard | None = None,
        laboratory: Laboratory | None = None,
    ) -> None:
        self.clock = office.clock
        self.actions = Actions(office)
        self.community = CommunityDesk(office, self.actions, config or CommunityConfig())
        self.agents = Agents(office)
        self.minds = Minds(office)
        self.beats = Beats(office)
        self.rooms = Rooms(office)
        self.messages = Messages(office, self.rooms)
        self.doors = Doors(office, self.actions)
        self.held = Held(office)
        self.cards = Cards(office, self.actions)
        self.privacy = Privacy(office, backup_days)
        self.traces = Traces(office, self.actions)
        self.providers = Providers(office, self.actions)
        self.money = Money(office)
        self.scenes = Scenes(office)
        self.timelines = Timelines(office, orchard, config or CommunityConfig())
        self.endings = Endings(office, orchard)
        self.merges = Merges(office, orchard, config or CommunityConfig())
        treasury = orchard.treasury if orchard is not None else None
        self.runs = Runs(office, laboratory, treasury, config or CommunityConfig())
        self.trials = Trials(office, self.actions)


__all__ = ["FrontDesk", "Office"]
