"""What happened lately, numbered, and whoever waits for more of it: nobody has to ask again and again."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Final

from bot.core.happenings import Happening
from bot.core.ports import Clock
from bot.core.records import CommunityId

KEPT: Final = 2_000  # of one community: who was away for more begins anew
PER_MILLISECOND: Final = 1_000


@dataclass(frozen=True, slots=True)
class Told:
    """A happening with its number, which only grows, over restarts too."""

    seq: int
    at: datetime
    happening: Happening


@dataclass(slots=True)
class _Lane:
    """What is kept of one community; `gone`: the number of the newest that is not."""

    gone: int
    told: deque[Told] = field(default_factory=deque)
    news: asyncio.Event = field(default_factory=asyncio.Event)


class Feed:
    """The newest happenings of every community, in memory."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # a run begins above all numbers of the one before it, and says so to who still has one of those
        self._begun = self._seq = int(clock.now().timestamp() * 1_000) * PER_MILLISECOND
        self._lanes: dict[CommunityId, _Lane] = {}

    @property
    def seq(self) -> int:
        """The number of the newest happening of all."""
        return self._seq

    def tell(self, happenings: Sequence[Happening]) -> None:
        """Number what happened, and wake who waits for it."""
        at = self._clock.now()
        for happening in happenings:
            self._seq += 1
            lane = self._lane(happening.community_id)
            lane.told.append(Told(self._seq, at, happening))
            if len(lane.told) > KEPT:
                lane.gone = lane.told.popleft().seq
            lane.news.set()

    def after(self, community_id: CommunityId, seq: int) -> Sequence[Told] | None:
        """Give what happened after a number, oldest first; None where some of it is kept no longer."""
        lane = self._lane(community_id)
        if seq < lane.gone:
            return None
        found = list(takewhile(lambda one: one.seq > seq, reversed(lane.told)))
        return found[::-1]

    async def wait(self, community_id: CommunityId, seq: int) -> None:
        """Wait until something happened after a number."""
        lane = self._lane(community_id)
        while not (lane.told and lane.told[-1].seq > seq):
            if lane.news.is_set():
                lane.news = asyncio.Event()  # those who waited for the last one have been woken
            await lane.news.wait()

    def _lane(self, community_id: CommunityId) -> _Lane:
        return self._lanes.setdefault(community_id, _Lane(self._begun))
