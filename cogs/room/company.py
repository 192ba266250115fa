"""Who is in a room, what it is, and silence in it."""

import discord
from discord import app_commands

from bot.core.actions import Compact, Hush, Invite, Remove
from bot.core.errors import NotFound
from bot.core.wording import counted
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, may_read
from cogs.ui.again import Again
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.rooms import member_lines, room_card, summary_lines
from cogs.ui.texts import label

Minutes = app_commands.Range[int, 0, 1_440]
MOST_CLEARED = 100  # what Discord deletes at once
Count = app_commands.Range[int, 1, MOST_CLEARED]


class Company(Group):
    """Commands on who is there and what is said."""

    @app_commands.command(extras=FOR_EVERYONE)
    async def info(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Show a room: topic, access, pace, members and what waits at its door.

        Args:
            room: Which room; this one when left out
        """
        owner = await self.room(interaction, room)
        view = await self.desk.view(guild_of(interaction), owner.id)
        self.check_sees(interaction, view.all_rooms[owner.id].channel_id)
        await self.say(interaction, embed=room_card(view, owner.id, self.desk.now()))

    @app_commands.command(extras=FOR_EVERYONE)
    async def members(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """List the agents that read and write a room.

        Args:
            room: Which room; this one when left out
        """
        owner = await self.room(interaction, room)
        view = await self.desk.view(guild_of(interaction), owner.id)
        self.check_sees(interaction, view.all_rooms[owner.id].channel_id)
        sight = await self.sight(interaction)
        view, looks = sight.of(view), await self.looks(interaction, sight)
        lines = member_lines(view, owner.id, looks, self.desk.now())
        await self.list_out(interaction, f"**In {label(owner.name)}'s room**", lines, empty="Nobody is in it.")

    @app_commands.command(name="scheduled")
    async def later(self, interaction: Interaction, room: AgentArg | None = None, cancel: int | None = None) -> None:
        """List what agents will say in a room later, with buttons that take it back.

        Args:
            room: Which room; this one when left out
            cancel: The number of one to take back
        """
        owner = await self.room(interaction, room)
        again = Again("room scheduled", (f"room={owner.id}",))
        await self.scheduled(interaction, None, owner, again, cancel)

    @app_commands.command()
    async def invite(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """Make an agent a member of a room, without a key.

        Args:
            agent: Whom to invite
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, Invite(agent_id=agent.id), subject=owner.id)

    @app_commands.command()
    async def remove(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """Take an agent out of a room; for people see /access revoke.

        Args:
            agent: Whom to take out
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, Remove(agent_id=agent.id), subject=owner.id)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(5, 60.0)
    async def hush(
        self, interaction: Interaction, minutes: Minutes | None = None, room: AgentArg | None = None
    ) -> None:
        """Silence the agents in a room for some minutes; 0 lets them speak again.

        Args:
            minutes: For how long; the server's own time when left out
            room: Which room; this one when left out
        """
        owner = await self.room(interaction, room)
        view = await self.desk.view(guild_of(interaction))
        self.check_sees(interaction, view.all_rooms[owner.id].channel_id)
        await self.act(interaction, Hush(minutes=minutes), subject=owner.id)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(5, 20.0)
    async def summaries(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Read the summaries of what was said in a room, the newest first.

        Args:
            room: Which room; this one when left out
        """
        owner = await self.room(interaction, room)
        view = await self.desk.view(guild_of(interaction))
        self.check_sees(interaction, view.all_rooms[owner.id].channel_id)
        found = await self.desk.summaries(guild_of(interaction), owner.id)
        lines = [line for one in reversed(found) for line in summary_lines(one)]
        await self.list_out(
            interaction, f"**{label(owner.name)}'s room in short**", lines, empty="There is no summary yet."
        )

    @app_commands.command()
    async def summarise(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Have what was said in a room since the last summary summed up now.

        Args:
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, Compact(room_id=owner.id), subject=owner.id)

    @app_commands.command()
    async def clear(self, interaction: Interaction, messages: Count, room: AgentArg | None = None) -> None:
        """Delete the newest messages of a room, on Discord and from every memory; asks before it does.

        Args:
            messages: How many, 100 at most
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        newest = counted(messages, "message") if messages > 1 else "message"
        asked = f"Delete the newest {newest} in {owner.name}'s room? That cannot be undone."
        if await self.sure(interaction, asked, f"Delete {messages}", room=owner.id):
            channel_id = (await self.desk.view(guild_of(interaction))).all_rooms[owner.id].channel_id
            await self.say(interaction, await self.cleared(interaction, channel_id, messages))

    async def cleared(self, interaction: Interaction, channel_id: int | None, messages: int) -> str:
        """Delete messages on Discord: that they go from every memory follows. Gives a sentence."""
        managers_only(interaction)
        channel = interaction.guild.get_channel(channel_id) if interaction.guild and channel_id else None
        if not isinstance(channel, discord.TextChannel):
            raise NotFound("This room has no channel: it is not there any more.")
        before = interaction.message  # the question: what was said since is not what was asked about
        found = await channel.purge(limit=messages, check=lambda message: not message.pinned, before=before)
        return f"Deleted: {counted(len(found), 'message')}."

    def check_sees(self, interaction: Interaction, channel_id: int | None) -> None:
        """Raise NotFound when the room is private and not for whom asked."""
        if not may_read(interaction, channel_id):
            raise NotFound("There is no such room, or it is private: ask for access with /access request.")
