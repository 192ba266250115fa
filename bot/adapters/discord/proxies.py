"""People behind proxies: who it is that PluralKit, or a bot like it, posts for.

What a webhook calls itself is anybody's to choose. Which application it belongs to is not, and that one's own service
is asked for the person; whoever it does not name stays a foreign bot.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import discord
import structlog

from bot.core.records import Snowflake

AT_ONCE: Final = 4
REMEMBERED: Final = 1_000  # messages
SECONDS: Final = 3.0
REST_SECONDS: Final = 60.0  # after it could not be asked: what is posted meanwhile is nobody's
LARGEST_ANSWER: Final = 64_000  # bytes
HEAD: Final = {"User-Agent": "Selfroom (https://github.com/selfroom/selfroom)", "Accept": "application/json"}
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Behind:
    """The person for whom something was posted, and what they wrote themselves, which is deleted then."""

    person_id: Snowflake
    original_id: Snowflake | None


class Proxies:
    """Asks the services of proxy bots, by application: the address has `{}` where the message's id belongs."""

    def __init__(self, addresses: Mapping[int, str], wanted: Callable[[Snowflake], Awaitable[bool]]) -> None:
        self._addresses = addresses
        self._wanted = wanted
        self._asked: dict[int, asyncio.Task[Behind | None]] = {}
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._rests_until = 0.0

    def posted(self, message: discord.Message) -> bool:
        """Tell whether a proxy bot posted a message."""
        return message.webhook_id is not None and (message.application_id or 0) in self._addresses

    def begin(self, message: discord.Message) -> None:
        """Begin to ask at once; the message's turn may come later, and more than once."""
        if not self.posted(message) or message.id in self._asked:
            return
        self._asked[message.id] = asyncio.create_task(self._look(message), name="proxy")
        if len(self._asked) > REMEMBERED:
            self._asked.pop(next(iter(self._asked)))

    async def behind(self, message: discord.Message) -> Behind | None:
        """Give the person behind a message; None for what no proxy posted, and where it cannot be told."""
        self.begin(message)
        task = self._asked.get(message.id)
        return await task if task is not None else None

    async def close(self) -> None:
        """Ask no more."""
        tasks = list(self._asked.values())
        self._asked.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self, message: discord.Message) -> Behind | None:
        assert message.guild is not None  # noqa: S101 - webhooks post in servers
        if not await self._wanted(Snowflake(message.guild.id)):
            self._asked.pop(message.id, None)  # that may change
            return None
        async with self._turn:
            now = asyncio.get_running_loop().time()
            if now < self._rests_until:
                self._asked.pop(message.id, None)
                return None
            try:
                told = await _told(self._addresses[message.application_id or 0].format(message.id))
            except (aiohttp.ClientError, TimeoutError, OSError, ValueError, RecursionError) as error:
                self._rests_until = now + REST_SECONDS
                self._asked.pop(message.id, None)
                log.warning("a proxy bot's service cannot be asked", why=str(error) or type(error).__name__)
                return None
        return _read(told, message)


async def _told(address: str) -> Any:  # noqa: ANN401  # anybody's JSON
    """Ask for a message; None where it is not known. Raises ValueError for an answer that is none."""
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    async with (
        aiohttp.ClientSession(timeout=timeout, headers=HEAD) as session,
        session.get(address, allow_redirects=False) as response,
    ):
        if response.status == 404:
            return None
        response.raise_for_status()
        read = bytearray()
        async for piece in response.content.iter_any():  # an answer may come in pieces
            read += piece
            if len(read) > LARGEST_ANSWER:
                raise ValueError("the answer is too long")
        return json.loads(read)


def _read(told: Any, message: discord.Message) -> Behind | None:  # noqa: ANN401
    """Give whom an answer names, if it is about this very message."""
    if not isinstance(told, dict) or message.guild is None:
        return None
    of = (_id(told.get("id")), _id(told.get("channel")), _id(told.get("guild")))
    sender, original = _id(told.get("sender")), _id(told.get("original"))
    if of != (message.id, message.channel.id, message.guild.id) or sender is None:
        return None
    return Behind(sender, original)


def _id(told: object) -> Snowflake | None:
    text = str(told)
    return Snowflake(int(text)) if text.isascii() and text.isdecimal() and len(text) <= 20 else None
