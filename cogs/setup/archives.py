"""The whole community as a file, for managers who may read all of it, and such a file into an empty one."""

import io

import discord
from discord import app_commands

from bot.core.errors import Rejected
from bot.core.keeping import ArchiveContents
from bot.core.kinds import LetterKind
from bot.core.sentences import Sentence, stacked
from bot.core.wording import counted
from cogs.base import Group, Interaction, guild_of, managers_only, may_read_thread, person, wait
from cogs.ui.again import SURE, Again, question
from cogs.ui.rights import hindrances

EVERY_CHANNEL = Sentence(
    "Only the server's owner and administrators can do that, who see every channel: "
    "such a file says which channels agents live in and read."
)
NOT_ALL = Sentence(
    "The file holds all that is kept, and of a private thread that you may not read "
    "too. Have somebody let you into it or give you Manage Threads, or ask the owner "
    "or an administrator."
)
HANDED = Sentence(
    "This is all that Selfroom keeps of this server: agents, rooms, what was said and "
    "what agents know, private rooms and people's names too, so keep it safe. No key "
    "is in it that opens anything. `/setup import` takes it in, on a server where no "
    "agent was made yet."
)
MOVE_IN = Sentence("Let them move in")
MOST_BYTES = 25_000_000
ASKED = Sentence("Let them move in? Settings that were made here give way to theirs.")
NOW = Sentence(
    "They are here now. Rooms that lay in another server get channels here in a "
    "moment; what was said in private threads there stayed behind, and keys have to be "
    "made anew."
)


class Archives(Group):
    """Commands with the community as a whole."""

    @app_commands.command()
    @app_commands.checks.cooldown(3, 300.0)
    async def export(self, interaction: Interaction) -> None:
        """Give you the whole community as a file, if you may read its private threads too."""
        guild, member = managed(interaction)
        await wait(interaction)
        if not sees_all(guild, member):
            await self.reads_threads(interaction)
        data, held = await self.desk.community.pack(
            guild_of(interaction), person(interaction), most_bytes=most_bytes(guild)
        )
        file = archive_file(f"selfroom-{interaction.created_at:%Y-%m-%d}.zip", data)
        await self.say(interaction, stacked(worded(held), HANDED), files=[file])

    async def reads_threads(self, interaction: Interaction) -> None:
        """Raise Rejected where a private thread is kept that the manager may not read now; rooms are a manager's."""
        for thread_id in await self.desk.community.private_threads(guild_of(interaction)):
            if not await may_read_thread(interaction, thread_id):
                raise Rejected(NOT_ALL)

    @app_commands.command(name="import")
    @app_commands.checks.cooldown(5, 300.0)
    async def import_(self, interaction: Interaction, archive: discord.Attachment | None = None) -> None:
        """Let a community move in from a file, where no agent was made yet; asks before it does.

        Args:
            archive: A file of /setup export
        """
        guild = all_seeing(interaction)
        await wait(interaction)
        given = chosen(interaction, archive, most_bytes(guild))
        data, guild_id, who = await given.read(), guild_of(interaction), person(interaction)
        if SURE in interaction.extras:
            held = await self.desk.community.unpack(guild_id, who, data)
            await self.say(interaction, stacked(worded(held), NOW + await self.lacked(interaction, guild)))
            return
        asked = stacked(worded(await self.desk.community.look_into(guild_id, who, data)), ASKED)
        file = archive_file(given.filename, data)  # so that it is there when the answer comes, whenever that is
        await self.say(interaction, asked, files=[file], view=question(Again("setup import"), MOVE_IN))

    async def lacked(self, interaction: Interaction, guild: discord.Guild) -> str:
        """Word which rights are missing for the channels that are still to be made; empty when none is."""
        view = await self.desk.community.view(guild_of(interaction), messages=0)
        homeless = [room.id for room in view.all_rooms.values() if room.channel_id is None and room.thread_of is None]
        return hindrances(guild, view, [(id_, LetterKind.CHANNEL) for id_ in homeless])


def chosen(interaction: Interaction, archive: discord.Attachment | None, most: int) -> discord.Attachment:
    """Give the file that was given, or that stands with the question which is answered now; raises Rejected."""
    asked_about = interaction.message.attachments if SURE in interaction.extras and interaction.message else []
    given = archive or next(iter(asked_about), None)
    if given is None:
        raise Rejected(Sentence("Give the file that /setup export gave you."))
    if given.size > most:
        raise Rejected(Sentence("That file is too large: I can take {megabytes:,.0f} MB here.", megabytes=most / 1e6))
    return given


def most_bytes(guild: discord.Guild) -> int:
    """Give how large an archive may be: Discord lets a boosted server send more than is to be held in memory."""
    return min(guild.filesize_limit, MOST_BYTES)


def all_seeing(interaction: Interaction) -> discord.Guild:
    """Give the server; refuse anyone from whom one of its channels could be hidden."""
    guild, member = managed(interaction)
    if not sees_all(guild, member):
        raise Rejected(EVERY_CHANNEL)
    return guild


def managed(interaction: Interaction) -> tuple[discord.Guild, discord.Member]:
    """Give the server and its manager who asks; refuse all others."""
    managers_only(interaction)
    guild, member = interaction.guild, interaction.user
    if guild is None or not isinstance(member, discord.Member):
        raise Rejected(Sentence("This works in a server only: use it in a channel there."))
    return guild, member


def sees_all(guild: discord.Guild, member: discord.Member) -> bool:
    """Tell whether no channel can be hidden from somebody."""
    return member.id == guild.owner_id or member.guild_permissions.administrator


def worded(held: ArchiveContents) -> str:
    """Word what an archive holds."""
    agents, messages = counted(held.agents, "agent"), counted(held.messages, "message")
    what = Sentence("**{agents}** with {messages}.", agents=agents, messages=messages)
    return (
        Sentence("{what} To be set again: {names}.", what=what, names=", ".join(held.left_out))
        if held.left_out
        else what
    )


def archive_file(name: str, data: bytes) -> discord.File:
    """Give an archive as a file of an answer."""
    return discord.File(io.BytesIO(data), filename=name)
