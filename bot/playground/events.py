"""Gateway events: which intent lets one through, and what a bot without message content sees of it."""

import json
from dataclasses import dataclass, field

from bot.playground.rows import Json

GUILDS, MEMBERS, MODERATION, WEBHOOKS = 1 << 0, 1 << 1, 1 << 2, 1 << 5
PRESENCES, GUILD_MESSAGES, GUILD_REACTIONS, GUILD_TYPING = 1 << 8, 1 << 9, 1 << 10, 1 << 11
DIRECT_MESSAGES, DIRECT_REACTIONS, DIRECT_TYPING, MESSAGE_CONTENT = 1 << 12, 1 << 13, 1 << 14, 1 << 15

ALL_INTENTS = (1 << 26) - 1
PRIVILEGED = {MEMBERS: 1 << 15, PRESENCES: 1 << 13, MESSAGE_CONTENT: 1 << 19}

# By the beginning of an event's name: the intent in a server, and the one in direct messages.
INTENTS: tuple[tuple[str, int, int], ...] = (
    ("MESSAGE_REACTION_", GUILD_REACTIONS, DIRECT_REACTIONS),
    ("MESSAGE_", GUILD_MESSAGES, DIRECT_MESSAGES),
    ("TYPING_START", GUILD_TYPING, DIRECT_TYPING),
    ("CHANNEL_PINS_UPDATE", GUILDS, DIRECT_MESSAGES),
    ("CHANNEL_", GUILDS, 0),
    ("THREAD_", GUILDS, 0),
    ("GUILD_MEMBER_", MEMBERS, 0),
    ("GUILD_BAN_", MODERATION, 0),
    ("GUILD_", GUILDS, 0),
    ("WEBHOOKS_UPDATE", WEBHOOKS, 0),
    ("PRESENCE_UPDATE", PRESENCES, 0),
)
REDACTED: Json = {"content": "", "embeds": [], "attachments": [], "components": []}


def intent_for(name: str, *, direct: bool) -> int:
    """Give the intent an event needs, or 0 when it needs none."""
    for prefix, in_guild, in_direct in INTENTS:
        if name.startswith(prefix):
            return in_direct if direct else in_guild
    return 0


@dataclass(slots=True)
class Event:
    """One event before it is addressed to a session; its JSON is made once for everyone who sees the same."""

    name: str
    data: Json
    direct: bool = False
    intent: int = field(init=False)
    _texts: dict[bool, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.intent = intent_for(self.name, direct=self.direct)

    def text(self, *, with_content: bool) -> str:
        """Give the JSON of the data."""
        with_content = with_content or not self.has_content
        text = self._texts.get(with_content)
        if text is None:
            data = self.data if with_content else self.data | REDACTED
            text = self._texts[with_content] = json.dumps(data, separators=(",", ":"))
        return text

    def without(self, field: str) -> "Event":
        """Give the same event without one of its fields."""
        maimed = Event(self.name, {name: value for name, value in self.data.items() if name != field}, self.direct)
        maimed.intent = self.intent
        return maimed

    def freeze(self) -> None:
        """Fix what the event says now: it is to be sent later."""
        for with_content in (True, False):
            self.text(with_content=with_content)

    @property
    def has_content(self) -> bool:
        """Whether there is something in it that needs the message content intent."""
        return self.name in ("MESSAGE_CREATE", "MESSAGE_UPDATE")

    def content_is_for(self, user_id: str) -> bool:
        """Whether a user sees the content without the intent: its own, one that mentions it, a direct one."""
        mentioned = any(user["id"] == user_id for user in self.data.get("mentions", ()))
        return self.direct or mentioned or self.data.get("author", {}).get("id") == user_id
