"""Reading on after a start or a gap: what was said, changed and deleted while nobody listened."""

import asyncio
import itertools
from contextlib import suppress
from datetime import datetime, timedelta

import aiohttp
import discord
import structlog

from bot.adapters.discord.events import Translator
from bot.adapters.discord.inbox import Inbox
from bot.core.events import ChannelDeleted, MessageEdited, MessagesDeleted
from bot.core.ports import Store
from bot.core.records import AgentId, CommunityId, Message, Room, Snowflake

ROOMS_AT_ONCE = 5
WINDOW = 100  # messages of the visible window that are looked at again
KNOWN = 1_000  # newest messages of a room among which the overlap is looked for
OVERLAP = timedelta(minutes=2)
AGAIN_SECONDS = 0.5
LONGEST_AGAIN_SECONDS = 30.0
TRANSIENT = (discord.DiscordServerError, discord.RateLimited, aiohttp.ClientError, OSError)
log = structlog.get_logger(__name__)

Place = discord.TextChannel | discord.Thread


class Backfill:
    """Reads the rooms of one server on from the last message known."""

    def __init__(self, client: discord.Client, store: Store, translator: Translator, inbox: Inbox) -> None:
        self._client = client
        self._store = store
        self._translator = translator
        self._inbox = inbox

    async def read_on(self, guild: discord.Guild) -> int:
        """Take in what every room missed, oldest first within a room; gives how many messages were looked at."""
        async with self._store.reading() as read:
            community = await read.community_of_guild(Snowflake(guild.id))
            if community is None:
                return 0
            view = await read.view(community.id, messages=0)
        turn = asyncio.Semaphore(ROOMS_AT_ONCE)

        async def one(room: Room, since: datetime) -> int:
            async with turn:
                return await self._guarded(guild, room, since)

        rooms = [room for room in view.all_rooms.values() if room.channel_id is not None]
        counts = await asyncio.gather(*(one(room, view.agents[room.id].created_at) for room in rooms))
        if sum(counts):
            log.info("read on", server=guild.name, rooms=len(rooms), messages=sum(counts))
        return sum(counts)

    async def _guarded(self, guild: discord.Guild, room: Room, since: datetime) -> int:
        """Read one room, trying again while Discord fails: going on without would lose what lies between."""
        for attempt in itertools.count():
            try:
                return await self._room(guild, room, since)
            except TRANSIENT as error:
                seconds = min(AGAIN_SECONDS * 2**attempt, LONGEST_AGAIN_SECONDS)
                log.warning("a room is read on later", room=room.id, seconds=seconds, error=str(error))
                await asyncio.sleep(seconds)
            except discord.HTTPException as error:
                log.warning("a room cannot be read", room=room.id, error=error.text)
                break
            except Exception:  # one room's trouble keeps no other from being read
                log.exception("a room could not be read on", room=room.id)
                break
        return 0

    async def _room(self, guild: discord.Guild, room: Room, since: datetime) -> int:
        channel = guild.get_channel(room.channel_id or 0)
        if channel is None:
            await self._gone(guild, room)
            return 0
        if not isinstance(channel, discord.TextChannel):
            return 0
        async with self._store.reading() as read:
            last = await read.last_discord_id(room.community_id, room.id)
            stored = await read.history(room.community_id, room.id, limit=KNOWN)
        after, known = _overlapping(last, since), {message.discord_id for message in stored}
        said = [message for place in await _places(channel, after) for message in await _said(place, after)]
        missed = [message for message in said if message.edited_at or message.id not in known]
        missed.sort(key=lambda message: message.id)
        await self._translator.meet(guild, missed)
        events = [await self._translator.message(message) for message in missed]
        await self._inbox.take_read_on([event for event in events if event is not None])
        if last is not None:
            await self._look_again(channel, room.community_id, room.id, last)
        return sum(message.id > (last or 0) and message.webhook_id is None for message in missed)

    async def _gone(self, guild: discord.Guild, room: Room) -> None:
        """Make sure that the channel is deleted, and not only hidden from us."""
        try:
            await self._client.fetch_channel(room.channel_id or 0)
        except discord.NotFound:
            gone = ChannelDeleted(guild_id=Snowflake(guild.id), channel_id=Snowflake(room.channel_id or 0))
            await self._inbox.take(gone)

    async def _look_again(
        self, channel: discord.TextChannel, community_id: CommunityId, room_id: AgentId, last: Snowflake
    ) -> None:
        """Find edits and deletions among the messages that agents still see."""
        async with self._store.reading() as read:
            known = await read.history(community_id, room_id, limit=WINDOW)
        stored = {message.discord_id: message for message in known if message.discord_id and not message.thread_id}
        if not stored:
            return
        before = discord.Object(last + 1)
        there = {message.id: message async for message in channel.history(limit=WINDOW, before=before)}
        oldest = min(there) if len(there) == WINDOW else 0
        gone = tuple(id for id in sorted(stored) if oldest <= id <= last and id not in there)
        if gone:
            guild_id, channel_id = Snowflake(channel.guild.id), Snowflake(channel.id)
            await self._inbox.take(MessagesDeleted(guild_id=guild_id, channel_id=channel_id, message_ids=gone))
        for id, message in sorted(there.items()):
            if message.edited_at is not None and _is_of_others(stored.get(Snowflake(id))):
                await self._inbox.take(await self._edited(message, message.edited_at))

    async def _edited(self, message: discord.Message, edited_at: datetime) -> MessageEdited:
        return MessageEdited(
            guild_id=Snowflake(message.guild.id if message.guild else 0),
            channel_id=Snowflake(message.channel.id),
            message_id=Snowflake(message.id),
            content=self._translator.text(message),
            edited_at=edited_at,
        )


def _overlapping(last: Snowflake | None, since: datetime) -> int:
    """Give where to read on: somewhat before the last message known, for Discord may report one late."""
    beginning = discord.utils.time_snowflake(since)
    if last is None:
        return beginning
    return max(beginning, discord.utils.time_snowflake(discord.utils.snowflake_time(last) - OVERLAP))


def _is_of_others(message: Message | None) -> bool:
    """Whether somebody else than we wrote it: agents keep what they said."""
    return message is not None and message.sender.person_id is not None


async def _places(channel: discord.TextChannel, after: int) -> list[Place]:
    """Give the channel and those of its threads in which something was said after that."""
    threads = [thread for thread in channel.threads if (thread.last_message_id or 0) > after]
    with suppress(discord.Forbidden):  # without Read Message History there are no archived threads to see
        threads += [
            thread
            async for thread in channel.archived_threads(limit=50)
            if (thread.last_message_id or 0) > after and thread.id not in {one.id for one in threads}
        ]
    return [channel, *threads]


async def _said(place: Place, after: int) -> list[discord.Message]:
    return [message async for message in place.history(limit=None, after=discord.Object(after), oldest_first=True)]
