"""What comes in from Discord, as records: the gateway and the backfill make them, `engine.intake` stores them."""

from dataclasses import dataclass
from datetime import datetime

from bot.core.records import Attachment, Person, Snowflake


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSeen:
    """A message was posted (live), or found when reading on (backfill). `content` is already made readable."""

    guild_id: Snowflake
    channel_id: Snowflake  # of the room, also when it was said in a public thread; of a private thread its own
    thread_id: Snowflake | None = None
    thread_name: str | None = None
    private_in: Snowflake | None = None  # `channel_id` is a private thread that we are in: the channel it is in
    message_id: Snowflake
    author: Person | None  # None: our own webhook or bot
    webhook_id: Snowflake | None = None
    is_bot: bool = False
    said_as: str = ""  # of our own post: under which name
    content: str
    sent_at: datetime
    edited_at: datetime | None = None
    reply_to: Snowflake | None = None
    instead_of: Snowflake | None = None  # what they wrote themselves, before a proxy bot posted this for them
    calls_host: bool = False  # Selfroom itself is mentioned: the room's host is meant, unless somebody is named
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEdited:
    guild_id: Snowflake
    channel_id: Snowflake
    message_id: Snowflake
    content: str
    edited_at: datetime
    author_id: Snowflake | None = None
    is_bot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesDeleted:
    guild_id: Snowflake
    channel_id: Snowflake
    message_ids: tuple[Snowflake, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionChanged:
    """A reaction was put or taken back; `emoji`: the character or `:name:`; `person` None: only the id is known."""

    guild_id: Snowflake
    channel_id: Snowflake
    message_id: Snowflake
    user_id: Snowflake
    person: Person | None = None
    is_bot: bool = False
    emoji: str
    added: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionsCleared:
    """A moderator removed all reactions of a message, or all of one emoji."""

    guild_id: Snowflake
    channel_id: Snowflake
    message_id: Snowflake
    emoji: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionsFound:
    """All people whose reaction with an emoji stands on a message now, found when reading on: nobody told when."""

    guild_id: Snowflake
    channel_id: Snowflake
    message_id: Snowflake
    emoji: str
    people: tuple[Person, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelDeleted:
    """A channel is not there any more; `is_elsewhere`: it is, in another server, and what was said there stays."""

    guild_id: Snowflake
    channel_id: Snowflake
    is_elsewhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadDeleted:
    """A thread of a channel was deleted, with all that was said in it."""

    guild_id: Snowflake
    channel_id: Snowflake
    thread_id: Snowflake


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLeft:
    """We are no member of a private thread any more: what is said there is not for us."""

    guild_id: Snowflake
    thread_id: Snowflake


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadIsPrivate:
    """A thread of a channel is private: what is stored of it in the open is not for the open."""

    guild_id: Snowflake
    channel_id: Snowflake
    thread_id: Snowflake


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelChanged:
    """A channel has another name, topic or visibility now (None: as before); `is_private`: everyone may not see it."""

    guild_id: Snowflake
    channel_id: Snowflake
    name: str | None = None
    topic: str | None = None
    is_private: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelFound:
    """What a channel is like, found when reading on: it may have been changed while nobody listened."""

    guild_id: Snowflake
    channel_id: Snowflake
    topic: str
    is_private: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildSeen:
    """The bot is in this server (at start, or invited now)."""

    guild_id: Snowflake
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildLeft:
    guild_id: Snowflake


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsUnread:
    """What Discord reports of a server by this name cannot be read, time and again: it is left out."""

    guild_id: Snowflake
    name: str


Event = (
    MessageSeen
    | MessageEdited
    | MessagesDeleted
    | ReactionChanged
    | ReactionsCleared
    | ReactionsFound
    | ChannelDeleted
    | ThreadDeleted
    | ThreadLeft
    | ThreadIsPrivate
    | ChannelChanged
    | ChannelFound
    | GuildSeen
    | GuildLeft
    | EventsUnread
)
