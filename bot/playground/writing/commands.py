"""Definitions of application commands: names, options, choices and their limits."""

import re
from typing import Any

from bot.playground.errors import invalid

Json = dict[str, Any]

SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
SUBCOMMAND, GROUP = 1, 2
NAME = re.compile(r"[-_'\w]{1,32}")
KEYS = (
    "name",
    "name_localizations",
    "description",
    "description_localizations",
    "options",
    "default_member_permissions",
    "dm_permission",
    "nsfw",
    "contexts",
    "integration_types",
)
MOST_CHARACTERS = 8000


def read_command(given: object, path: str) -> Json:
    """Give a command as it is kept, and under `said` as it was given; raises ApiError for a faulty one."""
    if not isinstance(given, dict):
        raise invalid(path or "name", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    kind = given.get("type") or SLASH
    if kind not in (SLASH, USER_MENU, MESSAGE_MENU):
        raise invalid(f"{path}.type" if path else "type", "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3).")
    dot = f"{path}." if path else ""
    _check_name(given.get("name"), kind, f"{dot}name")
    if kind == SLASH:
        _check_description(given, dot)
        _check_options(given.get("options"), f"{dot}options", depth=0)
        if _characters(given) > MOST_CHARACTERS:
            raise invalid(f"{dot}options", "APPLICATION_COMMAND_TOO_LARGE", f"Over {MOST_CHARACTERS} characters.")
    row: Json = {key: given[key] for key in KEYS if given.get(key) is not None}
    row["type"] = kind
    row["description"] = given.get("description") or ""
    if "default_member_permissions" in row:
        row["default_member_permissions"] = str(row["default_member_permissions"])
    return row | {"said": dict(row)}


def _check_name(name: object, kind: int, path: str) -> None:
    if not isinstance(name, str) or not 1 <= len(name) <= 32:
        raise invalid(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 32 in length.")
    if kind == SLASH and (not NAME.fullmatch(name) or name != name.lower()):
        raise invalid(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")


def _check_description(given: Json, dot: str) -> None:
    text = given.get("description")
    if not isinstance(text, str) or not 1 <= len(text) <= 100:
        raise invalid(f"{dot}description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")


def _objects(given: object, path: str) -> list[Json]:
    """Give a list of at most 25 objects."""
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise invalid(path, "LIST_TYPE_CONVERT", "Only iterables of dictionaries may be used here")
    if len(given) > 25:
        raise invalid(path, "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length.")
    return given


def _check_options(given: object, path: str, *, depth: int) -> None:
    options = _objects(given, path)
    names = [str(option.get("name")) for option in options]
    if len(set(names)) < len(names):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATE", "Option names must be unique")
    needed = [bool(option.get("required")) for option in options]
    if needed != sorted(needed, reverse=True):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must come first")
    for index, option in enumerate(options):
        _check_option(option, f"{path}.{index}", depth=depth)


def _check_option(option: Json, path: str, *, depth: int) -> None:
    _check_name(option.get("name"), SLASH, f"{path}.name")
    _check_description(option, f"{path}.")
    kind = option.get("type")
    if kind not in tuple(range(1, 12)) or (kind == GROUP and depth) or (kind == SUBCOMMAND and depth > 1):
        raise invalid(f"{path}.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Not a type that can stand here.")
    if kind in (SUBCOMMAND, GROUP):
        _check_options(option.get("options"), f"{path}.options", depth=2 if kind == SUBCOMMAND else 1)
    choices = _objects(option.get("choices"), f"{path}.choices")
    for index, choice in enumerate(choices):
        _check_choice(choice, f"{path}.choices.{index}")
    if choices and option.get("autocomplete"):
        raise invalid(path, "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID", "Autocomplete excludes choices")


def _check_choice(choice: Json, path: str) -> None:
    if not isinstance(choice.get("name"), str) or not 1 <= len(choice["name"]) <= 100:
        raise invalid(f"{path}.name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    value = choice.get("value")
    if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) > 100:
        raise invalid(f"{path}.value", "BASE_TYPE_BAD_LENGTH", "Must be text or a number, of at most 100 characters.")


def _characters(part: Json) -> int:
    texts = [part.get("name", ""), part.get("description", "")]
    choices = _objects(part.get("choices"), "choices")
    texts += [str(choice.get("name", "")) + str(choice.get("value", "")) for choice in choices]
    return sum(map(len, texts)) + sum(map(_characters, _objects(part.get("options"), "options")))
