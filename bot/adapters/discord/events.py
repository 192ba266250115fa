"""Gateway events as records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Protocol

import discord
import structlog

from bot.adapters.discord.files import PATIENCE_SECONDS, Files, as_voice
from bot.adapters.discord.people import People
from bot.adapters.discord.proxies import Proxies
from bot.adapters.discord.territory import Found, Territory
from bot.adapters.discord.webhooks import Webhooks, is_own_webhook
from bot.adapters.discord.wording import text_of
from bot.core.errors import PublishError
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
    ThreadIsPrivate,
    ThreadLeft,
)
from bot.core.passed_on import TAKE_BACK, unquoted
from bot.core.records import Snowflake

log = structlog.get_logger(__name__)
READ_ON_SECONDS = 15.0  # that the files of all messages of a stretch are waited for
NO_SERVICES: Mapping[int, str] = MappingProxyType({})
SPOKEN = (discord.MessageType.default, discord.MessageType.reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Where something was said: a room's channel with the public thread in it, or a private thread that we are in."""

    channel_id: Snowflake
    thread_id: Snowflake | None = None
    thread_name: str | None = None
    private_in: Snowflake | None = None


class Ears(Protocol):
    """Whoever knows who is listened to (engine.intake)."""

    async def hears(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        *,
        author_id: Snowflake,
        webhook_id: Snowflake | None,
        is_bot: bool,
    ) -> int:
        """Give how many characters are to be read of the files that are attached there; 0 when nobody listens."""

    async def follows_proxies(self, guild_id: Snowflake) -> bool:
        """Tell whether what a proxy bot posts for a person is heard as that person's there."""


class Translator:
    """Makes records of what discord.py reports; None for what is not for us."""

    def __init__(
        self,
        client: discord.Client,
        territory: Territory,
        webhooks: Webhooks,
        people: People,
        ears: Ears,
        proxy_services: Mapping[int, str] = NO_SERVICES,
        files: Files | None = None,
    ) -> None:
        self._client = client
        self._territory = territory
        self._webhooks = webhooks
        self._people = people
        self._ears = ears
        self.files = files or Files()
        self._proxies = Proxies(proxy_services, ears.follows_proxies)
        self._outside: set[int] = set()  # private threads that we see and are not in

    async def meet(self, guild: discord.Guild, messages: Sequence[discord.Message]) -> None:
        """Learn who wrote many messages and what their files say, before they are translated one by one."""
        for message in messages:
            self.foresee(message, seconds=READ_ON_SECONDS)
        await self._people.meet([one.author for one in messages if not one.webhook_id], guild)

    def foresee(self, message: discord.Message, *, seconds: float = PATIENCE_SECONDS) -> None:
        """Begin to read a message's files at once; its turn may come later."""
        if self._is_said(message) and self._may_read(message) and not self._is_own_post(message):
            self.files.begin(message, partial(self._listened_to, message), seconds=seconds)
            self._proxies.begin(message)

    async def close(self) -> None:
        """Begin nothing any more, and end what was begun."""
        await self.files.close()
        await self._proxies.close()

    async def _listened_to(self, message: discord.Message) -> int:
        """Give how many characters are to be read of its files."""
        assert message.guild is not None  # noqa: S101 - it was said in one
        heard = await self._heard(message.guild, message.channel.id)
        if heard is None:
            return 0
        webhook_id = Snowflake(message.webhook_id) if message.webhook_id else None
        author_id = Snowflake(message.author.id)
        return await self._ears.hears(
            Snowflake(message.guild.id),
            heard.private_in or heard.channel_id,
            author_id=author_id,
            webhook_id=webhook_id,
            is_bot=message.author.bot or webhook_id is not None,
        )

    def _is_said(self, message: discord.Message) -> bool:
        return message.guild is not None and message.type in SPOKEN and message.author.id != self._own_id

    def _speaker(self, message: discord.Message) -> discord.User | discord.Member | None:
        """Give who said a message: nobody for the bot's own, but for what it passed on for somebody (`/say`)."""
        if message.author.id != self._own_id:
            return message.author if message.type in SPOKEN else None
        buttons = {part.custom_id for row in message.components for part in getattr(row, "children", ())}
        used = message.interaction_metadata
        return used.user if used is not None and TAKE_BACK in buttons else None

    def _may_read(self, message: discord.Message) -> bool:
        """Tell whether what it says is for us: without the intent not even what Discord happens to show."""
        intents, own_id = self._client.intents, self._own_id
        return intents.message_content or own_id == message.author.id or own_id in {one.id for one in message.mentions}

    async def message(self, message: discord.Message) -> MessageSeen | None:
        """Give a message that was said in a server, by anybody but the bot itself, if we may read it."""
        try:
            is_for_us = self._may_read(message) or self._is_own_post(message)
            return await self._message(message) if is_for_us else None
        finally:  # whatever it turned out to be
            self.files.forget(message)

    async def shown(self, message: discord.Message) -> MessageSeen | None:
        """Give a message that somebody showed us: whatever is in it, it calls the host of its room."""
        seen = await self._message(message)
        return replace(seen, calls_host=True) if seen is not None else None

    async def _message(self, message: discord.Message) -> MessageSeen | None:
        speaker = self._speaker(message)
        if message.guild is None or speaker is None:
            return None
        is_passed_on = speaker is not message.author
        webhook_id = None if is_passed_on else message.webhook_id  # which answers to commands have, too
        is_own = not is_passed_on and self._is_own_post(message)
        if webhook_id and not is_own and webhook_id == message.application_id:
            return None  # an answer to somebody's command
        heard = await self._heard(message.guild, message.channel.id)
        if heard is None:
            return None
        behind = None if is_own else await self._proxies.behind(message)
        if behind is not None:
            speaker, webhook_id = await self._people.by_id(behind.person_id, message.guild), None
        if speaker is None:
            return None  # whoever it was has gone
        content = "" if is_own else self._words(message)
        if is_passed_on:
            content = unquoted(content)
        attachments = () if is_own else await self.files.of(message)
        if message.flags.voice and not is_own:  # it has no words of its own
            content, attachments = as_voice(message.attachments, attachments), ()
        if not (is_own or content or attachments):
            return None
        author = None
        if not is_own:
            member = speaker if webhook_id else await self._people.member(speaker, message.guild)
            author = self._people.person(member)
        return MessageSeen(
            guild_id=Snowflake(message.guild.id),
            channel_id=heard.channel_id,
            thread_id=heard.thread_id,
            thread_name=heard.thread_name,
            private_in=heard.private_in,
            message_id=Snowflake(message.id),
            author=author,
            webhook_id=Snowflake(webhook_id) if webhook_id else None,
            is_bot=speaker.bot or webhook_id is not None,
            said_as=message.author.name if is_own else "",
            content=content,
            sent_at=message.created_at,
            edited_at=message.edited_at,
            reply_to=_answered(message),
            instead_of=behind.original_id if behind is not None else None,
            calls_host=is_passed_on or any(user.id == self._own_id for user in message.mentions),
            attachments=attachments,
        )

    @property
    def _own_id(self) -> int | None:
        return self._client.user.id if self._client.user else None

    def _is_own_post(self, message: discord.Message) -> bool:
        return message.webhook_id is not None and is_own_webhook(
            message.webhook_id, message.application_id, self._client.application_id, self._webhooks
        )

    async def _heard(self, guild: discord.Guild, channel_id: int) -> Heard | None:
        """Give where that is; None when it is not for us: a private thread that we are not in, or of unknown kind."""
        place = await self._shown(guild, channel_id)
        if not isinstance(place, discord.Thread):
            return Heard(channel_id=Snowflake(channel_id)) if place is not None else None
        parent_id, thread_id = Snowflake(place.parent_id), Snowflake(channel_id)
        if not place.is_private():
            return Heard(channel_id=parent_id, thread_id=thread_id, thread_name=place.name)
        if not await self._is_surely_in(place):
            return None
        return Heard(channel_id=thread_id, thread_name=place.name, private_in=parent_id)

    async def _shown(self, guild: discord.Guild, channel_id: int, *, anew: bool = False) -> Found | None:
        """Give a channel or thread of a server; None when Discord does not show it."""
        try:
            return await self._territory.channel(guild.id, channel_id, anew=anew)
        except (discord.HTTPException, PublishError):
            return None

    async def is_in(self, thread: discord.Thread) -> bool:
        """Tell whether we are a member of a thread: to see it as one who manages threads is not enough.

        Raises HTTPException when Discord does not tell.
        """
        if thread.me is not None:
            return True
        if thread.id in self._outside or self._own_id is None:
            return False
        try:
            thread.me = await thread.fetch_member(self._own_id)
        except discord.NotFound:
            self._outside.add(thread.id)
        return thread.me is not None

    async def _is_surely_in(self, thread: discord.Thread) -> bool:
        """Tell the same; while it is not known, we are not."""
        try:
            return await self.is_in(thread)
        except discord.HTTPException as error:
            log.warning("it is not known whether we are in a thread", thread=thread.id, error=error.text)
            return False

    def look_anew(self, guild_id: int | None = None) -> None:
        """Forget which threads we are not in: while nobody listened, or with other rights, that may have changed."""
        self._outside.clear()
        self._territory.look_anew(guild_id)

    def joined(self, thread: discord.Thread) -> None:
        """We were brought into a thread."""
        self._territory.let_in(thread.guild.id, thread.id)
        self._outside.discard(thread.id)

    async def left(self, thread: discord.Thread) -> ThreadLeft | None:
        """Give a private thread that we are in no more; one that only went out of sight (archived) is not left."""
        thread.me = None
        self._outside.discard(thread.id)
        found = await self._shown(thread.guild, thread.id, anew=True)
        if isinstance(found, discord.Thread) and await self._is_surely_in(found):
            return None
        return ThreadLeft(guild_id=Snowflake(thread.guild.id), thread_id=Snowflake(thread.id))

    async def thread_gone(self, payload: discord.RawThreadDeleteEvent) -> ThreadDeleted | ThreadLeft:
        """Give a thread that is no more; one that is only hidden from us is not deleted."""
        try:
            await self._territory.channel(payload.guild_id, payload.thread_id, anew=True)
        except discord.Forbidden:
            return ThreadLeft(guild_id=Snowflake(payload.guild_id), thread_id=Snowflake(payload.thread_id))
        except (discord.HTTPException, PublishError, OSError) as error:
            log.debug("a thread is gone", thread=payload.thread_id, error=str(error))
        return thread_deleted(payload)

    def text(self, message: discord.Message) -> str:
        """Give what a message says, as far as we may read it."""
        return self._words(message) if self._may_read(message) else ""

    def _words(self, message: discord.Message) -> str:
        """Give what a message says; of what a proxy bot posts also under which name: one person may have several."""
        said = text_of(message)
        return (
            f"(as {' '.join(message.author.name.split())}) {said}" if said and self._proxies.posted(message) else said
        )

    async def channel_deleted(self, channel: discord.abc.GuildChannel) -> ChannelDeleted | None:
        """Give a channel that is no more; one that is only hidden from us is not deleted."""
        try:
            await self._territory.channel(channel.guild.id, channel.id, anew=True)
        except discord.NotFound:
            return ChannelDeleted(guild_id=Snowflake(channel.guild.id), channel_id=Snowflake(channel.id))
        except (discord.HTTPException, PublishError, OSError) as error:
            log.warning("a channel is out of sight", channel=channel.id, error=str(error))
        return None

    async def edited(self, payload: discord.RawMessageUpdateEvent) -> MessageEdited | None:
        """Give a changed text; a preview that Discord adds is no change."""
        message = payload.message
        if message.guild is None or message.edited_at is None or message.author.id == self._own_id:
            return None
        if self._is_own_post(message):
            return None
        heard = await self._heard(message.guild, payload.channel_id)
        if heard is None:
            return None
        return MessageEdited(
            guild_id=Snowflake(message.guild.id),
            channel_id=heard.channel_id,
            message_id=Snowflake(message.id),
            content=self.text(message),
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
        heard = await self._heard(guild, payload.channel_id)
        return MessagesDeleted(
            guild_id=Snowflake(guild.id),
            channel_id=heard.channel_id if heard else Snowflake(payload.channel_id),
            message_ids=tuple(Snowflake(id_) for id_ in ids),
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
        return ReactionsFound(
            guild_id=Snowflake(guild.id),
            channel_id=Snowflake(message.channel.id),
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


def turned_private(before: discord.Thread, after: discord.Thread) -> ThreadIsPrivate | None:
    """Give a thread that is private now and was not."""
    return thread_is_private(after.parent_id, after) if after.is_private() and not before.is_private() else None


def thread_is_private(channel_id: int, thread: discord.Thread) -> ThreadIsPrivate:
    """Give a thread whose words are not for the open."""
    return ThreadIsPrivate(
        guild_id=Snowflake(thread.guild.id), channel_id=Snowflake(channel_id), thread_id=Snowflake(thread.id)
    )


def channel_changed(before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> ChannelChanged | None:
    """Give what is different about a text channel."""
    if not isinstance(before, discord.TextChannel) or not isinstance(after, discord.TextChannel):
        return None
    return ChannelChanged(
        guild_id=Snowflake(after.guild.id),
        channel_id=Snowflake(after.id),
        name=after.name if after.name != before.name else None,
        topic=(after.topic or "") if after.topic != before.topic else None,
        is_private=_is_private(after),
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
