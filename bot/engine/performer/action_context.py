"""The context in which actions are performed: the beat they come from, and what it showed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.core.key_redaction import KeyRedactor
from bot.core.kinds import ReasonKind
from bot.core.ports import Random
from bot.core.records import PUBLIC_SIDE, AgentId, BeatId, MessageId, Reason, Side, Snowflake

MaySpeak = Callable[[AgentId], str]  # of a room: "" or the sentence why not now


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionContext:
    """When, by what chance and within what bounds; the defaults bound nothing, as for people.

    `rooms_shown` None is no barrier, and no `let_through_at` is posting at once.
    """

    now: datetime
    random: Random
    side: Side = PUBLIC_SIDE
    rooms_shown: frozenset[AgentId] | None = None
    shared: bool = False
    beat_id: BeatId | None = None
    reasons: Sequence[Reason] = ()
    let_through_at: datetime | None = None
    may_speak: MaySpeak | None = None
    feels: bool = False  # whether feelings are noted here though they are not elsewhere
    redactor: KeyRedactor = field(default_factory=KeyRedactor)  # secrets of which no record may speak

    @property
    def person_id(self) -> Snowflake | None:
        """The person who led to it."""
        return next((reason.person_id for reason in self.reasons if reason.person_id is not None), None)

    @property
    def heard_person_id(self) -> Snowflake | None:
        """The person who led to it otherwise than by what the agent looked up itself."""
        heard = (reason for reason in self.reasons if reason.kind is not ReasonKind.ANSWER)
        return next((reason.person_id for reason in heard if reason.person_id is not None), None)

    @property
    def called_by(self) -> tuple[MessageId, ...]:
        """The messages that called the agent, first or before it looked something up: they are answered there."""
        calls = (reason for reason in self.reasons if reason.kind in (ReasonKind.ADDRESSED, ReasonKind.ANSWER))
        return tuple(sorted(reason.message_id for reason in calls if reason.message_id is not None))

    @property
    def called(self) -> bool:
        """Whether it was addressed, or reads what it looked up for someone who did so."""
        return any(reason.kind is ReasonKind.ADDRESSED or reason.mentioned for reason in self.reasons)
