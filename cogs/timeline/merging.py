"""`/timeline`: what never was is taken over into life, item by item, and put back."""

import asyncio
from collections.abc import Mapping, Sequence

from discord import app_commands

from bot.core.errors import NotFound
from bot.core.keeping import JournalEntry
from bot.core.records import AgentId
from bot.core.sentences import Sentence
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
LISTED = 5_000  # things in a file: more are read by nobody
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
        of = None if agent is None else agent.id
        if what is not None and SURE in interaction.extras:
            who = person(interaction)
            told = await self.desk.merges.take(guild_of(interaction), who, timeline, node, what, of=of)
            await self.say(interaction, told)
            return
        await self._offer(interaction, timeline, node, what, of)

    async def _offer(
        self, interaction: Interaction, timeline: Timeline, node: int, what: str | None, of: AgentId | None
    ) -> None:
        """List what could be taken over, or ask whether what was named is to be."""
        offer = await self.desk.merges.offered(timeline, node, who=person(interaction).id)
        items = offer.of(of)
        if what is None:
            await self._show(interaction, timeline, node, items, offer.names)
            return
        wanted = await asyncio.to_thread(chosen, items, what)
        again = Again("timeline merge", _given(timeline, node, ALL if what == ALL else _marks(wanted)))
        if what == ALL and of is not None:
            again = again.on(agent=of)
        await self._ask(interaction, again, wanted, offer.names)

    async def _show(
        self, interaction: Interaction, timeline: Timeline, node: int, items: Sequence[Item], names: Names
    ) -> None:
        """List what there is, with a select to choose from."""
        if not items:
            raise NotFound(Sentence("Node {node} holds nothing that could be taken over.", node=node))
        text = await asyncio.to_thread(_listing, node, items, names)  # there may be thousands
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


def _listing(node: int, items: Sequence[Item], names: Names) -> str:
    lines = [f"- {merge_line(one, names)}" for one in items[:LISTED]]
    more = [f"- and {len(items) - LISTED:,} more"] if len(items) > LISTED else []
    return "\n".join([f"**What node {node} could give to real life**", *lines, *more])


def _marks(items: Sequence[Item]) -> str:
    return "+".join(one.mark for one in items)


def _given(timeline: Timeline, node: int, what: str) -> tuple[str, ...]:
    return f"node={node}", f"what={what}", f"tree={timeline.id}"


def merged_line(one: JournalEntry) -> str:
    """Word what was taken over in one go, by its first change."""
    return f"**{one.id}** {honest(one.by)}, <t:{int(one.at.timestamp())}:f>: {honest(one.path)[:80]} …"
