"""One gateway session: what it may hear, what it has been sent, and what can be replayed."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from bot.playground.events import ALL_INTENTS, GUILDS, MEMBERS, MESSAGE_CONTENT, PRESENCES, Event

# Events kept for replay; who has missed more than that must identify again.
REPLAYED = 1000


class Link(Protocol):
    """What a session needs of the connection it speaks through."""

    async def close(self, code: int, reason: str) -> None:
        """End the connection."""
        ...

    async def invalidate(self, *, resumable: bool) -> None:
        """Tell the client that its session is no longer good."""
        ...

    async def ask_to_reconnect(self) -> None:
        """Tell the client to connect anew and resume."""
        ...


Frame = tuple[int, str, str]


@dataclass(slots=True, kw_only=True)
class Session:
    """Events for one identified connection; numbers them, keeps the last ones, wakes whoever sends them."""

    id: str
    user_id: str
    token: str
    is_bot: bool
    intents: int = ALL_INTENTS
    shard: tuple[int, int] = (0, 1)
    seq: int = 0
    sent: int = 0
    left_at: float | None = None
    connection: Link | None = None
    frames: deque[Frame] = field(default_factory=lambda: deque(maxlen=REPLAYED))
    waiting: asyncio.Event = field(default_factory=asyncio.Event)

    def wants(self, event: Event, guild_id: str | None) -> bool:
        """Whether intents and shard let an event through."""
        if event.intent and not self.intents & event.intent:
            return False
        return self.serves(guild_id)

    def serves(self, guild_id: str | None) -> bool:
        """Whether this session's shard is the one for a server (shard 0 has the direct messages)."""
        number, count = self.shard
        return number == ((int(guild_id) >> 22) % count if guild_id else 0)

    def take(self, event: Event, *, guild_id: str | None) -> None:
        """Keep an event for sending, if this session may hear of it."""
        if self.wants(event, guild_id):
            content = not event.has_content or self.reads_content or event.content_is_for(self.user_id)
            self.put(event.name, event.text(with_content=content))

    @property
    def reads_content(self) -> bool:
        """Whether the session gets what messages say."""
        return bool(self.intents & MESSAGE_CONTENT)

    @property
    def sees_members(self) -> bool:
        """Whether the session gets a server's members."""
        return bool(self.intents & MEMBERS)

    @property
    def sees_presences(self) -> bool:
        """Whether the session is told who is online."""
        return bool(self.intents & PRESENCES)

    @property
    def hears_guilds(self) -> bool:
        """Whether the session gets servers at all."""
        return bool(self.intents & GUILDS)

    def put(self, name: str, text: str) -> None:
        """Number a dispatch and keep it for sending and for replay."""
        self.seq += 1
        self.frames.append((self.seq, name, text))
        self.waiting.set()

    def can_replay_after(self, seq: int) -> bool:
        """Whether everything after this number is still here."""
        oldest = self.frames[0][0] if self.frames else self.seq + 1
        return oldest - 1 <= seq <= self.seq

    @property
    def fell_behind(self) -> bool:
        """Whether events were dropped that had not been sent yet."""
        return self.seq - self.sent > len(self.frames)

    def due(self) -> list[Frame]:
        """Give what has not been sent yet, the oldest first."""
        missing = self.seq - self.sent
        return [self.frames[index] for index in range(-missing, 0)]


def frame_text(frame: Frame) -> str:
    """Give a dispatch as it goes over the wire."""
    seq, name, text = frame
    return f'{{"t":"{name}","s":{seq},"op":0,"d":{text}}}'
