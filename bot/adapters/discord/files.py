"""Text files that people attach, read beside the queue: of those who are listened to, a few at a time, not for ever."""

import asyncio
from asyncio import Semaphore, Task
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath

import discord
import structlog

from bot.core.errors import StoreError
from bot.core.names import TEXT_SUFFIXES
from bot.core.records import Attachment
from bot.core.splitting import sound

BYTES_PER_CHARACTER = 4
LARGER_BY = 10  # a file so much larger than what is read of it is not even asked for
MOST_FILES = 10  # of a message
AT_ONCE, AT_ONCE_HERE = 16, 4  # files that are read at the same time: of all servers, and of one
KEPT_SECONDS = 300.0  # longer than that, for a turn that is late
PATIENCE_SECONDS = 1.0  # from when a message came, for all of its files
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Reading:
    until: float
    task: Task[None]
    texts: dict[int, str] = field(default_factory=dict)


class Files:
    """Reads the text files of messages from when they come, and gives what is there when their turn comes."""

    def __init__(self) -> None:
        self._turn = Semaphore(AT_ONCE)
        self._turn_here: defaultdict[int, Semaphore] = defaultdict(lambda: Semaphore(AT_ONCE_HERE))
        self._readings: dict[int, _Reading] = {}

    def begin(
        self, message: discord.Message, characters: Callable[[], Awaitable[int]], *, seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Begin to read a message's text files: together so many characters of them, none when nobody listens."""
        files = [one for one in message.attachments[:MOST_FILES] if is_text(one)]
        if not files or message.id in self._readings:
            return
        self._expire()
        texts: dict[int, str] = {}
        work = self._read(message.guild.id if message.guild else 0, files, characters, texts)
        until = asyncio.get_running_loop().time() + seconds
        self._readings[message.id] = _Reading(until, asyncio.create_task(work), texts)

    async def of(self, message: discord.Message) -> tuple[Attachment, ...]:
        """Give a message's attachments, with the texts that could be read in time."""
        reading = self._readings.pop(message.id, None)
        if reading is not None:
            left = reading.until - asyncio.get_running_loop().time()
            _, late = await asyncio.wait([reading.task], timeout=max(0.0, left))
            for task in late:
                log.info("a file is taken in by its name only: it did not come in time", message=message.id)
                task.cancel()
        texts = reading.texts if reading is not None else {}
        return tuple(_attachment(one, texts.get(one.id)) for one in message.attachments)

    def forget(self, message: discord.Message) -> None:
        """Read no more of a message, and keep nothing of it."""
        reading = self._readings.pop(message.id, None)
        if reading is not None:
            reading.task.cancel()

    def _expire(self) -> None:
        """Forget what nobody asked for in its time, the oldest first."""
        now = asyncio.get_running_loop().time()
        while self._readings and next(iter(self._readings.values())).until + KEPT_SECONDS < now:
            self._readings.pop(next(iter(self._readings))).task.cancel()

    @property
    def size(self) -> int:
        """Count the messages of which something is kept."""
        return len(self._readings)

    async def close(self) -> None:
        """Read no more."""
        tasks = [reading.task for reading in self._readings.values()]
        self._readings.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(
        self,
        guild_id: int,
        files: list[discord.Attachment],
        characters: Callable[[], Awaitable[int]],
        texts: dict[int, str],
    ) -> None:
        try:
            left = await characters()
        except StoreError:  # then nobody knows whether anybody listens
            return
        for file in files:
            async with self._turn_here[guild_id], self._turn:
                text = await _text(file, left) if left else None
            if text is not None:
                texts[file.id] = text
                left -= len(text)


def is_text(attachment: discord.Attachment) -> bool:
    """Tell whether a file can be read as text."""
    media_type = attachment.content_type or ""
    return media_type.startswith("text/") or PurePath(attachment.filename).suffix.lower() in TEXT_SUFFIXES


def _attachment(attachment: discord.Attachment, text: str | None) -> Attachment:
    return Attachment(
        name=attachment.filename,
        media_type=attachment.content_type or "application/octet-stream",
        size_bytes=attachment.size,
        url=attachment.url,
        text=text,
    )


async def _text(attachment: discord.Attachment, characters: int) -> str | None:
    if attachment.size > LARGER_BY * BYTES_PER_CHARACTER * characters:
        return None
    with suppress(discord.HTTPException, OSError):  # it is there by name all the same
        content = await attachment.read()
        return sound(content[: characters * BYTES_PER_CHARACTER].decode("utf-8", "replace"))[:characters]
    return None
