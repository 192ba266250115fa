"""People behind proxies: who it is that PluralKit, or a bot like it, posts for.

What a webhook calls itself is anybody's to choose. Which application it belongs to is not, and that one's own service
is asked for the person; whoever it does not name stays a foreign bot.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
import discord
import structlog

from bot.core.records import Snowflake

AT_ONCE: Final = 4
PACE_SECONDS: Final = 0.125  # between two questions: PluralKit answers ten a second, of all servers together
REMEMBERED: Final = 200  # messages of each server
SECONDS: Final = 3.0
REST_SECONDS: Final = 60.0  # after it could not be asked: what is posted meanwhile is nobody's
LARGEST_ANSWER: Final = 64_000  # bytes
LARGEST_ID: Final = 2**63 - 1
HEAD: Final = {"User-Agent": "Selfroom (https://github.com/selfroom/selfroom)", "Accept": "application/json"}
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Behind:
    """The person for whom something was posted, and what they wrote themselves, which is deleted then."""

    person_id: Snowflake
    original_id: Snowflake | None


Asked = asyncio.Task[Behind | None]


@dataclass(slots=True)
class _Lane:
    """What is asked about one server's messages, one after the other: where much is posted nobody else waits."""

    asked: dict[int, Asked] = field(default_factory=dict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Proxies:
    """Asks the services of proxy bots, by application: the address has `{}` where the message's id belongs."""

    def __init__(self, addresses: Mapping[int, str], wanted: Callable[[Snowflake], Awaitable[bool]]) -> None:
        self._addresses = addresses
        self._wanted = wanted
        self._lanes: dict[int, _Lane] = {}
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._next_at = 0.0
        self._rests_until: dict[int, float] = {}  # by application

    def posted(self, message: discord.Message) -> bool:
        """Tell whether a proxy bot posted a message."""
        return message.webhook_id is not None and (message.application_id or 0) in self._addresses

    def begin(self, message: discord.Message) -> None:
        """Begin to ask at once, if few of that server wait; the message's turn may come later, and more than once."""
        if self.posted(message):
            self._begun(message)

    async def behind(self, message: discord.Message) -> Behind | None:
        """Give the person behind a message; None for what no proxy posted, and where it cannot be told."""
        if not self.posted(message):
            return None
        task = self._begun(message)
        return await (task if task is not None else self._look(message))

    async def close(self) -> None:
        """Ask no more."""
        tasks = [task for lane in self._lanes.values() for task in lane.asked.values()]
        self._lanes.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begun(self, message: discord.Message) -> Asked | None:
        lane = self._lane_of(message)
        if message.id not in lane.asked:
            if len(lane.asked) >= REMEMBERED:
                oldest, task = next(iter(lane.asked.items()))
                if not task.done():
                    return None
                del lane.asked[oldest]
            lane.asked[message.id] = asyncio.create_task(self._look(message), name="proxy")
        return lane.asked[message.id]

    def _lane_of(self, message: discord.Message) -> _Lane:
        assert message.guild is not None  # noqa: S101 - webhooks post in servers
        return self._lanes.setdefault(message.guild.id, _Lane())

    async def _look(self, message: discord.Message) -> Behind | None:
        lane, guild_id, app = (
            self._lane_of(message),
            Snowflake(getattr(message.guild, "id", 0)),
            message.application_id or 0,
        )
        if not await self._wanted(guild_id):
            lane.asked.pop(message.id, None)  # that may change
            return None
        async with lane.turn, self._turn:
            await self._paced()
            now = asyncio.get_running_loop().time()
            if now < self._rests_until.get(app, 0.0):
                lane.asked.pop(message.id, None)
                return None
            try:
                told = await _told(self._addresses[app].format(message.id))
            except (ValueError, RecursionError) as error:  # what one person made of theirs leaves all others answered
                log.warning("a proxy bot's service answers what cannot be read", why=str(error) or type(error).__name__)
                return None
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                self._rests_until[app] = now + REST_SECONDS
                lane.asked.pop(message.id, None)
                log.warning("a proxy bot's service cannot be asked", why=str(error) or type(error).__name__)
                return None
        return _read(told, message)

    async def _paced(self) -> None:
        """Wait until the services are asked again."""
        now = asyncio.get_running_loop().time()
        at = max(now, self._next_at)
        self._next_at = at + PACE_SECONDS
        await asyncio.sleep(at - now)


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


def _read(told: Any, message: discord.Message) -> Behind | None:  # noqa: ANN401  # anybody's JSON
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
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_ID))
    return Snowflake(int(text)) if is_number and int(text) <= LARGEST_ID else None
