"""When an agent's next beat may come: its own pace, its patience with a room, and the grid on which members meet."""

from datetime import UTC, datetime, timedelta

from bot.core.config import CommunityConfig
from bot.core.records import Agent, Membership

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SLOT_SECONDS = 1.0
COARSEST_GRID = 128.0  # seconds; for longer waits, in slow rooms, it is the wait itself
USUAL_SECONDS = 5.0  # the interval at which an agent settles and types just as the settings say
BRISKEST, SLOWEST = 0.4, 1.3  # how much of that time an agent takes that beats every second, or every ten
LITTLE = 4  # new lines; a look that brings fewer is hardly worth its call


def leisure(agent: Agent) -> float:
    """Give by how much the agent's tempo stretches the time in which it settles and types."""
    seconds = agent.interval_seconds
    if seconds >= USUAL_SECONDS:
        return min(SLOWEST, 1 + (SLOWEST - 1) * (seconds - USUAL_SECONDS) / USUAL_SECONDS)
    return max(BRISKEST, 1 - (1 - BRISKEST) * (USUAL_SECONDS - seconds) / (USUAL_SECONDS - 1))


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
    at = _after(agent, wait, now)
    if wait <= COARSEST_GRID or at == now:  # who speaks in a room that was still for long is not kept waiting
        return rounded_up(at, grid_seconds(min(wait, COARSEST_GRID)))
    return rounded_up(_after(agent, wait / 2, now), grid_seconds(wait))  # from the second look on members look together


def lengthened(agent: Agent, membership: Membership, config: CommunityConfig, *, new_lines: int) -> float:
    """Give the wait after one more beat for ambient messages alone that ended in silence.

    It doubles up to a limit; a room in which so little is said that looks bring few lines is waited for longer, so
    that on slow days, too, lines are looked at together and not one by one.
    """
    wait, usual = ambient_wait(agent, membership), config.patience_at_most_seconds
    if wait < usual:
        return min(2 * wait, usual)
    if new_lines < LITTLE:
        return min(2 * wait, max(usual, config.patience_in_slow_rooms_seconds))
    return max(wait / 2, usual) if new_lines > 2 * LITTLE else wait


def _after(agent: Agent, seconds: float, now: datetime) -> datetime:
    if agent.last_beat_at is None:
        return now
    return max(now, agent.last_beat_at + timedelta(seconds=seconds))
