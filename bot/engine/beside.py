"""What a gateway does for the minds beside it: it rings for who is due, and shows typing for whom they ask."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from bot.core.errors import StoreError
from bot.core.hints import Hint, HintKind
from bot.core.ports import Bell, Clock, Metrics, Planned, Store
from bot.core.ports.beats import Awaited
from bot.core.records import AgentId, CommunityId, Snowflake

RUNG_AT_ONCE = 64  # who is left is found by minds themselves, as each of their calls ends
AGAIN = timedelta(seconds=1)  # one who is still due is rung for again, for a hint may be lost
TYPING_AGAIN = timedelta(seconds=20)  # before what was begun ends by itself
log = structlog.get_logger(__name__)


class Typing(Protocol):
    """What shows somebody typing."""

    def begin(self, guild_id: Snowflake, channel_id: Snowflake) -> None:
        """Show it in a channel of a server, again and again for a while."""


class Beside:
    """Looks into the database, now and then and when it is asked to, for what minds would like to know or show.

    `bell`: None where there is none, and minds look for themselves. `planned` is told when the next agent is due.
    """

    def __init__(
        self, store: Store, clock: Clock, metrics: Metrics, typing: Typing, planned: Planned, bell: Bell | None
    ) -> None:
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._typing = typing
        self._planned = planned
        self._bell = bell
        self._rung: dict[tuple[CommunityId, AgentId], datetime] = {}
        self._shown: dict[Awaited, datetime] = {}

    async def run(self) -> None:
        """Look once; a store that cannot be read is looked into again at the next time."""
        now = self._clock.now()
        try:
            async with self._store.reading() as read:
                awaited = await read.claims.awaited(now)
                if self._bell is not None:
                    due = await read.claims.due(now, limit=RUNG_AT_ONCE)
                    at = await read.claims.next_due_at()
                    self._ring(self._bell, due, now)
                    if at is not None and at > now:
                        self._planned.nudge(at)
        except StoreError as error:
            self._metrics.count("slots_broken")
            log.error("who is due could not be found out", why=error.sentence)
            return
        self._show(awaited, now)

    def _ring(self, bell: Bell, due: Sequence[tuple[CommunityId, AgentId]], now: datetime) -> None:
        self._rung = {one: at for one, at in self._rung.items() if one in due and now - at < AGAIN}
        for community_id, agent_id in due:
            if (community_id, agent_id) not in self._rung:
                self._rung[community_id, agent_id] = now
                bell.ring(Hint(kind=HintKind.DUE, community_id=community_id, agent_id=agent_id))

    def _show(self, awaited: Sequence[Awaited], now: datetime) -> None:
        self._shown = {one: at for one, at in self._shown.items() if one in awaited and now - at < TYPING_AGAIN}
        for one in awaited:
            if one not in self._shown:
                self._shown[one] = now
                self._typing.begin(one.guild_id, one.place)
