"""Reading forms: types and limits, and every fault named the way Discord names it."""

from datetime import datetime
from typing import Any

from bot.playground.errors import ApiError, leaf
from bot.playground.snowflakes import is_snowflake

Json = dict[str, Any]


class Form:
    """Reads fields of a body and gathers what is wrong; `check` raises it all at once."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.faults: Json = {}

    def has(self, name: str) -> bool:
        """Whether the field was sent, even as null."""
        return name in self.body

    def fault(self, name: str, code: str, message: str) -> None:
        """Note what is wrong with a field."""
        self.faults[name] = leaf(code, message)

    def text(self, name: str, *, low: int = 0, high: int, required: bool = False) -> str | None:
        """Read text of a length between `low` and `high`."""
        value = self.body.get(name)
        if value is None:
            if required:
                self.fault(name, "BASE_TYPE_REQUIRED", "This field is required")
            return None
        if not isinstance(value, str):
            self.fault(name, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
            return None
        if not low <= len(value) <= high:
            limits = f"between {low} and {high}" if low else f"{high} or fewer"
            self.fault(name, "BASE_TYPE_BAD_LENGTH", f"Must be {limits} in length.")
        return value

    def number(self, name: str, *, low: int = 0, high: int) -> int | None:
        """Read a whole number between `low` and `high`."""
        value = self.body.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            self.fault(name, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
            return None
        if not low <= value <= high:
            self.fault(name, "NUMBER_TYPE_MAX", f"int value should be between {low} and {high}.")
        return int(value)

    def choice(self, name: str, *allowed: int) -> int | None:
        """Read one of a few numbers."""
        value = self.body.get(name)
        if value is not None and value not in allowed:
            given = ", ".join(map(str, allowed))
            self.fault(name, "BASE_TYPE_CHOICES", f"Value must be one of ({given}).")
        return value

    def switch(self, name: str) -> bool | None:
        """Read true or false."""
        value = self.body.get(name)
        if value is not None and not isinstance(value, bool):
            self.fault(name, "BOOLEAN_TYPE_CONVERT", f'Must be either true or false, not "{value}".')
            return None
        return value

    def snowflake(self, name: str) -> str | None:
        """Read an id."""
        value = self.body.get(name)
        if value is None:
            return None
        if not is_snowflake(value):
            self.fault(name, "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
            return None
        return str(value)

    def items(self, name: str, *, high: int) -> list[Any] | None:
        """Read a list of at most `high` things."""
        value = self.body.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            self.fault(name, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return None
        if len(value) > high:
            self.fault(name, "BASE_TYPE_BAD_LENGTH", f"Must be {high} or fewer in length.")
        return value

    def objects(self, name: str, *, high: int) -> list[Json] | None:
        """Read a list of at most `high` objects."""
        found = self.items(name, high=high)
        if found is not None and not all(isinstance(item, dict) for item in found):
            self.fault(name, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
            return None
        return found

    def snowflakes(self, name: str, *, high: int) -> list[str] | None:
        """Read a list of at most `high` ids."""
        found = self.items(name, high=high)
        if found is not None and not all(map(is_snowflake, found)):
            self.fault(name, "NUMBER_TYPE_COERCE", "Every value must be a snowflake.")
            return None
        return None if found is None else [str(item) for item in found]

    def moment(self, name: str) -> str | None:
        """Read a time as ISO 8601 with its offset."""
        text = self.text(name, high=64)
        try:
            if text is not None and datetime.fromisoformat(text).tzinfo is None:
                raise ValueError
        except ValueError:
            self.fault(name, "DATE_TYPE_PARSE", f'Could not parse "{text}". Should be ISO8601.')
            return None
        return text

    def check(self) -> None:
        """Raise everything that was wrong."""
        if self.faults:
            raise ApiError(400, 50035, fields=self.faults)
