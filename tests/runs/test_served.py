"""Runs of servers are read and played apart: what a run holds, or does, is nothing to anybody else."""

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from bot.core.errors import Rejected, StoreError
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import Snowflake
from bot.core.runs.reading import read_given
from bot.core.runs.spec import RunSpec
from bot.engine.front_desk.runs import NOT_ASKED
from bot.engine.runs.playing import Ending
from bot.engine.timelines.answers import GrantSpent, HouseFacts
from bot.runs.home import RunHome
from bot.runs.minds import own_purse
from bot.runs.served import ALL_PLAY, BROKEN, MAKES_WAY, ServedRuns
from bot.runs.simulating import Wanted, simulate
from bot.settings import Settings
from storage.timelines.trees import SqlTrees
from tests.e2e.visitor import until
from tests.runs.played import alone

ONE, TWO, THREE = map(Snowflake, (1, 2, 3))


@dataclass
class Lender:
    """Is asked nothing, and knows whether what it lent came back."""

    closed: bool = False

    async def facts(self, models: Sequence[str]) -> HouseFacts:
        raise GrantSpent(NOT_ASKED)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        raise GrantSpent(NOT_ASKED)

    def news(self) -> None:
        """Hear nothing."""

    async def close(self) -> None:
        self.closed = True


def tea() -> RunSpec:
    agents = [{"name": name, "prompt": f"You are {name}."} for name in ("Ada", "Bo")]
    return read_given({"title": "Tea", "turns": 4, "every": 2, "agents": agents, "scene": {"kind": "chat"}})


@pytest.fixture
async def runs(tmp_path: Path) -> AsyncIterator[ServedRuns]:
    kept = ServedRuns(folder=tmp_path / "runs", is_shared=False)
    yield kept
    await kept.close()


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have processes of runs say nothing, for ever."""
    program = tmp_path / "silent"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o700)
    monkeypatch.setattr("bot.runs.served.sys.executable", str(program))


async def played(folder: Path, most_bytes: int | None = None) -> Ending:
    """Play a run into the folder of the first server."""
    wanted = Wanted(purse=partial(own_purse, Settings(), None), most_bytes=most_bytes)
    return (await simulate(RunHome(folder / "runs/servers/1"), tea(), Path(), wanted)).played.ending


@pytest.mark.long
async def test_nothing_of_a_run_is_read_where_everybody_waits_for_it(
    runs: ServedRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run holds what models answered: of fifty full minds the house took hundreds of megabytes, and stood still."""
    alone(tmp_path, monkeypatch)
    await played(tmp_path)

    def opened(*_: object) -> None:
        raise AssertionError("a run is read in the process in which everybody lives")

    monkeypatch.setattr(SqlTrees, "__init__", opened)
    assert [one["run"] for one in json.loads(await runs.all(ONE, "USD"))["runs"]] == [1]
    assert [one["id"] for one in json.loads(await runs.one(ONE, 1, "USD"))["nodes"]] == [0, 1, 2]
    told = json.loads(await runs.told(ONE, 1, "", first=0, most=2))
    assert (told["snapshot"], told["from"], len(told["lines"])) == (2, 0, 2)
    spec, spent = await runs.spent(ONE, 1)
    assert (spec.title, spent > 0) == ("Tea", True)
    async with runs.packed(ONE, 1, "1") as file:
        with zipfile.ZipFile(file) as archive:
            assert "transcript.txt" in archive.namelist()
        assert not file.stat().st_mode & 0o077 or not file.parent.stat().st_mode & 0o077
    assert not file.exists()


@pytest.mark.long
async def test_a_run_of_a_server_ends_once_it_is_as_large_as_it_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(tmp_path, monkeypatch)
    assert await played(tmp_path) is Ending.PLAYED
    assert await played(tmp_path, most_bytes=1) is Ending.LARGE


async def test_a_server_whose_runs_fill_the_disk_begins_none(
    runs: ServedRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.runs.served.LARGEST_KEPT", 1_000_000)
    home = RunHome(tmp_path / "runs/servers/1")
    home.take(tea())
    (home.of(1) / "large").write_bytes(b"x" * 1_000_001)
    lender = Lender()
    with pytest.raises(Rejected, match="take more than 1 MB: delete one first"):
        await runs.begin(ONE, tea(), lender)
    assert lender.closed
    with pytest.raises(Rejected, match="delete one first"):
        await runs.copy(ONE, 1)


@pytest.mark.usefixtures("silent")
async def test_a_process_that_hangs_is_ended_and_gives_its_money_and_its_place_back(
    runs: ServedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.runs.served.SILENT_SECONDS", 0.2)
    monkeypatch.setattr("bot.engine.timelines.pipe.LOOK_SECONDS", 0.05)
    lender = Lender()
    with pytest.raises(StoreError) as broken:
        await runs.begin(ONE, tea(), lender)
    assert (broken.value.sentence, lender.closed, runs.under_way(ONE)) == (BROKEN, True, None)


@pytest.mark.usefixtures("silent")
async def test_two_servers_do_not_hold_both_places_for_ever(runs: ServedRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.runs.served.ENDS_WITHIN", 0.1)
    first, second = (asyncio.create_task(runs.begin(one, tea(), Lender())) for one in (ONE, TWO))

    async def both_begun() -> bool:
        return len(runs._plays) == 2 and all(one.pipe is not None for one in runs._plays.values())

    await until(both_begun, "two runs that are begun")
    with pytest.raises(Rejected) as early:
        await runs.begin(THREE, tea(), Lender())
    monkeypatch.setattr("bot.runs.served.GIVES_WAY", 0.0)
    with pytest.raises(Rejected) as later:
        await runs.begin(THREE, tea(), Lender())
    assert (early.value.sentence, later.value.sentence) == (ALL_PLAY, MAKES_WAY)
    with pytest.raises(StoreError):
        await first
    assert set(runs._plays) == {TWO}
    monkeypatch.setattr("bot.runs.served.GIVES_WAY", 600.0)
    with pytest.raises(Rejected, match="As many runs"):  # what was freed for another is not theirs to take again
        await runs.begin(ONE, tea(), Lender())
    third = asyncio.create_task(runs.begin(THREE, tea(), Lender()))

    async def third_begun() -> bool:
        return set(runs._plays) == {TWO, THREE}

    await until(third_begun, "the run of who waited")
    await runs.close()
    ended = await asyncio.gather(second, third, return_exceptions=True)
    assert all(isinstance(one, StoreError) for one in ended)


async def test_who_asks_for_a_place_no_more_keeps_nobody_from_it(
    runs: ServedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.runs.served.MOST_AT_ONCE", 0)
    for one in (ONE, TWO):
        with pytest.raises(Rejected, match=ALL_PLAY):
            runs._check_place(one)
    monkeypatch.setattr("bot.runs.served.MOST_AT_ONCE", 1)
    with pytest.raises(Rejected, match=ALL_PLAY):
        runs._check_place(TWO)
    monkeypatch.setattr("bot.runs.served.WAITS_SECONDS", 0.0)
    runs._check_place(TWO)
