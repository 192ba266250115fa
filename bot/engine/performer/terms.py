"""On what terms actions are performed: the beat they come from, and what it showed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.core.ports import Random
from bot.core.records import PUBLIC_SIDE, AgentId, BeatId, Side, Snowflake

MaySpeak = Callable[[AgentId], str]  # of a room: "" or the sentence why not now


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
    let_through_at: datetime | None = None
    may_speak: MaySpeak | None = None
