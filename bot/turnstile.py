"""`selfroom token`: tokens by which programs ask the console."""

from enum import StrEnum
from typing import Annotated

import typer

from bot.core.errors import SelfroomError
from bot.shell import Json, give_up, say, say_list, settings

tokens = typer.Typer(no_args_is_help=True, help="Tokens by which programs ask the console (docs/console.md).")
Name = Annotated[str, typer.Argument(help="What it is for.")]


class Scopes(StrEnum):
    """What a token may do: `bot.console.routes.Scope`, which the command line does not load for its help."""

    READ = "read"
    RUN = "run"
    MANAGE = "manage"


@tokens.command()
def create(
    name: Name,
    server: Annotated[int, typer.Option(min=1, help="The server, by its Discord ID.")],
    person: Annotated[int, typer.Option(min=1, help="For whom it asks, by their Discord ID: it may what they may.")],
    scope: Annotated[list[Scopes], typer.Option(help="What it may do; may be given several times.")],
    days: Annotated[int | None, typer.Option(min=1, max=3_650, help="After how many days it opens nothing.")] = None,
) -> None:
    """Make a token and print it, this once; what is kept of it is a hash."""
    from bot.console.door import Guest
    from bot.console.routes import Scope
    from bot.core.records import Snowflake
    from bot.doctor import check_data_folder
    from bot.passes import PassFile

    own = settings()
    try:
        check_data_folder(own.data_dir)
        scopes = frozenset(Scope(one.value) for one in scope)
        say(PassFile(own.passes).create(name, Guest(Snowflake(server), Snowflake(person)), scopes, days=days))
    except SelfroomError as error:
        raise give_up(error) from error


@tokens.command(name="list")
def list_(as_json: Json = False) -> None:
    """List the tokens, without what opens."""
    from bot.passes import PassFile

    try:
        known = PassFile(settings().passes).all()
    except SelfroomError as error:
        raise give_up(error) from error
    say_list(
        [one.model_dump(mode="json", exclude={"hashed"}) | {"scopes": sorted(one.scopes)} for one in known],
        as_json=as_json,
        none="There is no token yet: `selfroom token create` makes one.",
    )


@tokens.command()
def revoke(name: Name) -> None:
    """Withdraw a token: it opens nothing any more, also where Selfroom runs already."""
    from bot.passes import PassFile

    try:
        PassFile(settings().passes).revoke(name)
    except SelfroomError as error:
        raise give_up(error) from error
    say(f"The token {name} is withdrawn.")
