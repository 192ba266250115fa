"""Agents as they live: shown, woken, put to sleep, paused, retired."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Literal

from discord import app_commands

from bot.core.actions import (
    DeleteAgent,
    Pause,
    PermitAgent,
    RestoreAgent,
    Resume,
    RetireAgent,
    Say,
    ScheduleMessage,
    Sleep,
    WakeAgent,
)
from bot.core.errors import Rejected
from bot.core.kinds import LetterKind
from bot.core.records import Agent, AgentId, Beat
from bot.core.sentences import Sentence
from bot.core.view import Outline
from bot.core.wording import counted
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.again import Again
from cogs.ui.cards import EVERYONE_PAUSED, Shown, agent_card, agent_list, architect_line
from cogs.ui.charts import attention_rows
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.pictures import chart
from cogs.ui.rights import AS_SOON_AS, check_removable, left_open, soon
from cogs.ui.texts import label

WEEK_MINUTES = 7 * 24 * 60
Minutes = app_commands.Range[int, 1, WEEK_MINUTES]
Text = app_commands.Range[str, 1, 2000]
Why = app_commands.Range[str, 0, 200]


class Living(Group):
    """Commands on agents that are there."""

    @app_commands.command(name="list", extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def list_(self, interaction: Interaction) -> None:
        """List the agents of this server."""
        sight = await self.sight(interaction)
        view = sight.of(await self.desk.community.view(guild_of(interaction)))
        lines = agent_list(view, await self.looks(interaction, sight), self.desk.clock.now())
        empty = Sentence("Nobody lives here yet: make the first one with `/agent create`.")
        note = EVERYONE_PAUSED if view.community.paused else ""
        whole = [architect_line(), *lines] if lines else lines
        await self.list_out(
            interaction,
            Sentence("**{agents}**{note}", agents=counted(len(lines), "agent"), note=note),
            whole,
            empty=empty,
        )

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def show(self, interaction: Interaction, agent: AgentArg) -> None:
        """Show one agent: what it is, what it does and what it waits for.

        Args:
            agent: Whom to show
        """
        await wait(interaction)
        sight = await self.sight(interaction)
        view = sight.of(await self.desk.community.view(guild_of(interaction), agent.id))
        hidden = agent.id in sight.hidden_agents
        shown = Shown(model=None) if hidden else await self.beside(interaction, agent, view)
        title, rows = Sentence("Attention of {agent}", agent=agent.name), attention_rows(view, agent.id)
        file = await chart("attention", title, rows)
        await self.lay_out(interaction, agent_card(view, agent.id, self.desk.clock.now(), shown, file), [file])

    async def beside(self, interaction: Interaction, agent: Agent, view: Outline) -> Shown:
        """Give what a card tells beside the view."""
        guild_id, insider = guild_of(interaction), person(interaction).is_architect
        beats: Sequence[Beat] = []
        if insider:
            with suppress(Rejected):  # who sits in a closed scene with it sees a card without its last beat
                beats = await self.desk.beats.of(guild_id, agent.id, who=person(interaction).id, limit=1)
        spent = await self.desk.money.spent_today(guild_id)
        return Shown(
            today=spent.by_agent.get(agent.id),
            ever=await self.desk.money.used_ever(guild_id, agent.id),
            model=spent.model,
            feedback=await self.desk.agents.feedback(guild_id, agent.id),
            last=beats[0] if beats else None,
            is_manager=insider,
            face=await self.client.face(guild_id, agent, view.all_rooms[agent.id].channel_id),
            look=(await self.desk.agents.next_beats(guild_id)).get(agent.id),
        )

    @app_commands.command()
    async def wake(self, interaction: Interaction, agent: AgentArg) -> None:
        """Wake an agent now.

        Args:
            agent: Whom to wake
        """
        await self.act(interaction, WakeAgent(agent_id=agent.id))

    @app_commands.command()
    async def sleep(self, interaction: Interaction, agent: AgentArg, minutes: Minutes) -> None:
        """Let an agent sleep for some minutes.

        Args:
            agent: Who is to sleep
            minutes: For how long
        """
        until = self.desk.clock.now() + timedelta(minutes=minutes)
        await self.act(interaction, Sleep(until=until), subject=agent.id)

    @app_commands.command()
    async def pause(self, interaction: Interaction, agent: AgentArg, reason: Why = "") -> None:
        """Pause an agent: it has no beats until it is resumed.

        Args:
            agent: Whom to pause
            reason: Why, for others to see
        """
        await self.act(interaction, Pause(reason=reason or None), subject=agent.id)

    @app_commands.command()
    async def resume(self, interaction: Interaction, agent: AgentArg) -> None:
        """Let a paused agent go on.

        Args:
            agent: Who may go on
        """
        await self.act(interaction, Resume(), subject=agent.id)

    @app_commands.command(name="say")
    async def say_as(
        self,
        interaction: Interaction,
        agent: AgentArg,
        message: Text,
        room: AgentArg | None = None,
        minutes: Minutes | None = None,
    ) -> None:
        """Say something as an agent, in its own room or in another that it is in, now or later.

        Args:
            agent: Who is to say it
            message: What it says
            room: Where; its own room when left out
            minutes: In how many minutes; at once when left out
        """
        room_id = (room or agent).id
        if minutes is None:
            said = await self.do(interaction, Say(message=message, room_id=room_id), subject=agent.id)
            why = "" if AS_SOON_AS in said else await self.unposted(interaction, agent, room_id, message)
            await self.say(interaction, said + why)
            return
        at = self.desk.clock.now() + timedelta(minutes=minutes)
        await self.act(interaction, ScheduleMessage(room_id=room_id, message=message, at=at), subject=agent.id)

    async def unposted(self, interaction: Interaction, agent: Agent, room_id: AgentId, message: str) -> str:
        """Word why what an agent says is not posted yet; empty when it is."""
        guild_id = guild_of(interaction)

        async def is_posted() -> bool:
            return not (await self.desk.community.view(guild_id, room_id, messages=0)).own_words(agent.id, room_id)

        if await soon(self.desk.clock, is_posted):
            held = await self.desk.held.waiting(guild_id)
            is_held = any(letter.room_id == room_id and words == message for letter, words in held)
            return Sentence(" Moderation holds it back: `/access held` has buttons to decide.") if is_held else ""
        view = await self.desk.community.view(guild_id, room_id, messages=0)
        waiting = counted(sum(one.kind is LetterKind.POST for one in view.unposted.get(room_id, ())), "message")
        pace = counted(view.all_rooms[room_id].rpm, "message")
        return Sentence(
            " It is not there yet: {waiting} waiting to be posted, and the room takes {pace} a minute.",
            waiting=waiting,
            pace=pace,
        )

    @app_commands.command(name="scheduled")
    async def later(self, interaction: Interaction, agent: AgentArg, cancel: int | None = None) -> None:
        """List what an agent will say later, with buttons that take it back.

        Args:
            agent: Whose messages
            cancel: The number of one to take back
        """
        again = Again("agent scheduled", (f"agent={agent.id}",))
        await self.scheduled(interaction, agent, None, again, cancel)

    @app_commands.command()
    async def permit(self, interaction: Interaction, agent: AgentArg, allowed: bool = True) -> None:
        """Let an agent create and change other agents, or no longer.

        Args:
            agent: Who may, or may not
            allowed: Whether it may
        """
        await self.act(interaction, PermitAgent(agent_id=agent.id, allowed=allowed))

    @app_commands.command()
    async def retire(self, interaction: Interaction, agent: AgentArg) -> None:
        """Retire an agent: its room becomes read-only, its history stays, and it can be restored.

        Args:
            agent: Whom to retire
        """
        await self.act(interaction, RetireAgent(agent_id=agent.id))

    @app_commands.command()
    async def restore(self, interaction: Interaction, agent: AgentArg) -> None:
        """Bring a retired agent back.

        Args:
            agent: Whom to bring back
        """
        await self.act(interaction, RestoreAgent(agent_id=agent.id))

    @app_commands.command()
    async def delete(
        self, interaction: Interaction, agent: AgentArg, channel: Literal["keep", "remove"] = "keep"
    ) -> None:
        """Delete an agent for good, with its room's memory; asks before it does.

        Args:
            agent: Whom to delete
            channel: Whether its channel stays, read-only, or goes too
        """
        managers_only(interaction)
        channel_id = (await self.desk.community.view(guild_of(interaction), messages=0)).all_rooms[agent.id].channel_id
        keeps = channel == "keep"
        lacked = left_open(interaction.guild, channel_id) if keeps else check_removable(interaction.guild, channel_id)
        if await self.sure(
            interaction, asked(agent, channel), Sentence("Delete {agent}", agent=agent.name), agent=agent.id
        ):
            done = await self.do(interaction, DeleteAgent(agent_id=agent.id, channel=channel))
            await self.say(interaction, done + lacked)


def asked(agent: Agent, channel: str) -> Sentence:
    """Word the question before an agent is deleted."""
    gone = Sentence(
        "Delete **{agent}** for good? What was said in its room is forgotten. `/agent retire` keeps it.",
        agent=label(agent.name),
    )
    return gone + Sentence(" Its channel is deleted too.") if channel == "remove" else gone
