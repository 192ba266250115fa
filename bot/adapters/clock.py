"""The machine's clock and chance."""

import asyncio
import hashlib
import random
import secrets
from datetime import UTC, datetime

from bot.core.records import BeatId, CommunityId

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike


class SystemClock:
    """Real time."""

    def now(self) -> datetime:
        """Give the time in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float) -> asyncio.Timeout:
        return asyncio.timeout(seconds)


class BeatRandom:
    """Chance seeded per community and beat, so that a replay takes the same turns; secrets are never drawn from it."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(hashlib.sha256(seed.encode()).digest())  # noqa: S311 - pace, not secrets

    def uniform(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)

    def token(self, characters: int) -> str:
        """Give letters and digits that nobody can guess."""
        return "".join(secrets.choice(LETTERS) for _ in range(characters))


def random_for(community_id: CommunityId, beat_id: BeatId) -> BeatRandom:
    """Give the beat's own source of chance."""
    return BeatRandom(f"{community_id}/{beat_id}")
