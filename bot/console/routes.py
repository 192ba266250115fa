"""What the console is asked: each request with what it takes and gives, so that it can be served and described."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.console.standing import Asker
from bot.console.turns import READ_SECONDS
from bot.core.errors import BadSetting
from bot.core.knowledge import values_in

Told = Callable[[Asker, web.Request], Awaitable[object]]
Schema = Mapping[str, object]
M = TypeVar("M", bound=BaseModel)
LARGEST_BODY: Final = 300_000  # bytes: a run's description is the longest
MOST_VALUES: Final = 10_000  # in it, as a whole mind has: each takes time on the loop, however short it is
TOO_MANY_VALUES: Final = f"That holds more than {MOST_VALUES:,} values: say less at a time."
LARGEST_NUMBER: Final = 999_999_999
NUMBERS: Final[Mapping[str, int]] = {"message": 2**63 - 1}  # Discord's are longer than ours
DIGITS: Final[Mapping[str, str]] = {"message": "[0-9]{1,20}"}
PLACE: Final = re.compile(r"{(\w+)}")


class Scope(StrEnum):
    """What a token may do; a session may do all of it."""

    READ = "read"
    RUN = "run"  # begin runs, and what else is done with them
    MANAGE = "manage"  # whatever else changes something


class Given(BaseModel):
    """What a request says; a key that is not known is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One request: `body` is read by who answers; `gives`: what the answer looks like; `query`: what may be asked."""

    path: str  # below /api/v1, with {names} of numbers
    told: Told
    about: str
    method: str = "GET"
    scope: Scope = Scope.READ
    body: type[BaseModel] | None = None
    takes: str = "application/json"
    query: Mapping[str, str] = field(default_factory=dict)  # by name what it is
    gives: object = None  # a type, of `bot.console.shapes`
    is_large: bool = False  # what is said or given: one of a server at a time
    content: str = "application/json"
    status: int = 200

    @property
    def served_at(self) -> str:
        """Give the path with what each of its numbers looks like."""
        return PLACE.sub(lambda one: f"{{{one[1]}:{DIGITS.get(one[1], '[0-9]{1,9}')}}}", self.path)


async def read_body(request: web.Request, kind: type[M]) -> M:
    """Read what a request says; raises BadSetting with the first thing that is wrong."""
    try:
        return kind.model_validate(await read_json(request))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise BadSetting(f"`{where}`: {first['msg'].removeprefix('Value error, ')}.") from error


async def read_json(request: web.Request, most: int = LARGEST_BODY) -> Any:  # noqa: ANN401 - whatever they say
    """Read JSON of at most so many bytes and values; raises BadSetting for what is none."""
    try:
        value = json.loads(await read_bytes(request, most), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadSetting("Say it as JSON, in UTF-8.") from error
    if values_in(value) > MOST_VALUES:
        raise BadSetting(TOO_MANY_VALUES)
    return value


async def read_bytes(request: web.Request, most: int) -> bytes:
    """Read a body of at most so many bytes, which has to come in time."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await request.clone(client_max_size=most).read()
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="It took too long to say this: try again.") from None


def _no_number(text: str) -> object:
    raise ValueError(text)
