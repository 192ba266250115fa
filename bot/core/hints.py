"""What processes ring one another for: that there may be something to do; what there is stands in the database."""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.records import AgentId, BeatId, CommunityId


class HintKind(StrEnum):
    """What there may be to do."""

    DUE = "due"  # somebody's next beat has come: for minds
    BEGUN = "begun"  # somebody is asked for whom a person waits: for the gateway, which shows typing
    WRITTEN = "written"  # something was written that may have to be posted: for the gateway


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A reason to look: ids and a claim's token, and nothing that anybody said.

    Whoever hears one looks into the database and does what is to be done there, and nothing where the hint is old,
    was heard before or was forged.
    """

    kind: HintKind
    community_id: CommunityId | None = None
    agent_id: AgentId | None = None
    token: BeatId | None = None  # of the claim: a number that is never given twice
