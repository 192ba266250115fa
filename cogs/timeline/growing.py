"""`/timeline`: trees begin and grow."""

from collections.abc import Sequence
from typing import Final

from discord import app_commands
from pydantic import ValidationError

from bot.core.actions import AlterAgent, Set
from bot.core.errors import Rejected
from bot.core.records import Agent
from bot.core.timelines.changes import AgentCtx, AgentProps, Change, PublicEvent, Settings
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import NOW, NodeId
from cogs.arguments import AgentArg, ModelArg
from cogs.base import Interaction, guild_of, managers_only, person, wait
from cogs.timeline.boards import TreeGroup

Number = app_commands.Range[int, 0, 1_000_000]
TreeNumber = app_commands.Range[int, 1, 1_000_000]
Turns = app_commands.Range[int, 1, 20]
Siblings = app_commands.Range[int, 2, 8]
Text = app_commands.Range[str, 1, 1_500]
BOARD_SECONDS = 2.0
ARCHIVED_AFTER_MINUTES: Final = 1_440


class Growing(TreeGroup):
    """Commands that make nodes."""

    @app_commands.command()
    async def fork(
        self,
        interaction: Interaction,
        title: app_commands.Range[str, 1, 60] | None = None,
        room: AgentArg | None = None,
        message: app_commands.Range[str, 1, 200] | None = None,
        everything: bool = False,
    ) -> None:
        """Begin a tree here and now, in a thread of its own: what happens in it never happened.

        Args:
            title: What is tried in it
            room: From whose room; this one when left out
            message: From a message, by its link or id; from now when left out
            everything: With all rooms of this server that you can read, not only this one
        """
        managers_only(interaction)
        host = await self.room(interaction, room)
        await wait(interaction)
        guild_id, desk = guild_of(interaction), self.desk.timelines
        channel = await self.channel_of(guild_id, host)
        point = NOW if message is None else await desk.point_of(guild_id, _message_id(message))
        who = person(interaction)
        rooms = await self.readable(interaction, host, everything=everything)
        made = await desk.fork(guild_id, who, host.id, title=title or "", rooms=rooms, point=point)
        await self.say(interaction, f"Tree {made.id} begins in <#{await self.show_in(channel, made)}>.")

    @app_commands.command()
    async def advance(
        self, interaction: Interaction, node: Number, turns: Turns = 1, tree: TreeNumber | None = None
    ) -> None:
        """Let a node go on: one child.

        Args:
            node: From which node
            turns: For how many turns
            tree: Which tree; that of this thread when left out
        """
        await self.grow(
            interaction, tree, Growth(what="advance", by=person(interaction), nodes=_ids(node), turns=turns)
        )

    @app_commands.command()
    async def multi(
        self,
        interaction: Interaction,
        node: Number,
        siblings: Siblings = 3,
        turns: Turns = 1,
        tree: TreeNumber | None = None,
    ) -> None:
        """Let a node go on several times, by different chance.

        Args:
            node: From which node
            siblings: How many children
            turns: For how many turns each
            tree: Which tree; that of this thread when left out
        """
        growth = Growth(what="multi", by=person(interaction), nodes=_ids(node), siblings=siblings, turns=turns)
        await self.grow(interaction, tree, growth)

    @app_commands.command()
    async def chain(
        self, interaction: Interaction, node: Number, turns: Turns = 3, tree: TreeNumber | None = None
    ) -> None:
        """Let a node go on in a line of children of one turn each.

        Args:
            node: From which node
            turns: How many links
            tree: Which tree; that of this thread when left out
        """
        await self.grow(interaction, tree, Growth(what="chain", by=person(interaction), nodes=_ids(node), turns=turns))

    @app_commands.command()
    async def frontier(
        self, interaction: Interaction, turns: Turns = 1, deepest: bool = True, tree: TreeNumber | None = None
    ) -> None:
        """Let all leaves go on.

        Args:
            turns: For how many turns
            deepest: Only the deepest leaves
            tree: Which tree; that of this thread when left out
        """
        growth = Growth(what="frontier", by=person(interaction), turns=turns, only_max_depth=deepest)
        await self.grow(interaction, tree, growth)

    @app_commands.command()
    async def change(
        self,
        interaction: Interaction,
        node: Number,
        event: Text | None = None,
        visitor: app_commands.Range[str, 1, 32] | None = None,
        agent: AgentArg | None = None,
        knows: Text | None = None,
        told: Text | None = None,
        prompt: Text | None = None,
        model: ModelArg | None = None,
        setting: app_commands.Range[str, 3, 200] | None = None,
        tree: TreeNumber | None = None,
    ) -> None:
        """Begin a node in which something is otherwise; nothing goes on yet.

        Args:
            node: From which node
            event: What happens, as a line in the tree's room
            visitor: Who says that line; System when left out
            agent: Which agent is otherwise
            knows: What the agent knows, as path=value
            told: A line that the agent alone is told, once
            prompt: The agent's new prompt
            model: The agent's new model
            setting: A setting of the community, as name=value
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        try:
            changes = [
                *([PublicEvent(room_id=timeline.room_id, text=event, visitor=visitor or "")] if event else []),
                *_of_agent(agent, knows, told, prompt, model),
                *([Settings(values=dict([_pair(setting)]))] if setting else []),
            ]
        except ValidationError as error:
            raise Rejected(f"That cannot be changed so: {error.errors()[0]['msg']}.") from error
        growth = Growth(what="branch", by=person(interaction), nodes=_ids(node), changes=tuple(changes))
        await self.grow(interaction, timeline.id, growth)

    @app_commands.command()
    async def ask(
        self, interaction: Interaction, node: Number, agent: AgentArg, question: Text, tree: TreeNumber | None = None
    ) -> None:
        """Ask an agent something in a child of a node, in its own room.

        Args:
            node: From which node
            agent: Whom
            question: What you ask
            tree: Which tree; that of this thread when left out
        """
        asked = (agent.id, question)
        await self.grow(interaction, tree, Growth(what="ask", by=person(interaction), nodes=_ids(node), asked=asked))


def _ids(node: int) -> tuple[NodeId, ...]:
    return (NodeId(node),)


def _message_id(typed: str) -> int:
    last = typed.strip().rstrip("/").rpartition("/")[2]
    if not (last.isascii() and last.isdigit() and len(last) < 20):
        raise Rejected("Give the link of a message, or its id.")
    return int(last)


def _pair(typed: str) -> tuple[str, str]:
    name, sign, value = typed.partition("=")
    if not sign or not name.strip():
        raise Rejected("Write name=value.")
    return name.strip(), value.strip()


def _of_agent(
    agent: Agent | None, knows: str | None, told: str | None, prompt: str | None, model: str | None
) -> Sequence[Change]:
    """Give what is otherwise about an agent; raises Rejected where none is named."""
    if agent is None:
        if knows or told or prompt or model:
            raise Rejected("Name the agent that is to be otherwise.")
        return []
    changes: list[Change] = []
    if knows or told:
        actions = [Set(path=path, value=value) for path, value in [_pair(knows)]] if knows else []
        changes.append(AgentCtx(agent_id=agent.id, actions=tuple(actions), told=told or ""))
    if prompt or model:
        altered = AlterAgent(agent_id=agent.id, background_prompt=prompt, model=model)
        changes.append(AgentProps(agent_id=agent.id, altered=altered))
    return changes
