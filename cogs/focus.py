"""`/focus`: what an agent keeps in view, and what new ones start with (managers)."""

from collections.abc import Mapping

from discord import app_commands

from bot.core.actions import HudClear, HudUpdate
from bot.core.actions.mind import FocusSection
from bot.core.focus import TEXT_SECTIONS, as_value
from bot.core.records import Json
from bot.core.sentences import Sentence
from bot.core.wording import honest
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.forms import TextForm, open_form
from cogs.ui.minds import as_text, section_lines
from cogs.ui.texts import label

LONGEST = 2_000
HEADINGS = ("notes", "conventions", "links")
HEADING_CHOICES = [app_commands.Choice(name=each, value=each) for each in HEADINGS]


class FocusCog(Group, group_name="focus", group_description="What agents keep in view (managers)"):
    """Commands on focus."""

    @app_commands.command()
    async def show(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """Show what an agent keeps in view.

        Args:
            agent: Whose focus
            room: A private room, for what it keeps beside that room alone
        """
        managers_only(interaction)
        focus = (await self.mind(interaction, agent, room)).focus
        lines = [honest(line) for line in section_lines(as_value(focus))]
        await self.list_out(
            interaction,
            Sentence("**Focus of {agent}**", agent=label(agent.name)),
            lines,
            empty=Sentence("{agent}'s focus is empty.", agent=agent.name),
        )

    @app_commands.command()
    async def set(
        self, interaction: Interaction, agent: AgentArg, section: FocusSection, room: AgentArg | None = None
    ) -> None:
        """Write one section of an agent's focus, one item per line.

        Args:
            agent: Whose focus
            section: Which section
            room: A private room, for what it keeps beside that room alone
        """
        managers_only(interaction)
        mind = await self.mind(interaction, agent, room)

        async def written(pressed: Interaction, text: str) -> None:
            value: Json = text if section in TEXT_SECTIONS else list[Json](text.splitlines())
            await self.act(pressed, HudUpdate(section=section, value=value), subject=agent.id, side=mind.side)

        start = as_text(as_value(mind.focus)[section])
        form = TextForm(
            Sentence("Focus of {agent}", agent=agent.name), section, start=start, longest=LONGEST, written=written
        )
        await open_form(interaction, form)

    @app_commands.command()
    async def clear(
        self,
        interaction: Interaction,
        agent: AgentArg,
        section: FocusSection | None = None,
        room: AgentArg | None = None,
    ) -> None:
        """Clear an agent's focus, or one section of it.

        Args:
            agent: Whose focus
            section: Which section; all when left out
            room: A private room, for what it keeps beside that room alone
        """
        await self.act_on_mind(interaction, agent, room, HudClear(section=section))

    @app_commands.command()
    @app_commands.choices(heading=HEADING_CHOICES)
    async def defaults(self, interaction: Interaction, heading: str = "notes") -> None:
        """Write what every new agent starts with: notes, conventions or key links, one per line.

        Args:
            heading: Which of them
        """
        managers_only(interaction)
        kept = (await self.desk.community.settings(guild_of(interaction)))[1].focus_defaults

        async def written(pressed: Interaction, text: str) -> None:
            await self.start_with(pressed, {**kept, heading: tuple(text.splitlines())})

        start, title = "\n".join(kept.get(heading, ())), Sentence("What new agents start with")
        form = TextForm(title, heading.title(), start=start, longest=LONGEST, written=written)
        await open_form(interaction, form)

    async def start_with(self, interaction: Interaction, defaults: Mapping[str, tuple[str, ...]]) -> None:
        """Keep what new agents start with."""
        await wait(interaction)
        lines: dict[str, Json] = {
            name: [line.strip() for line in each if line.strip()] for name, each in defaults.items()
        }
        await self.desk.community.configure(guild_of(interaction), person(interaction), focus_defaults=lines)
        await self.say(interaction, Sentence("Kept: new agents start with it."))
