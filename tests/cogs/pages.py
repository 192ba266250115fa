"""Write the table of all commands into their page: `python -m tests.cogs.pages`."""

import asyncio
import re
from pathlib import Path

from cogs.ui.handbook import handbook
from tests.cogs.trees import tree

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
TABLE = re.compile(r"\| command \|.*?(?=\n\n)", re.DOTALL)


def with_table(page: str, table: str) -> str:
    """Give the page with another table of commands; what stands around it stays."""
    return TABLE.sub(lambda _: table, page, count=1)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(), handbook(asyncio.run(tree()))))
