"""Bring every catalogue up to what the program says: `python -m tests.languages.catalogues`.

What is new stands there without a translation, until somebody writes one; what is said no longer goes.
"""

import asyncio
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from discord import app_commands

from bot import languages
from bot.adapters.discord.commands import CommandSync
from bot.languages import CHOICE, COMMAND, LANGUAGES, MENU, OPTION
from tests.cogs.trees import Command, tree

FOLDER = Path(languages.__file__).parent
FILES = {language: FOLDER / f"{language}.po" for language in sorted(set(LANGUAGES.values()))}
HEAD = """{comment}
msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""  # without dates, which would differ each time
Message = tuple[str, str]
"""Its context, and its English."""


async def messages() -> list[Message]:
    """Give everything that is said in catalogues, each once."""
    commands = await tree()
    CommandSync.word(commands)
    return list(dict.fromkeys(message for command in commands for message in of_command(command)))


def of_command(command: Command) -> Iterator[Message]:
    """Give the names and descriptions of a command, its options and their choices, or of a group and all in it."""
    if isinstance(command, app_commands.ContextMenu):
        yield MENU, command.name
        return
    yield COMMAND, command.name
    yield "", command.description
    if isinstance(command, app_commands.Group):
        for one in command.commands:
            yield from of_command(one)
        return
    for parameter in command.parameters:
        yield OPTION, parameter.display_name
        yield "", str(parameter.description)
        yield from ((CHOICE, choice.name) for choice in parameter.choices)


def read(path: Path) -> Catalog:
    """Read a catalogue."""
    with path.open("rb") as file:
        return read_po(file)


def brought_up(old: Catalog, wanted: list[Message]) -> bytes:
    """Give a catalogue with these messages in this order: what it had keeps its translation."""
    new = Catalog(charset="utf-8")
    for context, english in wanted:
        had = old.get(english, context or None)
        new.add(english, had.string if had else "", context=context or None)
    file = BytesIO()
    write_po(file, new, width=118, omit_header=True)
    head = HEAD.format(comment=old.header_comment, language=old.locale, plurals=old.plural_forms)
    return head.encode() + file.getvalue()


if __name__ == "__main__":
    for path in FILES.values():
        path.write_bytes(brought_up(read(path), asyncio.run(messages())))
