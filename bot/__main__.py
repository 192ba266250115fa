"""The `selfroom` command line."""

import gc
import json
import sys
from functools import partial
from importlib import metadata
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from bot.core.errors import BadSetting, one_of
from bot.core.kinds import Detail, InputFormat
from bot.core.terminal import in_a_line, visible
from bot.core.wording import counted
from bot.laboratory import runs, sim
from bot.shell import Json, as_line, carry_out, err, give_up, headed, out, say, say_line, say_list, settings
from bot.turnstile import tokens

if TYPE_CHECKING:
    from bot.engine.trial.card import Card
    from bot.engine.trial.running import Wanted
    from bot.replay import Tally
    from bot.settings import Settings

cli = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A community of AI agents that live in Discord.",
    epilog="Every command ends with 0 when it is done, with 1 and a sentence that says what to do, with 2 where it was"
    " called wrongly, with 130 after Ctrl-C and with 143 after SIGTERM; run, gateway and mind end with 0 after both.",
)
timeline = typer.Typer(no_args_is_help=True, help="What if: trees of worlds that never were.")
cli.add_typer(timeline, name="timeline")
cli.add_typer(runs, name="runs")
cli.add_typer(tokens, name="token")

File = Annotated[Path, typer.Argument(dir_okay=False)]
OwnFile = Annotated[Path | None, typer.Argument(dir_okay=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace a file of that name.")]
TreeNumber = Annotated[int, typer.Argument(min=1, help="The tree's number.")]
NodeNumber = Annotated[int, typer.Argument(min=0, help="The node's number.")]
Guild = Annotated[int | None, typer.Option(help="The Discord server's id, where there are several.")]


def show_version(wanted: bool) -> None:
    """Print the version and end, when it is asked for."""
    if wanted:
        say(f"Selfroom {metadata.version('selfroom')}")
        raise typer.Exit


@cli.callback()
def whole(
    _: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Take what concerns no single command."""


@cli.command()
def run() -> None:
    """Connect to Discord, or start the playground when there is no Discord token."""
    gc.disable()  # until it is ready: what is loaded stays, and to look for garbage in it takes a tenth of the start
    from bot.app import run_selfroom  # the whole program, which the small commands need not load

    carry_out(run_selfroom(settings(), say=say))


@cli.command()
def gateway() -> None:
    """Run all but minds, which `selfroom mind` runs beside it; both need the same PostgreSQL and the same settings."""
    from bot.app import run_selfroom

    carry_out(run_selfroom(settings(), say=say, post="gateway"))


@cli.command()
def mind() -> None:
    """Let agents beat beside a gateway; any number of these may run, on any machine that reaches the database."""
    from bot.mind import run_mind

    carry_out(run_mind(settings(), say=say))


@cli.command()
def playground(
    port: Annotated[int | None, typer.Option(help="The port to listen on; 0 takes a free one.")] = None,
) -> None:
    """Start only the Discord-compatible server, for any Discord bot."""
    from bot.app import run_playground

    carry_out(run_playground(settings(), port=port, say=say))


@cli.command()
def doctor(as_json: Json = False) -> None:
    """Check everything a run needs, and say how to mend what is missing; ends with 1 where something is wrong."""
    from bot.app import examine_house

    findings = carry_out(examine_house(settings()))
    for finding in findings if as_json else ():
        level = "wrong" if not finding.ok else "mind" if finding.warns else "ok"
        sys.stdout.write(f"{json.dumps({'level': level, 'what': finding.what})}\n")
    for finding in () if as_json else findings:
        head = ("wrong", "red") if not finding.ok else ("mind ", "yellow") if finding.warns else ("ok   ", "green")
        out.print(headed(*head, finding.what), soft_wrap=True)
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


@cli.command()
def migrate() -> None:
    """Bring the database up to this version."""
    from bot.vault import migrate_database

    carry_out(migrate_database(settings(), say=say))


@cli.command(name="rotate-secret")
def rotate_secret_() -> None:
    """Draw a new secret and seal every stored key with it; what was sealed before still opens."""
    from bot.vault import rotate_secret

    carry_out(rotate_secret(settings(), say=say))


@cli.command(name="export")
def export_(archive: OwnFile = None, guild: Guild = None, force: Force = False) -> None:
    """Write a whole community into one archive; without an ARCHIVE into one named after now, in this folder."""
    from bot.vault import export_community

    carry_out(export_community(settings(), path=archive, guild_id=guild, say=say, force=force))


@cli.command(name="import")
def import_(
    archive: File,
    guild: Guild = None,
    without_secret: Annotated[
        bool, typer.Option("--without-secret", help="Also when its keys cannot be opened here.")
    ] = False,
) -> None:
    """Read a community back from an archive, all or nothing; --guild gives it to another server."""
    from bot.vault import import_community

    carry_out(import_community(settings(), path=archive, guild_id=guild, say=say, closed=without_secret))


@cli.command()
def backup(file: OwnFile = None, force: Force = False) -> None:
    """Copy the SQLite database, also while Selfroom runs; without a FILE into the data folder, for so many days."""
    from bot.vault import back_up

    carry_out(back_up(settings(), path=file, say=say, force=force))


@cli.command()
def restore(
    copy: File,
    sure: Annotated[
        bool, typer.Option("--yes", help="Do not ask: what is in the database now goes to the copies.")
    ] = False,
) -> None:
    """Put a copy in the place of the SQLite database, while Selfroom does not run."""
    from bot.vault import check_restorable, restore

    if not sure:
        carry_out(check_restorable(settings(), path=copy))
        typer.confirm(f"Put {visible(str(copy))} in the place of the database?", abort=True)
    carry_out(restore(settings(), path=copy, say=say))


@cli.command()
def move(
    to: Annotated[str, typer.Argument(metavar="URL", help="postgresql://user@host/name or sqlite:///path/to/file.db")],
) -> None:
    """Copy everything into another, empty database, from SQLite to PostgreSQL or back, while Selfroom does not run."""
    carry_out(show_move(settings(), to))


@cli.command()
def replay(
    trace: File,
    room: Annotated[
        list[str], typer.Option(help="In whose room it is said: an agent's name or id; may be given several times.")
    ],
    speed: Annotated[float, typer.Option(min=0.01, help="How many times faster than it was.")] = 1.0,
    url: Annotated[str | None, typer.Option(help="Where the playground is.")] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Take everything away again at the end.")] = False,
) -> None:
    """Feed a recorded conversation into rooms of a running playground."""
    address = url or f"http://127.0.0.1:{settings().playground_port}"
    carry_out(show_replay(trace, room, speed, address, forget=forget))


@cli.command(name="try")
def try_(
    model: Annotated[str, typer.Argument(help="By the name its provider gives it.")],
    detail: Annotated[Detail, typer.Option(help="How much agents are shown; auto finds out.")] = Detail.AUTO,
    language: Annotated[list[str] | None, typer.Option(help="Only in this language: English, German, Spanish.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this situation, by its name.")] = None,
    set_: Annotated[bool, typer.Option("--set", help="Have a community ask it so from now on.")] = False,
    guild: Guild = None,
) -> None:
    """Try a model in thirty situations of this program, and print how it did and how it is best asked."""
    from bot.vault import keep_manner

    card = carry_out(show_trial(settings(), wanted_of(model, detail, language, only)))
    for line in [*card.lines(), *(f"  {what}" for what in card.failed)]:
        say(line)
    if set_:
        say(carry_out(keep_manner(settings(), card, guild_id=guild)))


@cli.command()
def hud(
    agent: Annotated[str, typer.Argument(help="Its name or id.")],
    hud_format: Annotated[str | None, typer.Option("--format", help=f"{one_of(list(InputFormat))}.")] = None,
    tokens: Annotated[bool, typer.Option("--tokens", help="Show the tokens of each section.")] = False,
    guild: Guild = None,
) -> None:
    """Print what an agent would see now."""
    from bot.app import hud_now

    seen, sections = carry_out(hud_now(settings(), agent=agent, hud_format=hud_format, guild_id=guild))
    sys.stdout.write(visible(seen))
    if tokens:
        for name, count in sections:
            say(f"{count:>8,} {name}")


@cli.command()
def actions() -> None:
    """Print every action there is, as a table for the documentation."""
    from bot.core.actions.docs import actions_table

    sys.stdout.write(actions_table())


@timeline.command(name="list")
def list_(guild: Guild = None, as_json: Json = False) -> None:
    """List the trees there are."""
    from bot.orchard import listed

    say_list(
        carry_out(listed(settings(), guild_id=guild)),
        as_json=as_json,
        none="There is no tree yet: in Discord, `/timeline fork` begins one.",
    )


@timeline.command()
def show(tree: TreeNumber, guild: Guild = None, as_json: Json = False) -> None:
    """Show the nodes of a tree."""
    from bot.orchard import shown

    for one in carry_out(shown(settings(), tree, guild_id=guild)):
        say_line(as_line(one, as_json))


@timeline.command()
def advance(
    tree: TreeNumber,
    node: NodeNumber,
    turns: Annotated[int, typer.Option(min=1, max=20, help="For how many turns.")] = 1,
    guild: Guild = None,
    as_json: Json = False,
) -> None:
    """Let a node go on, while Selfroom does not run: one child."""
    from bot.orchard import advanced

    say_line(as_line(carry_out(advanced(settings(), tree, node, turns=turns, guild_id=guild)), as_json))


@timeline.command()
def export(
    tree: TreeNumber,
    node: NodeNumber,
    file: File,
    transcript: Annotated[bool, typer.Option("--transcript", help="What was said, as a text.")] = False,
    guild: Guild = None,
    force: Force = False,
) -> None:
    """Write the world of a node into an archive that `import` takes, or what was said there into a text."""
    from bot.orchard import exported

    work = exported(settings(), tree, node, file, as_transcript=transcript, force=force, guild_id=guild, say=say)
    carry_out(work)


cli.command()(sim)


@cli.command(hidden=True)
def timelines(
    folder: Path,
    end: int,
    config: Annotated[str, typer.Argument(envvar="SELFROOM_TIMELINES_CONFIG")],
    worlds: Annotated[int, typer.Option()],
    json_logs: bool = False,
) -> None:
    """Be the process that runs worlds apart; Selfroom itself starts it."""
    from bot.adapters.logs import set_up_console
    from bot.timelines import main as serve

    set_up_console(as_json=json_logs)
    serve(folder, end, config, worlds)


def wanted_of(model: str, detail: Detail, languages: list[str] | None, only: list[str] | None) -> "Wanted":
    """Give what is to be tried, or end with the sentence that says what there is not."""
    from bot.engine.trial.phrases import LANGUAGES
    from bot.engine.trial.running import Wanted
    from bot.engine.trial.situations import SITUATIONS

    names = tuple(one.name for one in SITUATIONS)
    for given, there, what in ((languages, LANGUAGES, "language"), (only, names, "situation")):
        for one in given or ():
            if one not in there:
                raise give_up(BadSetting(f"There is no {what} {one!r} in a trial: choose {one_of(there)}."))
    return Wanted(name=model, detail=detail, languages=tuple(languages or LANGUAGES), only=tuple(only or ()))


async def show_move(settings: "Settings", to: str) -> None:
    """Copy everything with a progress bar."""
    from rich.progress import Progress

    from bot.vault import move

    with Progress(console=err, disable=not err.is_terminal) as bar:
        task = bar.add_task("rows", total=None)
        told = partial(bar.update, task)
        await move(settings, to=to, say=say, progress=lambda done, total: told(completed=done, total=total))


async def show_trial(settings: "Settings", wanted: "Wanted") -> "Card":
    """Try a model with a progress bar."""
    from rich.progress import Progress

    from bot.app import try_model

    with Progress(console=err) as bar:
        task = bar.add_task(escape(in_a_line(wanted.name)), total=None)

        async def progress(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=escape(in_a_line(what)))

        return await try_model(settings, wanted, progress)


async def show_replay(trace: Path, rooms: list[str], speed: float, url: str, *, forget: bool) -> None:
    """Replay with a progress bar and print what came of it."""
    from rich.progress import Progress

    from bot.replay import playback, read_trace, replay

    lines = read_trace(trace)
    with Progress(console=out) as bar:
        task = bar.add_task(escape(in_a_line(f"{trace.name} into room {', '.join(rooms)}")), total=len(lines))
        async with playback(url, *rooms) as one:
            try:
                done = await replay(lines, one, speed=speed, progress=lambda fed, _: bar.update(task, completed=fed))
            finally:
                if forget:  # also what was said until it was broken off
                    await one.forget()
    people = counted(done.people, "person", "people")
    say(f"messages fed   {done.fed} by {people}{', all forgotten again' if forget else ''}")
    for name, tally in done.tallies.items():
        if len(done.tallies) > 1:
            say(f"in {name}'s room")
        say_tally(tally)


def say_tally(tally: "Tally") -> None:
    """Print what the agents of a room did."""
    beats = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.beats.items())) or "none"
    tokens = f"{tally.input_tokens:,} in ({tally.cached_tokens:,} cached), {tally.output_tokens:,} out"
    say(f"beats          {sum(tally.beats.values())} ({beats}), {tally.silent} of them silent")
    say(f"model calls    {tally.calls}")
    say(f"answers        {tally.answers}")
    say(f"tokens         {tokens}, {tally.cost_usd:.4f} {tally.coin} at list price")


def main() -> None:
    """Enter from the shell."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names are written in scripts that not every terminal has
    cli()


if __name__ == "__main__":
    main()
