"""The connection's own thread ends quietly, whatever becomes of those who waited for it."""

import asyncio
import threading
from importlib.metadata import version
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


def test_what_it_leans_on_inside_of_aiosqlite_is_still_there(tmp_path: Path) -> None:
    found = aiosqlite.connect(tmp_path / "none.db")
    leaned_on = ("_running", "_connection", "_connector", "_tx", "_thread", "_execute", "_connect", "stop")
    missing = [name for name in leaned_on if not hasattr(found, name)]
    assert missing == [], (
        "aiosqlite has changed inside: bring storage/inline.py in step, or stay with the version before"
    )
    assert version("aiosqlite").startswith("0.22."), (
        "look through storage/inline.py against the new aiosqlite, then here"
    )
