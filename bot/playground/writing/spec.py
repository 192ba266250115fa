"""What a part of a body may look like, said once as a table; reading keeps what is named and refuses the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from bot.playground.errors import ApiError, invalid
from bot.playground.snowflakes import is_snowflake

Json = dict[str, Any]


class Spec(Protocol):
    """Reads one value; raises ApiError with its path when it does not fit."""

    def read(self, value: object, path: str) -> Any:  # noqa: ANN401 - each kind gives its own type
        """Give the value as it is kept."""
        ...


Fields = dict[str, Spec]


def _required(path: str) -> ApiError:
    return invalid(path, "BASE_TYPE_REQUIRED", "This field is required")


@dataclass(frozen=True, slots=True)
class Text:
    """Text of a length between `low` and `high`."""

    low: int = 0
    high: int = 100

    def read(self, value: object, path: str) -> str:
        """Give the text."""
        if not isinstance(value, str):
            raise invalid(path, "STRING_TYPE_CONVERT", "Could not interpret this as string.")
        if self.low and not value.strip():
            raise _required(path)
        if not self.low <= len(value) <= self.high:
            limits = f"between {self.low} and {self.high}" if self.low else f"{self.high} or fewer"
            raise invalid(path, "BASE_TYPE_BAD_LENGTH", f"Must be {limits} in length.")
        return value


@dataclass(frozen=True, slots=True)
class Url:
    """An address of the web, or of a file of the same message."""

    def read(self, value: object, path: str) -> str:
        """Give the address."""
        text = Text(1, 2048).read(value, path)
        if not text.startswith(("http://", "https://", "attachment://", "discord://")):
            raise invalid(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")
        return text


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number between `low` and `high`."""

    low: int = 0
    high: int = (1 << 31) - 1

    def read(self, value: object, path: str) -> int:
        """Give the number."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise invalid(path, "NUMBER_TYPE_COERCE", "This is not int.")
        if not self.low <= value <= self.high:
            words = f"int value should be between {self.low} and {self.high}."
            raise invalid(path, "NUMBER_TYPE_MAX", words)
        return value


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few numbers."""

    allowed: tuple[int, ...]

    def read(self, value: object, path: str) -> int:
        """Give the number."""
        if isinstance(value, bool) or not isinstance(value, int) or value not in self.allowed:
            known = ", ".join(map(str, self.allowed))
            raise invalid(path, "BASE_TYPE_CHOICES", f"Value must be one of ({known}).")
        return value


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    def read(self, value: object, path: str) -> bool:
        """Give it."""
        if not isinstance(value, bool):
            raise invalid(path, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
        return value


@dataclass(frozen=True, slots=True)
class Id:
    """A snowflake."""

    def read(self, value: object, path: str) -> str:
        """Give it as text."""
        if not is_snowflake(value):
            raise invalid(path, "NUMBER_TYPE_COERCE", "This is not snowflake.")
        return str(value)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in ISO 8601."""

    def read(self, value: object, path: str) -> str:
        """Give it as it was written."""
        try:
            datetime.fromisoformat(str(value))
        except ValueError:
            raise invalid(path, "DATE_TYPE_PARSE", "Could not parse this. Should be ISO8601.") from None
        return str(value)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of `low` to `high` things of one kind."""

    item: Spec
    low: int = 0
    high: int = 25

    def read(self, value: object, path: str) -> list[Any]:
        """Give the list."""
        if not isinstance(value, list):
            raise invalid(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        if not self.low <= len(value) <= self.high:
            words = f"Must be between {self.low} and {self.high} in length."
            raise invalid(path, "BASE_TYPE_BAD_LENGTH", words)
        return [self.item.read(item, f"{path}.{index}") for index, item in enumerate(value)]


@dataclass(frozen=True, slots=True)
class Thing:
    """An object with these fields; those in `needs` must be there, the others may be null or left out."""

    fields: Mapping[str, Spec]
    needs: tuple[str, ...] = ()

    def read(self, value: object, path: str) -> Json:
        """Give the object with its named fields only."""
        if not isinstance(value, dict):
            raise invalid(path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        for name in self.needs:
            if value.get(name) is None:
                raise _required(f"{path}.{name}")
        given = {name: spec for name, spec in self.fields.items() if value.get(name) is not None}
        return {name: spec.read(value[name], f"{path}.{name}") for name, spec in given.items()}


@dataclass(frozen=True, slots=True)
class OneOf:
    """An object whose `type` says which of several kinds it is."""

    kinds: Mapping[int, Thing]

    def read(self, value: object, path: str) -> Json:
        """Give the object with its type first."""
        if not isinstance(value, dict):
            raise invalid(path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        kind = Choice(tuple(self.kinds)).read(value.get("type"), f"{path}.type")
        return {"type": kind} | self.kinds[kind].read(value, path)
