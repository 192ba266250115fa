"""Runs in the console: what the wizard sets up is played apart, kept, told, and gives what the command line gives."""

import asyncio
import io
import sys
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.engine.front_desk.runs import ONE_PLAYS
from bot.runs.home import RunHome
from bot.runs.served import ServedRuns
from tests.console.house import BOSS, Open, opened
from tests.e2e.visitor import until
from tests.factories import GUILD_ID, person
from tests.runs.played import alone, contents

RUNS = "/api/v1/runs"
TEA: dict[str, Any] = {
    "title": "Tea",
    "turns": 4,
    "every": 2,
    "seed": 3,
    "agents": [{"name": "Ada", "prompt": "You are Ada."}, {"name": "Bo", "prompt": "You are Bo."}],
    "scene": {"kind": "chat", "options": {"topic": "tea"}},
}
EIGHT_TURNS: dict[str, Any] = {"turns": 8}


@asynccontextmanager
async def laboratory(folder: Path) -> AsyncIterator[Open]:
    runs = ServedRuns(folder=folder / "runs", is_shared=False)
    async with opened(runs=runs) as there:
        try:
            yield there
        finally:
            await runs.close()


async def over(there: Open, run: int) -> dict[str, Any]:
    """Wait until a run is over; gives it."""
    told: dict[str, Any] = {}

    async def is_over() -> bool:
        nonlocal told
        await there.here.clock.advance(10)  # its pace is another matter
        _, told = await there.ask(f"{RUNS}/{run}")
        return bool(told["ended"]) and told["under_way"] is None

    await until(is_over, "the run's end")
    return told


@pytest.mark.long
async def test_the_wizard_and_the_command_line_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(tmp_path, monkeypatch)
    async with laboratory(tmp_path) as there:
        _, setup = await there.ask(f"{RUNS}/setup")
        (council,) = [one["spec"] for one in setup["presets"] if one["name"] == "council"]
        assert len(council["agents"]) == 5
        status, told = await there.ask(RUNS, "POST", json=council | EIGHT_TURNS)
        assert (status, told) == (200, {"run": 1})
        played = await over(there, 1)
        assert (played["ended"], played["nodes"][-1]["status"]) == ("as long as it was to be", "done")
        newest = played["nodes"][-1]["id"]
        path = f"{there.console.url}{RUNS}/1/snapshots/{newest}/export"
        async with there.session.get(path, headers={"X-Console-Proof": there.proof}) as response:
            packed = await response.read()
        _, file = await there.ask(f"{RUNS}/file", "POST", json=council | EIGHT_TURNS)
    Path("ferry.toml").write_text(file["toml"])  # noqa: ASYNC240 - a small file
    words = ("sim", "ferry.toml", "--out", "out")
    shell = await asyncio.create_subprocess_exec(sys.executable, "-m", "bot", *words)
    assert await shell.wait() == 0
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert {one: archive.read(one) for one in archive.namelist()} == dict(contents(Path("out")))


@pytest.mark.long
async def test_a_run_is_told_named_branched_copied_and_deleted_and_all_of_it_stands_in_the_audit(
    tmp_path: Path,
) -> None:
    async with laboratory(tmp_path) as there:
        assert (await there.ask(RUNS, "POST", json=TEA))[1] == {"run": 1}
        played = await over(there, 1)
        assert ([one["id"] for one in played["nodes"]], played["coin"]) == ([0, 1, 2], "imaginary USD")
        _, told = await there.ask(f"{RUNS}/1/snapshots/2")
        assert {one["by"] for one in told["lines"] if one.get("kind") == "say"} <= {"Ada", "Bo"}
        assert (told["outcome"]["turns"], sorted(told["usage"]["agents"])) == (4, ["Ada", "Bo"])
        assert (await there.ask(f"{RUNS}/1/snapshots/1/name", "POST", json={"name": "before"}))[1] == {"snapshot": 1}
        status, _ = await there.ask(f"{RUNS}/1/advance", "POST", json={"at": "before", "turns": 2, "seed": 9})
        assert status == 200
        assert [(one["id"], one["parent"]) for one in (await over(there, 1))["nodes"]] == [
            (0, None),
            (1, 0),
            (2, 1),
            (3, 1),
        ]
        assert (await there.ask(f"{RUNS}/1/copy", "POST"))[1] == {"run": 2}
        assert (await there.ask(f"{RUNS}/1", "DELETE"))[0] == 200
        kept = (await there.ask(RUNS))[1]["runs"]
        assert [(one["run"], one["coin"]) for one in kept] == [(2, "imaginary USD")]
        assert (await there.ask(f"{RUNS}/1"))[0] == 404
        log = [one.what for one in await there.desk.community.audit_log(GUILD_ID, BOSS)]
        for what in (
            "Run 1 was begun: Tea (stand-in, 1.00 imaginary USD at most)",
            "Run 1 went on",
            "Run 1 was copied",
            "Run 1 was deleted",
        ):
            assert any(one.startswith(what) for one in log), what
        assert not [one for one in (tmp_path / "runs").rglob("*") if one.stat().st_mode & 0o077 and one.is_file()]


@pytest.mark.long
async def test_one_run_of_a_server_is_played_at_a_time_and_ends_by_the_word(tmp_path: Path) -> None:
    async with laboratory(tmp_path) as there:
        endless = TEA | {"turns": 2_000, "scene": {"kind": "village", "options": {"goals": False}}}
        assert (await there.ask(RUNS, "POST", json=endless))[0] == 200
        status, told = await there.ask(RUNS, "POST", json=TEA)
        assert (status, told["detail"]) == (403, ONE_PLAYS)
        assert (await there.ask(f"{RUNS}/end", "POST"))[0] == 200
        told = await over(there, 1)
        assert sum(one["turns"] for one in told["nodes"]) < 2_000
        assert (await there.ask(RUNS, "POST", json=TEA))[1] == {"run": 2}
        await over(there, 2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"agents": []}, "at least 1 item"),
        ({"turns": 0}, "turns"),
        ({"surprise": 1}, "there is no `surprise` in a run"),
        ({"agents": [{"card": "../../etc/passwd"}] * 2}, "no folder of cards"),
        ({"scene": {"kind": "council", "ordering": "controlled"}}, "nobody is there to choose who is next"),
        ({"starts": "9999-12-31T23:59:00Z"}, "`starts` should be less than 2200-01-01"),
        ({"starts": "2239-12-31T23:59:00Z"}, "`starts` should be less than 2200-01-01"),
        ({"starts": "0001-01-01T00:00:00+14:00"}, "`starts` should be greater than"),
        ({"settings": {"usd_per_day": 1000}}, "is not set in a run"),
    ],
)
async def test_what_cannot_be_played_is_refused_in_a_sentence_and_nothing_is_kept(
    tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    async with laboratory(tmp_path) as there:
        status, told = await there.ask(RUNS, "POST", json=TEA | given)
        assert status == 400
        assert words in told["detail"]
    assert RunHome(tmp_path / "runs" / "servers" / str(GUILD_ID)).numbers() == []


async def test_cards_and_generated_agents_become_agents_by_hand(tmp_path: Path) -> None:
    async with laboratory(tmp_path) as there:
        card = b'{"spec": "chara_card_v2", "data": {"name": "Sol", "description": "A sun."}}'
        status, told = await there.ask(f"{RUNS}/card", "POST", data=card)
        assert (status, told["name"], "A sun." in told["prompt"]) == (200, "Sol", True)
        assert (await there.ask(f"{RUNS}/card", "POST", data=b"no card"))[0] == 400
        wish = {"number": 30, "seed": 4}
        one, two = [(await there.ask(f"{RUNS}/agents", "POST", json=wish))[1]["agents"] for _ in range(2)]
        assert one == two
        assert len({agent["name"] for agent in one}) == 30


@pytest.mark.slow
async def test_who_may_not_manage_begins_nothing_and_a_model_that_is_not_allowed_is_not_asked(tmp_path: Path) -> None:
    async with laboratory(tmp_path) as there:
        await there.desk.community.configure(GUILD_ID, BOSS, allowed_models=["gpt-4o-mini"])
        status, told = await there.ask(RUNS, "POST", json=TEA | {"model": "gpt-4o"})
        assert status == 403
        assert "does not allow the model gpt-4o" in told["detail"]
        there.server.managers[BOSS.id] = person("boss", BOSS.id)
        assert (await there.ask(RUNS, "POST", json=TEA))[0] == 403
        assert (await there.ask(RUNS))[1]["runs"] == []


async def test_more_runs_than_a_server_may_keep_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.engine.front_desk.runs.MOST_RUNS", 0)
    async with laboratory(tmp_path) as there:
        status, told = await there.ask(RUNS, "POST", json=TEA)
        assert (status, "delete one first" in told["detail"]) == (403, True)
