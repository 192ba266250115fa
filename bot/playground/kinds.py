"""Discord's numbers by name."""

from enum import IntEnum, IntFlag


class ChannelKind(IntEnum):
    """What a channel is."""

    TEXT = 0
    DIRECT = 1
    VOICE = 2
    GROUP = 3
    CATEGORY = 4
    NEWS = 5
    NEWS_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    STAGE = 13
    FORUM = 15
    MEDIA = 16


THREADS = (ChannelKind.NEWS_THREAD, ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)
DIRECT = (ChannelKind.DIRECT, ChannelKind.GROUP)
FORUMS = (ChannelKind.FORUM, ChannelKind.MEDIA)


class MessageKind(IntEnum):
    """What a message is."""

    SAID = 0
    PINNED = 6
    JOINED = 7
    THREAD_CREATED = 18
    REPLY = 19
    COMMAND = 20
    THREAD_STARTER = 21
    MENU_COMMAND = 23


class Flag(IntFlag):
    """What is special about a message."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    QUIET = 1 << 12
    VOICE = 1 << 13
    COMPONENTS_V2 = 1 << 15


class Reference(IntEnum):
    """How a message points at another one."""

    REPLY = 0
    FORWARD = 1


class Asked(IntEnum):
    """What a person asks of a bot."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    FORM = 5


class Answer(IntEnum):
    """How a bot answers."""

    MESSAGE = 4
    DEFER = 5
    DEFER_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    FORM = 9


class CommandKind(IntEnum):
    """Where a command is called."""

    SLASH = 1
    USER_MENU = 2
    MESSAGE_MENU = 3


# fmt: off
LOCALES = (
    "en-US", "en-GB", "bg", "zh-CN", "zh-TW", "hr", "cs", "id", "da", "nl", "fi", "fr", "de", "el", "hi", "hu",
    "it", "ja", "ko", "es-419", "lt", "no", "pl", "pt-BR", "ro", "ru", "es-ES", "sv-SE", "th", "tr", "uk", "vi",
)
# fmt: on
"""The languages that a person can read Discord in."""


class OptionKind(IntEnum):
    """What an option of a command takes."""

    SUBCOMMAND = 1
    GROUP = 2
    STRING = 3
    INTEGER = 4
    BOOLEAN = 5
    USER = 6
    CHANNEL = 7
    ROLE = 8
    MENTIONABLE = 9
    NUMBER = 10
    ATTACHMENT = 11


class Part(IntEnum):
    """What a component is."""

    ROW = 1
    BUTTON = 2
    STRING = 3
    TEXT_INPUT = 4
    USER = 5
    ROLE = 6
    MENTIONABLE = 7
    CHANNEL = 8
    SECTION = 9
    TEXT = 10
    THUMBNAIL = 11
    GALLERY = 12
    FILE = 13
    SEPARATOR = 14
    CONTAINER = 17
    LABEL = 18
    UPLOAD = 19
    RADIO = 21
    CHECKS = 22
    CHECK = 23


SELECTS = (Part.STRING, Part.USER, Part.ROLE, Part.MENTIONABLE, Part.CHANNEL)


class ButtonStyle(IntEnum):
    """What a button looks like, and what pressing it does."""

    PRIMARY = 1
    SECONDARY = 2
    SUCCESS = 3
    DANGER = 4
    LINK = 5
    PREMIUM = 6


class Op(IntEnum):
    """What a frame of the gateway is."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    VOICE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    ACK = 11
    LAZY_GUILDS = 14  # of people's clients, like the next one
    GUILD_SUBSCRIPTIONS = 37
