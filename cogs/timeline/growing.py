"""`/timeline`: trees begin and grow."""

from discord import app_commands

from bot.core.actions.fields import LARGEST_DISCORD_ID
from bot.core.errors import Rejected
from bot.core.sentences import Sentence
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import NodeId
from bot.core.timelines.typed import Typed, agents_named, changes_of
from cogs.arguments import AgentArg
from cogs.base import Interaction, guild_of, managers_only, person, wait
from cogs.timeline.boards import Minutes, Number, Siblings, Text, TreeGroup, TreeNumber, Turns
from cogs.ui.texts import label

Scene = app_commands.Range[int, 1, 1_000_000]


class Growing(TreeGroup):
    """Commands that make nodes."""

    @app_commands.command()
    async def fork(
        self,
        interaction: Interaction,
        title: app_commands.Range[str, 1, 60] | None = None,
        room: AgentArg | None = None,
        message: app_commands.Range[str, 1, 200] | None = None,
        minutes_ago: app_commands.Range[int, 1, 43_200] | None = None,
        scene: Scene | None = None,
        step: app_commands.Range[int, 0, 1_000_000] | None = None,
        everything: bool = False,
        played_by: app_commands.Range[str, 1, 200] | None = None,
    ) -> None:
        """Begin a tree here and now, or earlier, in a thread of its own: what happens in it never happened.

        Args:
            title: What is tried in it
            room: From whose room; this one when left out
            message: From a message, by its link or id
            minutes_ago: From so long ago
            scene: From a scene of this room, by its number
            step: After which step of the scene, as its record counts them; 0 is before the first
            everything: With all rooms of this server that you can read, not only this one
            played_by: Agents that play seats of people in scenes there, with commas between
        """
        managers_only(interaction)
        host = await self.room(interaction, room)
        await wait(interaction)
        guild_id, desk = guild_of(interaction), self.desk.timelines
        _check_point(message, minutes_ago, scene, step)
        id_ = None if message is None else _message_id(message)
        point = await desk.point_of(guild_id, message_id=id_, minutes_ago=minutes_ago, scene_id=scene, step=step or 0)
        channel, who = await self.channel_of(guild_id, host), person(interaction)
        rooms = await self.readable(interaction, host, everything=everything)
        seats = agents_named(await self.desk.agents.everyone(guild_id), played_by or "")
        made = await desk.fork(guild_id, who, host.id, title=title or "", rooms=rooms, point=point, played_by=seats)
        await self.tell_of(interaction, made, await self.show_in(channel, made))

    @app_commands.command()
    async def advance(
        self,
        interaction: Interaction,
        node: Number,
        turns: Turns = 1,
        minutes: Minutes | None = None,
        tree: TreeNumber | None = None,
    ) -> None:
        """Let a node go on: one child.

        Args:
            node: From which node
            turns: For how many turns
            minutes: For so many minutes of its own time, not for turns
            tree: Which tree; that of this thread when left out
        """
        growth = Growth(what="advance", by=person(interaction), nodes=_ids(node), turns=turns, minutes=minutes)
        await self.grow(interaction, tree, growth)

    @app_commands.command()
    async def selected(
        self,
        interaction: Interaction,
        nodes: app_commands.Range[str, 1, 60],
        turns: Turns = 1,
        minutes: Minutes | None = None,
        tree: TreeNumber | None = None,
    ) -> None:
        """Let several nodes go on: one child each, or none at all.

        Args:
            nodes: From which nodes, by their numbers with spaces between
            turns: For how many turns
            minutes: For so many minutes of its own time, not for turns
            tree: Which tree; that of this thread when left out
        """
        managers_only(interaction)
        growth = Growth(what="selected", by=person(interaction), nodes=_listed(nodes), turns=turns, minutes=minutes)
        await self.grow(interaction, tree, growth)

    @app_commands.command()
    async def multi(
        self,
        interaction: Interaction,
        node: Number,
        siblings: Siblings = 3,
        turns: Turns = 1,
        minutes: Minutes | None = None,
        tree: TreeNumber | None = None,
    ) -> None:
        """Let a node go on several times, by different chance.

        Args:
            node: From which node
            siblings: How many children
            turns: For how many turns each
            minutes: For so many minutes of its own time, not for turns
            tree: Which tree; that of this thread when left out
        """
        growth = Growth(
            what="multi", by=person(interaction), nodes=_ids(node), siblings=siblings, turns=turns, minutes=minutes
        )
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
        note: app_commands.Range[str, 1, 300] | None = None,
        plan: app_commands.Range[str, 3, 320] | None = None,
        properties: Text | None = None,
        scene: Scene | None = None,
        state: Text | None = None,
        setting: app_commands.Range[str, 3, 200] | None = None,
        tree: TreeNumber | None = None,
    ) -> None:
        """Begin a node in which something is otherwise; nothing goes on yet.

        Args:
            node: From which node
            event: What happens, as a line in the tree's room
            visitor: Who says that line; System when left out
            agent: Which agent is otherwise
            knows: What it knows, as path=value; path+=value adds to a list, path= is known no more
            told: A line that the agent alone is told, once
            note: A note in the agent's focus
            plan: What it is after: goal=…, milestone=…, strategy=…; goal done=2 ticks off; goals=…;… is all anew
            properties: As name=value: model, tokens, interval, emotion, paused, attention, allocation=20/10/70, joins
            scene: A scene that stands otherwise, by its number
            state: How it does, as name=value; seat and other swap roles, seat with x, y, hunger or energy in a village
            setting: A setting of the community, as name=value
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        everyone = await self.desk.agents.everyone(guild_of(interaction))
        given: dict[str, str | int | None]
        given = {"event": event, "visitor": visitor, "knows": knows, "told": told, "note": note, "plan": plan}
        given |= {"properties": properties, "scene": scene, "state": state, "setting": setting}
        typed = Typed.model_validate(given)
        changes = changes_of(typed, agent, everyone, timeline.room_id)
        growth = Growth(what="branch", by=person(interaction), nodes=_ids(node), changes=changes)
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
        timeline = await self.tree(interaction, tree)
        growth = Growth(what="ask", by=person(interaction), nodes=_ids(node), asked=(agent.id, question))
        then = Sentence(" What {agent} answers comes here.", agent=label(agent.name))
        for made in await self.grow(interaction, timeline.id, growth, then):
            await self.tell_answer(interaction, timeline, made.id, agent)


def _ids(node: int) -> tuple[NodeId, ...]:
    return (NodeId(node),)


def _check_point(message: str | None, minutes_ago: int | None, scene: int | None, step: int | None) -> None:
    """Raise Rejected where more than one point is named, or a scene without a step."""
    if (scene is None) != (step is None) or sum(one is not None for one in (message, minutes_ago, scene)) > 1:
        raise Rejected(Sentence("Name one point: a message, so many minutes ago, or a scene with a step."))


def _listed(typed: str) -> tuple[NodeId, ...]:
    numbers = typed.replace(",", " ").split()
    if not all(one.isascii() and one.isdigit() for one in numbers):
        raise Rejected(Sentence("Give the numbers of nodes, with spaces between."))
    return tuple(NodeId(int(one)) for one in numbers)


def _message_id(typed: str) -> int:
    last = typed.strip().rstrip("/").rpartition("/")[2]
    if not (last.isascii() and last.isdigit() and len(last) < 20 and int(last) <= LARGEST_DISCORD_ID):
        raise Rejected(Sentence("Give the link of a message, or its id."))
    return int(last)
