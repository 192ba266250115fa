"""`/plan`: what agents are after (managers)."""

from discord import app_commands

from bot.core.actions import ClearPlan, SetPlan, UndoPlan
from bot.core.kinds import MindPart
from bot.core.plan import PlanPart, as_lines, as_value
from bot.core.sentences import Sentence
from bot.core.wording import honest
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only
from cogs.ui.forms import TextForm, open_form
from cogs.ui.minds import Entry, entry_line, section_lines
from cogs.ui.texts import label

LAST_CHANGES = 10
LONGEST = 4_000  # ten milestones fit


class PlanCog(Group, group_name="plan", group_description="What agents are after (managers)"):
    """Commands on plans."""

    @app_commands.command()
    async def show(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """Show what an agent is after, and how its plan changed last.

        Args:
            agent: Whose plan
            room: A private room, for what it keeps beside that room alone
        """
        managers_only(interaction)
        mind = await self.mind(interaction, agent, room)
        changes = await self.desk.minds.journal(
            guild_of(interaction), agent.id, MindPart.PLAN, side=mind.side, limit=LAST_CHANGES
        )
        lines = [honest(line) for line in section_lines(as_value(mind.focus.plan))]
        lines += [Sentence("__last changes__"), *map(entry_line, changes)] if changes else []
        title = Sentence("**Plan of {agent}**", agent=label(agent.name))
        await self.list_out(interaction, title, lines, empty=Sentence("{agent} has no plan.", agent=agent.name))

    @app_commands.command()
    async def set(
        self, interaction: Interaction, agent: AgentArg, part: PlanPart, room: AgentArg | None = None
    ) -> None:
        """Write a part of an agent's plan, one item per line: [x] is done, [>] is the current goal.

        Args:
            agent: Whose plan
            part: Which part of it
            room: A private room, for what it keeps beside that room alone
        """
        managers_only(interaction)
        mind = await self.mind(interaction, agent, room)

        async def written(pressed: Interaction, text: str) -> None:
            lines = tuple(line for line in text.splitlines() if line.strip())
            await self.act(pressed, SetPlan(part=part, lines=lines), subject=agent.id, side=mind.side)

        start = "\n".join(as_lines(mind.focus.plan, part))
        form = TextForm(
            Sentence("Plan of {agent}", agent=agent.name), part, start=start, longest=LONGEST, written=written
        )
        await open_form(interaction, form)

    @app_commands.command()
    async def clear(
        self,
        interaction: Interaction,
        agent: AgentArg,
        part: PlanPart | None = None,
        room: AgentArg | None = None,
    ) -> None:
        """Clear an agent's plan, or one part of it.

        Args:
            agent: Whose plan
            part: Which part; all when left out
            room: A private room, for what it keeps beside that room alone
        """
        await self.act_on_mind(interaction, agent, room, ClearPlan(part=part))

    @app_commands.command()
    async def undo(
        self, interaction: Interaction, agent: AgentArg, change: Entry | None = None, room: AgentArg | None = None
    ) -> None:
        """Undo a change of an agent's plan.

        Args:
            agent: Whose plan
            change: Its number in /plan show; the newest when left out
            room: A private room, for what it keeps beside that room alone
        """
        await self.act_on_mind(interaction, agent, room, UndoPlan(entry_id=change))
