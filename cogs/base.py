"""What every command group shares: how a command acts, looks up and answers."""

from collections.abc import Mapping, Sequence
from functools import partial

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import Offering, SelfroomClient
from bot.core.actions import Action, AlterAgent, CancelScheduled, CreateAgent
from bot.core.errors import NotFound, PublishError, Rejected, SelfroomError
from bot.core.kinds import LetterKind
from bot.core.next_beat import NextBeat
from bot.core.permissions import ONLY_MANAGERS
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Mind, Person, Room, Schedule, Side, Snowflake
from bot.core.sentences import Sentence, stacked
from bot.core.sight import Sight
from bot.core.view import MayRead
from bot.languages import spoken
from bot.languages.shown import speak_view
from cogs.ui.again import PAGE, SURE, Again, RoomSelect, UseButton, pager, question
from cogs.ui.faces import lasting
from cogs.ui.forms import Draft
from cogs.ui.pages import paged
from cogs.ui.patience import Patience
from cogs.ui.pictures import Bar, chart, drawn_page
from cogs.ui.rights import may_read as may_read
from cogs.ui.rights import told
from cogs.ui.texts import label

SHOWN_CHARACTERS = 120
LONGEST = 2_000  # characters of a message
MOST_BUTTONS = 20
SHOWN_CHOICES = 25  # Discord shows no more
THREADS_ASKED = Patience(200, 60.0)  # of Discord for one person; fifty a second are all that we have, in all servers
CHOICE_CHARACTERS = 100
ASIDE = Sentence(
    "A private thread is a place of its own: name the room if you mean that, or use the command in its channel."
)
IN_A_THREAD = Sentence(
    "This is about a room's channel, not about its threads: name the room, or use the command in its channel."
)
Interaction = discord.Interaction[SelfroomClient]


class Cog(commands.Cog):
    """Commands that ask the front desk and say what came of it, to the person alone."""

    def __init__(self, client: SelfroomClient) -> None:
        super().__init__()
        self.client = client
        self.desk = client.desk

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
        outcome = await self.desk.actions.take(guild_of(interaction), who, action, subject=subject, side=side)
        said = await told(interaction, outcome)
        if not outcome.secret:
            return said
        return stacked(said, Sentence("It is ||`{secret}`||. Only you see this.", secret=outcome.secret))

    async def make_agent(self, interaction: Interaction, draft: Draft) -> None:
        """Make what a form or a command describes, and give it its picture once it has a channel."""
        await wait(interaction)
        guild_id, who, take = guild_of(interaction), person(interaction), self.desk.actions.take
        action = CreateAgent(
            name=draft.name or None, background_prompt=draft.prompt, agent_type=draft.type, model=draft.model
        )
        outcome = await take(guild_id, who, action)
        text: str = await told(interaction, outcome) + await self.desk.providers.unlisted(guild_id, draft.model)
        if draft.picture is not None:
            made = next(room_id for room_id, kind in outcome.letters if kind is LetterKind.CHANNEL)
            try:
                face = await lasting(interaction, made, draft.picture)
                await take(guild_id, who, AlterAgent(agent_id=made, avatar_url=face))
            except SelfroomError as error:
                text = Sentence.joined(text, " ", error.sentence)
        await self.say(interaction, text)

    async def say(
        self,
        interaction: Interaction,
        text: str = "",
        *,
        embed: discord.Embed | None = None,
        files: Sequence[discord.File] = (),
        view: discord.ui.View | None = None,
    ) -> None:
        """Answer the person alone, in their language as far as it is made of sentences."""
        await wait(interaction)
        if view is not None:
            speak_view(view, interaction.locale.value)
        await interaction.followup.send(
            spoken(text, interaction.locale.value)[:LONGEST],
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
        speak_view(layout, interaction.locale.value)
        await interaction.followup.send(view=layout, files=files, ephemeral=True)

    async def list_out(self, interaction: Interaction, title: str, lines: Sequence[str], *, empty: str) -> None:
        """Answer with a list, page by page when it is long; a button turned to the page that is wanted."""
        locale = interaction.locale.value
        pages = (
            paged(spoken(title, locale), [spoken(one, locale) for one in lines]) if lines else [spoken(empty, locale)]
        )
        at = min(interaction.extras.get(PAGE, 0), len(pages) - 1)
        view = pager(Again.of(interaction), at, len(pages)) if len(pages) > 1 else None
        if PAGE in interaction.extras:
            await wait(interaction)
            if view is not None:
                speak_view(view, locale)
            await interaction.edit_original_response(content=pages[at], view=view)
        else:
            await self.say(interaction, pages[at], view=view)

    async def draw_out(
        self,
        interaction: Interaction,
        title: str,
        rows: Sequence[Bar],
        lines: Sequence[str],
        *,
        note: str = "",
        table: discord.File | None = None,
    ) -> None:
        """Answer with a picture and the numbers under it, page by page when there are many, and a table as a file."""
        await wait(interaction)
        file = await chart(title.split()[0].lower(), title, rows)
        locale = interaction.locale.value
        pages = [
            page.strip() for page in paged("", [spoken(one, locale) for one in lines or [Sentence("Nothing yet.")]])
        ]
        at = min(interaction.extras.get(PAGE, 0), len(pages) - 1)
        layout = drawn_page(
            f"**{spoken(title, locale)}**{spoken(note, locale)}", file, pages, at, Again.of(interaction), table
        )
        files = [file, table] if table is not None else [file]
        if PAGE in interaction.extras:
            await interaction.edit_original_response(view=layout, attachments=files)
        else:
            await self.lay_out(interaction, layout, files)

    async def sure(self, interaction: Interaction, asked: str, label: str, **targets: int) -> bool:
        """Tell whether this was confirmed already; else ask, with a button that uses the command again for sure.

        `targets`: by parameter, the ids of what is meant: a name may be somebody else's by the time of the answer.
        """
        if SURE in interaction.extras:
            return True
        await self.say(interaction, asked, view=question(Again.of(interaction).on(**targets), label))
        return False

    async def act_on_mind(self, interaction: Interaction, agent: Agent, room: Agent | None, action: Action) -> None:
        """Do something to what an agent carries, beside a private room alone if one is named; for managers only."""
        managers_only(interaction)
        side = await self.desk.minds.side(guild_of(interaction), agent, room, who=person(interaction).id)
        await self.act(interaction, action, subject=agent.id, side=side)

    async def mind(self, interaction: Interaction, agent: Agent, room: Agent | None) -> Mind:
        """Give what an agent carries in the open, or beside a private room; raises NotFound for non-members."""
        side = await self.desk.minds.side(guild_of(interaction), agent, room, who=person(interaction).id)
        return await self.desk.minds.of(guild_of(interaction), agent.id, side)

    async def sight(self, interaction: Interaction) -> Sight:
        """Give what the person who asked may see."""
        if person(interaction).is_architect:
            return Sight()
        return await self.desk.community.sight(guild_of(interaction), partial(may_read, interaction))

    async def looks(self, interaction: Interaction, sight: Sight) -> Mapping[AgentId, NextBeat]:
        """Give what everyone is at and waits for, of whom that may be told to the person who asked."""
        looks = await self.desk.agents.next_beats(guild_of(interaction))
        return {id_: look for id_, look in looks.items() if id_ not in sight.hidden_agents}

    async def scheduled(
        self, interaction: Interaction, agent: Agent | None, room: Agent | None, again: Again, cancel: int | None
    ) -> None:
        """List what an agent will say later, or what will be said in a room, and take one of it back."""
        managers_only(interaction)
        await wait(interaction)
        told, guild_id = "", guild_of(interaction)
        waiting = await self.desk.rooms.scheduled(guild_id, agent.id if agent else None, room.id if room else None)
        if gone := next((one for one in waiting if one.id == cancel), None):
            told = await self.do(interaction, CancelScheduled(id=gone.id), subject=gone.agent_id)
            waiting = [one for one in waiting if one is not gone]
        elif cancel is not None:
            told = Sentence("No message {id} waits to be said.", id=cancel)
        agents = {one.id: one for one in await self.desk.agents.everyone(guild_id)}
        listed = scheduled_lines(waiting, agents) or [Sentence("Nothing waits to be said later.")]
        text = stacked(*([told, *listed] if told else listed))
        await self.say(interaction, text, view=cancel_buttons(waiting, again) if waiting else None)

    async def room(self, interaction: Interaction, named: Agent | None, *, threads: bool = True) -> Agent:
        """Give the room that was named, else the one in which the command is used, to change or ask something there.

        Raises Rejected in a private thread, which is a place of its own; without `threads`, in any thread.
        """
        if named is None and isinstance(interaction.channel, discord.Thread):
            if interaction.channel.is_private():
                raise Rejected(ASIDE)
            if not threads:
                raise Rejected(IN_A_THREAD)
        return named or await here(interaction)


class Group(Cog, commands.GroupCog):
    """A group of such commands."""


async def wait(interaction: Interaction) -> None:
    """Have Discord show that the answer is on its way."""
    if not interaction.response.is_done():
        await interaction.response.defer(ephemeral=True, thinking=PAGE not in interaction.extras)


async def here(interaction: Interaction) -> Agent:
    """Give the owner of the room in which this is; a thread belongs to its room.

    Raises NotFound, which offers rooms to choose from where the command takes one.
    """
    parent_id = getattr(interaction.channel, "parent_id", None)
    try:
        return await interaction.client.desk.rooms.owner_at(guild_of(interaction), interaction.channel_id, parent_id)
    except NotFound as no:
        if (rooms := await rooms_to_choose(interaction)) is None:
            raise
        raise Offering(Sentence("This channel is no agent's room: choose which one you mean."), rooms) from no


async def rooms_to_choose(interaction: Interaction) -> discord.ui.View | None:
    """Give a list of rooms in which the command is used again; None where it takes no room, or there is none."""
    command = interaction.command
    if interaction.type is not discord.InteractionType.application_command or not isinstance(
        command, app_commands.Command
    ):
        return None
    if not any(one.display_name == "room" for one in command.parameters):
        return None
    view = await interaction.client.desk.community.view(guild_of(interaction), messages=0)
    rooms = [
        (view.agents[id_].name, int(id_))
        for id_, room in view.all_rooms.items()
        if id_ in view.agents and view.agents[id_].retired_at is None and may_read(interaction, room.channel_id)
    ]
    try:
        select = RoomSelect.drawn(Again.of(interaction), sorted(rooms)) if rooms else None
    except Rejected:  # too much was typed to stand in a button's id
        return None
    offered = discord.ui.View(timeout=None)
    return None if select is None else offered.add_item(select)


def guild_of(interaction: Interaction) -> Snowflake:
    """Give the server's id; commands are guild-only, so there is one."""
    if interaction.guild_id is None:
        raise NotFound(Sentence("This works in a server only: use it in a channel there."))
    return Snowflake(interaction.guild_id)


def person(interaction: Interaction) -> Person:
    """Give the person who asked, with the rights they have now."""
    return interaction.client.person(interaction.user)


def managers_only(interaction: Interaction) -> None:
    """Refuse anyone who may not manage the server; checked in code, for Discord does not check subcommands."""
    if not person(interaction).is_architect:
        raise Rejected(ONLY_MANAGERS)


async def may_read_thread(interaction: Interaction, thread_id: int) -> bool:
    """Tell whether the person who asked may read a thread: a private one only its people and who manages threads.

    Raises CommandOnCooldown for more questions to Discord in a minute than one person may bring about.
    """
    if not isinstance(interaction.user, discord.Member):
        return False
    if not person(interaction).is_architect:
        THREADS_ASKED.take(interaction, interaction.user.id)
    try:
        return await interaction.client.members_thread(interaction.user, thread_id) is not None
    except (discord.HTTPException, PublishError):  # Discord does not tell
        return False


def reader(interaction: Interaction) -> MayRead:
    """Give what tells whether the person who asked may read a private thread: asked of Discord each time."""

    async def may_read(thread: Room) -> bool:
        return thread.channel_id is not None and await may_read_thread(interaction, thread.channel_id)

    return may_read


def choices(pairs: Sequence[tuple[str, str]]) -> list[app_commands.Choice[str]]:
    """Give (name, value) pairs as Discord takes them."""
    return [
        app_commands.Choice(name=name[:CHOICE_CHARACTERS], value=value[:CHOICE_CHARACTERS])
        for name, value in pairs[:SHOWN_CHOICES]
    ]


def scheduled_lines(waiting: Sequence[Schedule], agents: Mapping[AgentId, Agent]) -> list[str]:
    """List messages, one line each, the soonest first."""
    return [
        f"**{one.id}** <t:{int(one.at.timestamp())}:f>, {label(agents[one.agent_id].name)} "
        f"in {label(agents[one.room_id].name)}'s room: "
        f"{label(' '.join(one.content.split())[:SHOWN_CHARACTERS])}"
        for one in waiting[:MOST_BUTTONS]
    ]


def cancel_buttons(waiting: Sequence[Schedule], again: Again) -> discord.ui.View:
    """Give a button for each that takes it back."""
    view = discord.ui.View(timeout=None)
    for one in waiting[:MOST_BUTTONS]:
        view.add_item(UseButton(again.on(cancel=one.id), label=Sentence("Cancel {one}", one=one.id)))
    return view
