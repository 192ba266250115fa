"""All gateway sessions, connected or waiting to be resumed."""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Iterable

from bot.playground.session import Link, Session

# How long a session without a connection can still be resumed.
RESUMABLE_SECONDS = 300.0
MOST_SESSIONS = 25  # of one account: each keeps what it missed


class Hub:
    """Sessions by id."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self.connections: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def sessions(self) -> Iterable[Session]:
        """Give every session that events are kept for."""
        return self._sessions.values()

    def open(self, session: Session) -> Session:
        """Keep a new session."""
        self._sessions[session.id] = session
        return session

    def has_room_for(self, user_id: str) -> bool:
        """Tell whether somebody may open one more; of those that wait to be resumed the oldest give way."""
        theirs = [one for one in self._sessions.values() if one.user_id == user_id]
        for one in theirs[: max(0, len(theirs) + 1 - MOST_SESSIONS)]:
            if one.connection is None:
                self.drop(one)
        return sum(one.user_id == user_id for one in self._sessions.values()) < MOST_SESSIONS

    def find(self, session_id: str) -> Session | None:
        """Give a session, connected or not."""
        return self._sessions.get(session_id)

    def is_here(self, user_id: str) -> bool:
        """Tell whether somebody is connected now."""
        return any(one.user_id == user_id and one.connection is not None for one in self._sessions.values())

    def drop(self, session: Session) -> None:
        """End a session: it can't be resumed any more."""
        self._sessions.pop(session.id, None)

    def sweep(self, now: float) -> None:
        """End the sessions that nobody has come back for."""
        for session in list(self._sessions.values()):
            if session.left_at is not None and now - session.left_at > RESUMABLE_SECONDS:
                self.drop(session)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Do something after a while, unless the playground ends before."""

        async def wait() -> None:
            await asyncio.sleep(seconds)
            act()

        self.run(wait())

    def run(self, work: Coroutine[None, None, None]) -> None:
        """Do work that ends with the playground at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End the work that is still under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def new_session_id() -> str:
    """Draw the id of a session."""
    return secrets.token_hex(16)
