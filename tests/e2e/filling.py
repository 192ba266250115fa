"""Ways to fill in a command's options without knowing the command."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.e2e.visitor import Json

NAMED = {
    **{"agent": "Wren", "room": "Wren", "request": "1", "time_zone": "UTC", "value": "40"},
    **{"kind": "chat", "scene": "1"},
}


def filled(option: Json, person: str, named: Mapping[str, object] = NAMED) -> Any:  # noqa: ANN401
    """Give some value that an option takes; None for a channel, a role or a file."""
    if option["name"] in named:
        value = named[option["name"]]
        return int(str(value)) if option["type"] == 4 else value
    if option.get("choices"):
        return option["choices"][0]["value"]
    match option["type"]:
        case 4 | 10:
            return option.get("min_value", 1)
        case 5:
            return True
        case 6:
            return person
        case 7 | 8 | 11:
            return None
        case _:
            return "x" * max(1, option.get("min_length", 1))


def attempts(command: Json, person: str, named: Mapping[str, object] = NAMED) -> Iterator[Json]:
    """Give ways to fill a command: with what it needs, and with everything it takes."""
    options = command.get("options", ())
    given = {option["name"]: filled(option, person, named) for option in options}
    needed = {option["name"] for option in options if option.get("required")}
    everything = {name: value for name, value in given.items() if value is not None}
    yield {name: value for name, value in everything.items() if name in needed}
    if everything.keys() - needed:
        yield everything


def needs_file(command: Json) -> bool:
    """Tell whether a command does nothing without a file."""
    return any(option["type"] == 11 and option.get("required") for option in command.get("options", ()))
