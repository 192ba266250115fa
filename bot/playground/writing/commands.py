"""Definitions of application commands: names, options, choices and their limits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Required, TypedDict, cast

from bot.playground.errors import invalid
from bot.playground.forms import Anything, Bits, Choice, Faults, ListOf, Number, Text, Undone, Whole, wrong
from bot.playground.kinds import LOCALES, CommandKind, OptionKind
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


@dataclass(frozen=True, slots=True)
class ByLocale:
    """The same text in other languages, each as long as it may be in the first one."""

    high: int

    def read(self, value: object) -> object:
        """Give the texts by their locales."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise wrong("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        faults = Faults()
        for locale, text in value.items():
            with faults.of(str(locale)):
                Choice(*LOCALES).read(locale)
                Text(1, self.high).read(text)
        faults.check()
        return value


Names = Annotated[dict[str, str], ByLocale(32)]
Descriptions = Annotated[dict[str, str], ByLocale(100)]


class ChoiceForm(TypedDict, total=False):
    """One of the values that an option can have."""

    name: Required[Annotated[str, Text(1, 100)]]
    name_localizations: Descriptions
    value: Required[Annotated[str | int | float, Value()]]


class OptionForm(TypedDict, total=False):
    """An option, a subcommand or a group of them."""

    type: Required[Annotated[int, Choice(*OptionKind)]]
    name: Required[Annotated[str, Text(1, 32)]]
    name_localizations: Names
    description: Required[Annotated[str, Text(1, 100)]]
    description_localizations: Descriptions
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
    name_localizations: Names
    description: Annotated[str, Text(0, 100)]
    description_localizations: Descriptions
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
        _check_names(form, path)
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


def _check_names(part: CommandForm | OptionForm, path: str) -> None:
    dot = f"{path}." if path else ""
    _check_name(part["name"], f"{dot}name")
    for locale, name in part.get("name_localizations", {}).items():
        _check_name(name, f"{dot}name_localizations.{locale}")


def named_alike(parts: Sequence[Mapping[str, object]]) -> bool:
    """Tell whether two of these have the same name, in any language."""
    said = [cast(Mapping[str, str], part.get("name_localizations") or {}) for part in parts]
    names = [[by.get(locale, str(part["name"])) for part, by in zip(parts, said, strict=True)] for locale in LOCALES]
    return any(len(set(each)) < len(each) for each in names)


def _check_options(options: Sequence[OptionForm], path: str, *, depth: int) -> None:
    if named_alike(cast(list[Json], options)):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATE", "Option names must be unique")
    needed = [option.get("required", False) for option in options]
    if needed != sorted(needed, reverse=True):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must come first")
    for index, option in enumerate(options):
        _check_option(option, f"{path}.{index}", depth=depth)


def _check_option(option: OptionForm, path: str, *, depth: int) -> None:
    _check_names(option, path)
    kind = option["type"]
    if (kind == OptionKind.GROUP and depth) or (kind == OptionKind.SUBCOMMAND and depth > 1):
        raise invalid(f"{path}.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Not a type that can stand here.")
    if kind in (OptionKind.SUBCOMMAND, OptionKind.GROUP):
        below = 2 if kind == OptionKind.SUBCOMMAND else 1
        _check_options(option.get("options", []), f"{path}.options", depth=below)
    if option.get("choices") and option.get("autocomplete"):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID", "Autocomplete excludes choices")


def _characters(part: Mapping[str, object]) -> int:
    said = _longest(part, "name") + _longest(part, "description") + len(str(part.get("value", "")))
    inner = [*cast(list[Json], part.get("choices", [])), *cast(list[Json], part.get("options", []))]
    return said + sum(map(_characters, inner))


def _longest(part: Mapping[str, object], field: str) -> int:
    """Give how long a text is in the language that needs most."""
    others = cast(Mapping[str, str], part.get(f"{field}_localizations") or {})
    return max(len(text) for text in (str(part.get(field, "")), *others.values()))
