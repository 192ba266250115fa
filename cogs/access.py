"""`/access`: knocking at rooms, and deciding who comes in."""

from functools import partial

import discord
from discord import app_commands

from bot.core.actions import Remove, RequestAccess
from bot.core.errors import Rejected
from bot.core.records import Agent
from bot.core.sentences import Sentence, stacked
from cogs.arguments import AgentArg, RequestArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.deciding import HeldButton, KnockButton, held_line, held_view, knock_line, knock_view
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.rights import check_may_change_entry, sees_by_right, soon, told

Secret = app_commands.Range[str, 1, 64]


class AccessCog(Group, group_name="access", group_description="Ask to come into rooms, and decide who may"):
    """Commands on doors."""

    async def cog_load(self) -> None:
        """Know the buttons that were sent before the last start."""
        self.client.add_dynamic_items(KnockButton, HeldButton)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(5, 30.0)
    async def request(self, interaction: Interaction, room: AgentArg, key: Secret) -> None:
        """Knock at a room with its key; the owner or a manager decides, and you are told.

        Args:
            room: Where you want to come in
            key: The key that you were given
        """
        await self.act(interaction, RequestAccess(room_id=room.id, key=key))

    @app_commands.command()
    async def pending(self, interaction: Interaction) -> None:
        """List who waits to be let in, with buttons to decide.

        The buttons work after a restart, too.
        """
        managers_only(interaction)
        await wait(interaction)
        knocks = await self.desk.doors.knocks(guild_of(interaction))
        if not knocks:
            await self.say(interaction, Sentence("Nobody waits at a door."))
            return
        view = await self.desk.community.view(guild_of(interaction))
        await self.say(interaction, stacked(*(knock_line(one, view) for one in knocks[:10])), view=knock_view(knocks))

    @app_commands.command()
    async def held(self, interaction: Interaction) -> None:
        """List what agents wanted to say and moderation holds back, with buttons to decide."""
        managers_only(interaction)
        await wait(interaction)
        held = await self.desk.held.waiting(guild_of(interaction))
        if not held:
            await self.say(interaction, Sentence("Nothing is held back."))
            return
        view = await self.desk.community.view(guild_of(interaction), messages=0)
        await self.say(interaction, stacked(*(held_line(*one, view) for one in held[:10])), view=held_view(held))

    @app_commands.command()
    async def grant(self, interaction: Interaction, request: RequestArg) -> None:
        """Let a request in.

        Args:
            request: Its number
        """
        await self.decide(interaction, request, grant=True)

    @app_commands.command()
    async def deny(self, interaction: Interaction, request: RequestArg) -> None:
        """Turn a request away.

        Args:
            request: Its number
        """
        await self.decide(interaction, request, grant=False)

    async def decide(self, interaction: Interaction, request: int, *, grant: bool) -> None:
        """Let a request in, or turn it away."""
        managers_only(interaction)
        await wait(interaction)
        outcome = await self.desk.doors.decide(guild_of(interaction), person(interaction), request, grant=grant)
        await self.say(interaction, await told(interaction, outcome))

    @app_commands.command()
    async def revoke(
        self,
        interaction: Interaction,
        room: AgentArg,
        agent: AgentArg | None = None,
        member: discord.Member | None = None,
    ) -> None:
        """Take access to a room away again.

        Args:
            room: Which room
            agent: An agent that is a member
            member: A person, where the room is private
        """
        managers_only(interaction)
        if member is not None and agent is None:
            await self.check_shuts_out(interaction, room, member)
        action = Remove(agent_id=agent.id if agent else None, person_id=member.id if member else None)
        done = await self.do(interaction, action, subject=room.id)
        if member is not None and agent is None:
            seen = await soon(self.desk.clock, partial(self.is_shut_out, interaction, room, member))
            done = shut_out(member) if seen else still_sees(member)
        await self.say(interaction, done)

    async def is_shut_out(self, interaction: Interaction, room: Agent, member: discord.Member) -> bool:
        """Tell whether Discord shows a room to somebody no longer."""
        channel_id = (await self.desk.community.view(guild_of(interaction), messages=0)).all_rooms[room.id].channel_id
        channel = interaction.guild.get_channel(channel_id) if interaction.guild and channel_id else None
        return channel is None or not channel.permissions_for(member).view_channel

    async def check_shuts_out(self, interaction: Interaction, room: Agent, member: discord.Member) -> None:
        """Raise Rejected where taking a person's access away would not keep them out."""
        channel_id = (await self.desk.community.view(guild_of(interaction), messages=0)).all_rooms[room.id].channel_id
        check_may_change_entry(interaction.guild, channel_id)
        channel = interaction.guild.get_channel(channel_id) if interaction.guild and channel_id else None
        if channel is not None and (why := sees_by_right(channel, member)):
            raise Rejected(
                Sentence(
                    "Nothing has changed: {member} {why}, so Discord shows them the room anyway.",
                    member=member.display_name,
                    why=why,
                )
            )


def shut_out(member: discord.Member) -> Sentence:
    """Word that somebody's access to a room is over."""
    return Sentence("{member} does not see the room any more.", member=member.display_name)


def still_sees(member: discord.Member) -> Sentence:
    """Word that it is not over yet."""
    return Sentence(
        "{member} still sees the room: taking that away waits for Discord, and is tried again and again.",
        member=member.display_name,
    )
