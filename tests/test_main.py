"""The command line: every small command says what came of it, and whatever goes wrong is one sentence."""

import asyncio
import json
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from bot.__main__ import cli, say_tally
from bot.adapters.cipher import another_secret, open_cipher
from bot.core.changes import AddKey
from bot.core.records import AccessKey, AgentId, KeyId
from bot.core.sealing import of_key
from bot.replay import Tally
from bot.vault import NO_COMMUNITY
from storage.store import SqlStore
from tests.fakes import START
from tests.forked import forked
from tests.founding import founded
from tests.storage.killed import ran

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in os.environ:
        if name.startswith(("SELFROOM_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("SELFROOM_PLAYGROUND_PORT", str(free.getsockname()[1]))
    yield


def selfroom(*words: str, typed: str = "") -> Result:
    return RUNNER.invoke(cli, words, input=typed)


def refused(*words: str) -> str:
    """Give the one sentence with which a command ends."""
    result = selfroom(*words)
    assert result.exit_code == 1, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("Selfroom cannot go on: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("Selfroom cannot go on: ").strip()


def test_without_a_command_it_lists_what_there_is_and_how_commands_end() -> None:
    told = selfroom().output
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## The command line")[2].partition("\nTo see a busy room")[0]
    commands = [one.name or "" for one in get_command(cli).commands.values() if not one.hidden]  # type: ignore[attr-defined]
    assert len(commands) == 20
    for name in commands:
        assert f" {name} " in told
        assert re.search(rf"`(selfroom )?{name}\b", table), f"the README does not tell of {name}"
    assert all(f"with {code} " in " ".join(told.split()) for code in (0, 1, 2, 130, 143))


def test_the_actions_are_a_table_for_the_documentation() -> None:
    result = selfroom("actions")
    assert result.exit_code == 0
    assert "| `set(path, value, w?)` |" in result.stdout


def test_who_runs_on_a_database_where_another_runs_is_told_so_and_all_else_goes_on(tmp_path: Path) -> None:
    assert selfroom("migrate").exit_code == 0
    with forked(ran, f"sqlite:///{tmp_path}/data/selfroom.db") as one:
        assert one.said.readline() == "runs\n"
        assert f"(process {one.process.pid} on " in refused("run")
        for command in ("doctor", "migrate", "backup"):
            assert selfroom(command).exit_code == 0, command


def test_migrating_makes_the_database_and_says_where_it_is(tmp_path: Path) -> None:
    result = selfroom("migrate")
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"{tmp_path}/data/selfroom.db" in result.stdout
    assert (tmp_path / "data/selfroom.db").exists()


def test_the_doctor_finds_a_fresh_machine_well() -> None:
    result = selfroom("doctor")
    assert result.exit_code == 0, result.output
    assert "wrong" not in result.stdout
    assert "is free for the playground" in result.stdout


def test_the_doctor_speaks_json_to_programs_and_ends_with_1_where_something_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = [json.loads(line) for line in selfroom("doctor", "--json").stdout.splitlines()]
    assert {"level": "ok", "what": "There is no Discord token: a run starts the playground."} in told
    monkeypatch.setenv("SELFROOM_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    result = selfroom("doctor", "--json")
    levels = [json.loads(line)["level"] for line in result.stdout.splitlines()]
    assert (result.exit_code, levels.count("wrong")) == (1, 1)


def test_the_doctor_says_how_to_mend_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFROOM_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setenv("SELFROOM_PLAYGROUND_PORT", str(taken.getsockname()[1]))
        result = selfroom("doctor")
    assert result.exit_code == 1
    assert "set SELFROOM_PLAYGROUND_PORT" in result.stdout
    assert "No model server answers at http://127.0.0.1:9/v1" in result.stdout


def test_a_backup_is_a_database_of_its_own(tmp_path: Path) -> None:
    assert selfroom("migrate").exit_code == 0
    result = selfroom("backup", "copy.db")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "copy.db").read_bytes().startswith(b"SQLite format 3")


@pytest.mark.slow
def test_everything_moves_into_another_database_once_and_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found() -> None:
        async with await SqlStore.open(f"sqlite:///{tmp_path}/data/selfroom.db") as store:
            await founded(store, guild_id=9)

    assert selfroom("migrate").exit_code == 0
    asyncio.run(found())
    url = f"sqlite:///{tmp_path}/moved.db"
    for ours in ("data/../data/selfroom.db", "data/playground.db", "data/secret"):
        assert "one of the files that Selfroom itself needs" in refused("move", f"sqlite:///{tmp_path}/{ours}")
    assert "gone with this command" in refused("move", "sqlite://")
    assert not (tmp_path / "data/playground.db").exists()
    moved = selfroom("move", url)
    assert moved.exit_code == 0, moved.output
    assert f"set SELFROOM_DATABASE_URL to {url}, and keep the data folder" in " ".join(moved.output.split())
    assert stat.S_IMODE((tmp_path / "moved.db").stat().st_mode) == 0o600
    assert refused("move", url).startswith("There is something in that database already")
    assert refused("move", "mysql://somewhere/else") == (
        "The database 'mysql' is not supported: use sqlite or postgresql."
    )
    monkeypatch.setenv("SELFROOM_DATABASE_URL", url)
    assert refused("move", url) == "Everything is in that database already: name another one."
    assert selfroom("export", "all.zip").exit_code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("hud", "Wren"), NO_COMMUNITY),
        (("export", "all.zip"), NO_COMMUNITY),
        (("import", "none.zip"), "none.zip"),
        (("replay", "none.jsonl", "--room", "1"), "none.jsonl"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*words)


def test_it_tells_its_version_and_makes_nothing_for_it(tmp_path: Path) -> None:
    told = selfroom("--version")
    assert (told.exit_code, told.output) == (0, f"Selfroom {metadata.version('selfroom')}\n")
    assert not list(tmp_path.iterdir())


def test_what_a_replay_cost_is_told_in_its_money(capsys: pytest.CaptureFixture[str]) -> None:
    say_tally(Tally(busy=False, cost_usd=0.25, coin="imaginary USD"))
    assert "0.2500 imaginary USD at list price" in capsys.readouterr().out


def test_a_setting_that_cannot_be_used_ends_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFROOM_LOG_FILES", "none at all")
    assert refused("migrate").startswith("SELFROOM_LOG_FILES cannot be used")


@pytest.mark.parametrize("folder", ["data", "data/below"])
def test_a_data_folder_that_is_a_file_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    (tmp_path / "data").write_text("in the way")
    monkeypatch.setenv("SELFROOM_DATA_DIR", folder)
    assert f"The data folder {folder} cannot be made, for there is a file of that name or above it" in refused("run")
    assert (tmp_path / "data").read_text() == "in the way"


def modes(folder: Path) -> dict[str, int]:
    """Give the rights on a folder and on all that is in it."""
    return {str(one.relative_to(folder)): stat.S_IMODE(one.stat().st_mode) for one in (folder, *folder.rglob("*"))}


def test_what_is_written_is_its_owners_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for folder in (data, data / "logs"):
        folder.mkdir(mode=0o755)
    for name in ("selfroom.db", "selfroom.db-wal", "playground.db", "logs/selfroom.log.1", "notes.txt"):
        (data / name).touch(mode=0o644)
    assert selfroom("migrate").exit_code == 0
    assert selfroom("doctor").exit_code == 0
    assert selfroom("backup").exit_code == 0
    assert selfroom("backup", "copy.db").exit_code == 0
    found = modes(data)
    assert found.pop("notes.txt") == 0o644  # not ours
    assert {"secret", "selfroom.db", "playground.db", "backups", "logs/selfroom.log.1"} <= found.keys()
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}
    assert modes(tmp_path / "copy.db") == {".": 0o600}


def test_nothing_is_written_over_without_force(tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("precious")
    assert selfroom("migrate").exit_code == 0
    assert refused("backup", "copy.db") == "There is a file copy.db already: name another, or replace it with --force."
    assert (tmp_path / "copy.db").read_text() == "precious"
    assert selfroom("backup", "copy.db", "--force").exit_code == 0
    assert (tmp_path / "copy.db").read_bytes().startswith(b"SQLite format 3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "data"]


@pytest.mark.slow
def test_what_selfroom_lives_on_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    settle(data)
    monkeypatch.setenv("SELFROOM_DATABASE_URL", "sqlite:///elsewhere.db")
    assert selfroom("migrate").exit_code == 0
    (data / "logs").mkdir()
    (data / "logs/selfroom.log").write_text("a line")
    (data / "timelines/1").mkdir(parents=True)
    (data / "timelines/1/2.db").write_text("a world")
    (data / "runs/1").mkdir(parents=True)
    for name in ("console-tokens.json", "console-tokens.json.lock", "runs/1/run.json"):
        (data / name).write_text("kept")
    (tmp_path / ".env").write_text("")
    secret = (data / "secret").read_bytes()
    (tmp_path / "hard").hardlink_to(data / "secret")
    (tmp_path / "soft").symlink_to("elsewhere.db")
    (tmp_path / "way").symlink_to("data")
    named = "data/secret way/secret data/../data/secret hard soft elsewhere.db elsewhere.db-wal data/selfroom.db .env"
    named += " data/selfroom.db-journal data/playground.db data/playground.db-shm data/logs/selfroom.log data/logs/new"
    named += " data/selfroom.db.lock data/timelines/1/2.db data/runs/1/run.json"
    named += " data/console-tokens.json data/console-tokens.json.lock"
    before = sorted(path.name for path in tmp_path.rglob("*"))
    commands = [("backup", target, "--force") for target in named.split()]
    for command in (*commands, ("backup", "data/playground.db"), ("export", "data/secret", "--force")):
        assert "is one of the files that Selfroom itself needs" in refused(*command), command
    assert (data / "secret").read_bytes() == secret
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    assert selfroom("backup", "data/backups.db").exit_code == 0


def test_of_two_rotations_at_once_the_second_is_told_to_wait(tmp_path: Path) -> None:
    settle(tmp_path / "data")
    with another_secret(tmp_path / "data/secret"):
        before = (tmp_path / "data/secret").read_text()
        assert refused("rotate-secret") == "Another `rotate-secret` is at work: wait until it has ended."
        assert (tmp_path / "data/secret").read_text() == before
    assert "Sealed with the new secret: 1 key of rooms" in selfroom("rotate-secret").stdout


def test_a_copy_is_put_back_and_what_was_there_is_kept(tmp_path: Path) -> None:
    settle(tmp_path / "data")
    assert selfroom("backup", "copy.db").exit_code == 0
    assert selfroom("restore", "copy.db", typed="n\n").exit_code == 1
    assert not list((tmp_path / "data").glob("backups/before-restore-*"))
    told = selfroom("restore", "copy.db", "--yes")
    assert told.exit_code == 0, told.output
    (kept,) = (tmp_path / "data").glob("backups/before-restore-*.db")
    assert "copy.db is in the database's place." in told.stdout and kept.name in told.stdout.replace("\n", "")
    assert modes(tmp_path / "data")["selfroom.db"] == modes(kept)["."] == 0o600
    assert refused("restore", "nowhere.db", "--yes") == "There is no file nowhere.db: check its path."


def test_what_keeps_a_copy_from_being_put_back_is_said_before_anybody_is_asked(tmp_path: Path) -> None:
    settle(tmp_path / "data")
    assert selfroom("backup", "copy.db").exit_code == 0
    (tmp_path / "notes.db").write_text("no database")
    assert "is no copy of a Selfroom database" in refused("restore", "notes.db")
    with forked(ran, f"sqlite:///{tmp_path}/data/selfroom.db") as one:
        assert one.said.readline().strip() == "runs"
        assert "Another Selfroom runs on this database already" in refused("restore", "copy.db")


def test_where_nothing_lives_yet_there_is_nothing_to_copy(tmp_path: Path) -> None:
    told = refused("backup", "copy.db")
    assert told.startswith("There is no database ") and told.endswith(
        "run this in its folder, or set SELFROOM_DATA_DIR."
    )
    assert not (tmp_path / "copy.db").exists() and not (tmp_path / "data").exists()


@pytest.mark.parametrize("command", [("export", "one.zip"), ("hud", "Wren"), ("timeline", "list")])
def test_in_a_folder_where_nobody_lives_it_is_said_so_and_nothing_is_made(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    assert refused(*command).startswith("There is no community yet: `selfroom run` founds one; if yours lives")
    assert not list(tmp_path.iterdir())


def test_a_copy_to_a_place_that_is_not_there_is_one_sentence() -> None:
    assert selfroom("migrate").exit_code == 0
    assert refused("backup", "nowhere/copy.db") == "There is no folder nowhere: make it, or name another place."


def test_the_help_loads_nothing_of_what_only_a_run_needs() -> None:
    """Counted in modules, for they do not depend on the machine; each takes about half a millisecond."""
    program = "import sys, bot.__main__ as one; one.cli(['--help'], standalone_mode=False); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(told.stdout.splitlines()[-1].split())
    unwanted = {"pydantic", "openai", "sqlalchemy", "alembic", "discord", "asyncio", "bot.app", "bot.core.records"}
    assert not loaded & unwanted
    assert len(loaded) < 400


def test_a_community_is_exported_once_and_imported_with_its_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(tmp_path / "data")
    told = selfroom("export", "all.zip").stdout
    assert "open only with this Selfroom's secret" in told
    assert modes(tmp_path / "all.zip") == {".": 0o600}
    assert "already" in refused("export", "all.zip")
    assert selfroom("export").exit_code == 0  # into one named after now
    assert len([*tmp_path.glob("selfroom-*.zip")]) == 1
    assert selfroom("export", "all.zip", "--force").exit_code == 0
    monkeypatch.setenv("SELFROOM_DATA_DIR", "elsewhere")
    assert "or was changed: give that of the Selfroom it comes from" in refused("import", "all.zip")
    monkeypatch.setenv("SELFROOM_OLD_SECRETS", json.dumps([(tmp_path / "data/secret").read_text()]))
    assert selfroom("import", "all.zip").exit_code == 0


def test_another_secret_seals_all_that_was_sealed_and_says_how_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(tmp_path / "data")
    before = (tmp_path / "data/secret").read_text()
    told = selfroom("rotate-secret").stdout
    assert "Sealed with the new secret: 1 key of rooms, 0 keys of model providers." in told
    newest, older = (tmp_path / "data/secret").read_text().split()
    assert older == before
    monkeypatch.setenv("SELFROOM_SECRET", newest)
    assert "the old one into SELFROOM_OLD_SECRETS" in refused("rotate-secret")
    assert selfroom("export", "all.zip").exit_code == 0
    assert selfroom("doctor").exit_code == 0


def settle(data: Path) -> None:
    """Put a community with one key into the data folder's database."""

    async def fill() -> None:
        cipher = open_cipher(data)
        async with await SqlStore.open(f"sqlite:///{data}/selfroom.db") as store:
            community_id, id = await founded(store, 1), AgentId(1)
            async with store.writing(community_id) as write:
                key = AccessKey(
                    id=KeyId(1),
                    room_id=id,
                    label="blue",
                    ciphertext=cipher.encrypt("open sesame", of_key(community_id, id, KeyId(1))),
                    digest=cipher.digest("open sesame"),
                    created_at=START,
                )
                await write.apply(community_id, [AddKey(key=key)])

    asyncio.run(fill())


def test_on_sqlite_minds_and_a_gateway_say_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused("mind").startswith("A mind needs the gateway's secret, to open keys: set SELFROOM_SECRET")
    monkeypatch.setenv("SELFROOM_SECRET", "long enough to be one")
    for command in ("gateway", "mind"):
        assert refused(command).startswith("Several processes need PostgreSQL: set SELFROOM_DATABASE_URL")
