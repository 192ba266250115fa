"""Spans: what a beat spends its time on, for whoever follows single beats (docs/operating.md#spans)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.core.records import BeatId, CommunityId, Snowflake, Usage


class SpanKind(StrEnum):
    """What was done; `BEAT` is the whole, from when agents were let through until their call is carried out."""

    BEAT = "beat"
    CLAIM = "claim"
    VIEW = "view"
    HUD = "hud"
    CALL = "call"
    APPLY = "apply"
    LETTER = "letter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of work that is done, and the beats that it was done for; `failure` names the error it ended with.

    `guild_id` makes beats of several installations differ. `model` and `usage` are a call's: a shared one's stand once.
    """

    kind: SpanKind
    community_id: CommunityId
    guild_id: Snowflake
    beat_ids: tuple[BeatId, ...]
    since: datetime
    until: datetime
    model: str = ""
    usage: Usage | None = None
    failure: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
