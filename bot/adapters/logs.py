"""Logs: INFO to the console, DEBUG to rotating files."""

import json
import logging
import logging.handlers
import os
import sys
from functools import partial
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import structlog

from bot.core.terminal import in_a_line, visible

QUIET = (
    "alembic",
    "discord",
    "openai",
    "httpx2",
    "httpcore2",
    "apscheduler",
    "aiosqlite",
    "aiohttp.access",
    "asyncio",
    "PIL",
)


ON_SCREEN, IN_FILES = 400, 6_000  # characters of one value: a refusal of Discord can have many thousands


class PrivateFiles(logging.handlers.RotatingFileHandler):
    """Rotating files that only their owner may read: what people wrote may stand in an error."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding, errors=self.errors)


def set_up_logs(
    folder: Path, *, megabytes: int, files: int, as_json: bool = False, stream: TextIO | None = None
) -> None:
    """Send every library's and our own records to the console (INFO) and to `folder`/selfroom.log (DEBUG).

    `as_json`: on the console as well, a line each, as programs that gather logs want it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=True),
    ]
    out = stream or sys.stderr
    console = logging.StreamHandler(out)
    console.setLevel(logging.INFO)
    console.setFormatter(_formatter(_in_json() if as_json else _on_screen(out), shared))
    file = PrivateFiles(folder / "selfroom.log", maxBytes=megabytes * 1_000_000, backupCount=files, encoding="utf-8")
    file.setLevel(logging.DEBUG)
    file.setFormatter(_formatter(_in_json(), shared))
    logging.basicConfig(level=logging.DEBUG, handlers=[console, file], force=True)
    for name in QUIET:  # their details are in the way, their warnings are not
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def set_up_console(*, as_json: bool = False, level: int = logging.INFO) -> None:
    """Send our own records to stderr alone, as short commands and processes beside a run do, which have no files.

    Left to itself structlog would write there what every variable held when something failed.
    """
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=True),
            *(_in_json() if as_json else _on_screen(sys.stderr)),
        ],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=False,  # a run that begins goes on to its files
    )


def _in_json() -> list[structlog.typing.Processor]:
    return [
        structlog.processors.format_exc_info,
        partial(_shortened, IN_FILES),
        structlog.processors.JSONRenderer(serializer=_json, ensure_ascii=False),
    ]


def _on_screen(out: TextIO) -> list[structlog.typing.Processor]:
    to_read = structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=_traceback)
    return [partial(_shortened, ON_SCREEN), _harmless, to_read]


def hush_false_lag() -> None:
    """Drop discord.py's lag warning, for a server in this very process.

    There an acknowledgement can come before the heart's own thread has noted that it sent its beat; the time since the
    beat before is then taken for a lag of 41 s.
    """
    gateway = logging.getLogger("discord.gateway")
    if _is_no_lag not in gateway.filters:
        gateway.addFilter(_is_no_lag)


def _is_no_lag(record: logging.LogRecord) -> bool:
    return "websocket is %.1fs behind" not in str(record.msg)


def _shortened(most: int, _: object, __: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Leave the middle out of what is too long to read."""
    for name, value in line.items():
        if isinstance(value, str):
            line[name] = _middle_left_out(value, most)
    return line


def _middle_left_out(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most // 2]} … ({len(text):,} characters) … {text[-most // 2 :]}"


def _harmless(_: object, __: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Leave in no value what a terminal would obey, or what would pass for another line."""
    for name, value in line.items():
        if isinstance(value, str):
            line[name] = in_a_line(value)
        elif name != "exc_info" and not isinstance(value, int | float | None):
            line[name] = in_a_line(repr(value))
    return line


def _json(line: object, **options: Any) -> str:  # noqa: ANN401 - those of `json.dumps`
    """Write a line of the file: `tail` shows that on a terminal as well."""
    return visible(json.dumps(line, **options))


def _traceback(out: TextIO, exc_info: structlog.typing.ExcInfo) -> None:
    """Write a plain traceback: one with local variables would show secrets, and fill the screen."""
    plain = StringIO()
    structlog.dev.plain_traceback(plain, exc_info)
    out.write(visible(_middle_left_out(plain.getvalue(), IN_FILES)))  # an error may repeat all that a server said


def _formatter(
    rendering: list[structlog.typing.Processor], shared: list[structlog.typing.Processor]
) -> structlog.stdlib.ProcessorFormatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
    )
