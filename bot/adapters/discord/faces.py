"""Agents' drawn pictures on their webhooks: a decoration, for which no word waits long."""

import asyncio
from dataclasses import dataclass

import structlog

from bot.adapters.discord.avatars import drawn_avatar
from bot.adapters.discord.territory import Place
from bot.adapters.discord.webhooks import Webhooks
from bot.core.errors import PublishError
from bot.core.records import AgentId

PATIENCE_SECONDS = 1.0  # what a post waits for a picture that is not there yet
AGAIN_SECONDS = 60.0  # after a failure, and twice as long after each further one
LONGEST_AGAIN_SECONDS = 3_600.0
MOST_DOUBLINGS = 10
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Dressing:
    """How far one channel's webhook is with its picture."""

    task: asyncio.Task[None] | None = None
    stale: bool = False  # it shows an earlier name's initial
    failures: int = 0
    not_before: float = 0.0


class Faces:
    """Gives addresses of pictures, and sets what is missing beside everything else."""

    def __init__(self, webhooks: Webhooks) -> None:
        self._webhooks = webhooks
        self._dressings: dict[int, Dressing] = {}

    async def of(self, place: Place, agent_id: AgentId, name: str, *, redraw: bool = False) -> str | None:
        """Give the address of the picture; None when it cannot be had just now: it is tried again later."""
        dressing = self._dressings.setdefault(place.id, Dressing())
        dressing.stale |= redraw
        picture = (await self._webhooks.of(place)).picture
        if picture is not None and not dressing.stale:
            return picture
        if dressing.task is None and asyncio.get_running_loop().time() >= dressing.not_before:
            dressing.task = asyncio.create_task(self._dress(dressing, place, agent_id, name))
        if dressing.task is not None:
            await asyncio.wait([dressing.task], timeout=PATIENCE_SECONDS)
        return (await self._webhooks.of(place)).picture

    async def _dress(self, dressing: Dressing, place: Place, agent_id: AgentId, name: str) -> None:
        dressing.stale = False
        try:
            await self._webhooks.dress(place, drawn_avatar(agent_id, name))
            dressing.failures = 0
        except PublishError as error:
            rest = min(AGAIN_SECONDS * 2 ** min(dressing.failures, MOST_DOUBLINGS), LONGEST_AGAIN_SECONDS)
            dressing.stale = True
            dressing.failures += 1
            dressing.not_before = asyncio.get_running_loop().time() + rest
            log.info("an avatar could not be set", agent=agent_id, why=error.sentence, again_in_seconds=rest)
        finally:
            dressing.task = None

    async def close(self) -> None:
        """Leave what is under way."""
        running = [one.task for one in self._dressings.values() if one.task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
