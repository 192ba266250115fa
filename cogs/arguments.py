"""The parameters that name agents, rooms, keys, requests and models, with suggestions while they are typed."""

from collections.abc import Sequence
from functools import cache
from itertools import islice
from zoneinfo import available_timezones

from discord import app_commands

from bot.core.errors import Rejected, SelfroomError
from bot.core.options import DEFAULT, OPTIONS, shown_option
from bot.core.records import MOST_SPARES, Agent
from bot.core.sentences import Sentence
from bot.core.view import agent_named
from bot.languages import spoken
from cogs.base import CHOICE_CHARACTERS, SHOWN_CHOICES, Interaction, choices, guild_of, here, may_read, person
from cogs.ui.again import SURE
from cogs.ui.forms import models_of

LONGEST_CHOICE = 80
Choices = list[app_commands.Choice[str]]
KNOWN_MODELS = ("gpt-4o-mini", "gpt-4o", "gpt-4.1-nano", "gpt-4.1-mini", "gpt-4.1", "gpt-5-nano", "gpt-5-mini", "gpt-5")


@cache
def zones() -> Sequence[str]:
    """Give the names of all time zones; looking for them reads many files."""
    return sorted(available_timezones())


async def one_agent(interaction: Interaction, typed: str) -> Agent:
    """Find an agent by name or id, once something is for sure by id alone; raises NotFound or Rejected."""
    if SURE in interaction.extras and not typed.isdecimal():
        raise Rejected(Sentence("Names may have changed since this was asked: use the command again."))
    return agent_named(await interaction.client.desk.agents.everyone(guild_of(interaction)), typed)


class AgentName(app_commands.Transformer):
    """An agent, or the room that it is, by name or id."""

    async def transform(self, interaction: Interaction, value: str) -> Agent:  # type: ignore[override]
        """Find the agent."""
        return await one_agent(interaction, value)

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest agents whose name or id holds what was typed, first those whose name begins with it.

        Of rooms that Discord hides from who types nothing is suggested: who knows one writes its name.
        """
        typed = value.strip().casefold()
        known = await interaction.client.desk.agents.names(guild_of(interaction))
        fitting = [(id_, *one) for id_, one in known.items() if typed in one[0].casefold() or typed == str(id_)]
        fitting.sort(key=lambda one: not one[1].casefold().startswith(typed))
        seen = ((id_, name) for id_, name, channel_id in fitting if may_read(interaction, channel_id))
        return choices([(f"{name} (ID {id_})", str(id_)) for id_, name in islice(seen, SHOWN_CHOICES)])


class KeyLabel(app_commands.Transformer):
    """A key of a room, by its label."""

    async def transform(self, interaction: Interaction, value: str) -> str:  # type: ignore[override]
        """Take what was typed: whether there is such a key is for the room to say."""
        return value

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest labels, to managers only."""
        if not person(interaction).is_architect:
            return []
        typed = getattr(interaction.namespace, "room", None)
        try:
            room = await one_agent(interaction, str(typed)) if typed else await here(interaction)
        except SelfroomError:  # nothing to suggest yet
            return []
        keys = await interaction.client.desk.doors.key_labels(guild_of(interaction), room.id)
        return choices([(key.label, key.label) for key in keys if value.casefold() in key.label.casefold()])


class RequestId(app_commands.Transformer):
    """A request for access, by its number."""

    async def transform(self, interaction: Interaction, value: str) -> int:  # type: ignore[override]
        """Read the number; raises Rejected."""
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise Rejected(Sentence("Give the number of a request: /access pending lists them."))
        return int(value)

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest what waits, to managers only."""
        if not person(interaction).is_architect:
            return []
        knocks = await interaction.client.desk.doors.knocks(guild_of(interaction))
        agents = (await interaction.client.desk.community.view(guild_of(interaction), messages=0)).agents
        shown = [
            (
                spoken(
                    Sentence(
                        "{id}: {name} at the door of {room}",
                        id=one.id,
                        name=one.requester_name,
                        room=agents[one.room_id].name,
                    ),
                    interaction.locale.value,
                ),
                str(one.id),
            )
            for one in knocks
        ]
        return choices([pair for pair in shown if value.casefold() in pair[0].casefold()])


async def models_here(interaction: Interaction) -> Sequence[str]:
    """Give the models that the community allows, else what it uses and what is well known."""
    view = await interaction.client.desk.community.view(guild_of(interaction), messages=0)
    used = [name for agent in view.agents.values() for name in (agent.model, *agent.spare_models)]
    return list(view.config.allowed_models or dict.fromkeys([view.config.model, *used, *KNOWN_MODELS]))


class ModelName(app_commands.Transformer):
    """A model, by the name its provider gives it."""

    async def transform(self, interaction: Interaction, value: str) -> str:  # type: ignore[override]
        """Take the name: whether it may be used is a rule of its own."""
        return value.strip()

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest what the community allows, else what it uses and what is well known."""
        names = await models_here(interaction)
        return choices([(name, name) for name in names if value.casefold() in name.casefold()])


class ModelNames(app_commands.Transformer):
    """Models in an order, with commas between them; `none` for none."""

    async def transform(self, interaction: Interaction, value: str) -> tuple[str, ...]:  # type: ignore[override]
        """Take the names; raises Rejected when they are too many or too long."""
        return () if value.strip().casefold() == "none" else models_of(value, most=MOST_SPARES)

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest what the last one may be, behind those that stand before it."""
        before, comma, last = value.rpartition(",")
        named = f"{before}{comma} " if comma else ""
        fitting = [one for one in await models_here(interaction) if last.strip().casefold() in one.casefold()]
        return choices([(f"{named}{one}", f"{named}{one}") for one in fitting if len(named + one) <= CHOICE_CHARACTERS])


class OptionName(app_commands.Transformer):
    """A setting of the community."""

    async def transform(self, interaction: Interaction, value: str) -> str:  # type: ignore[override]
        """Take the name as it is kept: whether there is such a setting is said to managers only."""
        return value.strip().casefold().replace(" ", "_")

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest settings by their names and by what they are."""
        typed = value.strip().casefold()
        fitting = [name for name in OPTIONS if typed in name.replace("_", " ") or typed in name]
        fitting += [name for name, what in OPTIONS.items() if typed in what.casefold() and name not in fitting]
        return choices([(f"{name}: {OPTIONS[name]}", name) for name in fitting])


class OptionValue(app_commands.Transformer):
    """What a setting is to be, as it is typed."""

    async def transform(self, interaction: Interaction, value: str) -> str:  # type: ignore[override]
        """Take what was typed: whether it fits is for the setting's own definition to say."""
        return value

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest the value that the chosen setting has now, and its default; to managers only."""
        name = str(getattr(interaction.namespace, "setting", ""))
        if name not in OPTIONS or not person(interaction).is_architect:
            return []
        _, config = await interaction.client.desk.community.settings(guild_of(interaction))
        shown = [
            (spoken(Sentence("{value} (as it is)", value=each), interaction.locale.value), each)
            for each in [shown_option(config, name)]
            if len(each) <= LONGEST_CHOICE
        ]
        typed = [(value, value)] if value else []
        return choices([*typed, *shown, (DEFAULT, DEFAULT)])


class ZoneName(app_commands.Transformer):
    """A time zone by its IANA name."""

    async def transform(self, interaction: Interaction, value: str) -> str:  # type: ignore[override]
        """Find the zone; raises Rejected."""
        if value not in zones():
            raise Rejected(Sentence("Give a time zone by its name, such as Europe/Berlin."))
        return value

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest zones."""
        typed = value.casefold().replace(" ", "_")
        return choices([(zone, zone) for zone in zones() if typed in zone.casefold()])


AgentArg = app_commands.Transform[Agent, AgentName]
KeyArg = app_commands.Transform[str, KeyLabel]
RequestArg = app_commands.Transform[int, RequestId]
ModelArg = app_commands.Transform[str, ModelName]
ModelsArg = app_commands.Transform[tuple[str, ...], ModelNames]
OptionArg = app_commands.Transform[str, OptionName]
OptionValueArg = app_commands.Transform[str, OptionValue]
ZoneArg = app_commands.Transform[str, ZoneName]
