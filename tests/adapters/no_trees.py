"""Nobody may look into any tree: what tests of other doors need of a visitor."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from bot.core.errors import NotFound, Rejected
from bot.core.permissions import ONLY_MANAGERS
from bot.core.records import AgentId, Beat, Snowflake
from bot.core.timelines.growth import Operation
from bot.core.timelines.records import Event, Node, NodeId, Timeline
from bot.core.timelines.showing import MindShown


class NoTrees:
    """`TreeVisitors` without a tree."""

    async def trees(self, token: str, guild_id: Snowflake) -> Sequence[Timeline]:
        raise Rejected(ONLY_MANAGERS)

    async def tree(self, token: str, guild_id: Snowflake, tree_id: int) -> Timeline:
        raise Rejected(ONLY_MANAGERS)

    async def remarks(self, token: str, guild_id: Snowflake, timeline: Timeline) -> Sequence[str]:
        raise NotFound

    async def coin(self, timeline: Timeline) -> str:
        raise NotFound

    async def snapshot(self, timeline: Timeline) -> tuple[int, Sequence[Node]]:
        raise NotFound

    async def events(self, timeline: Timeline, after: int, node_id: NodeId | None) -> Sequence[Event]:
        raise NotFound

    async def read(self, timeline: Timeline, node_id: NodeId) -> Sequence[str]:
        raise NotFound

    async def compare(self, timeline: Timeline, one: NodeId, two: NodeId | None) -> tuple[str, Sequence[str]]:
        raise NotFound

    async def minds(self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId) -> Sequence[MindShown]:
        raise NotFound

    async def seen(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, agent_id: AgentId, beat_id: int
    ) -> Beat:
        raise NotFound

    async def prices(
        self, token: str, guild_id: Snowflake, timeline: Timeline, node_id: NodeId, *, turns: int, siblings: int
    ) -> Mapping[Operation, Decimal | str]:
        raise NotFound
