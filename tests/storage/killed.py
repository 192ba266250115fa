"""Work on a database that is killed at its n-th statement: done by the tests in a process of its own."""

import asyncio
import itertools
import os
import signal
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.engine import Engine

from bot.core.errors import BadSetting
from bot.core.records import Attachment, CommunityId, Snowflake
from storage import alone
from storage.private import whole_file
from storage.store import SqlStore
from tests.fakes import START
from tests.storage.lines import said

ROUNDS = 12
EVENTS = ("before_cursor_execute", "after_cursor_execute", "commit")
FILE = Attachment(name="b.txt", media_type="text/plain", size_bytes=2, url="https://example.org/b", text="hi")


def arm(at: int) -> "itertools.count[int]":
    """Kill this process with SIGKILL at that step; 0: count the steps only."""
    steps = itertools.count(1)

    def step(*_: object) -> None:
        if next(steps) == at:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in EVENTS:
        event.listen(Engine, name, step)
    return steps


async def take_in(store: SqlStore, community_id: CommunityId) -> None:
    """Store, edit and delete messages, and say what is done once it is."""
    for number in range(0, ROUNDS * 4, 4):
        lines = [
            said(f"word{at} is said", at, attachments=(FILE,) if at % 2 else ()) for at in range(number, number + 4)
        ]
        async with store.writing(community_id) as write:
            await write.talk.add(community_id, lines)
        print("stored", number, flush=True)  # noqa: T201 - what is printed is acknowledged
        async with store.writing(community_id) as write:
            new = f"word{number} is mended"
            await write.talk.edit(community_id, Snowflake(1000 + number), content=new, edited_at=START, tokens=3)
            await write.talk.delete(community_id, [Snowflake(1001 + number)], START)
        print("mended", number, flush=True)  # noqa: T201


async def _worked(url: str, work: str, at: int, archive: Path) -> None:
    steps = arm(at if work == "open" else 0)
    async with await SqlStore.open(url) as store:
        if work != "open":
            steps = arm(at)
        if work == "intake":
            await take_in(store, CommunityId(1))
        elif work == "import":
            await store.import_archive(archive)
    print("steps", next(steps) - 1, flush=True)  # noqa: T201


def worked(url: str, work: str, at: int, archive: Path) -> None:
    """Do the work; it ends with the number of steps it took."""
    asyncio.run(_worked(url, work, at, archive))


def killed_amid_copy(target: Path) -> None:
    """Begin to write a copy, and die."""
    with whole_file(target, replace=False) as partial:
        partial.write_text("half a copy")
        os.kill(os.getpid(), signal.SIGKILL)


async def _ran(url: str) -> None:
    async with await SqlStore.open(url, post="run"):
        print("runs", flush=True)  # noqa: T201
        await asyncio.Event().wait()


def ran(url: str) -> None:
    """Run on a database, and say so, until the process is killed."""
    alone.LOOK_SECONDS = 3.0
    try:
        asyncio.run(_ran(url))
    except BadSetting as error:
        print(error.sentence, flush=True)  # noqa: T201


async def _looked(url: str) -> None:
    async with await SqlStore.open(url) as store, store.reading() as read:
        print(len(await read.communities.all()), flush=True)  # noqa: T201


def looked(url: str) -> None:
    """Open a database beside whoever runs on it, say how many communities there are, and close it."""
    asyncio.run(_looked(url))
