"""The commands as they go to Discord in every language, and what Discord would not take of them."""

import re
from collections.abc import Iterator
from typing import Any

from discord import app_commands

from bot.adapters.discord.commands import CommandSync, CommandTranslator
from bot.client import SelfroomClient
from bot.languages import LANGUAGES
from bot.playground.errors import ApiError
from bot.playground.writing.commands import named_alike, read_command
from tests.cogs.trees import tree

Json = dict[str, Any]
NAME = re.compile(r"[-_'\w]{1,32}")
SLASH, CHOICE_KINDS = 1, {3, 4, 10}


async def translated(translator: app_commands.Translator | None = None) -> list[Json]:
    """Give every command as it is sent, with its names and descriptions in all languages."""
    commands = await tree()
    CommandSync.mark(commands)
    CommandSync.word(commands)
    over, there = SelfroomClient().tree, translator or CommandTranslator()
    return [await command.get_translated_payload(over, there) for command in commands]


def parts(commands: list[Json], above: str = "") -> Iterator[tuple[str, Json]]:
    """Give each command, option and choice, with the path to it."""
    for one in commands:
        path = f"{above} {one['name']}".strip()
        yield path, one
        yield from parts(one.get("options", []), path)
        yield from ((f"{path}={choice['name']}", choice) for choice in one.get("choices", []))


def faults(commands: list[Json]) -> list[str]:
    """Say what Discord would refuse: what is too long, no name, or named like something beside it."""
    found = [f"{path}: {why}" for path, part in parts(commands) for why in _of_part(part)]
    levels = [("", commands), *((path, part["options"]) for path, part in parts(commands) if part.get("options"))]
    found += [f"{path or 'all commands'}: two are named alike" for path, level in levels if named_alike(level)]
    for command in commands:
        try:
            read_command({key: value for key, value in command.items() if value is not None}, "")  # type: ignore[arg-type]
        except ApiError as error:
            found.append(f"{command['name']}: {error}")
    return found


def _of_part(part: Json) -> Iterator[str]:
    is_choice, is_menu = "value" in part, part.get("type") in (2, 3) and "description" not in part
    for locale, name in part.get("name_localizations", {}).items():
        fits = 1 <= len(name) <= 100 if is_choice else 1 <= len(name) <= 32
        plain = is_choice or is_menu or (NAME.fullmatch(name) and name == name.lower())
        if not (fits and plain and name.strip()):
            yield f"{name!r} is no name in {locale}"
    for locale, words in part.get("description_localizations", {}).items():
        if not 1 <= len(words) <= 100:
            yield f"the description has {len(words)} characters in {locale}"


def unsaid(commands: list[Json], locales: list[str] | None = None) -> list[str]:
    """Give what stays English somewhere: the path, and which text."""
    wanted = set(locales or LANGUAGES)
    return [
        f"{path} ({field})"
        for path, part in parts(commands)
        for field in ("name", "description")
        if part.get(field) and wanted - set(part.get(f"{field}_localizations", {}))
    ]
