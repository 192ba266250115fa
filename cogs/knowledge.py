"""`/knowledge`: what an agent knows, and how it came to know it (managers)."""

import json

from discord import app_commands

from bot.core import knowledge
from bot.core.actions import Delete, Set, UndoKnowledge
from bot.core.errors import NotFound
from bot.core.records import Agent, Json
from bot.core.sentences import Sentence
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person
from cogs.ui.files import text_file
from cogs.ui.minds import Entry, entry_line, lore_line
from cogs.ui.texts import label

SHOWN_CHARACTERS = 1_700
Path = app_commands.Range[str, 1, 500]
Value = app_commands.Range[str, 1, 4_000]
Weight = app_commands.Range[float, 0.0, 1.0]


class KnowledgeCog(Group, group_name="knowledge", group_description="What agents know (managers)"):
    """Commands on knowledge."""

    @app_commands.command()
    async def show(
        self, interaction: Interaction, agent: AgentArg, path: Path | None = None, room: AgentArg | None = None
    ) -> None:
        """Show what an agent knows, or what is at a path.

        Args:
            agent: Whose knowledge
            path: A dot path such as people.Bob.trust
            room: A private room, for what it keeps beside that room alone
        """
        managers_only(interaction)
        whole = (await self.mind(interaction, agent, room)).knowledge
        found = knowledge.read(whole, path) if path else dict(whole)
        if found is knowledge.MISSING or found == {}:
            raise NotFound(nothing_there(agent, path))
        text = json.dumps(found, ensure_ascii=False, indent=2)
        if len(text) <= SHOWN_CHARACTERS and "```" not in text:
            await self.say(interaction, f"**{label(agent.name)}**\n```json\n{text}\n```")
        else:
            await self.say(
                interaction, f"**{label(agent.name)}**", files=[text_file(f"knowledge-{agent.id}.json", text)]
            )

    @app_commands.command()
    async def set(
        self,
        interaction: Interaction,
        agent: AgentArg,
        path: Path,
        value: Value,
        weight: Weight | None = None,
        room: AgentArg | None = None,
    ) -> None:
        """Keep a value at a path.

        Args:
            agent: Whose knowledge
            path: A dot path such as people.Bob.trust
            value: A text, or JSON such as 3, true, ["a", "b"] or {"a": 1}
            weight: How much it matters, 0 to 1
            room: A private room, for what it keeps beside that room alone
        """
        await self.act_on_mind(interaction, agent, room, Set(path=path, value=value_of(value), w=weight))

    @app_commands.command()
    async def delete(self, interaction: Interaction, agent: AgentArg, path: Path, room: AgentArg | None = None) -> None:
        """Remove what is at a path.

        Args:
            agent: Whose knowledge
            path: A dot path such as people.Bob.trust
            room: A private room, for what it keeps beside that room alone
        """
        await self.act_on_mind(interaction, agent, room, Delete(path=path))

    @app_commands.command()
    async def lore(self, interaction: Interaction, agent: AgentArg) -> None:
        """List what an agent knows of its world, and which words bring it up.

        Args:
            agent: Whose lorebook
        """
        managers_only(interaction)
        whole = await self.desk.agents.whole(guild_of(interaction), agent.id)
        title, lines = (
            Sentence("**The lorebook of {agent}**", agent=label(agent.name)),
            [lore_line(one) for one in whole.lore.entries],
        )
        await self.list_out(
            interaction,
            title,
            lines,
            empty=Sentence("{agent} came without a lorebook: a card brings one.", agent=agent.name),
        )

    @app_commands.command()
    async def history(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """List how an agent's knowledge changed, who changed it and when.

        Args:
            agent: Whose knowledge
            room: A private room, for what it keeps beside that room alone
        """
        managers_only(interaction)
        side = await self.desk.minds.side(guild_of(interaction), agent, room, who=person(interaction).id)
        entries = await self.desk.minds.journal(guild_of(interaction), agent.id, side=side)
        title, lines = (
            Sentence("**Knowledge of {agent}, newest first**", agent=label(agent.name)),
            [entry_line(entry) for entry in entries],
        )
        await self.list_out(
            interaction, title, lines, empty=Sentence("{agent}'s knowledge has never changed.", agent=agent.name)
        )

    @app_commands.command()
    async def undo(
        self, interaction: Interaction, agent: AgentArg, change: Entry | None = None, room: AgentArg | None = None
    ) -> None:
        """Undo a change of an agent's knowledge.

        Args:
            agent: Whose knowledge
            change: Its number in /knowledge history; the newest when left out
            room: A private room, for what it keeps beside that room alone
        """
        await self.act_on_mind(interaction, agent, room, UndoKnowledge(entry_id=change))


def nothing_there(agent: Agent, path: str | None) -> Sentence:
    """Word that an agent knows nothing there, or at all."""
    if path:
        return Sentence("There is nothing at {path}.", path=path)
    return Sentence("{agent} knows nothing yet.", agent=agent.name)


def value_of(text: str) -> Json:
    """Read a value: JSON where it is JSON, a plain text otherwise."""
    try:
        value: Json = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return value
