"""Looking again at what agents still see: edits, deletions and reactions that happened while nobody listened."""

from collections.abc import Mapping, Sequence

import discord
import structlog

from bot.adapters.discord.events import Translator, emoji_text
from bot.adapters.discord.inbox import Inbox
from bot.adapters.discord.territory import Elsewhere, Place, Territory
from bot.core.emoji import reaction_name
from bot.core.events import MessageEdited, MessagesDeleted, ReactionsFound, ThreadDeleted, ThreadIsPrivate
from bot.core.ports import Store
from bot.core.records import Message, MessageId, Room, Snowflake

WINDOW = 100  # newest messages of a room that are looked at again
LOOKED_THROUGH = 500  # messages on Discord among which they are looked for: others write there as well
log = structlog.get_logger(__name__)

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
