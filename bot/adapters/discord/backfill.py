"""Reading on after a start or a gap: what was said, changed and deleted while nobody listened."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush

import aiohttp
import discord
import structlog

from bot.adapters.discord.events import Translator, channel_found, emoji_text, reads
from bot.adapters.discord.inbox import Inbox
from bot.adapters.discord.territory import Elsewhere, Found, Place, Territory
from bot.core.emoji import reaction_name
from bot.core.errors import StoreError
from bot.core.events import (
    ChannelDeleted,
    MessageEdited,
    MessagesDeleted,
    ReactionsFound,
    ThreadDeleted,
    ThreadIsPrivate,
    ThreadLeft,
)
from bot.core.ports import Store
from bot.core.records import Message, MessageId, Room, Snowflake
from bot.core.view import Outline

ROOMS_AT_ONCE = 5
AT_ONCE = 500  # messages that are read before they are stored: the next start goes on after these
KNOWN = 1_000  # newest messages of a room among which the overlap is looked for
OVERLAP = timedelta(minutes=2)
AGAIN_SECONDS = 0.5
LONGEST_AGAIN_SECONDS = 30.0
THREADS_AT_MOST = 50  # private ones that are looked at again after a gap, the last spoken in first
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
TRANSIENT = (discord.DiscordServerError, discord.RateLimited, aiohttp.ClientError, OSError, StoreError)
UNREAD = "unread:{}"  # kept for a room that could not be read: from where on
log = structlog.get_logger(__name__)

Source = AsyncIterator[discord.Message]


class Backfill:
    """Reads the rooms of one server on from the last message known."""

    def __init__(self, store: Store, territory: Territory, translator: Translator, inbox: Inbox) -> None:
        self._territory = territory
        self._store = store
        self._translator = translator
        self._inbox = inbox
        self._window = Recheck(store, territory, translator, inbox)

    async def read_on(self, guild: discord.Guild, *, channel_ids: Collection[int] | None = None) -> int:
        """Take in what every room (or only some) missed, oldest first; gives how many messages were looked at."""
        async with self._store.reading() as read:
            community = await read.communities.of_guild(Snowflake(guild.id))
            if community is None:
                return 0
            view = await read.views.whole(community.id, messages=0)
            threads = await read.rooms.threads(community.id) if channel_ids is None else ()
        turn = asyncio.Semaphore(ROOMS_AT_ONCE)

        async def one(room: Room, since: datetime) -> int:
            async with turn:
                return await self._guarded(guild, room, since)

        rooms = [room for room in view.all_rooms.values() if room.channel_id is not None]
        if channel_ids is not None:
            rooms = [room for room in rooms if room.channel_id in channel_ids]
        counts = await asyncio.gather(*(one(room, view.agents[room.id].created_at) for room in rooms))
        await self._look_at_threads(guild, view, threads)
        if sum(counts):
            log.info("read on", server=guild.name, rooms=len(rooms), messages=sum(counts))
        return sum(counts)

    async def _look_at_threads(self, guild: discord.Guild, view: Outline, threads: Sequence[Room]) -> None:
        """Look again at the private threads that are known: we may be out of them, and words may have gone."""
        known = sorted(threads, key=lambda room: room.last_message_at or LONG_AGO, reverse=True)
        for room in known[:THREADS_AT_MOST]:
            try:
                await self._thread(guild, room, view.all_rooms[room.owner_id].channel_id)
            except (discord.HTTPException, *TRANSIENT) as error:
                log.warning("a thread is not looked at", room=room.id, error=str(error))

    async def _thread(self, guild: discord.Guild, room: Room, parent_id: Snowflake | None) -> None:
        guild_id, thread_id = Snowflake(guild.id), room.channel_id or Snowflake(0)
        try:
            thread = await self._territory.channel(guild.id, thread_id)
        except discord.NotFound:
            gone = ThreadDeleted(guild_id=guild_id, channel_id=parent_id or thread_id, thread_id=thread_id)
            await self._inbox.take(gone)
            return
        except (discord.Forbidden, Elsewhere):
            thread = None
        if isinstance(thread, discord.Thread) and await self._translator.is_in(thread):
            await self._window.compare_thread(thread, room)
        else:
            await self._inbox.take(ThreadLeft(guild_id=guild_id, thread_id=thread_id))

    async def _guarded(self, guild: discord.Guild, room: Room, since: datetime) -> int:
        """Read one room, trying again while Discord or the store fails: going on would lose what lies between."""
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
        await self._note_unread(room, since)
        return 0

    async def _room(self, guild: discord.Guild, room: Room, since: datetime) -> int:
        channel = await self._channel(guild, room)
        if not isinstance(channel, discord.TextChannel):
            return 0
        await self._inbox.take(channel_found(channel))
        if not reads(channel):
            log.warning("a room cannot be read", room=room.id, error="the bot may not read the channel's history")
            await self._note_unread(room, since)
            return 0
        await self._tell_apart(channel, room)
        beginning = await self._beginning(room, since)
        threads, all_there = await self._threads(channel, room, beginning)
        if not all_there:
            await self._keep(room, str(beginning))
        count = await self._said(channel, threads, room, beginning)
        await self._window.look_again(channel, room)
        if all_there:
            await self._keep(room, None)
        return count

    async def _said(
        self, channel: discord.TextChannel, threads: Sequence[discord.Thread], room: Room, after: int
    ) -> int:
        """Take in what is not known yet, a stretch at a time; gives how many messages of others there were."""
        async with self._store.reading() as read:
            stored = await read.talk.history(room.community_id, room.id, limit=KNOWN)
            last = await read.talk.last_discord_id(room.community_id, room.id) or 0
        known = {message.discord_id for message in stored}
        count = 0
        places: list[Place] = [channel, *threads]
        async for stretch in _stretches(merged([_read(place, after) for place in places])):
            missed = [message for message in stretch if message.edited_at or message.id not in known]
            await self._translator.meet(channel.guild, missed)
            events = [await self._translator.message(message) for message in missed]
            await self._inbox.take_read_on([event for event in events if event is not None])
            count += sum(message.id > last and message.webhook_id is None for message in missed)
            if len(stretch) == AT_ONCE:
                log.info("reading on", room=room.id, messages=count, until=stretch[-1].created_at.isoformat())
        return count

    async def _threads(self, channel: discord.TextChannel, room: Room, after: int) -> tuple[list[discord.Thread], bool]:
        """Give the threads in which something was said after that, of the private ones those that we are in.

        The channel's own messages do not depend on the list of those that are archived; False: it may be had later.
        """
        threads, all_there = {thread.id: thread for thread in channel.threads}, True
        for private in (False, True):
            try:
                found = [thread async for thread in _archived(channel, after, private=private)]
            except discord.Forbidden:  # without Read Message History there are none to see
                break
            except discord.HTTPException as error:
                log.warning("archived threads are not read on", room=room.id, private=private, status=error.status)
                all_there &= error.status < 500
                continue
            threads = {thread.id: thread for thread in found} | threads
        spoken = [thread for thread in threads.values() if (thread.last_message_id or 0) > after]
        return [one for one in spoken if not one.is_private() or await self._translator.is_in(one)], all_there

    async def _tell_apart(self, channel: discord.TextChannel, room: Room) -> None:
        """Find out what threads are that were stored before private ones were told apart; each is asked for once."""
        async with self._store.reading() as read:
            unnamed = await read.rooms.unnamed_threads(room.community_id, room.id)
        for thread_id in unnamed:
            thread = await self._window.thread(channel, thread_id)
            if thread is None:
                continue
            if thread.is_private():
                await self.read_thread(thread)
                continue
            async with self._store.writing(room.community_id) as write:
                await write.rooms.name_thread(room.community_id, room.id, thread_id, thread.name)

    async def read_thread(self, thread: discord.Thread) -> None:
        """Read a private thread from the last message known, if we are in it."""
        if not await self._translator.is_in(thread):
            return
        async with self._store.reading() as read:
            community = await read.communities.of_guild(Snowflake(thread.guild.id))
            room_id = await read.rooms.of_channel(community.id, Snowflake(thread.parent_id)) if community else None
            if community is None or room_id is None:
                return
            since = (await read.views.whole(community.id, messages=0)).agents[room_id].created_at
            known = await read.rooms.of_channel(community.id, Snowflake(thread.id))
            last = await read.talk.last_discord_id(community.id, known) if known is not None else None
        async for stretch in _stretches(_read(thread, last or discord.utils.time_snowflake(since))):
            await self._translator.meet(thread.guild, stretch)
            events = [await self._translator.message(message) for message in stretch]
            await self._inbox.take_read_on([event for event in events if event is not None])

    async def _beginning(self, room: Room, since: datetime) -> int:
        """Give where to read on: somewhat before the last message known, for Discord may report one late."""
        async with self._store.reading() as read:
            last = await read.talk.last_discord_id(room.community_id, room.id)
            unread = await read.notes.find(room.community_id, UNREAD.format(room.id))
        beginning = discord.utils.time_snowflake(since)
        if last is not None:
            overlapping = discord.utils.time_snowflake(discord.utils.snowflake_time(last) - OVERLAP)
            beginning = max(beginning, overlapping)
        return min(beginning, int(unread)) if isinstance(unread, str) else beginning

    async def _note_unread(self, room: Room, since: datetime) -> None:
        """Keep where a room is to be read on: what is heard there from now on must not hide the gap."""
        await self._keep(room, str(await self._beginning(room, since)))

    async def _keep(self, room: Room, unread: str | None) -> None:
        name = UNREAD.format(room.id)
        async with self._store.reading() as read:
            is_so = await read.notes.find(room.community_id, name) == unread
        if not is_so:
            async with self._store.writing(room.community_id) as write:
                await write.notes.keep(room.community_id, name, unread)

    async def _channel(self, guild: discord.Guild, room: Room) -> Found | None:
        """Give a room's channel; None when it is deleted (and not only hidden from us), or lies in another server."""
        guild_id, channel_id = Snowflake(guild.id), room.channel_id or Snowflake(0)
        try:
            return await self._territory.channel(guild_id, channel_id)
        except discord.NotFound:
            gone = ChannelDeleted(guild_id=guild_id, channel_id=channel_id)
        except Elsewhere:
            gone = ChannelDeleted(guild_id=guild_id, channel_id=channel_id, is_elsewhere=True)
        await self._inbox.take(gone)
        return None


async def _archived(channel: discord.TextChannel, after: int, *, private: bool) -> AsyncIterator[discord.Thread]:
    """Give the channel's threads that were archived after that, of the private ones those that we are in."""
    since = discord.utils.snowflake_time(after)
    async for thread in channel.archived_threads(private=private, joined=private, limit=None):
        if thread.archive_timestamp >= since:
            yield thread
        elif not private:  # these come by the time of their archiving, the last first; others by their id
            return


async def _read(place: Place, after: int) -> Source:
    """Give what was said in a place, oldest first; of a thread that we may not read, nothing."""
    try:
        async for message in place.history(limit=None, after=discord.Object(after), oldest_first=True):
            yield message
    except (discord.Forbidden, discord.NotFound):
        if not isinstance(place, discord.Thread):
            raise


async def merged(sources: Sequence[Source]) -> Source:
    """Give the messages of several places in the order in which they were said."""
    heads: list[tuple[int, int, discord.Message]] = []
    for index, source in enumerate(sources):
        if (first := await anext(source, None)) is not None:
            heappush(heads, (first.id, index, first))
    while heads:
        _, index, message = heappop(heads)
        yield message
        if (following := await anext(sources[index], None)) is not None:
            heappush(heads, (following.id, index, following))


async def _stretches(messages: Source) -> AsyncIterator[list[discord.Message]]:
    stretch: list[discord.Message] = []
    async for message in messages:
        stretch.append(message)
        if len(stretch) == AT_ONCE:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


WINDOW = 100  # newest messages of a room that are looked at again
LOOKED_THROUGH = 500  # messages on Discord among which they are looked for: others write there as well

Standing = Mapping[int, discord.Message]
ByName = dict[str, list[discord.Reaction]]


class Recheck:
    """Compares what is stored of a room's newest messages with what stands on Discord."""

    def __init__(self, store: Store, territory: Territory, translator: Translator, inbox: Inbox) -> None:
        self._territory = territory
        self._store = store
        self._translator = translator
        self._inbox = inbox

    async def look_again(self, channel: discord.TextChannel, room: Room) -> None:
        """Take in what is different in the channel, and in its threads that reach into the window."""
        async with self._store.reading() as read:
            stored = await read.talk.history(room.community_id, room.id, limit=WINDOW)
        by_place: dict[Snowflake | None, list[Message]] = {}
        for message in stored:
            if message.discord_id is not None:
                by_place.setdefault(message.thread_id, []).append(message)
        for thread_id, messages in by_place.items():
            place = channel if thread_id is None else await self.thread(channel, thread_id)
            if place is not None and not (isinstance(place, discord.Thread) and place.is_private()):
                await self._compare(channel, room, place, messages)

    async def thread(self, channel: discord.TextChannel, thread_id: Snowflake) -> discord.Thread | None:
        """Give a thread, archived or not; one that is no more, or whose words are not for the open, is reported."""
        try:
            known = await self._territory.channel(channel.guild.id, thread_id)
        except Elsewhere:  # nobody deleted what was said there
            return None
        except discord.NotFound:
            guild_id, channel_id = Snowflake(channel.guild.id), Snowflake(channel.id)
            await self._inbox.take(ThreadDeleted(guild_id=guild_id, channel_id=channel_id, thread_id=thread_id))
            return None
        except discord.Forbidden:  # we read the channel: only a private thread can be out of our sight
            await self._inbox.take(_out_of_the_open(channel, thread_id))
            return None
        if not isinstance(known, discord.Thread):
            return None
        if known.is_private():
            await self._inbox.take(_out_of_the_open(channel, thread_id))
        return known

    async def compare_thread(self, thread: discord.Thread, room: Room) -> None:
        """Take in what is different in a private thread that we are in."""
        async with self._store.reading() as read:
            stored = await read.talk.history(room.community_id, room.id, limit=WINDOW)
        if posted := [message for message in stored if message.discord_id is not None]:
            await self._compare(thread, room, thread, posted)

    async def _compare(self, channel: Place, room: Room, place: Place, messages: Sequence[Message]) -> None:
        stored = {message.discord_id: message for message in messages if message.discord_id is not None}
        async with self._store.reading() as read:
            parts = await read.talk.other_parts(room.community_id, list(stored))
        ids = sorted({*stored, *(id_ for one in parts for id_ in one.post_ids)})
        there, oldest = await _standing(place, ids[0], ids[-1])
        gone = tuple(id_ for id_ in ids if id_ >= oldest and id_ not in there)
        if gone and (there or await _is_gone(place, gone[-1])):
            guild_id, channel_id = Snowflake(channel.guild.id), Snowflake(channel.id)
            await self._inbox.take(MessagesDeleted(guild_id=guild_id, channel_id=channel_id, message_ids=gone))
        for id_, message in sorted(there.items()):
            known = stored.get(Snowflake(id_))
            if known is not None and known.sender.person_id is not None:
                await self._edit(channel, message, known)
        await self._react(channel, room, there)

    async def _edit(self, channel: Place, message: discord.Message, known: Message) -> None:
        content = self._translator.text(message)
        if message.edited_at is None or content == known.content:
            return
        edited = MessageEdited(
            guild_id=Snowflake(channel.guild.id),
            channel_id=Snowflake(channel.id),
            message_id=Snowflake(message.id),
            content=content,
            edited_at=message.edited_at,
            author_id=Snowflake(message.author.id),
        )
        await self._inbox.take(edited)

    async def _react(self, channel: Place, room: Room, there: Standing) -> None:
        """Ask who reacted wherever the counts differ; each asking is a request of Discord."""
        async with self._store.reading() as read:
            ids = await read.talk.known_as(room.community_id, [Snowflake(id_) for id_ in there])
            rows = await read.reactions.given_to(room.community_id, list(set(ids.values())))
        kept: dict[MessageId, dict[str, int]] = {}
        for message_id, reactor, name in rows:
            counts = kept.setdefault(message_id, {})
            counts[name] = counts.get(name, 0) + (reactor.person_id is not None)
        for message_id, parts in _by_message(ids, there).items():
            await self._differences(channel, parts, kept.get(message_id, {}))

    async def _differences(self, channel: Place, parts: Sequence[discord.Message], counts: Mapping[str, int]) -> None:
        by_name: ByName = {name: [] for name, count in counts.items() if count}
        for part in parts:
            for one in part.reactions:
                by_name.setdefault(reaction_name(emoji_text(one.emoji)), []).append(one)
        for name, reactions in by_name.items():
            if sum(one.count - one.me for one in reactions) == counts.get(name, 0):
                continue
            if reactions:
                await self._inbox.take(await self._translator.reactions(channel.guild, parts[0], reactions))
            else:
                await self._inbox.take(_nobody(channel, parts[0], name))


def _out_of_the_open(channel: discord.TextChannel, thread_id: Snowflake) -> ThreadIsPrivate:
    return ThreadIsPrivate(guild_id=Snowflake(channel.guild.id), channel_id=Snowflake(channel.id), thread_id=thread_id)


def _nobody(channel: Place, message: discord.Message, name: str) -> ReactionsFound:
    return ReactionsFound(
        guild_id=Snowflake(channel.guild.id),
        channel_id=Snowflake(channel.id),
        message_id=Snowflake(message.id),
        emoji=name,
        people=(),
    )


def _by_message(ids: Mapping[Snowflake, MessageId], there: Standing) -> dict[MessageId, list[discord.Message]]:
    """Give what stands on Discord by the stored message that it is a part of."""
    parts: dict[MessageId, list[discord.Message]] = {}
    for id_, message in sorted(there.items()):
        if (message_id := ids.get(Snowflake(id_))) is not None:
            parts.setdefault(message_id, []).append(message)
    return parts


async def _is_gone(place: Place, message_id: int) -> bool:
    """Make sure that a place which looks empty is not one whose history we may not read any more."""
    try:
        await place.fetch_message(message_id)
    except discord.NotFound:
        return True
    except discord.Forbidden:
        pass
    return False


async def _standing(place: Place, oldest: int, newest: int) -> tuple[Standing, int]:
    """Give what stands in a place between two messages, and from where on that is all."""
    there: dict[int, discord.Message] = {}
    async for message in place.history(limit=LOOKED_THROUGH, before=discord.Object(newest + 1)):
        if message.id < oldest:
            return there, oldest
        there[message.id] = message
    return there, min(there) if len(there) == LOOKED_THROUGH else oldest
