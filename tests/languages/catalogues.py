"""Bring every catalogue up to what the program says: `python -m tests.languages.catalogues`.

What is new stands there without a translation, until somebody writes one; what is said no longer goes.
"""

import ast
import asyncio
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from discord import app_commands

from bot import languages
from bot.adapters.discord.commands import CommandSync
from bot.console.window import PAGE as CONSOLE
from bot.console.words import pages, said_in
from bot.core.kinds import Doing, State, Visibility
from bot.languages import CHOICE, COMMAND, LANGUAGES, MENU, OPTION
from bot.playground.cdn import PAGE as PLAYGROUND
from tests.cogs.trees import Command, tree

ROOT = Path(__file__).parents[2]
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
SAYS = re.compile(r"\b(?:Sentence|counted)\b")  # to parse all other files takes most of the time
Message = tuple[str, str, str]
"""Its context, its English, and its plural if it has one."""


async def messages() -> list[Message]:
    """Give everything that is said in catalogues, each once."""
    commands = await tree()
    CommandSync.word(commands)
    of_commands = [message for command in commands for message in of_command(command)]
    return list(
        dict.fromkeys(
            [
                *of_commands,
                *(("", one.value, "") for one in (*State, *Visibility, *Doing)),
                *of_code(),
                *(("", one, many) for one, many in said_in(pages(CONSOLE, PLAYGROUND))),
            ]
        )
    )


def of_code() -> Iterator[Message]:
    """Give every sentence that the code has, file by file; `counted` words its nouns as sentences."""
    for path in sorted(one for folder in ("bot", "cogs", "storage") for one in (ROOT / folder).rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if SAYS.search(text) else ():
            if isinstance(node, ast.Call):
                yield from of_call(node)


def of_call(node: ast.Call) -> Iterator[Message]:
    """Give the sentence that a call makes, if it makes one of words that stand in it."""
    words = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    match ast.unparse(node.func) if words else "", words:
        case "Sentence", [english]:
            yield "", english, ""
        case "Sentence.counted", [one, many]:
            yield "", one, many
        case "counted", [what, *more]:
            yield "", f"{{number}} {what}", f"{{number}} {more[0] if more else what + 's'}"
        case _:
            pass


def of_command(command: Command) -> Iterator[Message]:
    """Give the names and descriptions of a command, its options and their choices, or of a group and all in it."""
    if isinstance(command, app_commands.ContextMenu):
        yield MENU, command.name, ""
        return
    yield COMMAND, command.name, ""
    yield "", command.description, ""
    if isinstance(command, app_commands.Group):
        for one in command.commands:
            yield from of_command(one)
        return
    for parameter in command.parameters:
        yield OPTION, parameter.display_name, ""
        yield "", str(parameter.description), ""
        yield from ((CHOICE, choice.name, "") for choice in parameter.choices)


def read(path: Path) -> Catalog:
    """Read a catalogue."""
    with path.open("rb") as file:
        return read_po(file)


def brought_up(old: Catalog, wanted: list[Message]) -> bytes:
    """Give a catalogue with these messages in this order: what it had keeps its translation."""
    new = Catalog(charset="utf-8")
    new.mime_headers = [("Plural-Forms", old.plural_forms)]
    for context, english, many in wanted:
        had = old.get(english, context or None)
        said = had.string if had and isinstance(had.id, tuple) is bool(many) else ""
        new.add((english, many) if many else english, said, context=context or None)
    file = BytesIO()
    write_po(file, new, width=118, omit_header=True)
    head = HEAD.format(comment=old.header_comment, language=old.locale, plurals=old.plural_forms)
    return head.encode() + file.getvalue()


if __name__ == "__main__":
    wanted = asyncio.run(messages())
    for path in FILES.values():
        path.write_bytes(brought_up(read(path), wanted))
