"""What commands on trees share: which tree is meant, and its board."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import SelfroomClient
from bot.core.errors import NotFound, Rejected
from bot.core.records import Agent, AgentId, Snowflake
from bot.core.sentences import Sentence, stacked
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import Node, NodeId, Timeline, TreeKey
from bot.core.wording import counted, honest
from bot.languages import spoken
from cogs.base import LONGEST, Group, Interaction, guild_of, managers_only, may_read, person, wait
from cogs.ui.texts import label
from cogs.ui.tree_buttons import ChangeButton
from cogs.ui.tree_picture import tree_picture
from cogs.ui.trees import (
    NOT_ALL_ROOMS,
    MergeSelect,
    NodesButton,
    NodeSelect,
    board_text,
    board_view,
    may_look,
    thread_name,
)

Number = app_commands.Range[int, 0, 1_000_000]
TreeNumber = app_commands.Range[int, 1, 1_000_000]
Turns = app_commands.Range[int, 1, 20]
Minutes = app_commands.Range[int, 1, 1_440]
Siblings = app_commands.Range[int, 2, 8]
Text = app_commands.Range[str, 1, 1_500]
BOARD_SECONDS = 2.0
ANSWER_SECONDS = 600.0  # that an answer is waited for: Discord lets what was told be changed for a quarter of an hour
ARCHIVED_AFTER_MINUTES: Final = 1_440


class TreeGroup(Group):
    """Commands on trees, for managers alone."""

    def __init__(self, client: SelfroomClient) -> None:
        super().__init__(client)
        self._drawing: dict[TreeKey, asyncio.Task[None]] = {}
        self._again: set[TreeKey] = set()
        self._changes: dict[TreeKey, asyncio.Event] = {}  # of trees of which somebody waits for a node

    async def cog_load(self) -> None:
        """Know the selects that were sent before the last start."""
        self.client.add_dynamic_items(NodeSelect, NodesButton, ChangeButton, MergeSelect)

    async def cog_unload(self) -> None:
        """Draw no more boards."""
        for task in list(self._drawing.values()):
            task.cancel()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Hear of trees that are otherwise."""
        self.desk.timelines.on_changed(self.redraw)

    async def tree(self, interaction: Interaction, number: int | None, *, to_look: bool = False) -> Timeline:
        """Give the tree that was named, else that of this thread, to a manager; to look, to who may do that too."""
        if not to_look:
            managers_only(interaction)
        await wait(interaction)
        who = person(interaction)
        found = await self.desk.timelines.find(guild_of(interaction), number, interaction.channel_id, who=who.id)
        if not await may_look(interaction, found):
            raise Rejected(NOT_ALL_ROOMS)
        return found

    async def channel_of(self, guild_id: Snowflake, owner: Agent) -> discord.TextChannel:
        """Give the channel of an agent's room; raises Rejected while it has none."""
        place = await self.desk.rooms.place(guild_id, owner.id)
        channel = self.client.get_channel(place.channel_id) if place is not None and place.channel_id else None
        if not isinstance(channel, discord.TextChannel):
            raise Rejected(Sentence("That room has no channel yet: wait until it has one."))
        return channel

    async def readable(self, interaction: Interaction, host: Agent, *, everything: bool) -> tuple[AgentId, ...]:
        """Give the rooms that come into a tree, of those the person can read now; raises Rejected without that one."""
        guild_id = guild_of(interaction)
        wanted = [one.id for one in await self.desk.agents.everyone(guild_id)] if everything else []
        rooms = []
        for id_ in dict.fromkeys([host.id, *wanted]):
            place = await self.desk.rooms.place(guild_id, id_)
            if place is not None and may_read(interaction, place.channel_id):
                rooms.append(id_)
        if host.id not in rooms:
            raise Rejected(Sentence("You cannot read that room: ask somebody who can."))
        return tuple(rooms)

    async def tell_of(self, interaction: Interaction, made: Timeline, thread_id: int) -> None:
        """Answer whoever began a tree: where it is, and what they have to know of it."""
        remarks = await self.desk.timelines.remarks(made, person(interaction).id)
        told = Sentence("Tree {tree} begins in <#{thread_id}>.", tree=made.id, thread_id=thread_id)
        await self.say(interaction, stacked(told, *(Sentence.joined("⚠️ ", one) for one in remarks)))

    async def show_in(self, channel: discord.TextChannel, made: Timeline) -> int:
        """Open the thread in which a tree is told of, with its board; gives the thread."""
        thread = await channel.create_thread(
            name=thread_name(made),
            type=discord.ChannelType.public_thread,
            auto_archive_duration=ARCHIVED_AFTER_MINUTES,
        )
        try:
            made = await self.desk.timelines.place(made, Snowflake(thread.id), None)
        except NotFound:  # it went meanwhile: agents would hear what is said there
            with suppress(discord.HTTPException):
                await thread.delete()
            raise
        shown = await self.desk.timelines.shown(made)
        drawn = await tree_picture(shown.nodes)
        board = await thread.send(board_text(shown), file=drawn, view=board_view(shown))
        await self.desk.timelines.place(made, Snowflake(thread.id), Snowflake(board.id))
        return thread.id

    async def grow(
        self, interaction: Interaction, number: int | None, growth: Growth, then: str = ""
    ) -> Sequence[Node]:
        """Make nodes and let them run, once it is sure where it costs more than a little; gives them.

        `then`: what is told beside them.
        """
        timeline = await self.tree(interaction, number)
        estimate = await self.desk.timelines.estimate(timeline, growth)
        if estimate.usd > await self.desk.timelines.asks_above(timeline):
            coin = await self.desk.timelines.coin(timeline)
            asked = f"That is thought to cost about {estimate.usd:.2f} {coin}. Run it?"
            if not await self.sure(interaction, asked, "Run it", tree=timeline.id):
                return ()
        nodes = await self.desk.timelines.grow(timeline, person(interaction), growth)
        made = ", ".join(str(one.id) for one in nodes)
        await self.say(interaction, Sentence.joined(f"Made: {counted(len(nodes), 'node')} ({made}).", then))
        return nodes

    async def tell_answer(self, interaction: Interaction, timeline: Timeline, node_id: NodeId, agent: Agent) -> None:
        """Tell in place of what was told before what an agent answered in a node, once it has."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                node = await self._over(timeline.key, node_id)
        except TimeoutError:
            return
        if node is None:
            return
        answer = await self.desk.timelines.answer(timeline, node)
        told = Sentence("Node {node}: **{agent}** answers:", node=node_id, agent=label(agent.name))
        if not answer:
            told = Sentence("Node {node}: **{agent}** did not answer.", node=node_id, agent=label(agent.name))
        text = "\n".join(honest(one) for one in (spoken(told, interaction.locale.value), answer or node.outcome) if one)
        with suppress(discord.HTTPException):  # they have put it away
            await interaction.edit_original_response(content=text[:LONGEST])

    async def _over(self, key: TreeKey, node_id: NodeId) -> Node | None:
        """Wait until a node is over, and give it; None once it is gone."""
        while True:
            changed = self._changes.setdefault(key, asyncio.Event())
            shown = await self.desk.timelines.of_key(key)
            node = next((one for one in shown.nodes if one.id == node_id), None) if shown is not None else None
            if node is None or node.status.is_over:
                return node
            await changed.wait()

    def redraw(self, key: TreeKey) -> None:
        """Have a tree's board drawn anew, soon, and not oftener than every two seconds; who waits looks again."""
        if (changed := self._changes.pop(key, None)) is not None:
            changed.set()
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
        if shown is None:
            await self._clear(key)
            return
        if shown.timeline.thread_id is None or shown.timeline.board_post_id is None:
            return
        thread = self.client.get_partial_messageable(shown.timeline.thread_id)
        board = thread.get_partial_message(shown.timeline.board_post_id)
        try:
            drawn = await tree_picture(shown.nodes)
            await board.edit(content=board_text(shown), attachments=[drawn], view=board_view(shown))
        except discord.HTTPException:  # somebody deleted it: /timeline show has it all
            return
        await asyncio.sleep(BOARD_SECONDS)

    async def _clear(self, key: TreeKey) -> None:
        """Take what a tree told that is gone off its board, and its title off the thread's name."""
        gone = await self.desk.endings.gone(key)
        if gone is None or gone.thread_id is None or gone.board_post_id is None:
            return
        try:
            thread = await self.client.fetch_channel(gone.thread_id)
            if isinstance(thread, discord.Thread):
                await thread.edit(name=thread_name(gone), archived=False)  # nothing can be edited in an archived one
                board = thread.get_partial_message(gone.board_post_id)
                text = f"🌳 **What if {gone.id}** is gone. {gone.gone}"
                await board.edit(content=text, attachments=[], view=None)
        except discord.NotFound:  # somebody deleted it
            pass
        except discord.HTTPException:  # it is tried again when trees are looked at next
            return
        await self.desk.endings.cleared(gone)
