"""How much an agent should say, and when what it said is posted."""

from datetime import datetime, timedelta
from typing import Final

LEAST_WORDS: Final = 10
MOST_WORDS: Final = 200
SHORT_WORDS: Final = 20  # up to these a message is a short one
LONG_WORDS: Final = 60  # from these on it is a long one, typed up to twice as long
USUAL_WPM: Final = 80
LEAST_SECONDS: Final = 1.0
MOST_SECONDS: Final = 12.0


def word_budget(last_spoke_at: datetime | None, overrun_words: int, wpm: int, now: datetime) -> int:
    """Give how many words are the agent's in a room now: 200 for its first message, else by time, 10 to 200.

    It guides the agent; no message is cut for it.
    """
    if last_spoke_at is None:
        return MOST_WORDS
    seconds = max(0.0, (now - last_spoke_at).total_seconds())
    return max(LEAST_WORDS, min(MOST_WORDS, int(seconds * wpm / 60) - overrun_words))


def words_in(text: str) -> int:
    """Count words as the pace does."""
    return len(text.split())


def overrun(words: int, budget_words: int) -> int:
    """Give by how many words a message went over its budget."""
    return max(0, words - budget_words)


def typing_seconds(words: int, wpm: int, *, at_most: float, leisure: float = 1.0) -> float:
    """Give how long a message of so many words is typed.

    `at_most`: seconds for a short message at 80 words a minute; slower rooms take longer in proportion. `leisure`: how
    much of that time its author takes.
    """
    if not at_most:
        return 0.0
    longest = max(MOST_SECONDS, at_most)
    length = min(1.0, max(0.0, (words - SHORT_WORDS) / (LONG_WORDS - SHORT_WORDS)))
    cap = at_most * (1 + length) * USUAL_WPM / wpm
    return min(longest, leisure * min(words * 60 / wpm, max(LEAST_SECONDS, min(cap, longest))))


def next_post_at(earlier: datetime | None) -> datetime | None:
    """Give when a room takes an agent's next post; `earlier`: the one as many back as it takes a minute."""
    return None if earlier is None else earlier + timedelta(minutes=1)


def post_at(
    let_through_at: datetime, words: int, wpm: int, *, at_most_seconds: float, leisure: float = 1.0, now: datetime
) -> datetime:
    """Give when a message is posted: the typing began when the agent was let through, so the model's time counts."""
    seconds = typing_seconds(words, wpm, at_most=at_most_seconds, leisure=leisure)
    return max(now, let_through_at + timedelta(seconds=seconds))
