"""The door: links that open once and soon, sessions that end, and how often somebody may ask.

All of it lives in memory, tokens as their hashes: a restart ends every session, and nothing that was ever given out
can be found in a file.
"""

import hashlib
import secrets
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from bot.console.routes import Scope
from bot.core.ports import Clock
from bot.core.records import Snowflake

LINK_MINUTES: Final = 5
MOST_SESSIONS: Final = 5  # of one person in one server: an older one ends
TOKEN_BYTES: Final = 32
LONGEST_TOKEN: Final = 100  # characters: whatever is longer was never given out


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who came through the door of one server; what they may do there is asked anew each time."""

    guild_id: Snowflake
    user_id: Snowflake


@dataclass(frozen=True, slots=True)
class Holder:
    """For whom a program asks, and what it may do."""

    guest: Guest
    scopes: frozenset[Scope]


class Passes(Protocol):
    """The tokens of programs."""

    def holder(self, token: str, now: datetime) -> Holder | None:
        """Give for whom a token asks; None where it opens nothing (any more)."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A new session: what the browser keeps as its cookie, and what the page says with each request beside it."""

    guest: Guest
    cookie: str
    proof: str


@dataclass(frozen=True, slots=True)
class _Session:
    guest: Guest
    proof: bytes
    ends_at: datetime


class Door:
    """Who may come in, and how long they may stay."""

    def __init__(self, clock: Clock, *, hours: float) -> None:
        self._clock = clock
        self._stay = timedelta(hours=hours)
        self._links: dict[bytes, tuple[Guest, datetime]] = {}
        self._sessions: dict[bytes, _Session] = {}

    def link(self, guest: Guest) -> str:
        """Give what opens the door once, within five minutes; an earlier one of theirs opens nothing any more."""
        self._sweep()
        self._links = {key: kept for key, kept in self._links.items() if kept[0] != guest}
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._links[hashed(token)] = guest, self._clock.now() + timedelta(minutes=LINK_MINUTES)
        return token

    def open(self, token: str) -> Opened | None:
        """Begin a session with what a link holds, which is used up; None where it opens nothing (any more)."""
        self._sweep()
        guest, _ = self._links.pop(hashed(token), (None, None))
        if guest is None:
            return None
        theirs = [key for key, session in self._sessions.items() if session.guest == guest]
        for key in theirs[: max(0, len(theirs) + 1 - MOST_SESSIONS)]:
            del self._sessions[key]
        cookie, proof = secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES)
        self._sessions[hashed(cookie)] = _Session(guest, hashed(proof), self._clock.now() + self._stay)
        return Opened(guest, cookie, proof)

    def who(self, cookie: str, proof: str) -> Guest | None:
        """Give whose session it is; None where it has ended, or the page did not begin it itself."""
        session = self._sessions.get(hashed(cookie))
        if session is None or session.ends_at <= self._clock.now():
            return None
        return session.guest if secrets.compare_digest(session.proof, hashed(proof)) else None

    def leave(self, cookie: str) -> None:
        """End one session."""
        self._sessions.pop(hashed(cookie), None)

    def revoke(self, guest: Guest) -> int:
        """End all sessions of somebody in a server, and their link; gives how many sessions there were."""
        self._sweep()
        before = len(self._sessions)
        self._links = {key: kept for key, kept in self._links.items() if kept[0] != guest}
        self._sessions = {key: session for key, session in self._sessions.items() if session.guest != guest}
        return before - len(self._sessions)

    def _sweep(self) -> None:
        now = self._clock.now()
        self._links = {key: kept for key, kept in self._links.items() if kept[1] > now}
        self._sessions = {key: session for key, session in self._sessions.items() if session.ends_at > now}


class Pace:
    """So many requests in a stretch of time for each who asks, and no more."""

    def __init__(self, clock: Clock, *, most: int, seconds: float) -> None:
        self._clock = clock
        self._most = most
        self._stretch = timedelta(seconds=seconds)
        self._counted: dict[Hashable, tuple[datetime, int]] = {}

    def allows(self, who: Hashable) -> bool:
        """Count one request, and tell whether it is still within bounds."""
        now = self._clock.now()
        self._counted = {one: kept for one, kept in self._counted.items() if kept[0] > now}
        until, asked = self._counted.get(who, (now + self._stretch, 0))
        self._counted[who] = until, asked + 1
        return asked < self._most


def hashed(token: str) -> bytes:
    """Give what is kept of a token in its place."""
    return hashlib.sha256(token[:LONGEST_TOKEN].encode(errors="replace")).digest()
