"""A tree, and what its agents carry, as they are shown."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

from bot.core.people import why_unheard
from bot.core.records import AgentId, Json, Person, Side
from bot.core.sentences import Sentence
from bot.core.timelines.records import Node, NodeId, Timeline, Tree
from bot.core.view import Outline

ALL_PAUSED = Sentence(
    "Everyone is paused where it begins, so nobody in it does anything: use `/heartbeat resume`, then fork anew."
)
NOBODY_AWAKE = Sentence(
    "Every agent of its rooms is paused where it begins, so nobody in it does anything: wake them with `/agent resume` "
    "and fork anew, or change a node with `properties: paused=False`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Where a tree is told of, and its nodes by id."""

    timeline: Timeline
    tree: Tree
    nodes: Sequence[Node]
    coin: str = "USD"
    point: str = ""  # a link to where it begins; empty where that is just a moment

    @property
    def usd(self) -> Decimal:
        """What it has cost so far."""
        return sum((one.usd for one in self.nodes), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class MindShown:
    """What an agent of a node carries on one side: what it knows, and its focus with what it is after."""

    agent_id: AgentId
    name: str
    side: Side
    knowledge: Mapping[str, Json]
    focus: Mapping[str, Json]


def what_keeps_still(view: Outline, room_ids: Sequence[AgentId]) -> str:
    """Say why nobody would do anything in a tree of these rooms (none: all) that begins now; empty where some do."""
    if view.community.paused:
        return ALL_PAUSED
    there = _agents_in(view, room_ids)
    return NOBODY_AWAKE if there and all(view.agents[one].paused_reason is not None for one in there) else ""


def _agents_in(view: Outline, room_ids: Sequence[AgentId]) -> Set[AgentId]:
    members = {agent for agent, room in view.memberships if not room_ids or room in room_ids}
    return {one for one in members & view.agents.keys() if view.agents[one].retired_at is None}


def why_deaf(person: Person | None) -> str:
    """Say why nobody in a tree has heard who looks at it, nor will; empty where they are heard."""
    why = why_unheard(person) if person is not None else ""
    return Sentence("{why} So nobody in it has heard you: fork anew after that.", why=why) if why else ""


def same_as(nodes: Sequence[Node]) -> Mapping[NodeId, str]:
    """Tell of the nodes that came out just as an earlier one from the same parent did which that is, in words."""
    first: dict[tuple[NodeId | None, str], NodeId] = {}
    found = {}
    for one in nodes:
        if one.digest:
            earlier = first.setdefault((one.parent, one.digest), one.id)
            if earlier != one.id:
                found[one.id] = f"the same as node {earlier}"
    return found
