"""Letters become effects on Discord: in order per room and lane, side by side across rooms, each once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime

import structlog
from structlog.contextvars import bind_contextvars

from bot.core.errors import PublishError, SelfroomError, StoreError
from bot.core.kinds import LetterKind
from bot.core.letters import LANE
from bot.core.ports import Cipher, Clock, Metrics, Models, Planned, Publisher, Store
from bot.core.records import AgentId, CommunityId, Letter, Snowflake
from bot.engine.effects import Effects, Made
from bot.engine.estimating import Estimator
from bot.engine.moderation import Moderation, Objections
from bot.engine.posting import Posting
from bot.engine.readable_rows import read_of_all
from bot.engine.setbacks import Setbacks, Stumbled

AT_ONCE = 500  # rooms looked at in one go
OF_ONE_COMMUNITY = 100  # carried at once, so that others' turns come within AT_ONCE
LONGEST_REST_SECONDS = 1.0
SHORTEST_REST_SECONDS = 0.02
STORE_REST_SECONDS = 1.0
Lane = tuple[CommunityId, AgentId, str]
TYPING_SECONDS = 8.0  # Discord shows it for ten
TYPING_TIMES = 3  # an agent that passes leaves no post behind, so it ends by itself
log = structlog.get_logger(__name__)


class Delivery:
    """The one owner of all outgoing effects; `wake` it after a transaction that wrote letters.

    `at_once`: letters of one community that are carried at the same time.
    """

    def __init__(
        self,
        store: Store,
        publisher: Publisher,
        clock: Clock,
        metrics: Metrics,
        *,
        cipher: Cipher,
        models: Models | None = None,
        made: Made | None = None,
        planned: Planned | None = None,
        estimator: Estimator | None = None,
        at_once: int = OF_ONE_COMMUNITY,
    ) -> None:
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._setbacks = Setbacks(store, clock)
        self.typing = TypingShown(publisher, clock)
        self.objections = Objections(clock)
        moderation = Moderation(store, clock, self.objections, models)
        self._planned = planned
        self._at_once = at_once
        self._posting = Posting(
            store,
            publisher,
            clock,
            metrics,
            posted=self.typing.end,
            on_due=self._someone_is_due,
            moderation=moderation,
        )
        self._effects = Effects(
            store, publisher, clock, moderation=moderation, cipher=cipher, made=made, estimator=estimator
        )
        self._busy: dict[Lane, asyncio.Task[None]] = {}
        self._woken = asyncio.Event()
        self._closing = False

    def _someone_is_due(self) -> None:
        """What was posted is a reason to others, and whoever said it may look again."""
        if self._planned is not None:
            self._planned.nudge(self._clock.now())

    def wake(self) -> None:
        """Look for letters now instead of at the next look."""
        self._woken.set()

    async def run(self) -> None:
        """Deliver until closed; a store that cannot be read is waited for."""
        while not self._closing:
            self._woken.clear()
            try:
                now = self._clock.now()
                await self._dispatch(now)
                seconds = await self._until_next(now)
            except StoreError as error:
                log.error("delivery cannot read its letters", error=error.sentence)
                seconds = STORE_REST_SECONDS
            except Exception:  # it carries everybody's letters: whatever it is, it ends here
                self._metrics.count("deliveries_broken")
                log.exception("delivery cannot read its letters")
                seconds = STORE_REST_SECONDS
            await self._rest(seconds)

    async def run_once(self, now: datetime) -> int:
        """Deliver the letters that are due, one per room and lane, and wait for their fate; gives how many."""
        tasks = await self._dispatch(now)
        if tasks:
            await asyncio.wait(tasks)
        return len(tasks)

    async def waiting(self) -> int:
        """Count the letters that are next in their rooms and due by now."""
        async with self._store.reading() as read:
            return len(await read.letters.due(self._clock.now(), limit=AT_ONCE))

    async def close(self, seconds: float) -> None:
        """Begin no further letter and let the running ones finish; what is not done by then is kept."""
        self._closing = True
        self.typing.close()
        self.wake()
        running = list(self._busy.values())
        if not running:
            return
        with suppress(TimeoutError):
            async with self._clock.timeout(seconds):
                await asyncio.wait(running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _dispatch(self, now: datetime) -> list[asyncio.Task[None]]:
        if self._closing:
            return []
        letters = await read_of_all(self._store, self._clock, lambda read: read.letters.due(now, limit=AT_ONCE))
        carried = Counter(community_id for community_id, _, _ in self._busy)
        begun: list[asyncio.Task[None]] = []
        for letter in letters:
            if _lane(letter) not in self._busy and carried[letter.community_id] < self._at_once:
                carried[letter.community_id] += 1
                begun.append(self._start(letter))
        return begun

    def _start(self, letter: Letter) -> asyncio.Task[None]:
        lane = _lane(letter)
        task = asyncio.create_task(self._carry(letter), name=f"letter-{letter.community_id}-{letter.id}")
        self._busy[lane] = task

        def done(_: asyncio.Task[None]) -> None:
            del self._busy[lane]
            self.wake()

        task.add_done_callback(done)
        return task

    async def _carry(self, letter: Letter) -> None:
        """Bring one letter out; whatever goes wrong stays with this letter."""
        bind_contextvars(community=letter.community_id, room=letter.room_id, letter=letter.id, kind=letter.kind)
        carry: Callable[[Letter], Awaitable[None]]
        carry = self._posting.carry if letter.kind is LetterKind.POST else self._effects.carry
        try:
            await carry(letter)
        except PublishError as error:
            self._metrics.count("letters_put_back", kind=letter.kind)
            await self._put_back(letter, error)
        except SelfroomError as error:
            log.error("a letter waits", error=error.sentence)
            await self._clock.sleep(STORE_REST_SECONDS)
        except Exception:
            log.exception("a letter cannot be carried")
            await self._put_back(letter, Stumbled("Something went wrong inside Selfroom: its log tells what."))

    async def _put_back(self, letter: Letter, error: PublishError) -> None:
        try:
            await self._setbacks.meet(letter, error)
        except StoreError as failure:
            log.error("a letter's fate could not be kept", letter=letter.id, error=failure.sentence)
            await self._clock.sleep(STORE_REST_SECONDS)
        except Exception:
            log.exception("a letter's fate could not be kept", letter=letter.id)
            await self._clock.sleep(STORE_REST_SECONDS)

    async def _until_next(self, now: datetime) -> float:
        async with self._store.reading() as read:
            at = await read.letters.next_due_at()
        if at is None:
            return LONGEST_REST_SECONDS
        seconds = (at - now).total_seconds()
        if seconds <= 0:  # it is being carried: its end wakes us
            return LONGEST_REST_SECONDS / 4
        return max(SHORTEST_REST_SECONDS, min(seconds, LONGEST_REST_SECONDS))

    async def _rest(self, seconds: float) -> None:
        """Sleep until woken, at most that long."""
        with suppress(TimeoutError):
            async with self._clock.timeout(seconds):
                await self._woken.wait()


def _lane(letter: Letter) -> Lane:
    return letter.community_id, letter.room_id, LANE[letter.kind]


class TypingShown:
    """Shows the bot typing from the moment an addressed agent is let through until something is posted there."""

    def __init__(self, publisher: Publisher, clock: Clock) -> None:
        self._publisher = publisher
        self._clock = clock
        self._tasks: dict[Snowflake, asyncio.Task[None]] = {}

    def begin(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Show typing in a channel of a server, again and again for a while."""
        self.end(channel_id)
        task = asyncio.create_task(self._show(guild_id, channel_id), name=f"typing-{channel_id}")
        self._tasks[channel_id] = task
        task.add_done_callback(lambda done: self._forget(channel_id, done))

    def end(self, channel_id: Snowflake) -> None:
        """Something was posted: no further typing is shown there."""
        task = self._tasks.pop(channel_id, None)
        if task is not None:
            task.cancel()

    def close(self) -> None:
        """Stop everywhere."""
        for channel_id in list(self._tasks):
            self.end(channel_id)

    def _forget(self, channel_id: Snowflake, done: asyncio.Task[None]) -> None:
        if self._tasks.get(channel_id) is done:
            del self._tasks[channel_id]

    async def _show(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        for _ in range(TYPING_TIMES):
            try:
                await self._publisher.typing(guild_id, channel_id)
            except PublishError as error:  # it is a courtesy: what is posted tells the trouble
                log.debug("typing could not be shown", channel=channel_id, error=error.sentence)
                return
            await self._clock.sleep(TYPING_SECONDS)
