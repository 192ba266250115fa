"""A scene as it is kept: who sits in it, where it stands, and what happened in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from bot.core.records import AgentId, CommunityId, Json, MessageId, SceneId, Snowflake


class SceneStatus(StrEnum):
    LOBBY = "lobby"
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"
    STOPPED = "stopped"
    STUCK = "stuck"

    @property
    def is_open(self) -> bool:
        """Whether it may still go on."""
        return self in OPEN


OPEN = (SceneStatus.LOBBY, SceneStatus.RUNNING, SceneStatus.PAUSED)


class Source(StrEnum):
    """Where an entry of the log came from."""

    BEAT = "beat"
    PERSON = "person"
    DEADLINE = "deadline"
    RULES = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated:
    """Who sits on a seat, and how that seat fared."""

    seat: int
    agent_id: AgentId | None = None
    person_id: Snowflake | None = None
    turns: int = 0
    refused: int = 0
    misses: int = 0
    steps: int = 0  # calls that came to no move in this window
    why: str = ""  # the last of them, in one sentence
    left_at: datetime | None = None
    result: str = ""
    score: int = 0
    usd: Decimal = Decimal(0)  # what its turns have cost
    pings: bool = False  # whether its person wants to be called when it is their turn
    left_by: str = ""  # the ids of people who sat there before, a space on either side of each

    def taken_by(self, other: "Seated") -> "Seated":
        """Give the seat with somebody else on it: who sat there before has seen what it saw."""
        before = f" {self.person_id} " if self.person_id not in (None, other.person_id) else ""
        left_by = self.left_by if before in self.left_by else self.left_by + before
        sits = {"agent_id": other.agent_id, "person_id": other.person_id, "pings": other.pings}
        return replace(self, **sits, left_at=None, left_by=left_by)  # type: ignore[arg-type]  # columns of a seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One scene; `standing` is where it stands, packed (core.scenes.play), empty in the lobby.

    `first_digest`: of what stood before the first entry. `window_step`: since which the same seats are awaited.
    """

    community_id: CommunityId
    id: SceneId
    kind: str
    version: int
    title: str
    room_id: AgentId
    thread_id: Snowflake | None = None
    board_post_id: Snowflake | None = None
    board_at: datetime | None = None  # when the board was last asked to be drawn anew
    status: SceneStatus = SceneStatus.LOBBY
    options: Mapping[str, Json] = field(default_factory=dict)
    seed: str = ""
    step: int = 0
    window_step: int = 0
    window_at: datetime | None = None
    events: int = 0  # how many there are
    standing: Mapping[str, Json] = field(default_factory=dict)
    digest: str = ""
    first_digest: str = ""
    deadline_at: datetime | None = None
    seconds_left: int | None = None  # of the window that was open when it was paused
    why: str = ""  # it is paused, in one sentence
    faults: int = 0  # deadlines in a row that were missed because models failed
    started_by: Snowflake
    usd_cap: Decimal = Decimal("0.25")
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    outcome: str = ""  # with marks
    seats: tuple[Seated, ...] = ()
    commentator: Seated | None = None  # an agent that sees what everybody sees, and speaks of it; it sits on no seat

    @property
    def is_in_room(self) -> bool:
        """Whether it takes place in its room's own channel, whose id is its thread's then."""
        return self.options.get("place") == "room"

    def is_going_on(self, at: datetime) -> bool:
        """Whether it was being played at that time, as far as it is known: one that is paused is not."""
        if self.started_at is None or at < self.started_at:
            return False
        return self.status is SceneStatus.RUNNING if self.ended_at is None else at <= self.ended_at

    @property
    def taken(self) -> tuple[int, ...]:
        """The numbers of its seats."""
        return tuple(one.seat for one in self.seats)

    @property
    def usd(self) -> Decimal:
        """What the turns of its agents have cost."""
        return sum((one.usd for one in (*self.seats, *self.watchers)), Decimal(0))

    @property
    def watchers(self) -> tuple[Seated, ...]:
        """The commentator, if there is one."""
        return () if self.commentator is None else (self.commentator,)

    @property
    def commentator_id(self) -> AgentId | None:
        """Who comments on it now."""
        one = self.commentator
        return one.agent_id if one is not None and one.left_at is None else None

    def seat_of(self, *, agent_id: AgentId | None = None, person_id: Snowflake | None = None) -> Seated | None:
        """Find the seat of an agent or a person; one that was left is nobody's."""
        for one in self.seats:
            if one.left_at is not None:
                continue
            if agent_id is not None and one.agent_id == agent_id:
                return one
            if person_id is not None and one.person_id == person_id:
                return one
        return None

    def left_seat(self, person_id: Snowflake) -> Seated | None:
        """Find the seat that a person left and nobody took, while it may go on."""
        theirs = (one for one in self.seats if one.person_id == person_id and one.left_at is not None)
        return next((one for one in theirs if self.status.is_open), None)

    def sat(self, person_id: Snowflake) -> bool:
        """Tell whether a person sits in it or has: who left knows what the seat saw, and may take it again."""
        return any(one.person_id == person_id or f" {person_id} " in one.left_by for one in self.seats)

    def fared(self, seat: int, *, turns: int = 0, refused: int = 0, misses: int = 0, **fields: object) -> "Scene":
        """Count how a seat fares."""
        seats = []
        for one in self.seats:
            if one.seat == seat:
                counts = {"turns": turns + one.turns, "refused": refused + one.refused, "misses": misses + one.misses}
                one = replace(one, **counts, **fields)  # type: ignore[arg-type]  # columns of a seat
            seats.append(one)
        return replace(self, seats=tuple(seats))


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneEvent:
    """Something that happened, or (kind `text`) a text that moves name by its number.

    `text` is None once it is erased; `seat` said it, 0 are the rules.
    """

    id: int
    step: int
    kind: str
    text: str | None
    seat: int = 0
    number: int = 0  # of a text
    audience: tuple[int, ...] | None = None
    message_id: MessageId | None = None  # the agent's message it was posted as
    post_id: Snowflake | None = None  # a person's own line on Discord
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Fared:
    """How somebody fared in all scenes of a kind."""

    kind: str
    agent_id: AgentId | None
    person_id: Snowflake | None
    played: int
    won: int
    score: int
    turns: int
    refused: int
    misses: int
    usd: Decimal
