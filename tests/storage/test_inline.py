"""The connection's own thread ends quietly, whatever becomes of those who waited for it."""

import asyncio
import threading
from pathlib import Path

import aiosqlite
import pytest

from storage.inline import connect


def test_a_loop_that_closes_before_the_work_is_done_leaves_no_thread_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    hold, begun = threading.Event(), threading.Event()
    connections: list[aiosqlite.Connection] = []

    def slow() -> None:
        begun.set()
        hold.wait(5)

    async def leave_amid_work() -> None:
        connection = await connect(str(tmp_path / "left.db"))
        connections.append(connection)
        working = asyncio.create_task(connection._execute(slow))  # type: ignore[no-untyped-call]
        await asyncio.to_thread(begun.wait, 5)
        working.cancel()
        connection.stop()  # as SQLAlchemy ends the connection of a cancelled task: without waiting

    asyncio.run(leave_amid_work())
    hold.set()
    connections[0]._thread.join(5)
    assert not connections[0]._thread.is_alive()
    assert connections[0]._connection is None, "the file is still open"
    assert faults == []
