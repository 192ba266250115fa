"""`/heartbeat`: how fast agents look around, and whether they do."""

from discord import app_commands

from bot.core.actions import Pause, Resume, SetInterval
from bot.core.kinds import BECAUSE
from bot.core.sentences import Sentence, stacked
from bot.core.wording import counted
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.cards import EVERYONE_PAUSED
from cogs.ui.charts import pace_rows, pace_table
from cogs.ui.guide import FOR_EVERYONE

Seconds = app_commands.Range[float, 1.0, 10.0]


class HeartbeatCog(Group, group_name="heartbeat", group_description="How fast agents look around, and whether they do"):
    """Commands on heartbeats."""

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def status(self, interaction: Interaction, agent: AgentArg | None = None) -> None:
        """Show everyone's pace, last beat and why, when the next can come, and what it waits for.

        Args:
            agent: Only this one, with what it did in the last day
        """
        await wait(interaction)
        guild_id, now = guild_of(interaction), self.desk.clock.now()
        view, sight = await self.desk.community.view(guild_id), await self.sight(interaction)  # rid of scenes' secrets
        wanted = [agent.id] if agent else sorted(id_ for id_, one in view.agents.items() if one.retired_at is None)
        agents, hidden = [sight.of_agent(view.agents[id_]) for id_ in wanted], sight.hidden_agents
        looks = await self.looks(interaction, sight)
        title, rows = Sentence("Heartbeats"), pace_rows(view, agents, looks, now)
        lines = pace_table(view, agents, looks, hidden)
        lines += await self.day_of(interaction, agent.id) if agent and agent.id not in hidden else []
        note = EVERYONE_PAUSED if view.community.paused else ""
        await self.draw_out(interaction, title, rows, lines, note=note)

    async def day_of(self, interaction: Interaction, agent_id: int) -> list[str]:
        """Word what an agent did in the last day."""
        tally = await self.desk.agents.tally(guild_of(interaction), [agent_id])  # type: ignore[list-item]
        kinds = (Sentence.joined(f"- {count} × ", BECAUSE[kind]) for kind, count in tally.beats.items())
        beats, answers = counted(sum(tally.beats.values()), "beat"), counted(tally.answers, "answer")
        calls = counted(tally.calls, "call")
        return [
            stacked(
                Sentence(
                    "In 24 hours: {beats}, {silent} of them silent, {answers}, {calls} of its model.",
                    beats=beats,
                    silent=tally.silent,
                    answers=answers,
                    calls=calls,
                ),
                *kinds,
            )
        ]

    @app_commands.command()
    async def pause(self, interaction: Interaction, agent: AgentArg | None = None) -> None:
        """Pause one agent, or everyone at once: that it asks before it does.

        Args:
            agent: Whom to pause; everyone when left out
        """
        await wait(interaction)
        if agent is not None:
            await self.act(interaction, Pause(), subject=agent.id)
        elif await self.may_pause_all(interaction):
            told = await self.desk.community.pause(guild_of(interaction), person(interaction), paused=True)
            await self.say(interaction, told)

    async def may_pause_all(self, interaction: Interaction) -> bool:
        """Tell whether everyone is to be paused for sure, or is already; else ask, where a manager does."""
        managers_only(interaction)
        view = await self.desk.community.view(guild_of(interaction), messages=0)
        awake = [one for one in view.agents.values() if one.paused_reason is None and one.retired_at is None]
        asked = Sentence(
            "Pause everyone here? {agents} would do nothing, in any room, until /heartbeat resume.",
            agents=counted(len(awake), "agent"),
        )
        return view.community.paused or await self.sure(interaction, asked, Sentence("Pause everyone"))

    @app_commands.command()
    async def resume(self, interaction: Interaction, agent: AgentArg | None = None) -> None:
        """Let one paused agent go on, or everyone.

        Args:
            agent: Who may go on; everyone when left out
        """
        await wait(interaction)
        if agent is not None:
            await self.act(interaction, Resume(), subject=agent.id)
        else:
            told = await self.desk.community.pause(guild_of(interaction), person(interaction), paused=False)
            await self.say(interaction, told)

    @app_commands.command()
    async def interval(
        self, interaction: Interaction, agent: AgentArg, seconds: Seconds | None = None, resting: Seconds | None = None
    ) -> None:
        """Set the seconds between an agent's beats.

        Args:
            agent: Whose pace
            seconds: Between beats now, 1.0 to 10.0
            resting: Towards which it drifts, 1.0 to 10.0
        """
        managers_only(interaction)
        await self.act(interaction, SetInterval(seconds=seconds, resting_seconds=resting), subject=agent.id)
