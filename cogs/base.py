"""What every command group shares: how a command acts, looks up and answers."""

from collections.abc import Sequence

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import SelfroomClient
from bot.core.actions import Action
from bot.core.errors import NotFound, Rejected
from bot.core.permissions import ONLY_MANAGERS
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Mind, Person, Side, Snowflake
from cogs.ui.again import PAGE, SURE, Again, pager, question
from cogs.ui.drawn import drawn_page
from cogs.ui.files import picture
from cogs.ui.pages import paged
from cogs.ui.pictures import Bar, alt_text, bars

SHOWN_CHOICES = 25  # Discord shows no more
CHOICE_CHARACTERS = 100

Interaction = discord.Interaction[SelfroomClient]


class Cog(commands.Cog):
    """Commands that ask the front desk and say what came of it, to the person alone."""

    def __init__(self, client: SelfroomClient) -> None:
        super().__init__()
        self.client = client
        self.desk = client.front_desk

    async def act(
        self, interaction: Interaction, action: Action, *, subject: AgentId | None = None, side: Side = PUBLIC_SIDE
    ) -> None:
        """Do one thing as the person who asked, and tell them the outcome in one sentence."""
        await self.say(interaction, await self.do(interaction, action, subject=subject, side=side))

    async def do(
        self, interaction: Interaction, action: Action, *, subject: AgentId | None = None, side: Side = PUBLIC_SIDE
    ) -> str:
        """Do one thing as the person who asked; gives the sentence, with the secret if there is one."""
        await wait(interaction)
        who = person(interaction)
        outcome = await self.desk.act(guild_of(interaction), who, action, subject=subject, side=side)
        secret = f"\nIt is ||`{outcome.secret}`||. Only you see this." if outcome.secret else ""
        return outcome.result + secret

    async def say(
        self,
        interaction: Interaction,
        text: str = "",
        *,
        embed: discord.Embed | None = None,
        files: Sequence[discord.File] = (),
        view: discord.ui.View | None = None,
    ) -> None:
        """Answer the person alone."""
        await wait(interaction)
        await interaction.followup.send(
            text,
            embed=embed or discord.utils.MISSING,
            files=files or discord.utils.MISSING,
            view=view or discord.utils.MISSING,
            ephemeral=True,
        )

    async def lay_out(
        self, interaction: Interaction, layout: discord.ui.LayoutView, files: Sequence[discord.File]
    ) -> None:
        """Answer the person alone with a layout, which says everything itself."""
        await wait(interaction)
        await interaction.followup.send(view=layout, files=files, ephemeral=True)

    async def list_out(self, interaction: Interaction, title: str, lines: Sequence[str], *, empty: str) -> None:
        """Answer with a list, page by page when it is long; a button turned to the page that is wanted."""
        pages = paged(title, lines) if lines else [empty]
        at = min(interaction.extras.get(PAGE, 0), len(pages) - 1)
        view = pager(Again.of(interaction), at, len(pages)) if len(pages) > 1 else None
        if PAGE in interaction.extras:
            await wait(interaction)
            await interaction.edit_original_response(content=pages[at], view=view)
        else:
            await self.say(interaction, pages[at], view=view)

    async def draw_out(
        self, interaction: Interaction, title: str, rows: Sequence[Bar], lines: Sequence[str], *, note: str = ""
    ) -> None:
        """Answer with a picture and the numbers under it, page by page when there are many."""
        await wait(interaction)
        file = picture(f"{title.split()[0].lower()}.png", await bars(title, rows), alt_text(title, rows))
        pages = [page.strip() for page in paged("", lines or ["Nothing yet."])]
        at = min(interaction.extras.get(PAGE, 0), len(pages) - 1)
        layout = drawn_page(f"**{title}**{note}", file, pages, at, Again.of(interaction))
        if PAGE in interaction.extras:
            await interaction.edit_original_response(view=layout, attachments=[file])
        else:
            await self.lay_out(interaction, layout, [file])

    async def sure(self, interaction: Interaction, asked: str, label: str) -> bool:
        """Tell whether this was confirmed already; else ask, with a button that uses the command again for sure."""
        if SURE in interaction.extras:
            return True
        await self.say(interaction, asked, view=question(Again.of(interaction), label))
        return False

    async def mind(self, interaction: Interaction, agent: Agent, room: Agent | None) -> Mind:
        """Give what an agent carries in the open, or beside a private room; raises NotFound for non-members."""
        side = await self.desk.side_of(guild_of(interaction), agent, room)
        return (await self.desk.view(guild_of(interaction), agent.id)).mind_of(agent.id, side)

    async def room(self, interaction: Interaction, named: Agent | None) -> Agent:
        """Give the room that was named, else the one in which the command is used."""
        return named or await here(interaction)


class Group(Cog, commands.GroupCog):
    """A group of such commands."""


async def wait(interaction: Interaction) -> None:
    """Have Discord show that the answer is on its way."""
    if not interaction.response.is_done():
        await interaction.response.defer(ephemeral=True, thinking=PAGE not in interaction.extras)


async def here(interaction: Interaction) -> Agent:
    """Give the owner of the room in which this is; a thread belongs to its room. Raises NotFound."""
    parent_id = getattr(interaction.channel, "parent_id", None)
    return await interaction.client.front_desk.room_of(guild_of(interaction), interaction.channel_id, parent_id)


def guild_of(interaction: Interaction) -> Snowflake:
    """Give the server's id; commands are guild-only, so there is one."""
    if interaction.guild_id is None:
        raise NotFound("This works in a server only: use it in a channel there.")
    return Snowflake(interaction.guild_id)


def person(interaction: Interaction) -> Person:
    """Give the person who asked, with the rights they have now."""
    return interaction.client.person(interaction.user)


def managers_only(interaction: Interaction) -> None:
    """Refuse anyone who may not manage the server; checked in code, for Discord does not check subcommands."""
    if not person(interaction).is_architect:
        raise Rejected(ONLY_MANAGERS)


def may_read(interaction: Interaction, channel_id: int | None) -> bool:
    """Tell whether the person who asked may read a room: The Architect all, others what Discord lets them see."""
    if person(interaction).is_architect:
        return True
    channel = interaction.guild.get_channel(channel_id) if interaction.guild and channel_id else None
    if channel is None or not isinstance(interaction.user, discord.Member):
        return False
    rights = channel.permissions_for(interaction.user)
    return rights.view_channel and rights.read_message_history


def choices(pairs: Sequence[tuple[str, str]]) -> list[app_commands.Choice[str]]:
    """Give (name, value) pairs as Discord takes them."""
    return [
        app_commands.Choice(name=name[:CHOICE_CHARACTERS], value=value[:CHOICE_CHARACTERS])
        for name, value in pairs[:SHOWN_CHOICES]
    ]
