"""Trees of timelines on the command line."""

import asyncio
import json
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.__main__ import cli
from bot.core.records import AgentId, Snowflake
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import NodeId
from bot.orchard import _opened_desk
from bot.settings import load_settings
from storage.store import SqlStore
from tests.engine.timelines.garden import BOSS, EVENT
from tests.factories import GUILD_ID
from tests.founding import founded

pytestmark = pytest.mark.long
RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make a community with a tree in which the lights went out."""
    for name in os.environ:
        if name.startswith(("SELFROOM_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("SELFROOM_PLAYGROUND_PORT", str(free.getsockname()[1]))
    asyncio.run(_plant())
    yield


async def _plant() -> None:
    settings = load_settings(os.environ)
    settings.data_dir.mkdir(exist_ok=True)
    async with await SqlStore.open(settings.database) as store:
        await founded(store, 1)
    async with AsyncExitStack() as stack:
        desk, _ = await _opened_desk(stack, settings)
        tree = await desk.fork(Snowflake(GUILD_ID), BOSS, AgentId(1), title="dark", rooms=(AgentId(1),))
        changed = asyncio.Event()
        desk.on_changed(lambda _: changed.set())
        await desk.grow(tree, BOSS, Growth(what="branch", by=BOSS, nodes=(NodeId(0),), changes=EVENT))
        while not all(one.status.is_over for one in (await desk.shown(tree)).nodes):
            await changed.wait()
            changed.clear()


def selfroom(*words: str) -> Result:
    result = RUNNER.invoke(cli, ("timeline", *words))
    assert result.exit_code == 0, result.output
    return result


def test_trees_and_their_nodes_are_listed_for_people_and_for_programs() -> None:
    assert "tree 1, title dark, nodes 2" in selfroom("list").stdout
    (tree,) = map(json.loads, selfroom("list", "--json").stdout.splitlines())
    assert (tree["tree"], tree["nodes"]) == (1, 2)
    nodes = [json.loads(line) for line in selfroom("show", "1", "--json").stdout.splitlines()]
    assert [(one["node"], one["parent"], one["edge"], one["status"]) for one in nodes] == [
        (0, None, "root", "done"),
        (1, 0, "public_event", "done"),
    ]
    gone = RUNNER.invoke(cli, ("timeline", "show", "9"))
    assert (gone.exit_code, "There is no tree 9" in gone.stderr) == (1, True)


def test_a_node_goes_on_while_nobody_runs() -> None:
    made = json.loads(selfroom("advance", "1", "0", "--json").stdout)
    assert (made["node"], made["parent"], made["status"], made["outcome"]) == (2, 0, "done", "quiet")
    assert "outcome quiet" in selfroom("show", "1").stdout


def test_a_branch_becomes_a_text_or_a_community_of_its_own(tmp_path: Path) -> None:
    selfroom("export", "1", "1", "said.txt", "--transcript")
    assert stat.S_IMODE(Path("said.txt").stat().st_mode) == 0o600
    assert "System: The lights go out." in (tmp_path / "said.txt").read_text()
    again = RUNNER.invoke(cli, ("timeline", "export", "1", "1", "said.txt", "--transcript"))
    assert (again.exit_code, "There is a file said.txt already" in again.stderr) == (1, True)
    selfroom("export", "1", "1", "dark.zip")
    assert RUNNER.invoke(cli, ("import", "dark.zip", "--guild", "77")).exit_code == 0

    async def lines() -> list[str]:
        async with await SqlStore.open(load_settings(os.environ).database) as store, store.reading() as read:
            found = await read.communities.of_guild(Snowflake(77))
            assert found is not None
            return [one.content for one in await read.talk.history(found.id, AgentId(1))]

    assert asyncio.run(lines()) == ["The lights go out."]
