"""Texts, documents and voice messages, read and heard beside the queue, for whom is listened to, never for long."""

import asyncio
from asyncio import Semaphore, Task
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath

import discord
import structlog

from bot.adapters.documents import LARGEST_BYTES, Kind, kind_of, words_of
from bot.adapters.opus import seconds_of
from bot.core.config import LONGEST_VOICE_SECONDS
from bot.core.errors import StoreError
from bot.core.names import TEXT_SUFFIXES
from bot.core.ports import Hearing, VoiceMessage, Workshop
from bot.core.records import Attachment, Snowflake
from bot.core.splitting import sound

BYTES_PER_CHARACTER = 4
LARGER_BY = 10  # a file so much larger than what is read of it is not even asked for
MOST_FILES = 10  # of a message
AT_ONCE, AT_ONCE_HERE = 16, 4  # files that are read at the same time: of all servers, and of one
KEPT_SECONDS = 300.0  # longer than that, for a turn that is late
PATIENCE_SECONDS = 1.0  # from when a message came, for all of its files
VOICE_SECONDS = 6.0  # the same where a voice message is
LARGEST_VOICE = 1024 * 1024  # bytes
DOCUMENT_SECONDS = 4.0  # the same where a document is among them: its process may have to begin
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Reading:
    until: float
    task: Task[None]
    texts: dict[int, str] = field(default_factory=dict)


class Files:
    """Reads the files of messages from when they come, and gives what is there when their turn comes.

    `workshop`: where documents are read; without one they are taken in by their names. `hearing`: who hears voice
    messages; without anybody only how long they are is taken in.
    """

    def __init__(self, workshop: Workshop | None = None, hearing: Hearing | None = None) -> None:
        self._workshop = workshop
        self._hearing = hearing
        self._turn = Semaphore(AT_ONCE)
        self._turn_here: defaultdict[int, Semaphore] = defaultdict(lambda: Semaphore(AT_ONCE_HERE))
        self._readings: dict[int, _Reading] = {}

    def begin(
        self, message: discord.Message, characters: Callable[[], Awaitable[int]], *, seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Begin to read a message's files: together so many characters of them, none when nobody listens."""
        files = [one for one in message.attachments[:MOST_FILES] if self._can_be_read(message, one)]
        if not files or message.id in self._readings:
            return
        self._expire()
        if any(self._document(one) for one in files):
            seconds = max(seconds, DOCUMENT_SECONDS)
        if message.flags.voice:
            seconds = max(seconds, VOICE_SECONDS)
        texts: dict[int, str] = {}
        work = self._read(message, files, characters, texts)
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
        message: discord.Message,
        files: list[discord.Attachment],
        characters: Callable[[], Awaitable[int]],
        texts: dict[int, str],
    ) -> None:
        guild_id = message.guild.id if message.guild else 0
        try:
            left = await characters()
        except StoreError:  # then nobody knows whether anybody listens
            return
        for file in files:
            kind, is_voice = self._document(file), message.flags.voice
            most = LARGEST_BYTES if kind is not None else LARGER_BY * BYTES_PER_CHARACTER * left
            async with self._turn_here[guild_id], self._turn:
                content = await _content(file, LARGEST_VOICE if is_voice else most) if left > 0 else None
            if content is None:
                continue
            if is_voice:
                text = await self._heard(message, file, content, left)
            else:
                text = _decoded(content, left) if kind is None else await self._words(guild_id, kind, content, left)
            if text is not None:
                texts[file.id] = text
                left -= len(text)

    def _can_be_read(self, message: discord.Message, attachment: discord.Attachment) -> bool:
        if message.flags.voice:
            return self._hearing is not None and attachment.duration is not None
        return is_text(attachment) or self._document(attachment) is not None

    async def _heard(
        self, message: discord.Message, attachment: discord.Attachment, content: bytes, characters: int
    ) -> str | None:
        if self._hearing is None or message.guild is None:
            return None
        lasts = await asyncio.to_thread(seconds_of, content, LONGEST_VOICE_SECONDS)
        if lasts is None:
            return None
        seconds = max(attachment.duration or 0.0, lasts)  # it is paid for what is in it, not for what is said of it
        voice = VoiceMessage(
            content=content,
            filename=attachment.filename,
            media_type=attachment.content_type or "audio/ogg",
            seconds=seconds,
        )
        try:
            words = await self._hearing.words(Snowflake(message.guild.id), Snowflake(message.id), voice)
        except StoreError:
            return None
        return sound(words)[:characters] or None

    def _document(self, attachment: discord.Attachment) -> Kind | None:
        """Tell what a file is a document of, where such are read."""
        return None if self._workshop is None else kind_of(attachment.filename, attachment.content_type or "")

    async def _words(self, guild_id: int, kind: Kind, content: bytes, characters: int) -> str | None:
        if self._workshop is None:
            return None
        try:
            words = await self._workshop.done(guild_id, words_of, kind, content, characters)
        except Exception as error:  # whatever a broken one, or one made to harm, does to its reader
            log.info("a document is taken in by its name only", kind=kind, why=type(error).__name__)
            return None
        return sound(words)[:characters] or None


def is_text(attachment: discord.Attachment) -> bool:
    """Tell whether a file can be read as text."""
    media_type = attachment.content_type or ""
    return media_type.startswith("text/") or PurePath(attachment.filename).suffix.lower() in TEXT_SUFFIXES


def as_voice(attachments: Sequence[discord.Attachment], said: Sequence[Attachment]) -> str:
    """Word a voice message: how long it is, and what was heard in it."""
    seconds = round(sum(one.duration or 0.0 for one in attachments))
    words = " ".join(one.text for one in said if one.text)
    return f"(voice {seconds // 60}:{seconds % 60:02}) {words}".strip()


def _attachment(attachment: discord.Attachment, text: str | None) -> Attachment:
    return Attachment(
        name=attachment.filename,
        media_type=attachment.content_type or "application/octet-stream",
        size_bytes=attachment.size,
        url=attachment.url,
        text=text,
    )


def _decoded(content: bytes, characters: int) -> str:
    return sound(content[: characters * BYTES_PER_CHARACTER].decode("utf-8", "replace"))[:characters]


async def _content(attachment: discord.Attachment, most_bytes: int) -> bytes | None:
    if attachment.size <= most_bytes:
        with suppress(discord.HTTPException, OSError):  # it is there by name all the same
            return await attachment.read()
    return None
