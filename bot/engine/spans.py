"""What pieces of work for single beats took, told to whoever follows them."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.core.gate import Ready
from bot.core.ports import Clock, Metrics
from bot.core.records import PUBLIC_SIDE, BeatId, Community, Usage
from bot.core.spans import Span, SpanKind


def open_beats(ready: Iterable[Ready]) -> tuple[BeatId, ...]:
    """Give the beats that may be followed: who moves in a closed scene is nobody's to see."""
    return tuple(one.beat_id for one in ready if one.side >= PUBLIC_SIDE)


class Spans:
    """Tells metrics what was done for beats."""

    def __init__(self, metrics: Metrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock

    def note(
        self,
        kind: SpanKind,
        community: Community,
        beat_ids: Sequence[BeatId],
        since: datetime,
        *,
        model: str = "",
        usage: Usage | None = None,
        failure: str = "",
        **about: str,
    ) -> datetime:
        """Note what was done for these beats until now; gives the time."""
        now = self._clock.now()
        if beat_ids:
            span = Span(
                kind=kind,
                community_id=community.id,
                guild_id=community.guild_id,
                beat_ids=tuple(beat_ids),
                since=since,
                until=now,
                model=model,
                usage=usage,
                failure=failure,
                about=about,
            )
            self._metrics.span(span)
        return now
