"""What a decision writes: handlers and gates give changes as data, the store applies them in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from bot.core.kinds import (
    Access,
    Detail,
    Emotion,
    InputFormat,
    LetterKind,
    MessageType,
    MindPart,
    OutputFormat,
    ReasonKind,
    RequestState,
    Visibility,
)
from bot.core.records import (
    AccessKey,
    AccessRequest,
    ActionRecord,
    AgentId,
    Allocations,
    Attachment,
    Beat,
    BeatId,
    Checkpoint,
    Focus,
    Json,
    KeyId,
    Lookup,
    Lorebook,
    Membership,
    MessageId,
    Reason,
    RequestId,
    Room,
    SceneId,
    Schedule,
    ScheduleId,
    Sender,
    Side,
    Snowflake,
    WholeAgent,
)

# The columns that can be set, each named and typed as in its record.


class AgentColumns(TypedDict, total=False):
    name: str
    model: str
    temperature: float
    avatar_url: str | None
    interval_seconds: float
    resting_interval_seconds: float
    token_budget: int
    allocations: Allocations
    input_format: InputFormat
    output_format: OutputFormat
    detail: Detail
    can_create_agents: bool
    aliases: tuple[str, ...]
    listens_to_bare_name: bool
    created_by: AgentId | None
    asleep_until: datetime | None
    paused_reason: str | None
    retired_at: datetime | None
    last_beat_at: datetime | None
    last_reason: ReasonKind | None
    last_beat_silent: bool
    failures_in_a_row: int
    backs_off_until: datetime | None
    spare_models: tuple[str, ...]
    unusable_in_a_row: int
    fault_told_at: datetime | None


class WholeAgentColumns(AgentColumns, total=False):
    prompt: str
    lore: Lorebook


class RoomColumns(TypedDict, total=False):
    channel_id: Snowflake | None
    access: Access
    visibility: Visibility
    topic: str
    billboard: str
    wpm: int
    rpm: int
    hushed_until: datetime | None
    agent_run: int
    rest_told_at: datetime | None
    fault_told_at: datetime | None
    compact_asked_at: datetime | None
    people_since: datetime | None


class MembershipColumns(TypedDict, total=False):
    attention: int | None
    joined_after: MessageId
    seen_until: MessageId
    window_start: MessageId
    last_spoke_at: datetime | None
    overrun_words: int
    patience_seconds: float | None


class MessageColumns(TypedDict, total=False):
    discord_id: Snowflake | None
    thread_id: Snowflake | None
    thread_name: str | None
    answers_from_agents: int


class KeyColumns(TypedDict, total=False):
    label: str
    uses_left: int | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAgent:
    """A new agent with its room and its membership there; ids come from the transaction's counters."""

    agent: WholeAgent
    room: Room


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateAgent:
    """Set some columns of an agent."""

    agent_id: AgentId
    fields: AgentColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRoom:
    room_id: AgentId
    fields: RoomColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMembership:
    membership: Membership


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateMembership:
    agent_id: AgentId
    room_id: AgentId
    fields: MembershipColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMembership:
    agent_id: AgentId
    room_id: AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Store a message of an agent or of System and, when `post` is set, the letter that brings it to Discord.

    `message_id` comes from the transaction's counters. A message with a waiting letter is shown once it is posted.
    `attachments`: as agents see them; `files`: their names and whole texts, which the letter keeps until then.
    """

    message_id: MessageId
    room_id: AgentId
    sender: Sender
    content: str
    type: MessageType = MessageType.TEXT
    sent_at: datetime
    reply_to: MessageId | None = None
    thread_id: Snowflake | None = None
    thread_name: str | None = None
    not_before: datetime | None = None
    beat_id: BeatId | None = None
    tokens: int = 0
    post: bool = True
    scene_id: SceneId | None = None  # said in a scene: no room shows it, and it counts for nothing there
    attachments: tuple[Attachment, ...] = ()
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddLetter:
    """An effect on Discord that is no message: its payload is of its kind (core.letters)."""

    kind: LetterKind
    room_id: AgentId
    payload: Mapping[str, Json]
    not_before: datetime
    beat_id: BeatId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class React:
    """An agent's or a person's reaction to a message; counted once per reactor, message and emoji."""

    message_id: MessageId
    emoji: str  # one of the four names, or what Discord shows
    emotion: Emotion | None
    reactor: Sender
    at: datetime
    moved_seconds: float = 0.0  # what it did to the author's interval, to be undone when it is taken back


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreact:
    """A reaction taken back; what it did to the tempo is undone by an `UpdateAgent` beside it."""

    message_id: MessageId
    emoji: str
    reactor: Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class SetKnowledge:
    """Keep the whole object of one side and journal the one path that changed (`before` None: it was not there)."""

    agent_id: AgentId
    side: Side
    knowledge: Mapping[str, Json]
    path: str
    before: Json
    after: Json
    by: str  # who did it, people by their ids (core.people)
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFocus:
    agent_id: AgentId
    side: Side
    focus: Focus


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalPlan:
    """Journal a change of a plan, which is kept with the focus: `before` and `after` hold the pieces that changed.

    Of another `part` of the mind the pieces are its sections.
    """

    agent_id: AgentId
    side: Side
    path: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    by: str  # who did it, people by their ids (core.people)
    at: datetime
    part: MindPart = MindPart.PLAN


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordAction:
    agent_id: AgentId
    side: Side
    record: ActionRecord
    beat_id: BeatId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddLookup:
    agent_id: AgentId
    side: Side
    lookup: Lookup


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearLookups:
    """The lookups of that side were shown once."""

    agent_id: AgentId
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class AddKey:
    key: AccessKey


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateKey:
    key_id: KeyId
    fields: KeyColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldKey:
    """Hand a key to an agent, which then holds it."""

    key_id: KeyId
    agent_id: AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRequest:
    request: AccessRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseRequest:
    request_id: RequestId
    state: RequestState
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CountFailure:
    """A key that did not open a room: too many of them lock the requester out for a while."""

    room_id: AgentId
    agent_id: AgentId | None = None
    person_id: Snowflake | None = None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PutReason:
    """Give an agent a reason to beat; one of the same kind and room is replaced. Its next beat follows by itself."""

    agent_id: AgentId
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class DropReasons:
    """Take away reasons as they were claimed: what came in since (a newer message) stays."""

    agent_id: AgentId
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndBeat:
    """Keep what a beat saw, said and cost, and let its agent go."""

    beat: Beat


@dataclass(frozen=True, slots=True, kw_only=True)
class AddSchedule:
    schedule: Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSchedule:
    schedule_id: ScheduleId


@dataclass(frozen=True, slots=True, kw_only=True)
class AddCheckpoint:
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateMessage:
    message_id: MessageId
    fields: MessageColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOverride:
    """A community's own value for a setting; None goes back to the installation's."""

    name: str
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Who changed what, for managers to read: people stand there by their ids (core.people)."""

    by: str
    what: str
    agent_id: AgentId | None = None
    at: datetime


Change = (
    AddAgent
    | UpdateAgent
    | UpdateRoom
    | AddMembership
    | UpdateMembership
    | RemoveMembership
    | Say
    | AddLetter
    | React
    | Unreact
    | SetKnowledge
    | SetFocus
    | JournalPlan
    | RecordAction
    | AddLookup
    | ClearLookups
    | AddKey
    | UpdateKey
    | HoldKey
    | AddRequest
    | CloseRequest
    | CountFailure
    | PutReason
    | DropReasons
    | EndBeat
    | AddSchedule
    | DropSchedule
    | AddCheckpoint
    | UpdateMessage
    | SetOverride
    | Audit
)
