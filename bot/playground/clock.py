"""The playground's clock: real time, which a test may push forward."""

import time
from datetime import UTC, datetime


class Clock:
    """Wall time that never runs backwards, plus what `advance` added."""

    def __init__(self, *, offset_seconds: float = 0.0) -> None:
        self._base = time.time() - time.monotonic()
        self.offset_seconds = offset_seconds

    def advance(self, seconds: float) -> None:
        """Push the clock forward."""
        self.offset_seconds += seconds

    @property
    def seconds(self) -> float:
        """Give the time in seconds since 1970."""
        return self._base + time.monotonic() + self.offset_seconds

    def now(self) -> datetime:
        """Give the time in UTC."""
        return datetime.fromtimestamp(self.seconds, UTC)

    def stamp(self) -> str:
        """Give the time as Discord writes it."""
        return self.now().isoformat(timespec="microseconds")
