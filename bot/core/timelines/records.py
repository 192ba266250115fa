"""What a tree of timelines is made of: where it begins, its nodes, what happened in them, and what models answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal, NewType

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

from bot.core.models import ModelAnswer
from bot.core.records import AgentId, CommunityId, Json, Snowflake
from bot.core.timelines.changes import Change

TreeId = NewType("TreeId", int)  # counted per community, and never given again
NodeId = NewType("NodeId", int)  # counted per tree, and never given again

ROOT = NodeId(0)
NEWEST_MESSAGES = 20_000
STUCK_TREES = "stuck what-ifs"  # noted of a community: by tree why what was deleted could not leave its file
UNREADABLE = (  # why a tree is gone
    "Its file was damaged: what was deleted in this server could not be taken out of it, so all of it went."
)


class Status(StrEnum):
    """How far a node is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_over(self) -> bool:
        """Whether it never changes again."""
        return self in (Status.DONE, Status.FAILED, Status.STOPPED)


class Edge(StrEnum):
    """How a node came from its parent."""

    ROOT = "root"
    ADVANCE = "advance"
    MULTI = "multi"
    CHAIN = "chain"
    ASK = "ask"
    BRANCH = "branch"  # several changes at once
    AGENT_CTX = "agent_ctx"
    AGENT_PLAN = "agent_plan"
    AGENT_PROPS = "agent_props"
    SCENE_STATE = "scene_state"
    PUBLIC_EVENT = "public_event"
    SETTINGS = "settings"


def edge_of(changes: tuple[Change, ...]) -> Edge:
    """Give the edge of a branch: the kind of the only change, else `branch`."""
    return Edge(changes[0].kind) if len(changes) == 1 else Edge.BRANCH


class _Point(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Now(_Point):
    """As everything stands now."""

    kind: Literal["now"] = "now"


class AtMessage(_Point):
    """When a message had just been said; `message_id` is its small id."""

    kind: Literal["message"] = "message"
    message_id: int


class AtTime(_Point):
    """A moment of the past."""

    kind: Literal["time"] = "time"
    at: AwareDatetime


class AtStep(_Point):
    """When a scene had just taken a step; 0 is before its first."""

    kind: Literal["step"] = "step"
    scene_id: int
    step: int = Field(ge=0)


NOW = Now()
Point = Annotated[Now | AtMessage | AtTime | AtStep, Field(discriminator="kind")]
POINT: TypeAdapter[Point] = TypeAdapter(Point)


@dataclass(frozen=True, slots=True)
class TreeKey:
    """Which tree."""

    community_id: CommunityId
    id: TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What of a community comes into a world: some rooms (none: all of them) at a point, and so many messages.

    `played_by`: agents that play the seats of people there.
    """

    rooms: tuple[AgentId, ...] = ()
    point: Point = NOW
    played_by: tuple[AgentId, ...] = ()
    newest_messages: int = NEWEST_MESSAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A frozen community, packed; `digest` is the same for the same rows.

    `at`: the moment it shows. `not_unwound`: what of it is as it is now, though the point is past, and what keeps
    everybody in it still, in sentences.
    """

    data: bytes | memoryview = field(repr=False)
    digest: str
    at: datetime
    not_unwound: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """One tree. `program`: the version that made it; `revision`: the schema of its rows.

    `usable`: empty while nodes may be run; else why it can only be read, in one sentence. `managers_only`: it may hold
    words that who reads its rooms may not.
    """

    key: TreeKey
    title: str
    rooms: tuple[AgentId, ...]
    point: Point
    made_by: Snowflake
    made_at: datetime
    at: datetime  # the moment of life at which it begins
    seed: str
    revision: str
    program: str
    bytes: int = 0
    not_unwound: tuple[str, ...] = ()
    usable: str = ""
    managers_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """A tree as the live community knows it: where it is told of, what it may cost, and until when it stays.

    `gone`: why its file was deleted, in one sentence, until its maker has been told.
    """

    community_id: CommunityId
    id: TreeId
    room_id: AgentId
    title: str
    thread_id: Snowflake | None = None
    board_post_id: Snowflake | None = None
    made_by: Snowflake
    usd_cap: Decimal
    created_at: datetime
    expires_at: datetime
    gone: str = ""

    @property
    def key(self) -> TreeKey:
        """Which tree it is."""
        return TreeKey(self.community_id, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A node that is to be stored as queued."""

    parent: NodeId
    edge: Edge
    seed: str
    changes: tuple[Change, ...] = ()
    turns_wanted: int = 0
    minutes: float | None = None  # instead of turns
    asked: tuple[AgentId, str] | None = None  # the question of `ask`, and whom
    note: str = ""
    made_by: Snowflake


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One world. `turns` were played in it, `from_at` and `until_at` are virtual times.

    `outcome`: what came of it, in words (`quiet`, or a scene's); of a failed node the reason, in one sentence.
    `digest` is there once it is done. `exact` is False once answers that it ran on were dropped.
    """

    id: NodeId
    parent: NodeId | None
    depth: int
    edge: Edge
    seed: str
    status: Status
    changes: tuple[Change, ...] = ()
    turns_wanted: int = 0
    minutes: float | None = None
    asked: tuple[AgentId, str] | None = None
    turns: int = 0
    from_at: datetime | None = None
    until_at: datetime | None = None
    usd: Decimal = Decimal(0)
    tokens: int = 0
    digest: str = ""
    outcome: str = ""
    note: str = ""
    exact: bool = True
    made_by: Snowflake
    made_at: datetime
    ended_at: datetime | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether nobody there has a reason to do anything."""
        return self.outcome == QUIET


QUIET = "quiet"
QUIET_TOLD = "quiet, nobody in it has a reason to do anything: *Change…* gives it an event"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a run came to. `status`: done, failed or stopped."""

    status: Status
    at: datetime  # real time
    turns: int = 0
    from_at: datetime | None = None
    until_at: datetime | None = None
    usd: Decimal = Decimal(0)
    tokens: int = 0
    outcome: str = ""


class EventKind(StrEnum):
    """What is told of a node, and of a tree."""

    MESSAGE = "message"
    MOVE = "move"
    KNOWLEDGE = "knowledge"
    BEAT = "beat"
    ATTACHED = "attached"
    RUN_START = "run_start"
    RUN_FINISH = "run_finish"
    RUN_FAILED = "run_failed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Something that happened in a node, before it has its number; `data` tells what, as the page shows it.

    `message_ids`: the messages of the world whose words are in `data`; an event goes when one of them is deleted.
    """

    kind: EventKind
    data: Mapping[str, Json]
    message_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened; `seq` is counted over the whole tree, so that a reader names the last one it has."""

    seq: int
    node_id: NodeId
    kind: EventKind
    data: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """That a model did not answer: the name of the error (core.errors) and what it said."""

    name: str
    sentence: str
    retry_after_seconds: float | None = None
    unsure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call of a node came to; `request` is the sha256 of what was asked, in hex.

    `call` numbers the calls of a node that were asked, from 1 on: the same request may be made twice.
    """

    call: int
    request: str
    answer: ModelAnswer | None
    fault: Fault | None = None
