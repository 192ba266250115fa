"""`/audit`, `/search`, `/history` and `/help`: what was changed and said, and what one can do."""

from datetime import timedelta

from discord import app_commands

from bot.core.keeping import AuditEntry
from bot.core.records import Agent, Message, Room
from bot.core.sentences import Sentence
from bot.core.view import Outline
from bot.core.wording import honest
from cogs.arguments import AgentArg
from cogs.base import Cog, Interaction, guild_of, managers_only, may_read, person, reader, wait
from cogs.ui.again import PageButton, RoomSelect, SureButton, UseButton
from cogs.ui.guide import FOR_EVERYONE, MatterSelect, front, help_view
from cogs.ui.texts import label

Query = app_commands.Range[str, 1, 60]  # with the room, it has to fit into a button's id
Part = app_commands.Range[str, 0, 30]  # of what is looked for in the audit: all of it has to fit there, too
LINE_CHARACTERS = 220

NOTHING_FOUND = Sentence("Nothing was found.")


class LookingCog(Cog):
    """Commands that look back."""

    async def cog_load(self) -> None:
        """Know the buttons that were sent before the last start."""
        self.client.add_dynamic_items(PageButton, SureButton, UseButton, RoomSelect, MatterSelect)

    @app_commands.command()
    async def audit(
        self,
        interaction: Interaction,
        by: Part = "",
        agent: AgentArg | None = None,
        words: Part = "",
        days: app_commands.Range[int, 1, 3_650] | None = None,
    ) -> None:
        """List who changed what from what to what, newest first (managers).

        Args:
            by: Only what somebody did: a part of their name
            agent: Only what was done to an agent or its room, or by it
            words: Only where these words stand
            days: Only of so many days
        """
        managers_only(interaction)
        await wait(interaction)
        since = self.desk.clock.now() - timedelta(days=days) if days else None
        guild_id, agent_id = guild_of(interaction), agent.id if agent else None
        entries = await self.desk.community.audit_log(
            guild_id, person(interaction), by=by, agent_id=agent_id, words=words, since=since
        )
        view = await self.desk.community.view(guild_id, messages=0)
        lines = [audit_line(view, one) for one in entries]
        is_all = not (by or agent or words or days)
        empty = Sentence("Nothing has been changed yet.") if is_all else Sentence("Nothing that was changed fits that.")
        await self.list_out(interaction, Sentence("**Who changed what**"), lines, empty=empty)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def search(self, interaction: Interaction, words: Query, room: AgentArg | None = None) -> None:
        """Find what was said, in all rooms that you can read.

        Args:
            words: What to look for
            room: Only in this room
        """
        await wait(interaction)
        guild_id = guild_of(interaction)
        view, threads = await self.desk.community.view(guild_id), await self.desk.rooms.threads(guild_id)
        rooms = [room.id] if room else list(view.all_rooms)
        readable = [id_ for id_ in rooms if may_read(interaction, view.all_rooms[id_].channel_id)]
        found = await self.desk.messages.search(guild_id, words, room_ids=readable, may_read=reader(interaction))
        places = {**view.all_rooms, **threads}
        lines = [message_line(guild_id, view, places[one.room_id], one, text) for one, text in found]
        title = Sentence("**Found for “{words}”**", words=words[:80])
        await self.list_out(interaction, title, lines, empty=NOTHING_FOUND)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def history(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Read a room's messages as its agents have them.

        Args:
            room: Which room; this one when left out
        """
        await wait(interaction)
        guild_id = guild_of(interaction)
        view, place = await self.desk.community.view(guild_id), await self.place(interaction, room)
        if place.thread_of is None and not may_read(interaction, place.channel_id):
            await self.say(interaction, Sentence("You cannot read that room: ask for access with /access request."))
            return
        found = await self.desk.rooms.history(guild_id, place.id)
        lines = [message_line(guild_id, view, place, one, one.content) for one in reversed(found)]
        title = Sentence("**{place}, newest first**", place=place_name(view, place))
        await self.list_out(interaction, title, lines, empty=Sentence("Nobody spoke here yet."))

    async def place(self, interaction: Interaction, room: Agent | None) -> Room:
        """Give the room that was named, else the private thread or the room in which the command is used."""
        guild_id = guild_of(interaction)
        here = interaction.channel_id if room is None else None
        thread = await self.desk.rooms.thread_at(guild_id, here, reader(interaction))
        if thread is not None:
            return thread
        return (await self.desk.community.view(guild_id)).all_rooms[(await self.room(interaction, room)).id]

    @app_commands.command(extras=FOR_EVERYONE)
    async def help(self, interaction: Interaction) -> None:
        """Say what you can do here."""
        commands = self.client.tree.get_commands()
        manages = person(interaction).is_architect
        locale = interaction.locale.value
        view = help_view(commands, manages=manages, locale=locale)
        await self.say(interaction, front(commands, manages=manages, locale=locale), view=view)


def audit_line(view: Outline, entry: AuditEntry) -> str:
    """Word who changed what, and of which agent where the sentence does not begin with it."""
    agent = view.agents.get(entry.agent_id) if entry.agent_id is not None else None
    of = "" if agent is None or agent.name in (entry.by, entry.what[: len(agent.name)]) else f", {agent.name}"
    return f"<t:{int(entry.at.timestamp())}:f> {honest(f'{entry.by}{of}: {entry.what}')}"


def message_line(guild_id: int, view: Outline, place: Room, message: Message, text: str) -> str:
    """Word one message with a link to it."""
    channel_id = message.thread_id or place.channel_id
    sender = message.sender
    agent = view.agents.get(sender.agent_id) if sender.agent_id is not None else None
    name = label(agent.name if agent else sender.shown())
    link = f" [↗](https://discord.com/channels/{guild_id}/{channel_id}/{message.discord_id})"
    files = "".join(f" 📎 {one.name}" for one in message.attachments)
    words = honest(" ".join(f"{text}{files}".split()))[:LINE_CHARACTERS]
    told = Sentence(
        "<t:{at}:f> **{name}** in {room}: {words}",
        at=int(message.sent_at.timestamp()),
        name=name,
        room=room_name(view, place),
        words=words,
    )
    return told + link if message.discord_id else told


def room_name(view: Outline, place: Room) -> str:
    """Name a room, or a private thread in it."""
    name = label(view.agents[place.owner_id].name)
    return (
        name
        if place.thread_of is None
        else Sentence("{name}, private thread {thread}", name=name, thread=label(place.thread_name or ""))
    )


def place_name(view: Outline, place: Room) -> str:
    """Name a room or a private thread in a title."""
    name = room_name(view, place)
    return Sentence("{owner}'s room", owner=name) if place.thread_of is None else name
