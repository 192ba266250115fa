"""When an agent's next beat may come: its own pace, its patience with a room, and the grid on which members meet."""

from datetime import UTC, datetime, timedelta

from bot.core.config import CommunityConfig
from bot.core.records import Agent, Membership

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SLOT_SECONDS = 1.0


def grid_seconds(wait_seconds: float) -> int:
    """Give the largest power of two seconds that is not above the wait (1 at least)."""
    return 1 << (max(1, int(wait_seconds)).bit_length() - 1)


def rounded_up(at: datetime, grid: float) -> datetime:
    """Give the first multiple of the grid that is not before `at`."""
    step = timedelta(seconds=grid)
    return EPOCH + -((EPOCH - at) // step) * step


def own_beat_at(agent: Agent, now: datetime, *, stretch: float = 1.0) -> datetime:
    """Give the agent's own next beat, on the slot's grid."""
    return rounded_up(_after(agent, agent.interval_seconds * stretch, now), SLOT_SECONDS)


def ambient_wait(agent: Agent, membership: Membership, *, stretch: float = 1.0) -> float:
    """Give the seconds between two beats for ambient messages of that room."""
    return max(agent.interval_seconds * stretch, membership.patience_seconds or 0.0)


def ambient_beat_at(agent: Agent, membership: Membership, now: datetime, *, stretch: float = 1.0) -> datetime:
    """Give the time at which the agent looks at ambient messages, together with members that wait alike."""
    wait = ambient_wait(agent, membership, stretch=stretch)
    return rounded_up(_after(agent, wait, now), grid_seconds(wait))


def lengthened(agent: Agent, membership: Membership, config: CommunityConfig) -> float:
    """Give the wait after one more beat for ambient messages alone that ended in silence."""
    return min(config.patience_at_most_seconds, 2 * ambient_wait(agent, membership))


def _after(agent: Agent, seconds: float, now: datetime) -> datetime:
    if agent.last_beat_at is None:
        return now
    return max(now, agent.last_beat_at + timedelta(seconds=seconds))
