"""All gateway sessions, connected or waiting to be resumed."""

import asyncio
import secrets
from collections.abc import Iterable

from bot.playground.gateway.session import Link, Session

# How long a session without a connection can still be resumed.
RESUMABLE_SECONDS = 300.0


class Hub:
    """Sessions by id."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self.connections: set[Link] = set()
        self.errands: set[asyncio.Future[None]] = set()

    def sessions(self) -> Iterable[Session]:
        """Give every session that events are kept for."""
        return self._sessions.values()

    def open(self, session: Session) -> Session:
        """Keep a new session."""
        self._sessions[session.id] = session
        return session

    def find(self, session_id: str) -> Session | None:
        """Give a session, connected or not."""
        return self._sessions.get(session_id)

    def drop(self, session: Session) -> None:
        """End a session: it can't be resumed any more."""
        self._sessions.pop(session.id, None)

    def sweep(self, now: float) -> None:
        """End the sessions that nobody has come back for."""
        for session in list(self._sessions.values()):
            if session.left_at is not None and now - session.left_at > RESUMABLE_SECONDS:
                self.drop(session)

    def online(self, user_id: str) -> bool:
        """Whether a user has a session that is connected."""
        return any(s.user_id == user_id and s.left_at is None for s in self._sessions.values())


def new_session_id() -> str:
    """Draw the id of a session."""
    return secrets.token_hex(16)
