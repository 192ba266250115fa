"""What the console's answers look like, for their description; tests hold every answer to it, key by key."""

from datetime import date, datetime
from typing import Any

from pydantic import JsonValue
from typing_extensions import TypedDict

from bot.core.kinds import (
    Access,
    AgentType,
    Doing,
    InputFormat,
    LetterKind,
    LetterState,
    ReasonKind,
    SenderKind,
    State,
    Visibility,
)
from bot.core.next_beat import Waiting
from bot.core.scenes.kind import Ordering
from bot.core.timelines.records import Edge, Status

Values = dict[str, JsonValue]


class Identified(TypedDict):
    id: int
    name: str


class Place(Identified):
    """A room, or a private thread in one."""

    owner: str
    thread_of: int | None
    private: bool
    channel_id: str | None


class OwnedRoom(Place):
    closed: bool
    lately: int
    members: list[int]
    last_message_at: datetime | None
    hushed_until: datetime | None
    unposted: int
    fault_at: datetime | None


class Resident(Identified):
    type: AgentType
    model: str
    spare_models: list[str]
    channel_id: str | None
    state: State
    doing: dict[str, Doing]
    hears: list[str]
    interval_seconds: float
    resting_interval_seconds: float
    last_beat_at: datetime | None
    last_reason: ReasonKind | None
    next_beat_at: datetime | None
    waits_for: str
    waiting: Waiting
    at_work_in: dict[str, Doing]
    beats_today: int
    usd_today: float
    failures: int
    rests: bool


class Budget(TypedDict):
    share: float
    usd: float
    usd_limit: float | None
    tokens: int
    tokens_limit: int | None
    coin: str
    unknown: list[str]


class Wait(TypedDict):
    kind: str
    room: int
    at: datetime
    text: str


class ModelState(TypedDict):
    name: str
    agents: int
    spare_for: int
    failing: bool
    failures: int


class WaitingLetters(TypedDict):
    kind: LetterKind
    state: LetterState
    letters: int
    since: datetime


Community = TypedDict("Community", {"server": str, "name": str, "paused": bool, "for": str})


class Communities(TypedDict):
    communities: list[Community]


class Overview(TypedDict):
    server: str
    seq: int
    at: datetime
    paused: bool
    budget: Budget
    rooms: list[OwnedRoom]
    agents: list[Resident]
    waits: list[Wait]
    models: list[ModelState]
    letters: list[WaitingLetters]


class Tokens(TypedDict):
    input: int
    cached: int
    output: int


class BriefBeat(TypedDict):
    id: int
    agent: int
    at: datetime
    reason: ReasonKind
    because: str
    side: int
    model: str
    silent: bool
    failed: str
    outcome: list[str]
    tokens: Tokens
    cost_usd: float | None
    imaginary: bool
    latency_seconds: float


class Beats(TypedDict):
    beats: list[BriefBeat]
    earlier: int | None


class SectionTokens(TypedDict):
    name: str
    tokens: int


class WholeBeat(BriefBeat):
    beat_id: int
    format: InputFormat
    hud: str
    answer: str
    thoughts: str
    agents_in_call: int
    sections: list[SectionTokens]


class Section(SectionTokens):
    before: int | None


class BeatBefore(TypedDict):
    id: int
    at: datetime


class Compared(TypedDict):
    agent: Identified
    before: BeatBefore | None
    sections: list[Section]
    stretches: list[tuple[str, bool]]
    gone: list[str]


class Looked(Compared):
    """A beat, beside the one before it on its side."""

    beat: WholeBeat
    where: Place | None
    by: str | None


class SeenNow(Compared):
    side: int
    hud: str


class Delivery(TypedDict):
    state: LetterState
    attempts: int
    parts: int
    written_at: datetime
    not_before: datetime | None


class Said(TypedDict):
    id: int
    discord_id: str | None
    room: int
    at: datetime
    by: str
    kind: SenderKind
    agent: int | None
    text: str
    reply_to: int | None
    reactions: list[tuple[str, int]]
    edited: bool
    thread: str | None
    files: list[str]
    beat: BriefBeat | None
    delivery: Delivery | None


class Headed(Place):
    topic: str
    billboard: str


class Transcript(TypedDict):
    room: Headed
    messages: list[Said]
    more: bool
    newest: bool
    threads: list[Place]


class FoundLine(Said):
    excerpt: str


class Found(TypedDict):
    found: list[FoundLine]


class Focused(TypedDict):
    current_task: str
    key_decisions: list[str]
    active_files: list[str]
    notes: list[str]
    blockers: list[str]
    next_steps: list[str]
    compacted_context: str


class Aim(TypedDict):
    id: int
    text: str
    done: bool


class Planned(TypedDict):
    goals: list[Aim]
    milestones: list[Aim]
    strategy: str
    current: int | None


class Felt(TypedDict):
    emotion: str
    why: str
    at: datetime


class Carried(TypedDict):
    side: int
    where: str
    knowledge: Values
    focus: Focused
    plan: Planned
    feelings: list[Felt]


class Share(TypedDict):
    room: Place
    side: int
    share: float


class Day(TypedDict):
    day: date
    beats: int
    tokens: int
    usd: float


class OneAgent(TypedDict):
    agent: Resident
    prompt: str
    minds: list[Carried]
    more_minds: int
    attention: list[Share]
    feedback: dict[str, int]
    days: list[Day]
    coin: str


class SetRoom(Headed):
    wpm: int
    rpm: int
    access: Access
    visibility: Visibility
    hushed_until: datetime | None


class Member(Identified):
    owns: bool


class Key(TypedDict):
    label: str
    secret: str
    expires_at: datetime | None
    uses_left: int | None
    held_by: list[str]


class Knock(TypedDict):
    id: int
    by: str
    key: str
    at: datetime


class RoomSettings(TypedDict):
    room: SetRoom
    members: list[Member]
    others: list[Identified]
    keys: list[Key]
    knocks: list[Knock]
    access: list[Access]


class Done(TypedDict):
    told: str


class DoneThere(Done):
    secret: str | None


class Changed(TypedDict):
    id: int
    at: datetime
    path: str
    before: JsonValue
    after: JsonValue
    by: str


class Changes(TypedDict):
    changes: list[Changed]


class Proof(TypedDict):
    proof: str


class RunNumber(TypedDict):
    run: int


class SnapshotNumber(TypedDict):
    snapshot: int


class UnreadRun(RunNumber):
    why: str


class KeptRun(RunNumber):
    title: str
    scene: str
    agents: int
    model: str
    seed: int
    snapshots: int
    usd: str
    coin: str
    made: datetime


class Going(RunNumber):
    turns: int


class KeptRuns(TypedDict):
    runs: list[KeptRun | UnreadRun]
    under_way: Going | None


class Preset(TypedDict):
    name: str
    spec: dict[str, Any]  # a run's description, as POST /runs takes it


class About(TypedDict):
    name: str
    about: str


class Playable(TypedDict):
    name: str
    seats: tuple[int, int]
    orderings: list[Ordering]
    presets: list[str]
    options: list[About]


class Bounds(TypedDict):
    agents: int
    events: int


class Setup(TypedDict):
    presets: list[Preset]
    templates: list[About]
    kinds: list[Playable]
    models: list[str]
    coin: str  # in which models are paid that are asked
    most: Bounds


class World(TypedDict):
    id: int
    parent: int | None
    depth: int
    edge: Edge
    status: Status
    turns: int
    usd: str
    outcome: str
    note: str


class OneRun(RunNumber):
    spec: dict[str, Any]  # as it is kept, with all defaults
    coin: str
    nodes: list[World]
    ended: str
    under_way: Going | None


Snapshot = TypedDict(
    "Snapshot",
    {
        "snapshot": int,
        "from": int,
        "of": int,
        "lines": list[Values],
        "outcome": Values,
        "knowledge": Values,
        "usage": Values,
    },
)


class File(TypedDict):
    toml: str


class Agents(TypedDict):
    agents: list[dict[str, Any]]  # as a run's description has them


class CardRead(TypedDict):
    name: str
    prompt: str
    type: AgentType


class Nothing(TypedDict):
    """What is told where there is nothing to tell."""
