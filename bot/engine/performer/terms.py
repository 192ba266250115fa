"""On what terms actions are performed: the beat they come from, and what it showed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from bot.core.blotting import Blots
from bot.core.ports import Random
from bot.core.records import PUBLIC_SIDE, AgentId, BeatId, MessageId, Side, Snowflake

MaySpeak = Callable[[AgentId], str]  # of a room: "" or the sentence why not now


class Bounds(TypedDict, total=False):
    """What a beat bounds: `rooms_shown` None is no barrier, and no `let_through_at` is posting at once."""

    side: Side
    rooms_shown: frozenset[AgentId] | None
    shared: bool
    beat_id: BeatId | None
    let_through_at: datetime | None
    may_speak: MaySpeak | None
    blots: Blots


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """When, by what chance and within what bounds; the defaults bound nothing, as for people."""

    now: datetime
    random: Random
    side: Side = PUBLIC_SIDE
    rooms_shown: frozenset[AgentId] | None = None
    shared: bool = False
    beat_id: BeatId | None = None
    person_id: Snowflake | None = None
    called_by: tuple[MessageId, ...] = ()  # the messages that led to it: they are answered where they were said
    called: bool = False  # it was addressed, or reads what it looked up for someone who did so
    let_through_at: datetime | None = None
    may_speak: MaySpeak | None = None
    blots: Blots = field(default_factory=Blots)  # secrets of which no record may speak
