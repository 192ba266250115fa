"""What a few actions depend on beside the view, asked all at once: messages, look-ups, reactions, tempo, wrong keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.core.records import AgentId, Checkpoint, Message, MessageId, Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """The newest messages of some rooms: those with these words, or without words those before one."""

    rooms: tuple[AgentId, ...]
    words: str | None = None
    before: MessageId | None = None
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What is asked of one actor; what is empty or None is not asked."""

    actor: Sender
    reacted_to: frozenset[MessageId] = frozenset()
    moves_since: datetime | None = None
    doors: frozenset[AgentId] = frozenset()  # rooms at which wrong keys are counted since `failures_since`
    failures_since: datetime | None = None
    crossed: frozenset[AgentId] = frozenset()  # rooms in which its coming and going is counted since then
    crossed_since: datetime | None = None
    newest_of: frozenset[AgentId] = frozenset()
    schedules_of: AgentId | None = None
    messages: frozenset[MessageId] = frozenset()
    sought: frozenset[Sought] = frozenset()
    summaries_of: frozenset[AgentId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """The answers."""

    reactions: frozenset[tuple[MessageId, str]] = frozenset()  # the actor's, that stand
    moves: Mapping[AgentId, int] = field(default_factory=dict)  # how often the actor moved an author's interval
    failures: Mapping[AgentId, int] = field(default_factory=dict)  # by room
    crossings: Mapping[AgentId, int] = field(default_factory=dict)  # how often it came or went, by room
    newest: Mapping[AgentId, MessageId] = field(default_factory=dict)  # by room
    scheduled: int = 0
    messages: Mapping[MessageId, Message] = field(default_factory=dict)  # those asked for by id; deleted ones left out
    found: Mapping[Sought, Sequence[tuple[Message, str]]] = field(default_factory=dict)  # newest first, with excerpts
    summaries: Sequence[Checkpoint] = ()  # oldest first
