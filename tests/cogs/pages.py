"""Write the tables of all commands, actions and games into their pages: `python -m tests.cogs.pages`."""

import asyncio
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.core.actions.docs import actions_table
from cogs.ui.guide import Entry, each_of, is_for_everyone
from tests.cogs.trees import tree
from tests.core.scenes.games_page import PAGE as GAMES
from tests.core.scenes.games_page import drawn

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
ACTIONS = PAGE.with_name("actions.md")
TABLE = re.compile(r"\| command \|.*?(?=\n\n)", re.DOTALL)
ACTION_TABLES = re.compile(r"### .*?(?=\n## )", re.DOTALL)


def with_table(page: str, table: str) -> str:
    """Give the page with another table of commands; what stands around it stays."""
    return TABLE.sub(lambda _: table, page, count=1)


def handbook(commands: Iterable[Entry]) -> str:
    """Give a table of every command: what it does, what it takes, who may use it."""
    return "\n".join(["| command | what it does | who |", "| --- | --- | --- |", *_rows(commands)])


def _rows(commands: Iterable[Entry]) -> Iterator[str]:
    for one in sorted(each_of(commands), key=lambda one: one.qualified_name):
        given = " ".join(part.name if part.required else f"[{part.name}]" for part in one.parameters)
        who = "everyone" if is_for_everyone(one) else "managers"
        yield f"| `/{one.qualified_name}{' ' if given else ''}{given}` | {one.description} | {who} |"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(), handbook(asyncio.run(tree()))))
    ACTIONS.write_text(ACTION_TABLES.sub(lambda _: actions_table(), ACTIONS.read_text(), count=1))
    GAMES.write_text(drawn(GAMES.read_text()))
