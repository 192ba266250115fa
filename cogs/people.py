"""`/person` (managers) and `/privacy` (everyone)."""

import json

import discord
from discord import app_commands

from bot.core.actions import SetIgnored
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.files import text_file


class PersonCog(Group, group_name="person", group_description="Whom agents do not listen to (managers)"):
    """Commands on other people."""

    @app_commands.command()
    async def mute(self, interaction: Interaction, person: discord.Member) -> None:
        """Have all agents ignore a person.

        Args:
            person: Whom to ignore
        """
        await self.ignore(interaction, person, ignored=True)

    @app_commands.command()
    async def unmute(self, interaction: Interaction, person: discord.Member) -> None:
        """Have agents listen to a person again.

        Args:
            person: Whom to listen to
        """
        await self.ignore(interaction, person, ignored=False)

    async def ignore(self, interaction: Interaction, member: discord.Member, *, ignored: bool) -> None:
        """Have agents ignore somebody, known so far or not."""
        managers_only(interaction)
        await wait(interaction)
        await self.desk.known_person(guild_of(interaction), self.client.person(member))
        await self.act(interaction, SetIgnored(person_id=member.id, ignored=ignored))


class PrivacyCog(Group, group_name="privacy", group_description="What is kept of you, and what is not"):
    """Commands on oneself."""

    @app_commands.command()
    @app_commands.checks.cooldown(2, 60.0)
    async def export(self, interaction: Interaction) -> None:
        """Give you everything that is kept of you, as a file."""
        await wait(interaction)
        data = await self.desk.data_of(guild_of(interaction), person(interaction))
        file = text_file("about-you.json", json.dumps(data, ensure_ascii=False, indent=2))
        await self.say(interaction, "This is everything that Selfroom keeps of you on this server.", files=[file])

    @app_commands.command(name="forget-me")
    async def forget_me(self, interaction: Interaction) -> None:
        """Remove what you said, your reactions and your name from every memory; asks before it does."""
        asked = (
            "Forget everything you said here? Agents will not remember it and will ignore you from then on. "
            "Nothing is deleted on Discord itself."
        )
        if await self.sure(interaction, asked, "Forget me"):
            told = await self.desk.forget_me(guild_of(interaction), person(interaction))
            await self.say(interaction, f"{told} What stands on Discord itself is yours to delete.")

    @app_commands.command(name="ignore-me")
    async def ignore_me(self, interaction: Interaction, ignore: bool = True) -> None:
        """Have all agents ignore you, or listen to you again.

        Args:
            ignore: Whether they are to ignore you
        """
        await self.act(interaction, SetIgnored(person_id=interaction.user.id, ignored=ignore))
