"""Column types in which both databases keep the same values: moments, money, free text and packed text."""

import base64
import json
import zlib
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import BigInteger, DateTime, LargeBinary, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from bot.core.records import Json
from bot.core.spending import PICO_USD

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """Give microseconds since 1970; raises ValueError for a naive datetime."""
    if moment.tzinfo is None:
        raise ValueError("times must be aware: give them a time zone")
    return (moment - EPOCH) // MICROSECOND


def from_microseconds(microseconds: int) -> datetime:
    """Give the aware UTC datetime back: exactly until the year 2240."""
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)


class UtcTime(TypeDecorator[datetime]):
    """An aware UTC datetime: PostgreSQL's own type, microseconds since 1970 on SQLite."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:  # one each database
        if dialect.name == "postgresql":
            return dialect.type_descriptor(DateTime(timezone=True))
        return dialect.type_descriptor(BigInteger())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> object:
        if value is None or dialect.name == "postgresql":
            return cast(Json, value)
        return to_microseconds(value)

    def process_result_value(self, value: object, dialect: Dialect) -> datetime | None:
        return from_microseconds(value) if isinstance(value, int) else cast(datetime | None, value)


class Usd(TypeDecorator[Decimal]):
    """Money as a whole number of pico-USD, so that both databases add it up exactly."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        return None if value is None else int((value / PICO_USD).to_integral_value())

    def process_result_value(self, value: object, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(cast(int, value)) * PICO_USD


def storable(text: str) -> str:
    """Give the text without what PostgreSQL or UTF-8 cannot hold (NUL, halves of surrogate pairs)."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


class Prose(TypeDecorator[str]):
    """Text that people and models wrote: any Unicode."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


@lru_cache(maxsize=8)  # agents that were answered in one call keep the same text
def packed(text: str) -> bytes:
    """Compress a text."""
    return zlib.compress(text.encode("utf-8", "replace"), 6)


class Packed(TypeDecorator[str]):
    """Long text, compressed."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return packed(value) if value else None

    def process_result_value(self, value: object, dialect: Dialect) -> str:
        return zlib.decompress(cast(bytes, value)).decode() if value else ""


def to_json(value: object) -> str:
    """Give compact JSON in the order of its keys as they were written."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() or _encodes(text) else json.dumps(value, separators=(",", ":"))


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Document(TypeDecorator[object]):
    """A JSON value as text: PostgreSQL's jsonb would reorder an agent's keys and refuse `\\u0000`."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        return None if value is None else to_json(value)

    def process_result_value(self, value: object, dialect: Dialect) -> object:
        return None if value is None else json.loads(cast(str, value))


def to_plain(value: object) -> Json:
    """Give a column's value as JSON can hold it."""
    match value:
        case datetime() | date():
            return value.isoformat()
        case Decimal():
            return str(value)
        case bytes():
            return base64.b64encode(value).decode()
        case _:
            return cast(Json, value)
