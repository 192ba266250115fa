"""Buttons that decide about something that waits; what they mean stands in their ids, so they survive a restart."""

import re
from collections.abc import Mapping, Sequence
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import NotFound
from bot.core.kinds import LetterKind
from bot.core.moderation import HELD_ID, held_id
from bot.core.people import mention
from bot.core.records import AccessRequest, Agent, AgentId, Letter, LetterId, Snowflake
from bot.core.sentences import Sentence
from bot.core.view import Outline
from bot.core.wording import honest
from bot.languages import spoken
from cogs.ui.again import Item, Lasting
from cogs.ui.rights import told
from cogs.ui.texts import label

Interaction = discord.Interaction[SelfroomClient]
Button = discord.ui.Button[discord.ui.View]
SHOWN = 10  # things to decide about at once: two buttons each, and a message has 25
LABELS = {"post": discord.ButtonStyle.success, "discard": discord.ButtonStyle.danger}
STYLES = {"grant": discord.ButtonStyle.success, "deny": discord.ButtonStyle.danger}


class DecidingButton(Lasting, template=r"(?!)"):
    """One verdict on one thing; who presses must be a manager, which is checked where it is decided."""

    def __init__(self, verdict: str, number: int, *, row: int | None = None) -> None:
        super().__init__(self.drawn(verdict, number, row))
        self.verdict = verdict
        self.number = number

    @staticmethod
    def drawn(verdict: str, number: int, row: int | None) -> Button:
        """Give the button as Discord shows it."""
        raise NotImplementedError

    async def decide(self, interaction: Interaction, guild_id: Snowflake) -> str:
        """Decide, and give what came of it."""
        raise NotImplementedError

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(match["verdict"], int(match["id"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Decide, and tell who pressed; the first decision wins."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        if interaction.guild_id is None:
            raise NotFound(Sentence("This works in a server only."))
        done = await self.decide(interaction, Snowflake(interaction.guild_id))
        await interaction.followup.send(spoken(done, interaction.locale.value), ephemeral=True)


class HeldButton(DecidingButton, template=HELD_ID):
    """Approve or Discard for one held letter."""

    @staticmethod
    def drawn(verdict: str, number: int, row: int | None) -> Button:
        """Give the button as Discord shows it."""
        label = Sentence("Approve {id}", id=number) if verdict == "post" else Sentence("Discard {id}", id=number)
        id_ = held_id(verdict, LetterId(number))
        return discord.ui.Button(label=label, style=LABELS[verdict], custom_id=id_, row=row)

    async def decide(self, interaction: Interaction, guild_id: Snowflake) -> str:
        """Post the message, or throw it away."""
        who = interaction.client.person(interaction.user)
        held = interaction.client.desk.held
        decision = await held.decide(guild_id, who, LetterId(self.number), post=self.verdict == "post")
        return await told(interaction, decision)


def held_view(held: Sequence[tuple[Letter, str]]) -> discord.ui.View:
    """Give buttons for these letters; they never time out."""
    view = discord.ui.View(timeout=None)
    for at, (letter, _) in enumerate(held[:SHOWN]):
        for verdict in LABELS:
            view.add_item(HeldButton(verdict, letter.id, row=at // 2))
    return view


def held_line(letter: Letter, words: str, view: Outline) -> str:
    """Word one thing that is held."""
    room = view.all_rooms.get(letter.room_id)  # a private thread is nobody's to see here
    where = f"<#{room.channel_id}>" if room and room.channel_id else Sentence("a private thread")
    said = words if len(words) <= 120 else f"{words[:119]}…"
    held_as = {
        LetterKind.POST: Sentence("to be said in {where}", where=where),
        LetterKind.BILLBOARD: Sentence("a billboard for {where}", where=where),
        LetterKind.TOPIC: Sentence("a topic for {where}", where=where),
        LetterKind.RENAME: Sentence("a new name for the agent of {where}", where=where),
    }[letter.kind]
    return Sentence.joined(f"**{letter.id}**: ", held_as, f": {honest(' '.join(said.split()))}")


class KnockButton(DecidingButton, template=r"knock:(?P<verdict>grant|deny):(?P<id>\d+)"):
    """Grant or Deny for one request."""

    @staticmethod
    def drawn(verdict: str, number: int, row: int | None) -> Button:
        """Give the button as Discord shows it."""
        label = Sentence("Grant {id}", id=number) if verdict == "grant" else Sentence("Deny {id}", id=number)
        return discord.ui.Button(label=label, style=STYLES[verdict], custom_id=f"knock:{verdict}:{number}", row=row)

    async def decide(self, interaction: Interaction, guild_id: Snowflake) -> str:
        """Let in, or turn away."""
        who = interaction.client.person(interaction.user)
        doors = interaction.client.desk.doors
        outcome = await doors.decide(guild_id, who, self.number, grant=self.verdict == "grant")
        return await told(interaction, outcome)


def knock_view(knocks: Sequence[AccessRequest]) -> discord.ui.View:
    """Give buttons for these requests; they never time out."""
    view = discord.ui.View(timeout=None)
    for at, knock in enumerate(knocks[:SHOWN]):
        for verdict in STYLES:
            view.add_item(KnockButton(verdict, knock.id, row=at // 2))
    return view


def knock_line(knock: AccessRequest, view: Outline) -> str:
    """Word one request."""
    room = label(view.agents[knock.room_id].name)
    at = int(knock.created_at.timestamp())
    who = requester(knock, view.agents)
    return Sentence(
        "**{knock}**: {who} at **{room}**'s room, with the key *{key_label}*, <t:{at}:R>",
        knock=knock.id,
        who=who,
        room=room,
        key_label=label(knock.key_label),
        at=at,
    )


def requester(knock: AccessRequest, agents: Mapping[AgentId, Agent]) -> str:
    """Word who asks by their id: by now somebody else may bear the name under which they asked."""
    if knock.requester_person_id is not None:
        return Sentence(
            "{name} (now {person})", name=label(knock.requester_name), person=mention(knock.requester_person_id)
        )
    agent = agents.get(knock.requester_agent_id) if knock.requester_agent_id is not None else None
    return f"{label(agent.name)} (ID {agent.id})" if agent else label(knock.requester_name)
