"""What pieces of work for single beats took, told to whoever follows them."""

from collections.abc import Iterable
from datetime import datetime

from bot.core.gate import Ready
from bot.core.ports import Clock, Metrics
from bot.core.records import PUBLIC_SIDE, Usage
from bot.core.spans import Span, SpanKind
from bot.engine.gatekeeper import Batch


class Spans:
    """Tells metrics what was done for beats; who moves in a closed scene is nobody's to see, so theirs are left out."""

    def __init__(self, metrics: Metrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock

    def note(
        self,
        kind: SpanKind,
        batch: Batch,
        ready: Iterable[Ready],
        since: datetime,
        *,
        model: str = "",
        usage: Usage | None = None,
        failure: str = "",
        **about: str,
    ) -> datetime:
        """Note what was done for these beats until now; gives the time."""
        now = self._clock.now()
        if told := tuple(one.beat_id for one in ready if one.side >= PUBLIC_SIDE):
            span = Span(
                kind=kind,
                community_id=batch.community_id,
                guild_id=batch.view.community.guild_id,
                beat_ids=told,
                since=since,
                until=now,
                model=model,
                usage=usage,
                failure=failure,
                about=about,
            )
            self._metrics.span(span)
        return now
