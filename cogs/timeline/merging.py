"""`/timeline`: what never was is taken over into life, item by item, and put back."""

from collections.abc import Mapping, Sequence

from discord import app_commands

from bot.core.errors import NotFound
from bot.core.keeping import JournalEntry
from bot.core.records import AgentId
from bot.core.timelines.merging import ALL, MOST_AT_ONCE, Item, chosen
from bot.core.timelines.records import Timeline
from bot.core.wording import honest
from cogs.arguments import AgentArg
from cogs.base import Interaction, guild_of, managers_only, person, wait
from cogs.timeline.boards import Number, TreeGroup, TreeNumber
from cogs.ui.again import SURE, Again, question
from cogs.ui.files import text_file
from cogs.ui.trees import merge_line, merge_view

LISTED_CHARACTERS = 1_700
Names = Mapping[AgentId, str]


class Merging(TreeGroup):
    """Commands that lead back into life."""

    @app_commands.command()
    async def merge(
        self,
        interaction: Interaction,
        node: Number,
        what: app_commands.Range[str, 1, 300] | None = None,
        agent: AgentArg | None = None,
        tree: TreeNumber | None = None,
    ) -> None:
        """Take over into real life what an agent of a node knows, plans or notes; quote what was said there.

        Args:
            node: From which node
            what: Which path, goal, note or message; "all" that life did not change; a list when left out
            agent: Only what this agent carries
            tree: Which tree; that of this thread when left out
        """
        timeline = await self.tree(interaction, tree)
        offer = await self.desk.merges.offered(timeline, node)
        items = [one for one in offer.items if agent is None or one.agent_id == agent.id]
        if what is None:
            await self._show(interaction, timeline, node, items, offer.names)
        elif SURE in interaction.extras:
            told = await self.desk.merges.take(guild_of(interaction), person(interaction), timeline, node, what)
            await self.say(interaction, told)
        else:
            wanted = chosen(items, what)
            marks = ALL if what == ALL and agent is None else "+".join(one.mark for one in wanted)
            await self._ask(interaction, Again("timeline merge", _given(timeline, node, marks)), wanted, offer.names)

    async def _show(
        self, interaction: Interaction, timeline: Timeline, node: int, items: Sequence[Item], names: Names
    ) -> None:
        """List what there is, with a select to choose from."""
        if not items:
            raise NotFound(f"Node {node} holds nothing that could be taken over.")
        lines = [f"- {merge_line(one, names)}" for one in items]
        text = "\n".join([f"**What node {node} could give to real life**", *lines])
        files = [text_file(f"merge-{timeline.id}-{node}.md", text)] if len(text) > LISTED_CHARACTERS else []
        view = merge_view(timeline.id, node, items, names)
        await self.say(interaction, text[:LISTED_CHARACTERS], view=view, files=files)

    async def _ask(self, interaction: Interaction, again: Again, items: Sequence[Item], names: Names) -> None:
        """Ask whether it is meant; what was chosen piece by piece holds only as it is now."""
        lines = [f"- {merge_line(one, names)}" for one in items[:MOST_AT_ONCE]]
        more = len(items) - len(lines)
        asked = ["Take this over into real life?", *lines, *([f"- and {more} more"] if more else [])]
        await self.say(interaction, "\n".join(asked), view=question(again, "Take it over"))

    @app_commands.command()
    async def unmerge(
        self, interaction: Interaction, merge: app_commands.Range[int, 1, 2_000_000_000] | None = None
    ) -> None:
        """Put back what was taken over from a timeline, as far as nobody changed it since.

        Args:
            merge: Its number; a list when left out
        """
        managers_only(interaction)
        await wait(interaction)
        guild_id = guild_of(interaction)
        if merge is None:
            lines = [merged_line(one) for one in await self.desk.merges.all(guild_id)]
            await self.list_out(interaction, "Taken over", lines, empty="Nothing was taken over from a timeline.")
        elif await self.sure(interaction, "Put back what was taken over?", "Put it back", merge=merge):
            told = await self.desk.merges.put_back(guild_id, person(interaction), merge)
            await self.say(interaction, honest(told)[:1_900])


def _given(timeline: Timeline, node: int, what: str) -> tuple[str, ...]:
    return f"node={node}", f"what={what}", f"tree={timeline.id}"


def merged_line(one: JournalEntry) -> str:
    """Word what was taken over in one go, by its first change."""
    return f"**{one.id}** {honest(one.by)}, <t:{int(one.at.timestamp())}:f>: {honest(one.path)[:80]} …"
