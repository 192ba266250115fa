"""The command line: every small command says what came of it, and whatever goes wrong is one sentence."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.__main__ import cli

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


def selfroom(*words: str) -> Result:
    return RUNNER.invoke(cli, words)


def refused(*words: str) -> str:
    """Give the one sentence with which a command ends."""
    result = selfroom(*words)
    assert result.exit_code == 1, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("Selfroom cannot go on: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("Selfroom cannot go on: ").strip()


def test_without_a_command_it_lists_what_there_is() -> None:
    told = selfroom().output
    for name in ("run", "playground", "doctor", "migrate", "export", "import", "backup", "replay", "hud", "actions"):
        assert name in told


def test_the_actions_are_a_table_for_the_documentation() -> None:
    result = selfroom("actions")
    assert result.exit_code == 0
    assert "| `set(path, value, w?)` |" in result.stdout


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
    result = selfroom("backup", "copy.db")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "copy.db").read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("hud", "Wren"), "Name one community with --guild; there are: none yet."),
        (("export", "all.zip"), "Name one community with --guild; there are: none yet."),
        (("import", "none.zip"), "none.zip"),
        (("replay", "none.jsonl", "--room", "1"), "none.jsonl"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*words)


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
