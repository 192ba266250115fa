"""The bot is shown typing from the moment an addressed agent is let through until something is posted there."""

import asyncio

import structlog

from bot.core.errors import PublishError
from bot.core.ports import Clock, Publisher
from bot.core.records import Snowflake

AGAIN_SECONDS = 8.0  # Discord shows it for ten
TIMES = 3  # an agent that passes leaves no post behind, so it ends by itself
log = structlog.get_logger(__name__)


class TypingShown:
    """Owns one small task per channel in which somebody types."""

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
        for _ in range(TIMES):
            try:
                await self._publisher.typing(guild_id, channel_id)
            except PublishError as error:  # it is a courtesy: what is posted tells the trouble
                log.debug("typing could not be shown", channel=channel_id, error=error.sentence)
                return
            await self._clock.sleep(AGAIN_SECONDS)
