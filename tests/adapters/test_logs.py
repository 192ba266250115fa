"""Logs: what the console shows, what the files keep, and what neither tells."""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from bot.adapters.logs import hush_false_lag, set_up_console, set_up_logs

LAG = "Can't keep up, shard ID %s websocket is %.1fs behind."


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root, gateway = logging.getLogger(), logging.getLogger("discord.gateway")
    level, handlers, filters = root.level, root.handlers[:], gateway.filters[:]
    levels = {name: one.level for name, one in root.manager.loggerDict.items() if isinstance(one, logging.Logger)}
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:], gateway.filters[:] = handlers, filters
    root.setLevel(level)
    for name, before in levels.items():
        logging.getLogger(name).setLevel(before)
    structlog.reset_defaults()


def set_up(folder: Path) -> io.StringIO:
    console = io.StringIO()
    set_up_logs(folder, megabytes=1, files=2, stream=console)
    return console


def kept(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "selfroom.log").read_text(encoding="utf-8").splitlines()]


def test_the_console_shows_info_and_the_file_keeps_debug_as_well(tmp_path: Path) -> None:
    console = set_up(tmp_path)
    ours = structlog.get_logger("bot.engine.intake")
    ours.debug("a detail", room=3)
    ours.info("a thing that happened", room=4)
    assert "a thing that happened" in console.getvalue()
    assert "a detail" not in console.getvalue()
    assert [(line["event"], line["room"]) for line in kept(tmp_path)] == [("a detail", 3), ("a thing that happened", 4)]


def test_the_console_speaks_json_where_that_is_asked_for(tmp_path: Path) -> None:
    console = io.StringIO()
    set_up_logs(tmp_path, megabytes=1, files=2, as_json=True, stream=console)
    ours = structlog.get_logger("bot.engine.intake")
    try:
        raise ValueError("no such room")
    except ValueError:
        ours.exception("a thing failed\nas it does", room=4)
    (line,) = console.getvalue().splitlines()
    told = json.loads(line)
    assert (told["event"], told["room"], told["level"]) == ("a thing failed\nas it does", 4, "error")
    assert "ValueError: no such room" in told["exception"]


def test_libraries_tell_their_warnings_and_not_their_details(tmp_path: Path) -> None:
    console = set_up(tmp_path)
    for name in ("discord.http", "openai._base_client", "alembic.runtime.migration", "apscheduler.scheduler"):
        logging.getLogger(name).info("chatter of %s", name)
        logging.getLogger(name).warning("trouble of %s", name)
    assert "chatter" not in console.getvalue() + str(kept(tmp_path))
    assert console.getvalue().count("trouble") == len(kept(tmp_path)) == 4


def test_a_traceback_shows_no_local_values(tmp_path: Path) -> None:
    console = set_up(tmp_path)
    try:
        fail_with("open-sesame-" + "42")
    except RuntimeError:
        structlog.get_logger("bot").exception("it failed")
    told = console.getvalue() + (tmp_path / "selfroom.log").read_text(encoding="utf-8")
    assert told.count("RuntimeError: the reason") == 2
    assert "open-sesame-42" not in told


def fail_with(secret: str) -> None:
    assert secret
    raise RuntimeError("the reason")


def test_files_are_turned_over_before_they_fill_the_disk(tmp_path: Path) -> None:
    set_up(tmp_path)
    for _ in range(700):
        structlog.get_logger("bot").debug("x" * 5_000)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["selfroom.log", "selfroom.log.1", "selfroom.log.2"]
    assert all(file.stat().st_size <= 1_000_000 for file in tmp_path.iterdir())


def test_a_server_in_this_process_is_never_called_slow_but_other_warnings_stay(tmp_path: Path) -> None:
    console = set_up(tmp_path)
    hush_false_lag()
    hush_false_lag()
    gateway = logging.getLogger("discord.gateway")
    gateway.warning(LAG, None, 41.5)
    gateway.warning("something else")
    assert "behind" not in console.getvalue()
    assert "something else" in console.getvalue()
    assert len(gateway.filters) == 1


def test_a_line_is_never_longer_than_anybody_reads(tmp_path: Path) -> None:
    console = set_up(tmp_path)
    structlog.get_logger("bot.client").warning("refused", why="begins" + "x" * 14_000 + "ends")
    logging.getLogger("discord.http").warning("y" * 14_000)
    assert all(len(line) < 700 for line in console.getvalue().splitlines())
    assert "begins" in console.getvalue()
    assert "(14,010 characters)" in console.getvalue()
    for line in (tmp_path / "selfroom.log").read_text(encoding="utf-8").splitlines():
        assert len(line) < 7_000
    assert str(kept(tmp_path)[0]["why"]).endswith("ends")


def test_what_others_wrote_gives_the_terminal_no_orders_and_passes_for_no_other_line(tmp_path: Path) -> None:
    console = set_up(tmp_path)
    bad = "\x1b[2J\x9b31m\u202e\n2026-11-22 07:00:00 [info] all is well"
    log = structlog.get_logger("bot.client")
    log.warning("refused", server=bad, why=ValueError(bad), names=[bad])
    logging.getLogger("discord.http").warning("refused: %s", bad)
    try:
        raise ValueError(bad.replace("\n", " "))
    except ValueError:
        log.exception("it failed")
    shown = console.getvalue()
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown + (tmp_path / "selfroom.log").read_text(encoding="utf-8"))
    assert not [line for line in shown.splitlines() if line.startswith("2026-11-22 07:00:00 [info] all")]
    assert "ValueError: \\u001b[2J" in shown
    assert [line["server"] for line in kept(tmp_path) if "server" in line] == [bad]


def test_an_error_that_repeats_all_a_server_said_fills_no_log(tmp_path: Path) -> None:
    console = set_up(tmp_path)
    try:
        raise ValueError("x" * 1_000_000)
    except ValueError:
        structlog.get_logger("bot.adapters.llm").warning("an answer could not be read", exc_info=True)
    assert "ValueError" in console.getvalue()
    assert len(console.getvalue()) < 10_000
    assert len((tmp_path / "selfroom.log").read_text(encoding="utf-8")) < 10_000


@pytest.mark.parametrize("as_json", [False, True])
def test_without_files_a_fault_is_told_without_what_variables_held(
    capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    set_up_console(as_json=as_json)
    ours, words = structlog.get_logger("bot.engine.calling"), "".join(("whis", "pered"))
    try:
        raise ValueError(len(words))
    except ValueError:
        ours.exception("a call could not be carried out", agent=3)
    ours.debug("a detail")
    told = capsys.readouterr()
    assert told.out == ""
    assert "a call could not be carried out" in told.err
    assert "ValueError: 9" in told.err
    assert words not in told.err
    assert "a detail" not in told.err
    assert not as_json or json.loads(told.err)["agent"] == 3
