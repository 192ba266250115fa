"""What a few actions depend on beside the view, asked all at once: reactions, tempo moves, wrong keys, newest lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.core.records import AgentId, MessageId, Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What is asked of one actor; what is empty or None is not asked."""

    actor: Sender
    reacted_to: frozenset[MessageId] = frozenset()
    moves_since: datetime | None = None
    doors: frozenset[AgentId] = frozenset()  # rooms at which wrong keys are counted since `failures_since`
    failures_since: datetime | None = None
    newest_of: frozenset[AgentId] = frozenset()
    schedules_of: AgentId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """The answers."""

    reactions: frozenset[tuple[MessageId, str]] = frozenset()  # the actor's, that stand
    moves: Mapping[AgentId, int] = field(default_factory=dict)  # how often the actor moved an author's interval
    failures: Mapping[AgentId, int] = field(default_factory=dict)  # by room
    newest: Mapping[AgentId, MessageId] = field(default_factory=dict)  # by room
    scheduled: int = 0
