"""The page of all commands, as Markdown for the documentation."""

from collections.abc import Iterable, Iterator

from cogs.ui.guide import Entry, each_of, is_for_everyone


def handbook(commands: Iterable[Entry]) -> str:
    """Give a table of every command: what it does, what it takes, who may use it."""
    return "\n".join(["| command | what it does | who |", "| --- | --- | --- |", *_rows(commands)])


def _rows(commands: Iterable[Entry]) -> Iterator[str]:
    for one in sorted(each_of(commands), key=lambda one: one.qualified_name):
        given = " ".join(part.name if part.required else f"[{part.name}]" for part in one.parameters)
        who = "everyone" if is_for_everyone(one) else "managers"
        yield f"| `/{one.qualified_name}{' ' if given else ''}{given}` | {one.description} | {who} |"
