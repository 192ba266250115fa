"""Definitions of application commands: names, options, choices and their limits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Required, TypedDict, cast

from bot.playground.errors import invalid
from bot.playground.forms import Anything, Bits, Choice, ListOf, Number, Text, Undone, Whole, wrong
from bot.playground.kinds import CommandKind, OptionKind
from bot.playground.rows import Json

NAME = re.compile(r"[-_'\w]{1,32}")
MOST_CHARACTERS = 8000


@dataclass(frozen=True, slots=True)
class Value:
    """What a choice stands for: text or a number, of at most 100 characters."""

    def read(self, value: object) -> object:
        """Give it as it is."""
        if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) > 100:
            raise wrong("BASE_TYPE_BAD_LENGTH", "Must be text or a number, of at most 100 characters.")
        return value


class ChoiceForm(TypedDict, total=False):
    """One of the values that an option can have."""

    name: Required[Annotated[str, Text(1, 100)]]
    name_localizations: Annotated[dict[str, str], Anything()]
    value: Required[Annotated[str | int | float, Value()]]


class OptionForm(TypedDict, total=False):
    """An option, a subcommand or a group of them."""

    type: Required[Annotated[int, Choice(*OptionKind)]]
    name: Required[Annotated[str, Text(1, 32)]]
    name_localizations: Annotated[dict[str, str], Anything()]
    description: Required[Annotated[str, Text(1, 100)]]
    description_localizations: Annotated[dict[str, str], Anything()]
    required: bool
    autocomplete: bool
    choices: Annotated[list[ChoiceForm], ListOf(0, 25)]
    options: "Annotated[list[OptionForm], ListOf(0, 25)]"
    channel_types: Annotated[list[int], ListOf(0, 25)]
    min_value: Annotated[float, Number(-(2.0**53), 2.0**53)]
    max_value: Annotated[float, Number(-(2.0**53), 2.0**53)]
    min_length: Annotated[int, Whole(0, 6000)]
    max_length: Annotated[int, Whole(0, 6000)]


class CommandForm(TypedDict, total=False):
    """A command; an `id` is no more than a hint."""

    id: Annotated[object, Anything()]
    application_id: Annotated[object, Anything()]
    type: Annotated[int, Choice(*CommandKind)]
    name: Required[Annotated[str, Text(1, 32)]]
    name_localizations: Annotated[dict[str, str], Anything()]
    description: Annotated[str, Text(0, 100)]
    description_localizations: Annotated[dict[str, str], Anything()]
    options: Annotated[list[OptionForm], ListOf(0, 25)]
    default_member_permissions: Annotated[str, Bits()]
    dm_permission: bool
    nsfw: bool
    contexts: Annotated[list[int], ListOf(0, 3)]
    integration_types: Annotated[list[int], ListOf(0, 2)]
    handler: Annotated[object, Undone()]


class CommandChange(CommandForm, total=False):
    """What can be changed of a command."""

    name: Annotated[str, Text(1, 32)]  # type: ignore[misc]  # it may stay


def read_command(form: CommandForm, path: str) -> Json:
    """Give a command as it is kept, and under `said` as it was given; raises ApiError for a faulty one."""
    kind, dot = form.get("type", CommandKind.SLASH), f"{path}." if path else ""
    if kind == CommandKind.SLASH:
        _check_name(form["name"], f"{dot}name")
        if not form.get("description"):
            raise invalid(f"{dot}description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
        _check_options(form.get("options", []), f"{dot}options", depth=0)
        if _characters(form) > MOST_CHARACTERS:
            raise invalid(f"{dot}options", "APPLICATION_COMMAND_TOO_LARGE", f"Over {MOST_CHARACTERS} characters.")
    kept = {name: value for name, value in form.items() if name not in ("id", "application_id", "handler")}
    row: Json = kept | {"type": kind, "description": form.get("description", "")}
    return row | {"said": dict(row)}


def _check_name(name: str, path: str) -> None:
    if not NAME.fullmatch(name) or name != name.lower():
        raise invalid(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")


def _check_options(options: Sequence[OptionForm], path: str, *, depth: int) -> None:
    names = [option["name"] for option in options]
    if len(set(names)) < len(names):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATE", "Option names must be unique")
    needed = [option.get("required", False) for option in options]
    if needed != sorted(needed, reverse=True):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must come first")
    for index, option in enumerate(options):
        _check_option(option, f"{path}.{index}", depth=depth)


def _check_option(option: OptionForm, path: str, *, depth: int) -> None:
    _check_name(option["name"], f"{path}.name")
    kind = option["type"]
    if (kind == OptionKind.GROUP and depth) or (kind == OptionKind.SUBCOMMAND and depth > 1):
        raise invalid(f"{path}.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Not a type that can stand here.")
    if kind in (OptionKind.SUBCOMMAND, OptionKind.GROUP):
        below = 2 if kind == OptionKind.SUBCOMMAND else 1
        _check_options(option.get("options", []), f"{path}.options", depth=below)
    if option.get("choices") and option.get("autocomplete"):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID", "Autocomplete excludes choices")


def _characters(part: Mapping[str, object]) -> int:
    said = f"{part.get('name', '')}{part.get('description', '')}{part.get('value', '')}"
    inner = [*cast(list[Json], part.get("choices", [])), *cast(list[Json], part.get("options", []))]
    return len(said) + sum(map(_characters, inner))
