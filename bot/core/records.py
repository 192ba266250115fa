"""What the community is made of: ids, closed sets and frozen records.

Times are aware UTC datetimes. Small ids are counted per community; a `Snowflake` is Discord's own id.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NewType

from bot.core.kinds import (
    Access,
    AgentType,
    Detail,
    HeldFor,
    InputFormat,
    LetterKind,
    LetterState,
    MessageType,
    OutputFormat,
    ReasonKind,
    RequestState,
    SenderKind,
    Visibility,
)

CommunityId = NewType("CommunityId", int)
AgentId = NewType("AgentId", int)  # also the id of the agent's room: every agent is a room
MessageId = NewType("MessageId", int)
KeyId = NewType("KeyId", int)
RequestId = NewType("RequestId", int)
LetterId = NewType("LetterId", int)
BeatId = NewType("BeatId", int)
ScheduleId = NewType("ScheduleId", int)
CheckpointId = NewType("CheckpointId", int)
SceneId = NewType("SceneId", int)
Snowflake = NewType("Snowflake", int)
Side = NewType(
    "Side", int
)  # the public rooms together, or one private room or thread (docs/agents.md#what-is-said-behind-a-door)

PUBLIC_SIDE = Side(0)
MindId = tuple[AgentId, Side]  # who carries it, and on which side
ARCHITECT_NAME = "The Architect"
ARCHITECT_ID = 0  # stands for all of them: no agent has it
SYSTEM_NAME = "System"
USUAL_DEPTH = 4
MOST_SPARES, LONGEST_MODEL = 8, 200  # of an agent; characters of a name

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """One Discord server; `overrides` are the settings that differ from the installation's (core.config)."""

    id: CommunityId
    guild_id: Snowflake
    name: str
    overrides: Mapping[str, Json] = field(default_factory=dict)
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A human of a community, as Selfroom knows them."""

    id: Snowflake
    username: str
    display_name: str = ""
    is_architect: bool = False
    ignored: bool = False  # their own wish
    muted: bool = False  # a manager's decision, which is not theirs to lift


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who wrote a message; `agent_id` for agents, `person_id` and `name` (without @) for people and listed bots."""

    kind: SenderKind
    agent_id: AgentId | None = None
    person_id: Snowflake | None = None
    name: str = ""

    def shown(self) -> str:
        """How agents see the sender: an agent's id, `@username`, `The Architect (@username)` or `System`."""
        match self.kind:
            case SenderKind.AGENT:
                return str(self.agent_id)
            case SenderKind.PERSON | SenderKind.BOT:
                return f"@{self.name}"
            case SenderKind.ARCHITECT:
                return f"{ARCHITECT_NAME} (@{self.name})" if self.name else ARCHITECT_NAME
            case SenderKind.SYSTEM:
                return SYSTEM_NAME

    @property
    def is_human(self) -> bool:
        """Whether a person (The Architect included) wrote it."""
        return self.kind in (SenderKind.PERSON, SenderKind.ARCHITECT)


SYSTEM = Sender(kind=SenderKind.SYSTEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocations:
    """Ceilings in percent of the token budget; they sum up to 100 and rooms get at least 50."""

    knowledge: int = 30
    recent_actions: int = 10
    rooms: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One resident: what it is and when it beats. Its room is a `Room` with the same id."""

    community_id: CommunityId
    id: AgentId
    name: str
    type: AgentType
    model: str
    temperature: float = 0.7
    avatar_url: str | None = None
    interval_seconds: float = 5.0
    resting_interval_seconds: float = 10.0
    token_budget: int = 10_000
    allocations: Allocations = Allocations()
    input_format: InputFormat = InputFormat.TEXT
    output_format: OutputFormat = OutputFormat.JSON
    detail: Detail = Detail.AUTO
    can_create_agents: bool = False
    aliases: tuple[str, ...] = ()
    listens_to_bare_name: bool = True
    created_at: datetime
    created_by: AgentId | None = None  # the parent, when an agent made it
    asleep_until: datetime | None = None
    paused_reason: str | None = None
    retired_at: datetime | None = None
    next_beat_at: datetime | None = None  # None: no reason, no beat
    last_beat_at: datetime | None = None
    last_reason: ReasonKind | None = None
    last_beat_silent: bool = True
    beat_id: BeatId | None = None  # the beat that holds it now
    lease_until: datetime | None = None
    failures_in_a_row: int = 0
    backs_off_until: datetime | None = None  # its model failed: it is not asked before
    spare_models: tuple[str, ...] = ()  # while its own model fails the first of them that does not answers for it
    unusable_in_a_row: int = 0  # answers
    fault_told_at: datetime | None = None  # when people heard that its model fails; None again once it answers


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreEntry:
    """One thing to know: `content` is shown while one of `keys`, and of `others` where there are any, is spoken of."""

    name: str
    keys: tuple[str, ...]
    others: tuple[str, ...] = ()
    content: str
    constant: bool = False  # shown always, as far as there is space
    matches_case: bool = False
    order: int = 0  # the lower, the further up
    priority: int = 0  # the lower, the sooner it is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Lorebook:
    """What a character card's `character_book` tells; `depth`: messages of a room that are looked through."""

    entries: tuple[LoreEntry, ...] = ()
    depth: int = USUAL_DEPTH
    budget_tokens: int | None = None
    recursive: bool = False  # what is shown may bring up more


NO_LORE = Lorebook()


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeAgent(Agent):
    """An agent with its prompt and its lore, which are long, and read only of those whom it takes."""

    prompt: str
    lore: Lorebook = NO_LORE


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """An agent's channel, whose `id` is the owner's; or a private thread in one, with an id of its own."""

    community_id: CommunityId
    id: AgentId
    thread_of: AgentId | None = None  # of a private thread: the room it is in
    thread_name: str = ""
    channel_id: Snowflake | None = None  # None until Discord has made it
    access: Access = Access.KNOCK
    visibility: Visibility = Visibility.PUBLIC
    topic: str = ""
    billboard: str = ""
    wpm: int = 80
    rpm: int = 200
    hushed_until: datetime | None = None
    agent_run: int = 0  # agent messages in a row since a person spoke or reacted (banter)
    rest_told_at: datetime | None = None  # when it last said that the day's money is spent
    fault_told_at: datetime | None = None  # when it said that no model answers; None again once one does
    last_message_at: datetime | None = None
    compact_asked_at: datetime | None = None  # someone wants it summarised now
    people_since: datetime | None = None  # who spoke before may have been shut out since

    @property
    def owner_id(self) -> AgentId:
        """The agent whose room it is, or is in."""
        return self.id if self.thread_of is None else self.thread_of

    @property
    def side(self) -> Side:
        """The side of the barrier it lies on."""
        return Side(self.id) if self.visibility is Visibility.PRIVATE else PUBLIC_SIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """An agent that reads and writes a room. `attention` is 0-100, or None for dynamic (`%*`)."""

    agent_id: AgentId
    room_id: AgentId
    attention: int | None = None
    joined_at: datetime
    joined_after: MessageId = MessageId(0)  # newest message of the room when it joined
    seen_until: MessageId = MessageId(0)  # newest message in a HUD that was built for it
    window_start: MessageId = MessageId(0)  # first message its HUDs show; moves in jumps
    last_spoke_at: datetime | None = None
    overrun_words: int = 0  # by which its last message there exceeded its word budget
    patience_seconds: float | None = None  # wait for the next ambient beat; None: the interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file beside a message; `text` is what could be read of it."""

    name: str
    media_type: str
    size_bytes: int
    url: str
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One line in a room, ordered by `sent_at` and then by Discord's id; `tokens` counts its line in the `text` HUD."""

    id: MessageId
    room_id: AgentId
    sender: Sender
    content: str
    type: MessageType = MessageType.TEXT
    sent_at: datetime
    reply_to: MessageId | None = None
    reactions: tuple[tuple[str, int], ...] = ()  # (name, count), most first
    edited: bool = False
    attachments: tuple[Attachment, ...] = ()
    discord_id: Snowflake | None = None
    thread_id: Snowflake | None = None  # the public thread of the room in which it was said
    thread_name: str | None = None
    beat_id: BeatId | None = None
    tokens: int = 0
    answers_from_agents: int = 0  # answers by agents that it did not address (floor)
    scene_id: SceneId | None = None  # said in a scene: no room shows it

    @property
    def is_wish(self) -> bool:
        """Whether a person wished for another answer to what it replies to: it stands nowhere on Discord."""
        return self.sender.is_human and self.discord_id is None and self.reply_to is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """A key to a room; its secret is only ever at rest as ciphertext and found by its digest."""

    id: KeyId
    room_id: AgentId
    label: str
    ciphertext: bytes
    digest: bytes
    created_at: datetime
    expires_at: datetime | None = None
    uses_left: int | None = None
    revoked_at: datetime | None = None
    held_by: tuple[AgentId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRequest:
    """A knock on a room's door by an agent or a person."""

    id: RequestId
    room_id: AgentId
    requester_agent_id: AgentId | None = None
    requester_person_id: Snowflake | None = None
    requester_name: str = ""
    key_id: KeyId
    key_label: str
    state: RequestState = RequestState.PENDING
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """A goal or a milestone; its number is never given again."""

    id: int
    text: str
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an agent is after (docs/memory.md#plan); `current`: the number of the goal that counts now."""

    goals: tuple[PlanItem, ...] = ()
    milestones: tuple[PlanItem, ...] = ()
    strategy: str = ""
    current: int | None = None
    last_id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Feeling:
    """What an agent felt, and why."""

    emotion: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """What an agent keeps in view (docs/memory.md#focus)."""

    current_task: str = ""
    key_decisions: tuple[str, ...] = ()
    active_files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    compacted_context: str = ""
    updated_at: datetime | None = None
    plan: Plan = Plan()
    feelings: tuple[Feeling, ...] = ()  # the newest last


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRecord:
    """One thing an agent did, as it stands in `recent_actions`; `why` tells why it was rejected."""

    type: str
    at: datetime
    parameters: Mapping[str, Json]
    accepted: bool = True
    result: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """The answer to `get`, `recall`, `read_history` …, shown once in the next HUD."""

    question: str
    answer: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """What one agent carries on one side of the barrier."""

    agent_id: AgentId
    side: Side = PUBLIC_SIDE
    knowledge: Mapping[str, Json] = field(default_factory=dict)
    focus: Focus = Focus()
    recent_actions: tuple[ActionRecord, ...] = ()  # oldest first, at most 20
    lookups: tuple[Lookup, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A summary of a stretch of a room's messages."""

    id: CheckpointId
    room_id: AgentId
    first_message_id: MessageId
    last_message_id: MessageId
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why an agent is to beat: at most one of a kind per agent and room waits at a time."""

    kind: ReasonKind
    room_id: AgentId | None = None
    message_id: MessageId | None = None  # the newest message that gave the reason
    person_id: Snowflake | None = None
    by_agent_id: AgentId | None = None
    mentioned: bool = False  # by name or by a reply, which goes first at the floor; ANSWER: it looked up for a call
    since: datetime  # the first line of it: settling ends at the latest 3 s after this
    due_at: datetime
    held_for: HeldFor | None = None  # why it was put off until `due_at`; None: that is when it was due
    scene_id: SceneId | None = None  # whose turn it is there

    @property
    def is_a_persons_call(self) -> bool:
        """Whether a person addressed the agent and waits for its answer."""
        return self.kind is ReasonKind.ADDRESSED and self.person_id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one model call used, in tokens and USD."""

    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    latency_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One heartbeat of one agent, as it is kept for `/hud show`: what it saw, said and cost."""

    id: BeatId
    agent_id: AgentId
    at: datetime
    reason: ReasonKind
    person_id: Snowflake | None = None  # whose message led to it; None: agents or itself (self-caused)
    side: Side = PUBLIC_SIDE
    room_id: AgentId | None = None  # where its reason lies
    scene_id: SceneId | None = None
    model: str = ""
    input_format: InputFormat = InputFormat.TEXT
    agents_in_call: int = 1
    hud: str = ""
    answer: str = ""
    thoughts: str = ""
    sections: tuple[tuple[str, int], ...] = ()  # (name, tokens)
    usage: Usage = Usage()  # this agent's share of the call
    response_id: str = ""  # the provider's, the same for all agents of one call
    outcome: tuple[str, ...] = ()  # one sentence for each thing it did or was refused
    silent: bool = True
    failed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """An outgoing effect, stored before it is sent and sent in order per room."""

    id: LetterId
    community_id: CommunityId
    room_id: AgentId
    kind: LetterKind
    payload: Mapping[str, Json]
    state: LetterState = LetterState.WAITING
    message_id: MessageId | None = None
    beat_id: BeatId | None = None
    not_before: datetime
    attempts: int = 0
    posted_as: tuple[Snowflake, ...] = ()  # Discord ids of its parts known so far, in order
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A message that an agent will say later."""

    id: ScheduleId
    agent_id: AgentId
    room_id: AgentId
    content: str
    at: datetime
