"""`selfroom sim` and `selfroom runs`: communities that live without Discord."""

import json
import logging
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from bot.core.errors import SelfroomError
from bot.core.terminal import in_a_line
from bot.shell import Json, as_line, carry_out, err, give_up, say, say_line, say_list, settings

if TYPE_CHECKING:
    from bot.runs.simulating import Done, OnTurn

runs = typer.Typer(no_args_is_help=True, help="Runs without Discord that are kept: what `sim` played.")
RunNumber = Annotated[int, typer.Argument(min=1, help="The run's number.")]
Folder = Annotated[Path, typer.Argument(file_okay=False)]
Out = Annotated[Path | None, typer.Option(file_okay=False, help="Write what came of it into this folder.")]
Over = Annotated[bool, typer.Option("--force", help="Write over what is in the folder.")]
At = Annotated[str, typer.Option("--at", help="A snapshot, by its number or name; the newest when left out.")]


def sim(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A TOML file, or a preset that --list names.")] = "",
    turns: Annotated[int | None, typer.Option(min=1, help="For how many turns, in place of the file's.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The seed, in place of the file's.")] = None,
    model: Annotated[str | None, typer.Option(help="Who answers: a provider's model, or stand-in.")] = None,
    budget: Annotated[float | None, typer.Option(help="USD that it may cost at most, in place of the file's.")] = None,
    out: Out = None,
    answers: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Play from the answers that a run recorded; nobody is asked.")
    ] = None,
    presets: Annotated[bool, typer.Option("--list", help="List the presets and end.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Print the preset, to begin a file with, and end.")] = False,
    force: Over = False,
    as_json: Json = False,
) -> None:
    """Let a community live without Discord, as a file says.

    Ends with 0 when it was played, 1 where something has to be mended, 3 when the budget was spent, 4 when the model
    failed again and again, and 130 after Ctrl-C; what was played until then is kept and written.
    """
    from bot.runs.sources import as_written, read_source, titles

    if presets or not source:
        for name, title in titles().items():
            say_line(json.dumps({"preset": name, "title": title}) if as_json else f"{name:<12}{title}")
        return
    if show:
        try:
            sys.stdout.write(as_written(source))
        except SelfroomError as error:
            raise give_up(error) from error
        return
    given = {"turns": turns, "seed": seed, "model": model, "budget": budget}
    over = {name: one for name, one in given.items() if one is not None}
    spec, folder = carry_out(read_source(source, over), level=logging.WARNING)
    from bot.runs.minds import own_purse
    from bot.runs.simulating import Wanted, home_of, simulate

    wanted = Wanted(purse=partial(own_purse, settings(), answers), out=out, force=force)
    say_done(
        lambda on_turn: simulate(home_of(settings()), spec, folder, replace(wanted, on_turn=on_turn)),
        spec.title,
        None if spec.minutes is not None else spec.turns,
        as_json=as_json,
    )


@runs.command(name="list")
def list_runs(as_json: Json = False) -> None:
    """List the runs that are kept."""
    from bot.runs.simulating import home_of, listed

    say_list(
        carry_out(listed(home_of(settings()))),
        as_json=as_json,
        none="No run is kept yet: `selfroom sim FILE` plays one, and `selfroom sim --list` names presets.",
    )


@runs.command(name="show")
def show_run(run: RunNumber, as_json: Json = False) -> None:
    """Show the snapshots of a run."""
    from bot.runs.simulating import home_of, shown

    for one in carry_out(shown(home_of(settings()), run)):
        say_line(as_line(one, as_json))


@runs.command(name="advance")
def advance_run(
    run: RunNumber,
    turns: Annotated[int, typer.Option(min=1, max=5_000, help="For how many turns.")] = 10,
    at: At = "",
    seed: Annotated[int | None, typer.Option(min=0, help="Another seed than the run's.")] = None,
    budget: Annotated[float | None, typer.Option(help="USD that the run may cost in all, in place of before.")] = None,
    event: Annotated[str, typer.Option(help="What is said first, in the room in which all are.")] = "",
    by: Annotated[str, typer.Option(help="Who says it: a visitor, by name; System when left out.")] = "",
    out: Out = None,
    force: Over = False,
    as_json: Json = False,
) -> None:
    """Let a run go on; from an earlier snapshot it branches. Ends as sim does."""
    from bot.core.runs.spec import Further
    from bot.runs.minds import own_purse
    from bot.runs.simulating import Wanted, advance, home_of

    further = Further(at=at, turns=turns, seed=seed, budget=budget, said=event, by=by)
    wanted = Wanted(purse=partial(own_purse, settings(), None), out=out, force=force)
    say_done(
        lambda on_turn: advance(home_of(settings()), run, further, replace(wanted, on_turn=on_turn)),
        f"run {run}",
        turns,
        as_json=as_json,
    )


@runs.command()
def snapshot(run: RunNumber, name: Annotated[str, typer.Argument(help="The name.")], at: At = "") -> None:
    """Give a snapshot of a run a name, by which it can be gone back to."""
    from bot.runs.simulating import home_of, named

    say(f"Snapshot {carry_out(named(home_of(settings()), run, at, name))} of run {run} is called {name}.")


@runs.command(name="copy")
def copy_run(run: RunNumber) -> None:
    """Copy a run with all its snapshots."""
    from bot.runs.simulating import copied, home_of

    say(f"Run {run} is copied: the copy is run {carry_out(copied(home_of(settings()), run))}.")


@runs.command(name="export")
def export_run(run: RunNumber, folder: Folder, at: At = "", force: Over = False) -> None:
    """Write what came of a run, until a snapshot, into a folder."""
    from bot.runs.simulating import exported, home_of

    number = carry_out(exported(home_of(settings()), run, folder, at=at, force=force))
    say(f"Run {run} until snapshot {number} is in {folder}.")


@runs.command(name="delete")
def delete_run(
    run: RunNumber,
    sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a run with all its snapshots."""
    from bot.runs.simulating import deleted, home_of

    if not sure:
        typer.confirm(f"Delete run {run} with all its snapshots?", abort=True)
    carry_out(deleted(home_of(settings()), run))
    say(f"Run {run} is deleted.")


def say_done(work: "Callable[[OnTurn], Awaitable[Done]]", title: str, turns: int | None, *, as_json: bool) -> None:
    """Play a run with a progress bar, say how it ended, and end as it did."""
    done = carry_out(show_run_of(work, title, turns), level=logging.WARNING)  # each turn is a line otherwise
    if as_json:
        sys.stdout.write(f"{json.dumps(done.told())}\n")
    else:
        for line in done.lines():
            say(line)
    if done.exit_code:
        raise typer.Exit(done.exit_code)


async def show_run_of(work: "Callable[[OnTurn], Awaitable[Done]]", title: str, turns: int | None) -> "Done":
    """Play a run with a progress bar, where a terminal shows it."""
    from rich.progress import Progress, TextColumn

    counting = TextColumn("{task.completed:.0f} turns")
    with Progress(*Progress.get_default_columns(), counting, console=err, disable=not err.is_terminal) as bar:
        task = bar.add_task(escape(in_a_line(title)), total=turns)
        return await work(lambda: bar.advance(task))


@runs.command(hidden=True)
def apart(folder: Path, end: int) -> None:
    """Be the process in which a run of a server lives; Selfroom itself starts it."""
    from bot.adapters.logs import set_up_console
    from bot.runs.apart import main as serve

    set_up_console(level=logging.WARNING)
    serve(folder, end)
