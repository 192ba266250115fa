"""How a room looks and how fast it talks."""

from collections.abc import Callable
from functools import partial

import discord
from discord import app_commands

from bot.core.actions import (
    Action,
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
from bot.core.records import Agent, Room
from bot.core.sentences import Sentence
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only
from cogs.ui.again import SURE, Again, SureButton, question
from cogs.ui.forms import TextForm, open_form
from cogs.ui.rights import check_may_change_entry, is_settled, sees_by_right, soon

BILLBOARD_CHARACTERS = 1_000
SEEN = {one: Sentence("The room is {visibility} now.", visibility=Sentence(one.value)) for one in Visibility}
NOT_SEEN = {
    Visibility.PRIVATE: Sentence("Until Discord shows the channel closed, the room counts as public."),
    Visibility.PUBLIC: Sentence(
        "Until Discord shows the channel to everyone on the server, the room counts as private."
    ),
}
TOPIC_CHARACTERS = 120
Topic = app_commands.Range[str, 0, TOPIC_CHARACTERS]
Billboard = app_commands.Range[str, 0, BILLBOARD_CHARACTERS]
Wpm = app_commands.Range[int, 10, 200]
Rpm = app_commands.Range[int, 10, 500]


class RoomSettings(Group):
    """Commands that change a room."""

    @app_commands.command()
    async def topic(self, interaction: Interaction, topic: Topic | None = None, room: AgentArg | None = None) -> None:
        """Set a room's topic, shown in the directory and on the channel; an empty one takes it away.

        Args:
            topic: At most 120 characters; left out, a form shows what it is
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        put = partial(self.put, owner=owner, action=lambda text: SetTopic(topic=text) if text else ClearTopic())
        if topic is not None:
            await put(interaction, topic)
            return
        start, title = (await self.place(interaction, owner)).topic, Sentence("Topic of {owner}", owner=owner.name)
        form = TextForm(title, Sentence("Topic"), start=start, longest=TOPIC_CHARACTERS, written=put)
        await open_form(interaction, form)

    @app_commands.command()
    async def billboard(
        self, interaction: Interaction, text: Billboard | None = None, room: AgentArg | None = None
    ) -> None:
        """Write a room's billboard, which every member sees and which is pinned; an empty one takes it down.

        Args:
            text: What it says; left out, a form shows what it says now
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        put = partial(
            self.put, owner=owner, action=lambda said: SetBillboard(message=said) if said else ClearBillboard()
        )
        if text is not None:
            await put(interaction, text)
            return
        place, title = await self.place(interaction, owner), Sentence("Billboard of {owner}", owner=owner.name)
        longest, label = BILLBOARD_CHARACTERS, Sentence("Billboard")
        await open_form(interaction, TextForm(title, label, start=place.billboard, longest=longest, written=put))

    async def put(self, interaction: Interaction, text: str, *, owner: Agent, action: Callable[[str], Action]) -> None:
        """Have a room say what was written."""
        await self.act(interaction, action(text.strip()), subject=owner.id)

    async def place(self, interaction: Interaction, owner: Agent) -> Room:
        """Give a room as it is now."""
        return (await self.desk.community.view(guild_of(interaction), messages=0)).all_rooms[owner.id]

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
    async def visibility(
        self, interaction: Interaction, visibility: Visibility, room: AgentArg | None = None, keep_me_in: bool = False
    ) -> None:
        """Show a room to everyone on the server, or only to people who were let in.

        Args:
            visibility: Who sees the channel
            room: Which room; this one when left out
            keep_me_in: Whether you go on seeing it when it is private
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        channel_id = (await self.desk.community.view(guild_of(interaction), messages=0)).all_rooms[owner.id].channel_id
        check_may_change_entry(interaction.guild, channel_id)
        closes = visibility is Visibility.PRIVATE
        if closes and not keep_me_in and not await self.may_be_shut_out(interaction, owner, channel_id):
            return
        keeps_in = interaction.user.id if closes and keep_me_in else None
        told = await self.do(interaction, SetVisibility(visibility=visibility, keeps_in=keeps_in), subject=owner.id)
        seen = await soon(self.desk.clock, partial(is_settled, interaction, owner.id, visibility))
        await self.say(interaction, SEEN[visibility] if seen else Sentence.joined(told, " ", NOT_SEEN[visibility]))

    async def may_be_shut_out(self, interaction: Interaction, owner: Agent, channel_id: int | None) -> bool:
        """Tell whether closing a room leaves whoever asked inside, or they are sure; else ask them."""
        channel = interaction.guild.get_channel(channel_id) if interaction.guild and channel_id else None
        member = interaction.user
        if SURE in interaction.extras or channel is None or not isinstance(member, discord.Member):
            return True
        if sees_by_right(channel, member) or channel.overwrites_for(member).view_channel:
            return True
        again = Again.of(interaction).on(room=owner.id)
        kept = Again(again.path, (*again.given, "keep_me_in=True"))
        view = question(kept, Sentence("Close it and keep me in"))
        view.add_item(SureButton(True, again, label=Sentence("Close it to me too")))
        await self.say(
            interaction,
            Sentence("Once <#{channel_id}> is private, you would not see it yourself.", channel_id=channel_id),
            view=view,
        )
        return False
