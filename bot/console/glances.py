"""The overview is read once for all who look at about the same time: it is the dearest page, and everybody's."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from bot.core.day_usage import DayUsage
from bot.core.next_beat import NextBeat
from bot.core.ports.talk import Queue
from bot.core.records import AccessRequest, AgentId, Letter, Room, Snowflake
from bot.core.view import Glance
from bot.engine.front_desk import FrontDesk

SHARED_SECONDS: Final = 1.0  # as long as what is heard live shares who sits in a closed scene
LATELY_MINUTES: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What the overview is made of, the same for everybody; `told`: as it was made, by which rooms are closed."""

    seq: int
    at: datetime
    view: Glance
    looks: Mapping[AgentId, NextBeat]
    own: Sequence[Room]
    spent: DayUsage
    lately: Mapping[AgentId, int]
    knocks: Sequence[AccessRequest]
    held: Sequence[tuple[Letter, str]]
    letters: Sequence[Queue]
    told: dict[frozenset[AgentId], bytes] = field(default_factory=dict)


@dataclass(slots=True)
class Glances:
    """What was read of each server lately; who may see what of it is judged by who tells it."""

    desk: FrontDesk
    seconds: float = SHARED_SECONDS
    _kept: dict[Snowflake, tuple[float, Read]] = field(default_factory=dict)
    _alone: defaultdict[Snowflake, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def of(self, guild_id: Snowflake, seq: int) -> Read:
        """Give a server's, read within the last second; `seq`: of what happened last, before it is read."""
        async with self._alone[guild_id]:
            now = asyncio.get_running_loop().time()
            self._kept = {id_: kept for id_, kept in self._kept.items() if kept[0] > now}
            if guild_id not in self._kept:
                self._kept[guild_id] = now + self.seconds, await self._read(guild_id, seq)
            return self._kept[guild_id][1]

    async def _read(self, guild_id: Snowflake, seq: int) -> Read:
        desk, now = self.desk, self.desk.clock.now()
        view, looks = await desk.agents.foreseen(guild_id)
        living = {id_ for id_, agent in view.agents.items() if agent.retired_at is None}
        own = [room for id_, room in view.all_rooms.items() if id_ in living]
        return Read(
            seq=seq,
            at=now,
            view=view,
            looks=looks,
            own=own,
            spent=await desk.money.spent_today(guild_id),
            lately=await desk.rooms.lively(guild_id, [room.id for room in own], minutes=LATELY_MINUTES),
            knocks=await desk.doors.knocks(guild_id),
            held=await desk.held.waiting(guild_id),
            letters=await desk.messages.queues(guild_id),
        )
