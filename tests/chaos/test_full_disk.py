"""The disk is full for a while: it is said clearly, nothing is lost, and life goes on by itself or after a restart."""

import asyncio
import random
import resource
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import aiohttp
import pytest

from tests.chaos.crowd import Crowd, Person
from tests.chaos.processes import READY, Child, Discord, bot
from tests.chaos.trial import come_to_rest, settle
from tests.chaos.trouble import ask
from tests.chaos.verdict import judge

FULL_BYTES = 4_096  # no file may grow beyond this
pytestmark = pytest.mark.e2e


async def until(asked: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    for _ in range(round(seconds / 0.05)):
        if asked():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"within {seconds} s: {what}")


def limit(child: Child, bytes: int) -> None:
    """Let no file of the process grow beyond so many bytes."""
    assert child.process is not None
    resource.prlimit(child.process.pid, resource.RLIMIT_FSIZE, (bytes, resource.RLIM_INFINITY))


async def lived(
    folder: Path, trouble: Callable[[Crowd, Child], Awaitable[None]], *, through: Sequence[str] = ()
) -> None:
    """Let people talk before, while and after the trouble; nothing may be lost, doubled or out of order."""
    async with aiohttp.ClientSession() as session, Discord(folder / "discord") as discord:
        about = await ask(session, "GET", f"{discord.url}/playground")
        owner = Person(session, about["api_url"], about["person"]["token"], int(about["person"]["user"]["id"]), "robin")
        child = bot(about, discord.url, folder / "bot")
        child.through.extend(through)
        crowd = await settle(session, discord, owner, about, child, random.Random(8))  # noqa: S311 - a test's chance
        await crowd.talk(1.0)
        await trouble(crowd, child)
        await crowd.talk(1.0)
        await come_to_rest(child, folder / "bot" / "selfroom.db", len(crowd.said))
        await child.end(signal.SIGTERM)
        verdict = await judge(crowd, folder / "bot" / "selfroom.db")
    assert verdict.wrong == []
    assert verdict.counts["posts of agents"] > 0


async def test_a_full_disk_is_told_and_costs_nothing(tmp_path: Path) -> None:
    async def trouble(crowd: Crowd, child: Child) -> None:
        limit(child, FULL_BYTES)
        await crowd.talk(2.0)
        await until(lambda: child.said("database"), "a clear word about the database")
        assert child.process is not None
        if child.process.returncode is None:
            limit(child, resource.RLIM_INFINITY)
        else:
            await child.start()
            await child.says(READY)

    await lived(tmp_path, trouble)
