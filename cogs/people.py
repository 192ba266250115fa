"""`/person` (managers) and `/privacy` (everyone)."""

from tempfile import TemporaryFile

import discord
from discord import app_commands

from bot.core.actions import SetIgnored, SetMuted
from bot.core.keeping import Readable
from bot.core.people import why_unheard
from bot.core.sentences import Sentence
from cogs.base import Group, Interaction, guild_of, managers_only, may_read, may_read_thread, person, reader, wait
from cogs.ui.again import Again, question, with_button
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.traces import TraceButton

MOST_THREADS = 50  # asked of Discord one by one; of older ones the file only tells how much there is
EXPORTED = Sentence(
    "This is what you said and did on this server, as Selfroom keeps it, where you may read now. "
    "What others and agents wrote is theirs and not in it."
)
ON_DISCORD = Sentence(
    "What stands on Discord itself, what agents said to you included, is there for you or a manager to delete."
)


class PersonCog(Group, group_name="person", group_description="Whom agents do not listen to (managers)"):
    """Commands on other people."""

    @app_commands.command()
    async def mute(self, interaction: Interaction, person: discord.Member) -> None:
        """Have all agents ignore a person, until a manager lifts it.

        Args:
            person: Whom to ignore
        """
        await self.set_muted(interaction, person, muted=True)

    @app_commands.command()
    async def unmute(self, interaction: Interaction, person: discord.Member) -> None:
        """Have agents listen to a person again.

        Args:
            person: Whom to listen to
        """
        await self.set_muted(interaction, person, muted=False)

    async def set_muted(self, interaction: Interaction, member: discord.Member, *, muted: bool) -> None:
        """Mute somebody, known so far or not, or lift it."""
        managers_only(interaction)
        await wait(interaction)
        await self.desk.privacy.known(guild_of(interaction), self.client.person(member))
        await self.act(interaction, SetMuted(person_id=member.id, muted=muted))


class PrivacyCog(Group, group_name="privacy", group_description="What is kept of you, and what is not"):
    """Commands on oneself."""

    async def cog_load(self) -> None:
        """Know the buttons that were sent before the last start."""
        self.client.add_dynamic_items(TraceButton)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(2, 60.0)
    async def export(self, interaction: Interaction) -> None:
        """Give you what you said and did here, where you may read now, as a file."""
        await wait(interaction)
        where, may_read_thread = await self.readable(interaction), reader(interaction)
        with TemporaryFile() as file:  # it may be all of a talkative year
            await self.desk.privacy.write_down(
                guild_of(interaction),
                person(interaction),
                where,
                lambda text: file.write(text.encode()),
                may_read=may_read_thread,
            )
            file.seek(0)
            await self.say(interaction, EXPORTED, files=[discord.File(file, filename="about-you.json")])

    async def readable(self, interaction: Interaction) -> Readable:
        """Give the rooms that the person may read now, and the threads in which they took part."""
        view = await self.desk.community.view(guild_of(interaction), messages=0)
        rooms = [id_ for id_, room in view.all_rooms.items() if may_read(interaction, room.channel_id)]
        threads = await self.desk.privacy.threads(guild_of(interaction), person(interaction))
        found = [id_ for id_ in threads[:MOST_THREADS] if await may_read_thread(interaction, id_)]
        return Readable(rooms=frozenset(rooms), threads=frozenset(found))

    @app_commands.command(name="forget-me", extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(2, 60.0)
    async def forget_me(self, interaction: Interaction) -> None:
        """Remove what you said, your reactions and your username from every memory; asks before it does."""
        asked = Sentence(
            "Forget everything you said here? Agents will not remember it and will ignore you from then on. "
            "Nothing is deleted on Discord itself."
        )
        if await self.sure(interaction, asked, Sentence("Forget me")):
            roles = [role.name for role in interaction.guild.roles] if interaction.guild else []
            told = await self.desk.privacy.forget(guild_of(interaction), person(interaction), others=roles)
            await self.say(interaction, Sentence("{told} {on_discord}", told=told, on_discord=ON_DISCORD))
            await self.desk.endings.expire()  # boards tell no more of the trees that went along

    @app_commands.command(name="ignore-me", extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(10, 60.0)
    async def ignore_me(self, interaction: Interaction, ignore: bool | None = None) -> None:
        """Have all agents ignore you, or listen to you again.

        Args:
            ignore: Whether they are to ignore you; left out, you are told how it is, and asked
        """
        if ignore is not None:
            await self.act(interaction, SetIgnored(ignored=ignore))
        else:
            await self.tell_whether_ignored(interaction)

    async def tell_whether_ignored(self, interaction: Interaction) -> None:
        """Tell whoever asked whether agents ignore them, with a button that has it otherwise."""
        await wait(interaction)
        known = await self.desk.privacy.known(guild_of(interaction), person(interaction))
        again = Again("privacy ignore-me", (f"ignore={not known.ignored}",))
        if known.ignored:
            told = Sentence("Agents ignore you now: they do not hear what you say.")
            await self.say(interaction, told, view=with_button(again, Sentence("Have them listen to me again")))
        else:
            now = why_unheard(known) or Sentence("Agents hear you now.")
            told = Sentence("{now} Have all of them ignore you from now on?", now=now)
            await self.say(interaction, told, view=question(again, Sentence("Ignore me")))
