"""`/hud`: look into an agent's head, as managers may."""

from discord import app_commands

from bot.core.actions import AlterAgent
from bot.core.actions.fields import LARGEST_ID
from bot.core.kinds import Detail, InputFormat, OutputFormat
from bot.core.records import Agent
from bot.core.sentences import Sentence, stacked
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, reader, wait
from cogs.ui.beats import beat_file, beat_line, beat_summary, section_lines
from cogs.ui.files import text_file
from cogs.ui.texts import label

NO_BEAT = Sentence("It has not beaten yet.")
Number = app_commands.Range[int, 1, LARGEST_ID]


class HudCog(Group, group_name="hud", group_description="See what an agent saw (managers)"):
    """What agents see."""

    @app_commands.command()
    async def show(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """Show what an agent would see now, and what it saw, answered and cost at its last beat.

        Args:
            agent: Whose head to look into
            room: A private room, for what the agent sees when it is asked there
        """
        managers_only(interaction)
        await wait(interaction)
        guild_id = guild_of(interaction)
        side = await self.desk.minds.side(guild_id, agent, room, who=person(interaction).id)
        seen, sections = await self.desk.minds.hud(guild_id, agent, side)
        beat = await self.desk.beats.last(guild_id, agent.id, who=person(interaction).id, may_read=reader(interaction))
        model = await self.desk.providers.model(guild_id)
        files = [text_file(f"hud-{agent.id}-now.txt", seen), *([beat_file(beat)] if beat else [])]
        rooms = (await self.desk.community.view(guild_id, messages=0)).all_rooms
        last = [Sentence("Last beat:"), beat_summary(beat, model, rooms)] if beat else [NO_BEAT]
        title = Sentence("**What {agent} would see now**", agent=label(agent.name))
        await self.say(interaction, stacked(title, section_lines(sections), "", *last), files=files)

    @app_commands.command()
    async def history(self, interaction: Interaction, agent: AgentArg, beat: Number | None = None) -> None:
        """List an agent's beats: why, what came of each, and what it cost; or show one with its HUD.

        Args:
            agent: Whose beats
            beat: The number of one, for the very HUD and answer
        """
        managers_only(interaction)
        guild_id, may_read = guild_of(interaction), reader(interaction)
        rooms = (await self.desk.community.view(guild_id, messages=0)).all_rooms
        if beat is not None:
            one = await self.desk.beats.one(guild_id, agent.id, beat, who=person(interaction).id, may_read=may_read)
            told = beat_summary(one, await self.desk.providers.model(guild_id), rooms)
            await self.say(interaction, stacked(f"**{label(agent.name)}**", told), files=[beat_file(one)])
            return
        model = await self.desk.providers.model(guild_id)
        beats = await self.desk.beats.of(guild_id, agent.id, who=person(interaction).id, may_read=may_read)
        title, lines = beats_of(agent), [beat_line(one, model, rooms) for one in beats]
        await self.list_out(interaction, title, lines, empty=Sentence("{agent} has not beaten yet.", agent=agent.name))

    @app_commands.command()
    async def format(
        self,
        interaction: Interaction,
        agent: AgentArg,
        input: InputFormat | None = None,
        output: OutputFormat | None = None,
        detail: Detail | None = None,
    ) -> None:
        """Set in which format an agent's HUD is written, in which it answers, and how much it is shown.

        Args:
            agent: Whose format
            input: Of the HUD
            output: Of its answers
            detail: All, or what a weak mind can bear; auto goes by its model
        """
        action = AlterAgent(agent_id=agent.id, input_format=input, output_format=output, detail=detail)
        await self.act(interaction, action)


def beats_of(agent: Agent) -> Sentence:
    """Give the heading of an agent's beats."""
    return Sentence("**Beats of {agent}**", agent=label(agent.name))
