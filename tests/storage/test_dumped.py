"""PostgreSQL's own tools, as docs/server.md says to use them: what they copy while people talk comes back whole."""

import asyncio
import os
import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from shutil import which

import pytest

from bot.core.records import CommunityId
from storage.store import SqlStore
from tests.founding import founded
from tests.storage.databases import postgresql_database
from tests.storage.lines import hear, said
from tests.storage.test_whole import Everything, everything

STEPS = (Path(__file__).parents[2] / "docs/server.md").read_text(encoding="utf-8")
SAID_BEFORE = 500
pytestmark = pytest.mark.skipif(which("pg_dump") is None, reason="PostgreSQL's tools are not here")


async def carried_out(tool: str, *, url: str, within: Path) -> None:
    """Carry out the line of the documentation that begins with a tool's name."""
    (command,) = re.findall(rf"^{tool} .*$", STEPS, re.MULTILINE)
    there = os.environ | {"SELFROOM_DATABASE_URL": url}
    process = await asyncio.create_subprocess_shell(command, cwd=within, env=there, stderr=asyncio.subprocess.PIPE)
    _, told = await process.communicate()
    assert (process.returncode, told.decode()) == (0, "")


async def talk(store: SqlStore, community_id: CommunityId, numbers: Iterable[int]) -> None:
    """Say one line after the other, each in a transaction of its own."""
    for number in numbers:
        async with store.writing(community_id) as write:
            await hear(write.talk, community_id, said(f"line {number}", number))


async def restored(from_: str, folder: Path) -> Everything:
    """Copy a database, put the copy into an empty one, and give what is in it then."""
    async with postgresql_database() as empty:
        assert empty is not None
        await carried_out("pg_dump", url=from_, within=folder)
        await carried_out("pg_restore", url=empty.url, within=folder)
        async with await SqlStore.open(empty.url, post="run") as store:
            return await everything(store)


async def test_what_postgresqls_tools_copy_while_people_talk_comes_back_whole(tmp_path: Path) -> None:
    async with postgresql_database() as made:
        if made is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        async with await SqlStore.open(made.url, post="run") as store:
            here = await founded(store)
            await talk(store, here, range(1, SAID_BEFORE + 1))
            talking = asyncio.create_task(talk(store, here, count(SAID_BEFORE + 1)))
            there = await restored(made.url, tmp_path)
            talking.cancel()
            await asyncio.wait([talking])
            now = await everything(store)
            lines = there["messages"]
            assert SAID_BEFORE <= len(lines) < len(now["messages"])
            assert lines == now["messages"][: len(lines)]  # all of the first ones, and nothing by halves
            (tmp_path / "selfroom.dump").unlink()
            assert await restored(made.url, tmp_path) == now
