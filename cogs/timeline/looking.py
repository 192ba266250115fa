"""`/timeline`: trees are looked at, compared and cut back."""

from discord import app_commands

from bot.core.actions.fields import LARGEST_ID
from bot.core.errors import StoreError
from bot.core.sentences import Sentence
from bot.core.timelines.records import Timeline
from bot.core.wording import counted, honest
from cogs.base import Interaction, guild_of, person, wait
from cogs.timeline.boards import Number, TreeGroup, TreeNumber
from cogs.ui.beats import beat_file, beat_summary
from cogs.ui.files import text_file
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.pages import paged
from cogs.ui.trees import beat_told, branches, may_look, titled

BeatNumber = app_commands.Range[int, 1, LARGEST_ID]


class Looking(TreeGroup):
    """Commands on nodes that there are."""

    @app_commands.command(name="list", extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def list_(self, interaction: Interaction) -> None:
        """List the trees there are."""
        await wait(interaction)
        found = await self.desk.timelines.all(guild_of(interaction))
        lines = [line for one in found if (line := await _listed(interaction, one))]
        empty = "There are no trees: managers begin one with `/timeline fork`."
        await self.list_out(interaction, "Trees", lines, empty=empty)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def show(self, interaction: Interaction, tree: TreeNumber | None = None) -> None:
        """Show all nodes of a tree.

        Args:
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree, to_look=True)
        shown = await self.desk.timelines.shown(timeline)
        await self.list_out(interaction, titled(timeline), branches(shown.nodes), empty="It is empty.")

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def read(
        self,
        interaction: Interaction,
        node: Number,
        beats: bool = False,
        beat: BeatNumber | None = None,
        tree: TreeNumber | None = None,
    ) -> None:
        """Read what was said in a node since the fork, or (managers) what an agent saw there.

        Args:
            node: Which node
            beats: A list of the beats in this node, with their numbers (managers)
            beat: The number of one, for the very HUD and answer (managers)
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree, to_look=not (beats or beat))
        if beats or beat:
            await self._beats(interaction, timeline, node, beat)
            return
        lines = [honest(one) for one in await self.desk.timelines.read(timeline, node)]
        await self.list_out(interaction, f"Node {node}", lines, empty="Nothing was said since the fork.")

    async def _beats(self, interaction: Interaction, timeline: Timeline, node: int, beat: int | None) -> None:
        """List the beats that there were in a node, or show what an agent saw at one."""
        guild_id, who = guild_of(interaction), person(interaction).id
        rooms = (await self.desk.community.view(guild_id, messages=0)).all_rooms
        if beat is None:
            names = {one.id: one.name for one in await self.desk.agents.everyone(guild_id)}
            told = await self.desk.timelines.beats(timeline, node, who=who)
            lines = [beat_told(one, names, rooms) for one in told]
            title = Sentence("**Beats in node {node}**; `beat:` shows what an agent saw at one", node=node)
            await self.list_out(interaction, title, lines, empty=Sentence("Nobody looked in this node itself."))
            return
        one = await self.desk.timelines.seen_at(timeline, node, beat, who=who)
        model = await self.desk.providers.model(guild_id)
        await self.say(interaction, beat_summary(one, model, rooms), files=[beat_file(one)])

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
        first, *pages = paged(header, [honest(one) for one in lines])
        whole = Sentence("\n-# That is not all: the file has all {lines}.", lines=counted(len(lines), "line"))
        files = [text_file(f"compare-{node}-{other}.md", "\n".join([header, *lines]))] if lines else []
        await self.say(interaction, Sentence.joined(first, *([whole] if pages else [])), files=files)

    @app_commands.command()
    async def rerun(self, interaction: Interaction, node: Number, tree: TreeNumber | None = None) -> None:
        """Run a node again from the answers that were recorded, and say whether it comes out the same.

        Args:
            node: Which node
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        await self.say(interaction, await self.desk.timelines.rerun(timeline, person(interaction), node))

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
        await self.desk.timelines.note(timeline, person(interaction), node, text)
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
            told = await self.desk.timelines.remove(timeline, who)
        else:
            told = await self.desk.timelines.delete(timeline, who, node)
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
            f"Tree {timeline.id}: {shown.usd:.4f} of {timeline.usd_cap:.2f} {shown.coin}, "
            f"{counted(len(shown.nodes), 'node')} {size:.1f} MB, "
            f"until <t:{int(timeline.expires_at.timestamp())}:f>.",
        )


async def _listed(interaction: Interaction, one: Timeline) -> str:
    """Give a tree's line, empty for who may not look into it; of what cannot be read only that, to everybody."""
    try:
        if not await may_look(interaction, one):
            return ""
    except StoreError as error:
        return Sentence("🌳 What if {number}: {why}", number=one.id, why=error.sentence)
    where = f" in <#{one.thread_id}>" if one.thread_id is not None else ""
    return f"{titled(one)}{where}, until <t:{int(one.expires_at.timestamp())}:D>"
