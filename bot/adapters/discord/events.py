"""Gateway events as records."""

from collections.abc import Sequence
from datetime import UTC, datetime

import discord
import structlog

from bot.adapters.discord.people import People
from bot.adapters.discord.webhooks import Webhooks, is_own_webhook
from bot.adapters.discord.wording import attachments_of, text_of
from bot.core.events import (
    ChannelChanged,
    ChannelDeleted,
    ChannelFound,
    GuildLeft,
    GuildSeen,
    MessageEdited,
    MessagesDeleted,
    MessageSeen,
    ReactionChanged,
    ReactionsCleared,
    ReactionsFound,
    ThreadDeleted,
)
from bot.core.records import Snowflake

log = structlog.get_logger(__name__)
SPOKEN = (discord.MessageType.default, discord.MessageType.reply)


class Translator:
    """Makes records of what discord.py reports; None for what is not for us."""

    def __init__(self, client: discord.Client, webhooks: Webhooks, people: People, *, characters: int = 20_000) -> None:
        self._client = client
        self._webhooks = webhooks
        self._people = people
        self._characters = characters
        self._places: dict[int, int] = {}  # threads that the cache does not know, with their parents

    async def meet(self, guild: discord.Guild, messages: Sequence[discord.Message]) -> None:
        """Learn who wrote many messages, before they are translated one by one."""
        await self._people.meet([one.author for one in messages if not one.webhook_id], guild)

    async def message(self, message: discord.Message) -> MessageSeen | None:
        """Give a message that was said in a server, by anybody but the bot itself."""
        if message.guild is None or message.type not in SPOKEN or message.author.id == self._own_id:
            return None
        is_own = self._is_own_post(message)
        if message.webhook_id and not is_own and message.webhook_id == message.application_id:
            return None  # an answer to somebody's command
        parent_id, thread_id = await self._place(message.guild, message.channel.id)
        content = "" if is_own else text_of(message)
        attachments = () if is_own else await attachments_of(message, characters=self._characters)
        if not (is_own or content or attachments):
            return None
        author = None
        if not is_own:
            member = message.author if message.webhook_id else await self._people.member(message.author, message.guild)
            author = self._people.person(member)
        return MessageSeen(
            guild_id=Snowflake(message.guild.id),
            channel_id=parent_id,
            thread_id=thread_id,
            message_id=Snowflake(message.id),
            author=author,
            webhook_id=Snowflake(message.webhook_id) if message.webhook_id else None,
            is_bot=message.author.bot or message.webhook_id is not None,
            content=content,
            sent_at=message.created_at,
            edited_at=message.edited_at,
            reply_to=_answered(message),
            mentioned=tuple(Snowflake(user.id) for user in message.mentions),
            attachments=attachments,
        )

    @property
    def _own_id(self) -> int | None:
        return self._client.user.id if self._client.user else None

    def _is_own_post(self, message: discord.Message) -> bool:
        return message.webhook_id is not None and is_own_webhook(
            message.webhook_id, message.application_id, self._client.application_id, self._webhooks
        )

    async def _place(self, guild: discord.Guild, channel_id: int) -> tuple[Snowflake, Snowflake | None]:
        """Give the room's channel and, if it was said there, the thread."""
        parent_id = await self._parent(guild, channel_id)
        if parent_id == channel_id:
            return Snowflake(channel_id), None
        return Snowflake(parent_id), Snowflake(channel_id)

    async def _parent(self, guild: discord.Guild, channel_id: int) -> int:
        known = guild.get_channel_or_thread(channel_id)
        if isinstance(known, discord.Thread):
            return known.parent_id
        if known is None and channel_id not in self._places:
            self._places[channel_id] = await self._asked(channel_id)
        return self._places.get(channel_id, channel_id)

    async def _asked(self, channel_id: int) -> int:
        try:
            channel = await self._client.fetch_channel(channel_id)
        except (discord.HTTPException, discord.InvalidData):
            return channel_id
        return channel.parent_id if isinstance(channel, discord.Thread) else channel_id

    def text(self, message: discord.Message) -> str:
        """Give what a message says."""
        return text_of(message)

    async def channel_deleted(self, channel: discord.abc.GuildChannel) -> ChannelDeleted | None:
        """Give a channel that is no more; one that is only hidden from us is not deleted."""
        try:
            await self._client.fetch_channel(channel.id)
        except discord.NotFound:
            return ChannelDeleted(guild_id=Snowflake(channel.guild.id), channel_id=Snowflake(channel.id))
        except (discord.HTTPException, discord.InvalidData, OSError) as error:
            log.warning("a channel is out of sight", channel=channel.id, error=str(error))
        return None

    async def edited(self, payload: discord.RawMessageUpdateEvent) -> MessageEdited | None:
        """Give a changed text; a preview that Discord adds is no change."""
        message = payload.message
        if message.guild is None or message.edited_at is None or message.author.id == self._own_id:
            return None
        if self._is_own_post(message):
            return None
        channel_id, _ = await self._place(message.guild, payload.channel_id)
        return MessageEdited(
            guild_id=Snowflake(message.guild.id),
            channel_id=channel_id,
            message_id=Snowflake(message.id),
            content=text_of(message),
            edited_at=message.edited_at,
            author_id=Snowflake(message.author.id),
            is_bot=message.author.bot or message.webhook_id is not None,
        )

    async def deleted(
        self, payload: discord.RawMessageDeleteEvent | discord.RawBulkMessageDeleteEvent
    ) -> MessagesDeleted | None:
        """Give one or many deleted messages."""
        guild = self._client.get_guild(payload.guild_id) if payload.guild_id else None
        if guild is None:
            return None
        ids = (
            sorted(payload.message_ids)
            if isinstance(payload, discord.RawBulkMessageDeleteEvent)
            else [payload.message_id]
        )
        channel_id, _ = await self._place(guild, payload.channel_id)
        return MessagesDeleted(
            guild_id=Snowflake(guild.id), channel_id=channel_id, message_ids=tuple(Snowflake(id) for id in ids)
        )

    async def reaction(self, payload: discord.RawReactionActionEvent) -> ReactionChanged | None:
        """Give a reaction that was put or taken back, but the bot's own."""
        if payload.guild_id is None or payload.user_id == self._own_id:
            return None
        member = payload.member
        return ReactionChanged(
            guild_id=Snowflake(payload.guild_id),
            channel_id=Snowflake(payload.channel_id),
            message_id=Snowflake(payload.message_id),
            user_id=Snowflake(payload.user_id),
            person=self._people.person(member) if member else None,
            is_bot=member.bot if member else False,
            emoji=emoji_text(payload.emoji),
            added=payload.event_type == "REACTION_ADD",
            at=datetime.now(UTC),
        )

    async def cleared(
        self, payload: discord.RawReactionClearEvent | discord.RawReactionClearEmojiEvent
    ) -> ReactionsCleared | None:
        """Give the removal of all reactions, or of all of one emoji."""
        if payload.guild_id is None:
            return None
        one = payload.emoji if isinstance(payload, discord.RawReactionClearEmojiEvent) else None
        return ReactionsCleared(
            guild_id=Snowflake(payload.guild_id),
            channel_id=Snowflake(payload.channel_id),
            message_id=Snowflake(payload.message_id),
            emoji=emoji_text(one) if one else None,
        )

    async def reactions(
        self, guild: discord.Guild, message: discord.Message, reactions: Sequence[discord.Reaction]
    ) -> ReactionsFound:
        """Ask who reacted to a message with emoji that count as the same, and give all of them."""
        users = [user for one in reactions async for user in one.users(limit=None) if not user.bot]
        await self._people.meet(users, guild)
        people = [self._people.person(await self._people.member(user, guild)) for user in users]
        channel_id, _ = await self._place(guild, message.channel.id)
        return ReactionsFound(
            guild_id=Snowflake(guild.id),
            channel_id=channel_id,
            message_id=Snowflake(message.id),
            emoji=emoji_text(reactions[0].emoji),
            people=tuple({person.id: person for person in people}.values()),
        )


def thread_deleted(payload: discord.RawThreadDeleteEvent) -> ThreadDeleted:
    """Give a thread that is no more."""
    return ThreadDeleted(
        guild_id=Snowflake(payload.guild_id),
        channel_id=Snowflake(payload.parent_id),
        thread_id=Snowflake(payload.thread_id),
    )


def channel_changed(before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> ChannelChanged | None:
    """Give what is different about a text channel."""
    if not isinstance(before, discord.TextChannel) or not isinstance(after, discord.TextChannel):
        return None
    private = [_is_private(channel) for channel in (before, after)]
    return ChannelChanged(
        guild_id=Snowflake(after.guild.id),
        channel_id=Snowflake(after.id),
        name=after.name if after.name != before.name else None,
        topic=(after.topic or "") if after.topic != before.topic else None,
        is_private=private[1] if private[0] != private[1] else None,
    )


def reads_more(before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> bool:
    """Tell whether we may read now what was said in a channel, and could not before."""
    return reads(after) and not reads(before)


def reads(channel: discord.abc.GuildChannel) -> bool:
    """Tell whether we may read what was said in a channel; without the right Discord shows it as empty."""
    rights = channel.permissions_for(channel.guild.me)
    return rights.view_channel and rights.read_message_history


def channel_found(channel: discord.TextChannel) -> ChannelFound:
    """Give what a channel is like now."""
    return ChannelFound(
        guild_id=Snowflake(channel.guild.id),
        channel_id=Snowflake(channel.id),
        topic=channel.topic or "",
        is_private=_is_private(channel),
    )


def _is_private(channel: discord.TextChannel) -> bool:
    return not channel.permissions_for(channel.guild.default_role).view_channel


def guild_seen(guild: discord.Guild) -> GuildSeen:
    """Give a server that the bot is in."""
    return GuildSeen(guild_id=Snowflake(guild.id), name=guild.name)


def guild_left(guild: discord.Guild) -> GuildLeft:
    """Give a server that the bot was removed from."""
    return GuildLeft(guild_id=Snowflake(guild.id))


def _answered(message: discord.Message) -> Snowflake | None:
    reference = message.reference
    if message.type is not discord.MessageType.reply or reference is None or reference.message_id is None:
        return None
    return Snowflake(reference.message_id)


def emoji_text(emoji: discord.PartialEmoji | discord.Emoji | str) -> str:
    """Give an emoji as events have it: the character, or the `:name:` of a server's own."""
    if isinstance(emoji, str):
        return emoji
    if isinstance(emoji, discord.PartialEmoji) and emoji.is_unicode_emoji():
        return emoji.name
    return f":{emoji.name or 'emoji'}:"
