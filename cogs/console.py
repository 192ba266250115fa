"""`/console`: the managers' window in a browser."""

from discord import app_commands

from bot.core.sentences import Sentence
from bot.core.wording import counted
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait


class ConsoleCog(Group, group_name="console", group_description="The managers' window in a browser (managers)"):
    """Commands on the console."""

    @app_commands.command()
    @app_commands.checks.cooldown(6, 60.0)
    async def open(self, interaction: Interaction) -> None:
        """Give you a link to the console, which works once."""
        managers_only(interaction)
        await wait(interaction)
        link = self.client.console.link(guild_of(interaction), person(interaction))
        leads_in = Sentence(
            "**[Open the console]({link})**\nThe link works once, in the next 5 minutes, and is for you alone. What "
            "you see there follows the rights that you have here at each moment; `/console revoke` ends it.",
            link=link,
        )
        await self.say(interaction, leads_in)

    @app_commands.command()
    async def revoke(self, interaction: Interaction) -> None:
        """End all your sessions in the console, and the link that you did not use yet."""
        managers_only(interaction)
        ended = self.client.console.revoke(guild_of(interaction), person(interaction))
        await self.say(
            interaction,
            Sentence("Ended: {sessions}. Links that were not used open nothing.", sessions=counted(ended, "session")),
        )
