"""`python -m tests.held run` is `python -m bot run` with its playground held to Discord's own description, and hurried.

What does not fit is written, line by line, into the file that `HELD_TO` names, so that a killed process has told it.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

from bot.__main__ import main
from bot.playground.rest.exchange import Exchange, Observer
from bot.playground.server import Neighbour, Playground, PlaygroundOptions
from tests.hurried import hurried
from tests.playground.openapi import DESCRIPTION, OpenApiCheck

CHECK = OpenApiCheck()


def watch(exchange: Exchange) -> None:
    """Check one exchange and write down what is wrong with it."""
    before = len(CHECK.violations)
    CHECK(exchange)
    if CHECK.violations[before:]:
        with Path(os.environ["HELD_TO"]).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in CHECK.violations[before:])


def held(options: PlaygroundOptions, *, observers: Iterable[Observer], neighbours: Iterable[Neighbour]) -> Playground:
    """Open a playground that is watched, where the description is there."""
    watching = [*observers, watch] if DESCRIPTION.exists() else observers
    return Playground(options, observers=watching, neighbours=neighbours)


def run() -> None:
    """Do what the command line says."""
    with patch("bot.app.Playground", held), hurried():
        main()


if __name__ == "__main__":
    run()
