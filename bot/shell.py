"""How the command line speaks: one sentence at a time, nothing in it an order to the terminal, and how work is run."""

import gc
import json
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from bot.core.errors import SelfroomError
from bot.core.terminal import in_a_line

if TYPE_CHECKING:
    from bot.core.records import Json as JsonValue
    from bot.settings import Settings

out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)

Result = TypeVar("Result")
Json = Annotated[bool, typer.Option("--json", help="For programs: a JSON object a line.")]


def say(sentence: str) -> None:
    """Print a line as it is, however narrow the terminal; nothing in it is markup or an order to the terminal."""
    out.print(in_a_line(sentence), soft_wrap=True, markup=False)


def say_line(line: str) -> None:
    """Print a line for people or programs; what agents wrote in it is no order to the terminal."""
    sys.stdout.write(f"{in_a_line(line)}\n")


def as_line(one: "dict[str, JsonValue]", as_json: bool) -> str:
    """Give what a tree, a node or a run is, in one line."""
    if as_json:
        return json.dumps(one)
    return ", ".join(f"{name} {value}" for name, value in one.items() if value not in ("", None))


def say_list(rows: "Sequence[dict[str, JsonValue]]", *, as_json: bool, none: str) -> None:
    """Print one line each; where there is nothing, say beside the output what would make something."""
    for one in rows:
        say_line(as_line(one, as_json))
    if not rows:
        err.print(none, soft_wrap=True, markup=False)


def headed(head: str, style: str, sentence: str) -> Text:
    """Give a line that begins with a coloured word; nothing in the rest is markup or an order to the terminal."""
    return Text.assemble((head, style), " ", in_a_line(sentence))


def settings() -> "Settings":
    """Read the settings, or end with the sentence that says what is wrong."""
    from bot.settings import load_settings

    try:
        return load_settings(os.environ)
    except SelfroomError as error:
        raise give_up(error) from error


def carry_out(work: Coroutine[None, None, Result], *, level: int = logging.INFO) -> Result:
    """Run to the end; an error that a person can mend is one sentence and exit code 1. `level`: what is logged."""
    import asyncio

    from bot.adapters.logs import set_up_console

    set_up_console(level=level)
    try:
        return asyncio.run(until_told_to_end(work))
    except SelfroomError as error:
        raise give_up(error) from error
    except KeyboardInterrupt:
        raise typer.Exit(128 + signal.SIGINT) from None
    except asyncio.CancelledError:
        raise typer.Exit(128 + signal.SIGTERM) from None
    finally:
        gc.freeze()  # what is left goes with the process; to collect it first takes seconds on a busy machine


async def until_told_to_end(work: Coroutine[None, None, Result]) -> Result:
    """Work until it is done or SIGTERM comes, which cancels it as Ctrl-C does, so that nothing half done is left."""
    import asyncio

    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work


def give_up(error: SelfroomError) -> typer.Exit:
    """Say the sentence and give the exit."""
    err.print(headed("Selfroom cannot go on:", "red", error.sentence), soft_wrap=True)
    return typer.Exit(1)
