"""`/key`: keys to rooms."""

from datetime import timedelta

import discord
from discord import app_commands

from bot.core.actions import CreateKey, GiveKey, HandKey, RevokeKey
from bot.core.errors import Rejected
from bot.core.records import AccessKey
from bot.core.sentences import Sentence
from bot.core.view import Outline
from bot.core.wording import counted
from bot.languages import spoken
from cogs.arguments import AgentArg, KeyArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.texts import label

Secret = app_commands.Range[str, 4, 64]
Label = app_commands.Range[str, 1, 64]
Hours = app_commands.Range[int, 1, 8_760]
Uses = app_commands.Range[int, 1, 1_000_000]


class KeyCog(Group, group_name="key", group_description="Keys that open rooms to those who knock (managers)"):
    """Commands on keys."""

    @app_commands.command()
    async def create(
        self,
        interaction: Interaction,
        label: Label | None = None,
        room: AgentArg | None = None,
        key: Secret | None = None,
        hours: Hours | None = None,
        uses: Uses | None = None,
    ) -> None:
        """Make a key to a room; its secret is drawn when you give none, and shown to you alone.

        Args:
            label: A name for the key, which is no secret
            room: Which room; this one when left out
            key: The secret itself, 4 to 64 characters
            hours: After how many hours it opens nothing any more
            uses: How often it can be used
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        expires = self.desk.clock.now() + timedelta(hours=hours) if hours else None
        action = CreateKey(key=key, label=label, expires=expires, uses=uses)
        await self.act(interaction, action, subject=owner.id)

    @app_commands.command()
    async def give(
        self,
        interaction: Interaction,
        label: KeyArg,
        agent: AgentArg | None = None,
        person: discord.Member | None = None,
        room: AgentArg | None = None,
    ) -> None:
        """Hand a key to an agent, which then holds it, or to a person, by a private message.

        Args:
            label: Which key
            agent: An agent that is to hold it
            person: A person who is to know it
            room: Whose key; this room's when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        if (agent is None) is (person is None):
            raise Rejected(Sentence("Name an agent or a person, and not both."))
        if agent is not None:
            await self.act(interaction, GiveKey(label=label, agent_id=agent.id), subject=owner.id)
        elif person is not None:
            action = HandKey(label=label, person_id=person.id)
            await self.say(interaction, await handed(interaction, action, owner.name, owner.id, person))

    @app_commands.command()
    async def revoke(self, interaction: Interaction, label: KeyArg, room: AgentArg | None = None) -> None:
        """Withdraw a key: it opens the room no longer, and knocks with it are cancelled.

        Args:
            label: Which key
            room: Whose key; this room's when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, RevokeKey(key=label), subject=owner.id)

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """List a room's keys with their secrets, for your eyes only.

        Args:
            room: Whose keys; this room's when left out
        """
        managers_only(interaction)
        await wait(interaction)
        owner = await self.room(interaction, room)
        keys, secrets = await self.desk.doors.keys(guild_of(interaction), person(interaction), owner.id)
        view = await self.desk.community.view(guild_of(interaction), messages=0)
        lines = [key_line(key, secrets.get(key.id, ""), view) for key in keys]
        await self.list_out(
            interaction,
            Sentence("**Keys to {owner}'s room**", owner=label(owner.name)),
            lines,
            empty=Sentence("This room has no key."),
        )


async def handed(interaction: Interaction, action: HandKey, room: str, room_id: int, member: discord.Member) -> str:
    """Send a key to a person privately; gives the sentence for the manager."""
    await wait(interaction)
    actions = interaction.client.desk.actions
    outcome = await actions.take(guild_of(interaction), person(interaction), action, subject=room_id)  # type: ignore[arg-type]
    try:
        key = Sentence(
            "A key to {room}'s room (ID {room_id}): ||`{secret}`||. Knock with `/access request` there.",
            room=room,
            room_id=room_id,
            secret=outcome.secret,
        )
        await member.send(spoken(key, (interaction.guild_locale or interaction.locale).value))
    except discord.HTTPException:
        secret = f"||`{outcome.secret}`||"
        return Sentence(
            "{result} Discord does not let me write to {member}: tell them {secret} yourself.",
            result=outcome.result,
            member=member.display_name,
            secret=secret,
        )
    return Sentence("{result} {member} has it in a private message.", result=outcome.result, member=member.display_name)


def key_line(key: AccessKey, secret: str, view: Outline) -> str:
    """Word one key."""
    until = Sentence(", until {at}", at=f"<t:{int(key.expires_at.timestamp())}:f>") if key.expires_at else ""
    uses = Sentence(", {uses} left", uses=counted(key.uses_left, "use")) if key.uses_left is not None else ""
    holders = ", ".join(label(view.agents[one].name) for one in key.held_by if one in view.agents)
    held = Sentence(", held by {holders}", holders=holders) if holders else ""
    return Sentence.joined(f"- **{label(key.label)}**: ||`{secret}`||", until, uses, held)
