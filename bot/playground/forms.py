"""What may stand in a body or a query: TypedDicts whose fields say their limits; what they do not name is refused.

`read` gathers everything that is wrong, field by field, and raises it the way Discord words it.
"""

import re
import reprlib
import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import (
    Annotated,
    Any,
    NotRequired,
    Protocol,
    Required,
    TypedDict,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from bot.playground.errors import ApiError, Tree, leaf
from bot.playground.snowflakes import is_snowflake

T = TypeVar("T")
LONGEST_SHOWN = 100
MOST_FAULTS = 20  # that one answer lists: what follows is not even looked at
UNDONE = "the playground does not do this"


class Misfit(Exception):
    """A value does not fit: `tree` has the faults by field, so many as `count` says."""

    def __init__(self, tree: Tree, count: int = 1) -> None:
        super().__init__(f"{count} faults")
        self.tree = tree
        self.count = count


def shown(value: object) -> str:
    """Give the beginning of a value, for a sentence about it."""
    text = value if isinstance(value, str) else reprlib.repr(value)  # which goes no further than it shows
    return f"{text[:LONGEST_SHOWN]}…" if len(text) > LONGEST_SHOWN else text


def wrong(code: str, message: str) -> Misfit:
    """Give one fault."""
    return Misfit(leaf(code, message))


class Spec(Protocol):
    """Reads one value; raises Misfit when it does not fit."""

    def read(self, value: object) -> object:
        """Give the value as it is kept."""
        ...


def _required() -> Misfit:
    return wrong("BASE_TYPE_REQUIRED", "This field is required")


@dataclass(frozen=True, slots=True)
class Text:
    """Text of a length between `low` and `high`."""

    low: int = 0
    high: int = 100

    def read(self, value: object) -> str:
        """Give the text."""
        if not isinstance(value, str):
            raise wrong("STRING_TYPE_CONVERT", f'Could not interpret "{shown(value)}" as string.')
        if self.low and not value.strip():
            raise _required()
        if not self.low <= len(value) <= self.high:
            limits = f"between {self.low} and {self.high}" if self.low else f"{self.high} or fewer"
            raise wrong("BASE_TYPE_BAD_LENGTH", f"Must be {limits} in length.")
        return value


@dataclass(frozen=True, slots=True)
class Url:
    """An address of the web, or of a file of the same message."""

    schemes: tuple[str, ...] = ("http://", "https://", "attachment://", "discord://")

    def read(self, value: object) -> str:
        """Give the address."""
        text = Text(1, 2048).read(value)
        if not text.startswith(self.schemes):
            raise wrong("URL_TYPE_INVALID_URL", "Not a well formed URL.")
        return text


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number between `low` and `high`, or its digits."""

    low: int = 0
    high: int = (1 << 31) - 1

    def read(self, value: object) -> int:
        """Give the number."""
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise wrong("NUMBER_TYPE_COERCE", f'Value "{shown(value)}" is not int.')
        if not self.low <= value <= self.high:
            raise wrong("NUMBER_TYPE_MAX", f"int value should be between {self.low} and {self.high}.")
        return int(value)


@dataclass(frozen=True, slots=True)
class Number:
    """Any number between `low` and `high`."""

    low: float = 0.0
    high: float = 1e9

    def read(self, value: object) -> float:
        """Give the number."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong("NUMBER_TYPE_COERCE", f'Value "{shown(value)}" is not a number.')
        if not self.low <= value <= self.high:
            raise wrong("NUMBER_TYPE_MAX", f"The value should be between {self.low:g} and {self.high:g}.")
        return value


class Choice:
    """One of a few numbers or words."""

    def __init__(self, *allowed: int | str) -> None:
        self.allowed = allowed

    def read(self, value: object) -> object:
        """Give it."""
        if isinstance(value, bool) or not isinstance(value, int | str) or value not in self.allowed:
            known = ", ".join(str(int(one)) if isinstance(one, int) else one for one in self.allowed)
            raise wrong("BASE_TYPE_CHOICES", f"Value must be one of ({known}).")
        return value


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false, in a query as a word."""

    def read(self, value: object) -> bool:
        """Give it."""
        if isinstance(value, str) and value.lower() in ("true", "false", "1", "0"):
            return value.lower() in ("true", "1")
        if not isinstance(value, bool):
            raise wrong("BOOLEAN_TYPE_CONVERT", f'Must be either true or false, not "{shown(value)}".')
        return value


@dataclass(frozen=True, slots=True)
class Id:
    """A snowflake."""

    def read(self, value: object) -> str:
        """Give it as text."""
        if not is_snowflake(value):
            raise wrong("NUMBER_TYPE_COERCE", f'Value "{shown(value)}" is not snowflake.')
        return str(value)


@dataclass(frozen=True, slots=True)
class Bits:
    """Permissions as a number or its digits."""

    def read(self, value: object) -> str:
        """Give the digits."""
        if isinstance(value, bool) or not isinstance(value, int | str) or not re.fullmatch("[0-9]{1,20}", str(value)):
            raise wrong("NUMBER_TYPE_COERCE", f'Value "{shown(value)}" is not int.')
        return str(value)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in ISO 8601 with its offset."""

    def read(self, value: object) -> str:
        """Give it in UTC, in the one way of writing it that every client reads."""
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) else None
            if moment is None or moment.tzinfo is None:
                raise ValueError
            return moment.astimezone(UTC).isoformat()
        except (ValueError, OverflowError):  # in UTC it may lie before the first year
            raise wrong("DATE_TYPE_PARSE", f'Could not parse "{shown(value)}". Should be ISO8601.') from None


@dataclass(frozen=True, slots=True)
class Anything:
    """What is looked at elsewhere, because it depends on more than itself."""

    def read(self, value: object) -> object:
        """Give it as it is."""
        return value


@dataclass(frozen=True, slots=True)
class Undone:
    """What Discord does and the playground does not: let pass while it asks for nothing."""

    def read(self, value: object) -> object:
        """Give it, when it is empty."""
        if value:
            raise wrong("NOT_IN_THE_PLAYGROUND", f"Sorry: {UNDONE}.")
        return value


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of `low` to `high` things of one kind; of `item` None, what the list's type says."""

    low: int = 0
    high: int = 25
    item: Spec | None = None

    def read(self, value: object) -> list[object]:
        """Give the list."""
        if not isinstance(value, list):
            raise wrong("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        if not self.low <= len(value) <= self.high:
            limits = f"between {self.low} and {self.high}" if self.low else f"{self.high} or fewer"
            raise wrong("BASE_TYPE_BAD_LENGTH", f"Must be {limits} in length.")
        faults, read = Faults(), []
        for index, item in enumerate(value):
            with faults.of(str(index)):
                read.append(item if self.item is None else self.item.read(item))
        faults.check()
        return read


class Faults:
    """Gathers the faults of several parts."""

    def __init__(self) -> None:
        self.tree: Tree = {}
        self._name = ""
        self._count = 0

    def of(self, name: str) -> "Faults":
        """Name the part that is read next."""
        self._name = name
        return self

    def __enter__(self) -> None:
        """Begin to read it."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        """Keep what was wrong with it; raises what there is when it becomes too much."""
        if not isinstance(error, Misfit):
            return False
        if self._count + error.count > MOST_FAULTS:
            raise Misfit(self.tree, self._count) from None
        self.tree[shown(self._name)] = error.tree
        self._count += error.count
        return True

    def check(self) -> None:
        """Raise everything that was wrong."""
        if self.tree:
            raise Misfit(self.tree, self._count)


@dataclass(frozen=True, slots=True)
class Thing:
    """An object with these fields; those in `needs` must be there, those in `nulls` may be null and stay so."""

    fields: Mapping[str, Spec]
    needs: Collection[str] = ()
    nulls: Collection[str] = ()

    def read(self, value: object) -> dict[str, object]:
        """Give the object; a field that is null and may not be is as good as left out."""
        if not isinstance(value, dict):
            raise wrong("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        faults, read = Faults(), dict[str, object]()
        for name, given in value.items():
            with faults.of(str(name)):
                if name not in self.fields:
                    raise wrong("FIELD_UNKNOWN", "There is no such field.")
                if given is not None:
                    read[name] = self.fields[name].read(given)
                elif name in self.nulls:
                    read[name] = None
        for name in sorted(set(self.needs) - read.keys() - faults.tree.keys()):
            with faults.of(name):
                raise _required()
        faults.check()
        return read


@dataclass(frozen=True, slots=True)
class OneOf:
    """An object whose `type` says which of several kinds it is."""

    kinds: Mapping[int, Spec]

    def read(self, value: object) -> dict[str, object]:
        """Give the object with its type first."""
        if not isinstance(value, dict):
            raise wrong("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        faults = Faults()
        with faults.of("type"):
            Choice(*self.kinds).read(value.get("type"))
        faults.check()
        rest = {name: given for name, given in value.items() if name != "type"}
        return {"type": value["type"]} | cast(dict[str, object], self.kinds[value["type"]].read(rest))


Fields = dict[str, Spec]
Snowflake = Annotated[str, Id()]
Whatever = Annotated[object, Anything()]


class Empty(TypedDict):
    """Nothing at all."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An object whose fields a TypedDict names, which may hold others of its kind."""

    kind: object

    def read(self, value: object) -> object:
        """Give the object."""
        return _thing_of(self.kind).read(value)


@cache
def _thing_of(kind: Any) -> Thing:  # noqa: ANN401 - a TypedDict, which has no type of its own
    hints = {name: _bare(one) for name, one in get_type_hints(kind, include_extras=True).items()}
    nulls = frozenset(name for name, one in hints.items() if _may_be_null(one))
    return Thing({name: spec_of(one) for name, one in hints.items()}, kind.__required_keys__, nulls)


def spec_of(hint: object) -> Spec:
    """Give what a type asks for: a TypedDict's fields, a list's items, or the limits that are annotated."""
    if is_typeddict(hint):
        return Shape(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind, spec = _without_null(args[0]), args[1]
        if isinstance(spec, ListOf) and spec.item is None and get_args(kind):
            return ListOf(spec.low, spec.high, spec_of(get_args(kind)[0]))
        return cast(Spec, spec)
    if origin in (Union, types.UnionType):
        return spec_of(_without_null(hint))
    if origin is list:
        return ListOf(item=spec_of(args[0]))
    plain: dict[object, Spec] = {bool: Truth(), int: Whole(), str: Text()}
    return plain[hint]


def _without_null(hint: object) -> object:
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    return next(one for one in get_args(hint) if one is not type(None))


def _bare(hint: object) -> object:
    return get_args(hint)[0] if get_origin(hint) in (Required, NotRequired) else hint


def _may_be_null(hint: object) -> bool:
    union = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return type(None) in get_args(union)


def read(kind: type[T], value: object, *at: str) -> T:
    """Read a value as a type; raises ApiError with all its faults, below the path `at`."""
    return cast(T, fitted(spec_of(kind), value, *at))


def fitted(spec: Spec, value: object, *at: str) -> Any:  # noqa: ANN401 - each spec gives its own type
    """Read a value by a spec; raises ApiError with all its faults, below the path `at`."""
    try:
        return spec.read(value)
    except Misfit as misfit:
        tree = misfit.tree
        for part in reversed(at):
            tree = {part: tree}
        raise ApiError(400, 50035, fields=tree) from None


def changed(row: T, form: Mapping[str, object]) -> T:
    """Give a row with the fields of a form that has the same names."""
    return cast(T, {**cast(Mapping[str, object], row), **form})
