"""What is chosen for a server: places, words, and every other setting."""

from collections.abc import Awaitable, Callable, Mapping

import discord
from discord import app_commands

from bot.client import SelfroomClient
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.kinds import AgentType
from bot.core.models import Source
from bot.core.options import DEFAULT, MATTERS, OPTIONS, read_option, shown_option
from bot.core.records import Json
from bot.core.sentences import Sentence, stacked
from bot.core.view import Outline
from bot.languages import OPTION, command_path, translation
from cogs.arguments import OptionArg, OptionValueArg, ZoneArg, models_here
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.setup.models import ASKED
from cogs.ui.forms import Draft, Filled, NewAgentForm, open_form
from cogs.ui.money import budget
from cogs.ui.provider import readers
from cogs.ui.rights import lacking

MOST_SHOWN = 120
SETTINGS, NO_SETTING = Sentence("**Settings of this server**"), Sentence("There is none.")
LINKS = {"category_id": "<#{}>", "managers_channel_id": "<#{}>", "architect_role_id": "<@&{}>"}
ONLY_MENTIONS = Sentence(
    "✅ Selfroom reads only what mentions it, `/say`, and what people pass on with *Ask again*: it runs without the "
    "Message Content intent."
)
DISCLOSURE = Sentence(
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
    content = Sentence("✅ Messages can be read.") if intents.message_content else ONLY_MENTIONS
    return [
        *(missing or [Sentence("✅ Every permission is there, in every channel.")]),
        content,
        _place(
            Sentence("✅ Agents' channels are made in {place}.", place=f"<#{config.category_id}>"),
            config.category_id,
            Sentence("➖ Choose a category for agents' channels, below or with `/setup places`."),
        ),
        _place(
            Sentence("✅ Managers are told things in {place}.", place=f"<#{config.managers_channel_id}>"),
            config.managers_channel_id,
            Sentence("➖ Choose a channel to tell managers things, below or with `/setup places`."),
        ),
        *readers,
        Sentence("✅ Model **{model}**: `/setup model` chooses another and tries it.", model=config.model),
        Sentence("✅ Budget {budget} a day: `/usage budget` changes it.", budget=budget(config.usd_per_day, source)),
        Sentence(
            "✅ {language}, {zone}: `/setup words` changes them.", language=config.language, zone=config.time_zone
        ),
        Sentence.counted(agents, "✅ {number} agent lives here.", "✅ {number} agents live here.", number=agents)
        if agents
        else Sentence("❌ Nobody lives here yet: `/agent create` makes the first agent."),
    ]


def option_line(config: CommunityConfig, defaults: CommunityConfig, name: str) -> str:
    """Word one setting: its value, what it is, and its default where that is another."""
    shown, default = named_option(config, name), named_option(defaults, name)
    changed = "" if shown == default else Sentence(" (changed; default: {default})", default=default)
    return Sentence.joined(f"**{name}** = {shown}", changed, f": {OPTIONS[name]}")


def option_lines(config: CommunityConfig, defaults: CommunityConfig) -> list[str]:
    """Give all settings by matter, those that are changed named first."""
    changed = [name for name in OPTIONS if shown_option(config, name) != shown_option(defaults, name)]
    named = ", ".join(f"`{name}`" for name in changed) or Sentence("nothing")
    lines: list[str] = [
        Sentence("Changed here: {named}. The value `{default}` puts a setting back.", named=named, default=DEFAULT)
    ]
    for name in OPTIONS:
        lines += [f"__{MATTERS[name]}__"] if name in MATTERS else []
        lines.append(option_line(config, defaults, name))
    return lines


def named_option(config: CommunityConfig, name: str) -> str:
    """Give a setting's value for people to read: a place or role as its link."""
    shown = shown_option(config, name)
    if name in LINKS and shown != "none":
        return LINKS[name].format(shown)
    return _short(shown)


def _short(shown: str) -> str:
    return shown if len(shown) <= MOST_SHOWN else shown[: MOST_SHOWN - 1] + "…"


def _place(chosen: Sentence, id_: int | None, otherwise: Sentence) -> Sentence:
    return chosen if id_ else otherwise


Chosen = Callable[[Interaction, str, int], Awaitable[None]]
Tried = Callable[[Interaction], Awaitable[None]]
Language = app_commands.Range[str, 2, 40]
Words = app_commands.Range[str, 1, 1_000]
ModerationModel = app_commands.Range[str, 1, 100]


def there(interaction: Interaction, setting: str, value: Json) -> Json:
    """Give the id of a place or role as it was typed; raises Rejected when the server has none such."""
    guild = interaction.guild
    if not setting.endswith("_id") or not isinstance(value, int) or guild is None:
        return value
    channel = guild.get_channel(value)
    found = {
        "category_id": isinstance(channel, discord.CategoryChannel),
        "managers_channel_id": isinstance(channel, discord.TextChannel),
        "architect_role_id": guild.get_role(value) is not None,
    }
    if not found.get(setting, True):
        raise Rejected(
            Sentence(
                "This server has no such {what}: use `/setup places`.",
                what=setting.removesuffix("_id").replace("_", " "),
            )
        )
    return value


class Steps(discord.ui.View):
    """Choose the category and the managers' channel, try the model, make an agent; it lasts over a restart."""

    def __init__(self, *, chosen: Chosen, tried: Tried, filled: Filled) -> None:
        super().__init__(timeout=None)
        self.add_item(
            ChannelChoice(
                "category_id", Sentence("Where agents' channels are made"), discord.ChannelType.category, chosen
            )
        )
        self.add_item(
            ChannelChoice(
                "managers_channel_id", Sentence("Where managers are told things"), discord.ChannelType.text, chosen
            )
        )
        self._tried = tried
        self._filled = filled

    async def on_error(  # type: ignore[override]
        self, interaction: Interaction, error: Exception, item: discord.ui.Item["Steps"]
    ) -> None:
        """Let the client word the error."""
        await interaction.client.explain(interaction, error)

    @discord.ui.button(label=Sentence("Try the model"), row=2, custom_id="setup:model")
    async def model(self, interaction: Interaction, _: discord.ui.Button["Steps"]) -> None:
        """Ask the model one small question."""
        await self._tried(interaction)

    @discord.ui.button(
        label=Sentence("Make an agent"), style=discord.ButtonStyle.primary, row=2, custom_id="setup:agent"
    )
    async def agent(self, interaction: Interaction, _: discord.ui.Button["Steps"]) -> None:
        """Open the form for a new agent."""
        draft = Draft(name="", prompt="", type=AgentType.PERSONA)
        await open_form(interaction, NewAgentForm(draft, await models_here(interaction), self._filled))


class ChannelChoice(discord.ui.ChannelSelect[Steps]):
    """Chooses a channel for one setting."""

    def __init__(self, setting: str, asked: str, kind: discord.ChannelType, chosen: Chosen) -> None:
        super().__init__(placeholder=asked, channel_types=[kind], custom_id=f"setup:{setting}")
        self._setting = setting
        self._chosen = chosen

    async def callback(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Keep what was chosen."""
        await self._chosen(interaction, self._setting, self.values[0].id)


class Settings(Group):
    """Commands on the server's own settings."""

    async def cog_load(self) -> None:
        """Know the steps that were sent before the last start."""
        self.client.add_view(self.steps())

    def steps(self) -> Steps:
        """Give what can be done on the spot."""
        return Steps(chosen=self.chosen, tried=self.tried, filled=self.make_agent)

    @app_commands.command()
    async def start(self, interaction: Interaction) -> None:
        """Check everything and say what to do next, step by step."""
        managers_only(interaction)
        await wait(interaction)
        view = await self.desk.community.view(guild_of(interaction))
        source, own = await self.desk.providers.sources(guild_of(interaction))
        told = readiness(interaction, view, readers(source, own), source)
        text = stacked(Sentence("**Setting up Selfroom**"), *told, "", DISCLOSURE)
        await self.say(interaction, text, view=self.steps())

    async def chosen(self, interaction: Interaction, setting: str, id_: int) -> None:
        """Keep a channel that was chosen."""
        managers_only(interaction)
        await self.change(interaction, **{setting: id_})

    async def tried(self, interaction: Interaction) -> None:
        """Try the model of new agents."""
        managers_only(interaction)
        ASKED.take(interaction, interaction.user.id)
        await wait(interaction)
        _, config = await self.desk.community.settings(guild_of(interaction))
        told = await self.desk.providers.try_model(guild_of(interaction), person(interaction), config.model)
        await self.say(interaction, told)

    @app_commands.command()
    async def places(
        self,
        interaction: Interaction,
        category: discord.CategoryChannel | None = None,
        managers_channel: discord.TextChannel | None = None,
        architect_role: discord.Role | None = None,
    ) -> None:
        """Choose where agents live and where managers are told things.

        Args:
            category: Where the agents' channels are made
            managers_channel: Where managers read about faults, budgets and missing permissions
            architect_role: A role that may do here what Manage Server may
        """
        managers_only(interaction)
        chosen: dict[str, discord.abc.Snowflake | None] = {
            "category_id": category,
            "managers_channel_id": managers_channel,
            "architect_role_id": architect_role,
        }
        await self.change_some(interaction, {name: each.id if each else None for name, each in chosen.items()})

    @app_commands.command()
    async def words(
        self, interaction: Interaction, language: Language | None = None, time_zone: ZoneArg | None = None
    ) -> None:
        """Choose the language agents speak by default, and the time zone they are shown.

        Args:
            language: Such as English or Deutsch
            time_zone: Such as Europe/Berlin
        """
        managers_only(interaction)
        await self.change_some(interaction, {"language": language, "time_zone": time_zone})

    @app_commands.command()
    async def moderation(
        self, interaction: Interaction, words: Words | None = None, model: ModerationModel | None = None
    ) -> None:
        """Choose what agents may not say unasked: it waits for Approve or Discard.

        Args:
            words: Words or phrases with commas between them, or none
            model: Asked about every message, such as omni-moderation-latest, or none
        """
        managers_only(interaction)
        chosen: dict[str, Json] = {"held_words": None, "moderation_model": None}
        if words is not None:
            chosen["held_words"] = [one for word in words.split(",") if (one := word.strip()) not in ("", "none")]
        if model is not None:
            chosen["moderation_model"] = await self.judge(interaction, model)
        await self.change_some(interaction, chosen)

    async def judge(self, interaction: Interaction, model: str) -> str:
        """Give a moderation model that answers, empty for none: what nobody can judge would never be posted."""
        if model == "none":
            return ""
        ASKED.take(interaction, interaction.user.id)
        await wait(interaction)
        await self.desk.providers.try_moderation(guild_of(interaction), person(interaction), model)
        return model

    @app_commands.command()
    async def options(
        self, interaction: Interaction, setting: OptionArg | None = None, value: OptionValueArg | None = None
    ) -> None:
        """List every setting of this server, show one, or change it.

        Args:
            setting: Which one; all when left out
            value: What it is to be; default puts it back
        """
        managers_only(interaction)
        await wait(interaction)
        _, config = await self.desk.community.settings(guild_of(interaction))
        if setting is None:
            lines = option_lines(config, self.desk.community.defaults)
            await self.list_out(interaction, SETTINGS, lines, empty=NO_SETTING)
        elif value is None:
            await self.say(interaction, option_line(config, self.desk.community.defaults, setting))
        else:
            changed = {setting: there(interaction, setting, read_option(config, setting, value))}
            await self.change(interaction, **changed)

    async def change_some(self, interaction: Interaction, given: Mapping[str, Json]) -> None:
        """Set what was given, by setting in the order of the command's options; where nothing was, tell how it is."""
        if values := {name: value for name, value in given.items() if value is not None}:
            await self.change(interaction, **values)
            return
        await wait(interaction)
        _, config = await self.desk.community.settings(guild_of(interaction))
        command = interaction.command
        assert isinstance(command, app_commands.Command)  # noqa: S101 - no menu of a message comes here
        asked = zip(command.parameters, given, strict=True)
        locale = interaction.locale.value
        lines = [
            Sentence.joined(
                f"- `{translation(locale, one.display_name, OPTION) or one.display_name}`: ",
                f"{named_option(config, name)} (",
                Sentence(str(one.description)),
                ")",
            )
            for one, name in asked
        ]
        how = Sentence(
            "Give `/{command}` what is to change; `/setup options` with `{default}` puts it back.",
            command=command_path(command.qualified_name, locale),
            default=DEFAULT,
        )
        await self.say(interaction, stacked(Sentence("**As it is now**"), *lines, how))

    async def change(self, interaction: Interaction, **values: Json) -> None:
        """Set what was given and say so."""
        await wait(interaction)
        await self.desk.community.configure(guild_of(interaction), person(interaction), **values)
        if "architect_role_id" in values:
            self.client.people.name_architects(guild_of(interaction), values["architect_role_id"])
            await self.client.offer_commands(interaction.guild)
        names = ", ".join(name.removesuffix("_id").replace("_", " ") for name in values)
        await self.say(interaction, Sentence("Set: {names}. `/setup start` shows what is left to do.", names=names))
