"""How a room looks and how fast it talks."""

from discord import app_commands

from bot.core.actions import (
    ClearBillboard,
    ClearTopic,
    SetAccess,
    SetBillboard,
    SetRpm,
    SetTopic,
    SetVisibility,
    SetWpm,
)
from bot.core.kinds import Access, Visibility
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only
from cogs.ui.forms import TextForm

BILLBOARD_CHARACTERS = 1_000
Topic = app_commands.Range[str, 0, 120]
Wpm = app_commands.Range[int, 10, 200]
Rpm = app_commands.Range[int, 10, 500]


class RoomSettings(Group):
    """Commands that change a room."""

    @app_commands.command()
    async def topic(self, interaction: Interaction, topic: Topic = "", room: AgentArg | None = None) -> None:
        """Set a room's topic, shown in the directory and on the channel; nothing removes it.

        Args:
            topic: At most 120 characters
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, SetTopic(topic=topic) if topic.strip() else ClearTopic(), subject=owner.id)

    @app_commands.command()
    async def billboard(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Write a room's billboard, which every member sees and which is pinned; an empty one takes it down.

        Args:
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        view = await self.desk.view(guild_of(interaction))

        async def written(pressed: Interaction, text: str) -> None:
            await self.act(pressed, SetBillboard(message=text) if text else ClearBillboard(), subject=owner.id)

        start, title = view.all_rooms[owner.id].billboard, f"Billboard of {owner.name}"
        form = TextForm(title, "Billboard", start=start, longest=BILLBOARD_CHARACTERS, written=written)
        await interaction.response.send_modal(form)

    @app_commands.command()
    async def wpm(self, interaction: Interaction, words: Wpm, room: AgentArg | None = None) -> None:
        """Set the pace of talk in a room.

        Args:
            words: Words a minute, 10 to 200
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, SetWpm(wpm=words), subject=owner.id)

    @app_commands.command()
    async def rpm(self, interaction: Interaction, messages: Rpm, room: AgentArg | None = None) -> None:
        """Set how many messages a minute agents may post in a room.

        Args:
            messages: Messages a minute, 10 to 500
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, SetRpm(rpm=messages), subject=owner.id)

    @app_commands.command()
    async def access(self, interaction: Interaction, access: Access, room: AgentArg | None = None) -> None:
        """Set which agents may join a room: any, those who knock with a key, or none.

        Args:
            access: Who may join
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, SetAccess(access=access), subject=owner.id)

    @app_commands.command()
    async def visibility(self, interaction: Interaction, visibility: Visibility, room: AgentArg | None = None) -> None:
        """Show a room to everyone on the server, or only to people who were let in.

        Args:
            visibility: Who sees the channel
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, SetVisibility(visibility=visibility), subject=owner.id)
