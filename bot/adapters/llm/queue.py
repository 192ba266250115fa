"""Who is asked next at a server: so many at once as it does, the awaited first, one community after the other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count, product
from typing import Final

from bot.core.models import ModelCall

SURE_AFTER: Final = 2  # calls that had to wait for another one's end
MOST_PASSED: Final = 4  # calls that others may be asked before one that waits
SHARED_SECONDS: Final = 600.0  # so long after a community asked, a place is kept from all of them being another's


@dataclass(slots=True, eq=False)
class Place:
    """A place at a server, and whose beginnings it has read last."""

    number: int
    whose: str = ""
    cache_key: str = ""
    used: int = 0  # the turn it had last
    community: str = ""  # whose call is in it

    def nearness(self, call: ModelCall) -> int:
        """Tell how much of a call it has read before: 2 its own last one, 1 one that begins like it, 0 nothing."""
        if call.whose and call.whose == self.whose:
            return 2
        return int(bool(call.cache_key) and call.cache_key == self.cache_key)


@dataclass(slots=True, eq=False)
class _Waiting:
    call: ModelCall
    turn: asyncio.Future[Place]
    community: str
    passed: int = 0


class Queue:
    """Gives calls a place each; how many there are can change while some run.

    `of_each`: how many of a community's may run, whether others ask or not.
    """

    def __init__(self, at_once: int, *, of_each: int | None = None) -> None:
        self._of_each = of_each
        self._places = [Place(number) for number in range(at_once)]
        self._busy: list[Place] = []
        self._waiting: list[_Waiting] = []  # the longest waiting first
        self._count = count(1)
        self._last: dict[str, int] = {}  # the turn that each community had last
        self._came: dict[str, float] = {}  # when each community asked last

    @property
    def at_once(self) -> int:
        """How many calls are asked at once."""
        return len(self._places)

    def resize(self, at_once: int) -> None:
        """Ask so many at once from now on; those that run go on."""
        self._places = self._places[:at_once]
        self._places += [Place(number) for number in range(len(self._places), at_once)]
        self._give()

    @asynccontextmanager
    async def turn(self, call: ModelCall, *, seconds: float, whose: str = "") -> AsyncIterator[Place]:
        """Wait for a turn, and give the place it is in; who lets go while waiting holds up nobody.

        `whose`: the community's, where the call does not say it. Raises TimeoutError when it takes longer.
        """
        loop = asyncio.get_running_loop()
        mine = _Waiting(call, loop.create_future(), call.whose.partition(" ")[0] or whose)
        self._came[mine.community] = loop.time()
        self._waiting.append(mine)
        self._give()
        try:
            async with asyncio.timeout(seconds):
                place = await mine.turn
        except BaseException:
            self._left(mine)
            raise
        try:
            yield place
        finally:
            self._done(place)

    def _left(self, mine: _Waiting) -> None:
        if mine in self._waiting:
            self._waiting.remove(mine)
        elif not mine.turn.cancelled():
            self._done(mine.turn.result())

    def _done(self, place: Place) -> None:
        self._busy.remove(place)
        self._give()

    def _give(self) -> None:
        self._waiting = [one for one in self._waiting if not one.turn.done()]
        while (may := self._may_go()) and len(self._busy) < len(self._places):
            at, place = self._next(may)
            mine = self._waiting.pop(at)
            for one in self._waiting[:at]:
                one.passed += 1
            place.whose, place.cache_key, place.used = mine.call.whose, mine.call.cache_key, next(self._count)
            self._last[mine.community], place.community = place.used, mine.community
            self._busy.append(place)
            mine.turn.set_result(place)

    def _may_go(self) -> list[int]:
        """Give those who wait, by number, without whom their own hold up: all places are never one community's.

        That is so while others ask as well: who hangs then, or takes long, leaves them a place to be answered at.
        """
        return [at for at, one in enumerate(self._waiting) if not self._has_enough(one.community)]

    def _has_enough(self, community: str) -> bool:
        theirs = sum(place.community == community for place in self._busy)
        if self._of_each is not None and theirs >= self._of_each:
            return True
        if theirs == 0 or theirs < len(self._places) - 1:
            return False
        since = asyncio.get_running_loop().time() - SHARED_SECONDS
        return any(at > since for one, at in self._came.items() if one != community)

    def _next(self, may: list[int]) -> tuple[int, Place]:
        """Choose who of these goes now, by number, and where.

        Nobody is passed for ever; the awaited go first, communities in turn, and of one community those of which
        something is read already.
        """
        free = [place for place in self._places if place not in self._busy]
        if self._waiting[may[0]].passed >= MOST_PASSED:
            may = may[:1]
        pairs, calls = product(may, free), [one.call for one in self._waiting]
        return min(
            pairs,
            key=lambda pair: (
                not calls[pair[0]].is_awaited,
                self._last.get(self._waiting[pair[0]].community, 0),
                -pair[1].nearness(calls[pair[0]]),
                pair[0],
                pair[1].used,
            ),
        )


@dataclass(slots=True, eq=False)
class Run:
    """One call that runs: when it was sent, and the calls that were being answered then."""

    sent_at: float
    beside: list["Run"]
    spoke_at: float | None = None
    ended_at: float | None = None


class Overlaps:
    """Finds out from calls that run side by side whether their server does one thing at a time."""

    def __init__(self) -> None:
        self._running: list[Run] = []
        self._alone = 0.0  # the shortest time to a first word when nothing else ran
        self._one_by_one = 0
        self._side_by_side = False

    @property
    def is_narrow(self) -> bool:
        """Whether the server was seen to answer one call only after another, and never two at once."""
        return not self._side_by_side and self._one_by_one >= SURE_AFTER

    def sent(self, now: float) -> Run:
        """A call goes out."""
        run = Run(now, [one for one in self._running if one.spoke_at is not None])
        self._running.append(run)
        return run

    def spoke(self, run: Run, now: float) -> None:
        """The first word of a call has come."""
        run.spoke_at = now
        if not run.beside:
            waited = now - run.sent_at
            self._alone = min(self._alone or waited, waited)
        elif any(one.ended_at is None for one in run.beside):
            self._side_by_side = True
        elif max((one.ended_at or now) - run.sent_at for one in run.beside) > max(1.0, 2 * self._alone):
            self._one_by_one += 1  # so long it would have had its turn on any other server

    def ended(self, run: Run, now: float) -> None:
        """A call is over."""
        run.ended_at = now
        self._running.remove(run)
