"""The command line before hostile files, answers and settings: one sentence, no secret, no order to the terminal."""

import asyncio
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from bot.core.records import Snowflake
from storage.store import SqlStore
from tests.test_main import a_folder_of_its_own, refused, selfroom

__all__ = ["a_folder_of_its_own"]  # used by every test here
ORDERS = "[bold]\x1b]0;owned\x07\x9b2J\u202e[/nothing]"
ARCHIVE = Path(__file__).parent / "storage/archives/format-1.zip"
SECRET = "hunter2"


def named(name: str, data: Path) -> None:
    """Put a community of this name into the data folder's database."""

    async def fill() -> None:
        async with await SqlStore.open(f"sqlite:///{data}/selfroom.db") as store, store.writing() as write:
            await write.communities.add(Snowflake(9), name)
            await write.communities.add(Snowflake(10), name)

    data.mkdir()
    asyncio.run(fill())


@contextmanager
def answering(status: int, answer: bytes) -> Iterator[str]:
    """Serve one answer to whatever is asked."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    serving = Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def test_names_from_the_database_give_the_terminal_no_orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named(ORDERS, tmp_path / "data")
    told = refused("export", "all.zip")
    assert told.count("[bold]\\u001b]0;owned\\u0007\\u009b2J\\u202e[/nothing]") == 2
    assert selfroom("export", "all.zip", "--guild", "9").stdout.startswith("[bold]\\u001b]0;")
    monkeypatch.setenv("SELFROOM_SPONSORED_SERVERS", "none")
    assert "[bold]\\u001b]0;" in selfroom("doctor").stdout


def test_a_server_that_is_no_discord_is_found_out_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "x")
    monkeypatch.setenv("SELFROOM_DISCORD_GATEWAY", "ws://127.0.0.1:9")
    for answer in (b"{", b"[]", b"{}", b"5", json.dumps({"username": ORDERS}).encode()):
        with answering(200, answer) as url:
            monkeypatch.setenv("SELFROOM_DISCORD_API", url)
            result = selfroom("doctor")
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert ("knows the bot as" if b"user" in answer else "does not answer as Discord does") in result.stdout
        assert "\x1b" not in result.output


def test_the_password_in_an_address_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "x")
    for name in ("SELFROOM_DISCORD_API", "SELFROOM_OPENAI_BASE_URL"):
        monkeypatch.setenv(name, f"http://user:{SECRET}@127.0.0.1:9/v1")
    result = selfroom("doctor")
    assert "127.0.0.1:9/v1" in result.stdout
    assert SECRET not in result.output


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hunter2@127.0.0.1:1,127.0.0.1:2/db",
        "postgresql://u:hunter2@127.0.0.1:1/db?unheard_of=hunter2",
        "postgresql://127.0.0.1:1/db?user=u&password=hunter2",
        "postgresql:///db?host=127.0.0.1:1&host=127.0.0.1:2&password=hunter2",
        "postgresql://u:hunter2@127.0.0.1:99999/db",
        "postgresql://u:hunter2@127.0.0.1:1/db?ssl=hunter2",
        "sqlite://u:hunter2@host/x.db",
        "sqlite:///x.db?timeout=hunter2",
        "hunter2",
    ],
)
def test_a_database_that_cannot_be_had_is_one_sentence_without_its_password(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFROOM_DATABASE_URL", url)
    assert SECRET not in refused("migrate")
    assert SECRET not in selfroom("doctor").output


def test_a_line_of_the_environment_file_that_cannot_be_read_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"{SECRET} and more\n")
    told = refused("migrate")
    assert "line 1 cannot be read" in told
    assert SECRET not in told


def test_a_data_folder_that_no_disk_can_have_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SELFROOM_DATA_DIR=da\0ta\n")
    assert "cannot be written" in refused("migrate")


def test_a_file_in_the_place_of_the_copies_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/selfroom.db").touch()
    (tmp_path / "data/backups").write_text("in the way")
    assert "The folder data/backups cannot be made" in refused("backup")


def changed_archive(target: Path, **changes: object) -> None:
    """Write the archive of an older Selfroom with another manifest, or (`agents`) other agents."""
    with zipfile.ZipFile(ARCHIVE) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                manifest = json.loads(data)
                manifest["counts"] |= changes.pop("counts", {})
                data = json.dumps(manifest | {key: value for key, value in changes.items() if key != "agents"}).encode()
            if name == "agents.jsonl" and "agents" in changes:
                lines = [json.loads(line) | changes["agents"] for line in data.splitlines()]
                data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
            new.writestr(name, data)


@pytest.mark.parametrize(
    "changes",
    [
        {"community": {"guild_id": 10**30, "name": "Huge", "paused": False}},
        {"left_out": 5},
        {"left_out": None},
        {"agents": {"output_format": "no such"}},
        {"agents": {"aliases": 1.5}},
        {"agents": {"token_budget": 10**30}},
    ],
    ids=str,
)
def test_an_archive_that_no_selfroom_wrote_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    changed_archive(tmp_path / "all.zip", **changes)
    assert "damaged or cut off" in refused("import", "all.zip", "--without-secret")
    assert "There is no community yet" in refused("export", "out.zip")


def test_what_an_archive_says_of_itself_is_not_repeated(tmp_path: Path) -> None:
    changed_archive(tmp_path / "all.zip", counts={"more": "x"}, left_out=[ORDERS], images=["../../out.png"])
    assert "damaged or cut off" in refused("import", "all.zip", "--without-secret")
    changed_archive(tmp_path / "all.zip", counts={"more": "x"}, left_out=[ORDERS, 7])
    result = selfroom("import", "all.zip", "--without-secret")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["all.zip", "data"]


TRACE = '{"seq": 1, "t": "2026-11-20T10:00:00Z", "sender": "ann", "text": "hi"}\n'


@pytest.mark.parametrize(
    "answer",
    [b"<html>", b"[]", b"{}", b'{"guild_id": "1", "person": 5}', b'{"message": "\\u001b[2J"}', b"9" * 5_000_000],
    ids=lambda answer: str(answer[:20]),
)
@pytest.mark.parametrize("status", [200, 404])
def test_a_replay_into_what_is_no_playground_ends_in_a_sentence(tmp_path: Path, answer: bytes, status: int) -> None:
    (tmp_path / "trace.jsonl").write_text(TRACE)
    with answering(status, answer) as url:
        told = refused("replay", "trace.jsonl", "--room", "1", "--url", url)
    assert "playground" in told
    assert "\x1b" not in told


def test_a_replay_to_no_address_and_of_no_trace_ends_in_a_sentence(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    trace.write_text(TRACE)
    for url in ("nowhere", "http://", "ftp://x", f"http://u:{SECRET}@127.0.0.1:9"):
        told = refused("replay", "trace.jsonl", "--room", "1", "--url", url)
        assert "playground" in told
        assert SECRET not in told
    for line in (TRACE.replace("2026-11-20", "never"), "[" * 100_000, '{"seq": "\x1b[2J"}'):
        trace.write_text(TRACE + line)
        assert "Line 2 of trace.jsonl is no line of a trace" in refused("replay", "trace.jsonl", "--room", "1")
