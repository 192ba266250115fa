"""`/timeline`: what if. Worlds that go on from a moment, and in which nothing that happens ever happened."""

import asyncio
from collections.abc import Sequence
from typing import Final

import discord
from discord import app_commands
from pydantic import ValidationError

from bot.core.actions import AlterAgent, Set
from bot.core.errors import NotFound, Rejected
from bot.core.records import Agent, Snowflake
from bot.core.timelines.changes import AgentCtx, AgentProps, Change, PublicEvent, Settings
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import NOW, NodeId, Timeline, TreeKey
from bot.core.wording import counted
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.files import text_file
from cogs.ui.texts import honest, label
from cogs.ui.trees import NodeSelect, board_text, board_view, branches, thread_name

Number = app_commands.Range[int, 0, 1_000_000]
TreeNumber = app_commands.Range[int, 1, 1_000_000]
Turns = app_commands.Range[int, 1, 20]
Siblings = app_commands.Range[int, 2, 8]
Text = app_commands.Range[str, 1, 1_500]
BOARD_SECONDS = 2.0
ARCHIVED_AFTER_MINUTES: Final = 1_440


class TimelineCog(Group, group_name="timeline", group_description="What if: worlds that go on from a moment"):
    """Commands on trees of timelines."""

    async def cog_load(self) -> None:
        """Know the selects that were sent before the last start, and hear of nodes that are over."""
        self.client.add_dynamic_items(NodeSelect)
        self._drawing: dict[TreeKey, asyncio.Task[None]] = {}
        self._again: set[TreeKey] = set()
        self.desk.timelines.on_changed(self.redraw)

    async def cog_unload(self) -> None:
        """Draw no more boards."""
        for task in list(self._drawing.values()):
            task.cancel()

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
            title: What if …
            room: From whose room; this one when left out
            message: From a message, by its link or id; from now when left out
            everything: With all rooms of this server, not only this one
        """
        managers_only(interaction)
        host = await self.room(interaction, room)
        await wait(interaction)
        guild_id = guild_of(interaction)
        place = await self.desk.rooms.place(guild_id, host.id)
        channel = self.client.get_channel(place.channel_id) if place is not None and place.channel_id else None
        if not isinstance(channel, discord.TextChannel):
            raise Rejected("That room has no channel yet: wait until it has one.")
        point = NOW if message is None else await self.desk.timelines.point_of(guild_id, _message_id(message))
        made = await self.desk.timelines.fork(
            guild_id, person(interaction), host.id, title=title or "", whole=everything, point=point
        )
        thread = await channel.create_thread(
            name=thread_name(made),
            type=discord.ChannelType.public_thread,
            auto_archive_duration=ARCHIVED_AFTER_MINUTES,
        )
        made = await self.desk.timelines.place(made, Snowflake(thread.id), None)
        shown = await self.desk.timelines.shown(made)
        board = await thread.send(board_text(shown), view=board_view(shown))
        await self.desk.timelines.place(made, Snowflake(thread.id), Snowflake(board.id))
        await self.say(interaction, f"Tree {made.id} begins in {thread.mention}.")

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction) -> None:
        """List the trees there are."""
        managers_only(interaction)
        await wait(interaction)
        lines = [_listed(one) for one in await self.desk.timelines.all(guild_of(interaction))]
        await self.list_out(interaction, "Trees", lines, empty="There are no trees: `/timeline fork` begins one.")

    @app_commands.command()
    async def show(self, interaction: Interaction, tree: TreeNumber | None = None) -> None:
        """Show all nodes of a tree.

        Args:
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        shown = await self.desk.timelines.shown(timeline)
        await self.list_out(interaction, f"Tree {timeline.id}", branches(shown.nodes), empty="It is empty.")

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
        model: app_commands.Range[str, 1, 100] | None = None,
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

    @app_commands.command()
    async def read(self, interaction: Interaction, node: Number, tree: TreeNumber | None = None) -> None:
        """Read what was said in a node since the fork.

        Args:
            node: Which node
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        lines = [honest(one) for one in await self.desk.timelines.read(timeline, node)]
        await self.list_out(interaction, f"Node {node}", lines, empty="Nothing was said since the fork.")

    @app_commands.command()
    async def compare(
        self, interaction: Interaction, node: Number, other: Number | None = None, tree: TreeNumber | None = None
    ) -> None:
        """Set two nodes side by side, or all children of one.

        Args:
            node: Which node
            other: Beside which; all its children when left out
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        header, lines = await self.desk.timelines.compare(timeline, node, other)
        if other is None:
            await self.list_out(interaction, header, lines, empty="Nothing.")
            return
        files = [text_file(f"compare-{node}-{other}.md", "\n".join([header, *lines]))] if lines else []
        await self.say(interaction, honest("\n".join([header, *lines])[:1_500]), files=files)

    @app_commands.command()
    async def rerun(self, interaction: Interaction, node: Number, tree: TreeNumber | None = None) -> None:
        """Run a node again from the answers that were recorded, and say whether it comes out the same.

        Args:
            node: Which node
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        await self.say(interaction, await self.desk.timelines.rerun(timeline, node))

    @app_commands.command()
    async def note(
        self,
        interaction: Interaction,
        node: Number,
        text: app_commands.Range[str, 1, 200],
        tree: TreeNumber | None = None,
    ) -> None:
        """Note something beside a node.

        Args:
            node: Which node
            text: What to note
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        await self.desk.timelines.note(timeline, node, text)
        self.redraw(timeline.key)
        await self.say(interaction, f"Noted beside node {node}.")

    @app_commands.command()
    async def stop(self, interaction: Interaction, node: Number, tree: TreeNumber | None = None) -> None:
        """End a node that runs, after its present call.

        Args:
            node: Which node
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        await self.desk.timelines.stop(timeline, person(interaction), node)
        await self.say(interaction, f"Node {node} is stopped.")

    @app_commands.command()
    async def delete(
        self, interaction: Interaction, node: Number | None = None, tree: TreeNumber | None = None
    ) -> None:
        """Delete a node with all that came from it, or the whole tree.

        Args:
            node: Which node; the whole tree when left out
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        what = "the whole tree" if node is None else f"node {node} and all that came from it"
        if not await self.sure(interaction, f"Delete {what}?", "Delete", tree=timeline.id):
            return
        who = person(interaction)
        if node is None:
            await self.say(interaction, await self.desk.timelines.remove(timeline, who))
            return
        told = await self.desk.timelines.delete(timeline, who, node)
        self.redraw(timeline.key)
        await self.say(interaction, told)

    @app_commands.command()
    async def budget(self, interaction: Interaction, tree: TreeNumber | None = None) -> None:
        """Show what a tree has cost, and what it may.

        Args:
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        shown = await self.desk.timelines.shown(timeline)
        size = shown.tree.bytes / 1_000_000
        await self.say(
            interaction,
            f"Tree {timeline.id}: {shown.usd:.4f} of {timeline.usd_cap:.2f} USD, "
            f"{counted(len(shown.nodes), 'node')} {size:.1f} MB, "
            f"until <t:{int(timeline.expires_at.timestamp())}:f>.",
        )

    async def tree(self, interaction: Interaction, number: int | None) -> Timeline:
        """Give the tree that was named, else that of this thread, to a manager alone."""
        managers_only(interaction)
        await wait(interaction)
        return await self.desk.timelines.find(guild_of(interaction), number, interaction.channel_id)

    async def grow(self, interaction: Interaction, number: int | None, growth: Growth) -> None:
        """Make nodes and let them run, once it is sure where it costs more than a little."""
        timeline = await self.tree(interaction, number)
        estimate = await self.desk.timelines.estimate(timeline, growth)
        if estimate.usd > await self.desk.timelines.asks_above(timeline):
            asked = f"That is thought to cost about {estimate.usd:.2f} USD. Run it?"
            if not await self.sure(interaction, asked, "Run it", tree=timeline.id):
                return
        nodes = await self.desk.timelines.grow(timeline, person(interaction), growth)
        self.redraw(timeline.key)
        made = ", ".join(str(one.id) for one in nodes)
        await self.say(interaction, f"Made: {counted(len(nodes), 'node')} ({made}).")

    def redraw(self, key: TreeKey) -> None:
        """Have a tree's board drawn anew, soon, and not oftener than every two seconds."""
        if key in self._drawing:
            self._again.add(key)
            return
        task = self._drawing[key] = asyncio.create_task(self._draw(key), name=f"board of tree {key.id}")
        task.add_done_callback(lambda _: self._drawn(key))

    def _drawn(self, key: TreeKey) -> None:
        del self._drawing[key]
        if key in self._again:
            self._again.discard(key)
            self.redraw(key)

    async def _draw(self, key: TreeKey) -> None:
        try:
            shown = await self.desk.timelines.of_key(key)
        except NotFound:
            return
        if shown is None or shown.timeline.thread_id is None or shown.timeline.board_post_id is None:
            return
        thread = self.client.get_partial_messageable(shown.timeline.thread_id)
        board = thread.get_partial_message(shown.timeline.board_post_id)
        try:
            await board.edit(content=board_text(shown), view=board_view(shown))
        except discord.HTTPException:  # somebody deleted it: /timeline show has it all
            return
        await asyncio.sleep(BOARD_SECONDS)


def _ids(node: int) -> tuple[NodeId, ...]:
    return (NodeId(node),)


def _message_id(typed: str) -> int:
    last = typed.strip().rstrip("/").rpartition("/")[2]
    if not (last.isascii() and last.isdigit() and len(last) < 20):
        raise Rejected("Give the link of a message, or its id.")
    return int(last)


def _listed(one: Timeline) -> str:
    where = f" in <#{one.thread_id}>" if one.thread_id is not None else ""
    about = f", {label(one.title)}" if one.title else ""
    return f"**{one.id}**{about}{where}, until <t:{int(one.expires_at.timestamp())}:d>"


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
