"""Discord's ids: a time in milliseconds and a counter, so that later things have larger ids."""

from datetime import UTC, datetime

from bot.playground.clock import Clock

DISCORD_EPOCH_MS = 1_420_070_400_000


class Snowflakes:
    """Hands out ids that only grow, even when the clock stands still or the process starts again."""

    def __init__(self, clock: Clock, *, last: int = 0) -> None:
        self._clock = clock
        self.last = last

    def next(self) -> str:
        """Give an id that nothing has had before."""
        by_time = (int(self._clock.seconds * 1000) - DISCORD_EPOCH_MS) << 22
        self.last = max(by_time, self.last + 1)
        return str(self.last)

    @staticmethod
    def at(seconds: float) -> int:
        """Give the smallest id of a moment."""
        return max(0, int(seconds * 1000) - DISCORD_EPOCH_MS) << 22


def time_of(snowflake: str | int) -> datetime:
    """Give the moment at which an id was made."""
    return datetime.fromtimestamp(((int(snowflake) >> 22) + DISCORD_EPOCH_MS) / 1000, UTC)


def stamp_of(snowflake: str | int) -> str:
    """Give the moment at which an id was made, as Discord writes it."""
    return time_of(snowflake).isoformat(timespec="microseconds")


def is_snowflake(value: object) -> bool:
    """Whether a value can be an id: a number of at most 63 bits, or its digits."""
    if isinstance(value, str):
        return value.isascii() and value.isdecimal() and len(value) <= 19 and int(value) < 1 << 63
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
