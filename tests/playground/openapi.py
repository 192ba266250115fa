"""Holds every request of a bot and every answer of the playground against Discord's own description."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from bot.playground.rest.exchange import Exchange, Observer
from bot.playground.server import api_routes
from tests.playground.differences import NOT_DESCRIBED, is_known_difference
from tests.playground.routing import find

DESCRIPTION = Path(__file__).parents[2].parent / "shared" / "discord" / "openapi.json"
MISSING = f"Discord's OpenAPI description is not there ({DESCRIPTION.name} beside the repository, under shared)"

JSON = "application/json"


@cache
def _description() -> dict[str, Any]:
    described: dict[str, Any] = json.loads(DESCRIPTION.read_text())
    return described


@cache
def _registry() -> Registry[Any]:
    described = DRAFT202012.create_resource(_description())
    registry: Registry[Any] = Registry().with_resource("urn:discord", described)
    return registry


def _pattern(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path)


@cache
def _operations() -> dict[str, dict[str, Any]]:
    paths = _description()["paths"].items()
    return {f"{method.upper()} {_pattern(path)}": op for path, item in paths for method, op in item.items()}


@cache
def _validator(pointer: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"urn:discord#{pointer}"}, registry=_registry())


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")


@dataclass(slots=True)
class OpenApiCheck:
    """An observer of a playground that remembers what did not fit the description."""

    violations: list[str] = field(default_factory=list)
    checked: int = 0

    def __call__(self, exchange: Exchange) -> None:
        """Check one exchange."""
        if exchange.route is None or exchange.route.name in NOT_DESCRIBED:
            return
        name = f"{exchange.method} {_pattern(exchange.route.path)}"
        where = _where(name)
        if where is None:
            self.violations.append(f"{name} is not described")
            return
        self.checked += 1
        if exchange.by_bot and exchange.status < 400 and exchange.request is not None:
            self._validate(exchange, "request", _request_schema(name, where), exchange.request)
        key = _response_key(name, exchange.status)
        if key is None and exchange.status < 500:
            self.violations.append(f"{name} answers {exchange.status}, which is not described")
        elif key is not None:
            self._validate(exchange, "response", _response_schema(name, where, key), exchange.response)

    def _validate(self, exchange: Exchange, side: str, pointer: str | None, body: object) -> None:
        route = exchange.route.name if exchange.route else exchange.path
        if pointer is None:
            if body not in (None, {}):
                self.violations.append(f"{side} of {route} ({exchange.status}): there should be no body")
            return
        found = [
            cause
            for place, part in _parts(pointer, body)
            for cause in _faults(place, part, with_values=side == "request")
            if not is_known_difference(side, route, cause)
        ]
        self.violations += [f"{side} of {route} ({exchange.status}): {_worded(cause)}" for cause in found]

    def assert_clean(self) -> None:
        """Fail with everything that did not fit."""
        assert not self.violations, "\n".join(dict.fromkeys(self.violations))


def _parts(pointer: str, body: object) -> Iterator[tuple[str, object]]:
    """Give a list item by item, so that a page of like messages costs as much as one."""
    schema = _at(pointer)
    if isinstance(body, list) and "items" in schema:
        for item in body:
            yield f"{pointer}/items", item
    else:
        yield pointer, body


@cache
def _at(pointer: str) -> dict[str, Any]:
    found: Any = _description()
    for part in pointer.strip("/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found  # type: ignore[no-any-return]


# What has been found in order, by place and shape: the same need not be looked at again.
_IN_ORDER: set[tuple[str, object]] = set()
# Numbers that decide what a thing is; of all else in an answer only the type counts.
TELLING = ("type", "style", "component_type", "spacing", "format_type")


def _shape(body: object) -> object:
    if isinstance(body, dict):
        telling = {key: value for key, value in body.items() if key in TELLING and isinstance(value, int)}
        return frozenset((key, telling.get(key, _shape(value))) for key, value in body.items())
    if isinstance(body, list):
        return frozenset(map(_shape, body))
    return type(body)


def _faults(pointer: str, body: object, *, with_values: bool) -> list[ValidationError]:
    """Give what is wrong; requests are always looked at, values and all."""
    shape = (pointer, None if with_values else _shape(body))
    if not with_values and shape in _IN_ORDER:
        return []
    faults = [cause for error in _validator(pointer).iter_errors(body) for cause in _causes(error)]
    if not faults and not with_values:
        _IN_ORDER.add(shape)
    return faults


def _causes(error: ValidationError) -> Iterator[ValidationError]:
    """Give the faults behind a fault: of alternatives the one that comes closest."""
    if error.validator in ("oneOf", "anyOf") and error.context:
        branches: dict[object, list[ValidationError]] = {}
        for inner in error.context:
            branches.setdefault(inner.schema_path[0], []).append(inner)
        for inner in min(branches.values(), key=_distance):
            yield from _causes(inner)
        return
    yield error


def _distance(branch: list[ValidationError]) -> tuple[bool, int, int]:
    """Say how far a body is from one alternative: another kind of thing is farther than a faulty field."""
    other_kind = any((fault.path and fault.path[-1] == "type") or fault.validator == "type" for fault in branch)
    return other_kind, len(branch), -max(len(fault.path) for fault in branch)


def _worded(error: ValidationError) -> str:
    return f"{error.json_path}: {error.message[:200]} [{error.validator}]"


@cache
def _where(name: str) -> str | None:
    method = name.split(" ")[0].lower()
    for path, item in _description()["paths"].items():
        if method in item and f"{method.upper()} {_pattern(path)}" == name:
            return f"/paths/{_escaped(path)}/{method}"
    return None


@cache
def _request_schema(name: str, where: str) -> str | None:
    content = _operations()[name].get("requestBody", {}).get("content", {})
    return f"{where}/requestBody/content/{_escaped(JSON)}/schema" if JSON in content else None


@cache
def _response_key(name: str, status: int) -> str | None:
    responses = _operations()[name]["responses"]
    return next((key for key in (str(status), f"{status // 100}XX", "default") if key in responses), None)


@cache
def _response_schema(name: str, where: str, key: str) -> str | None:
    described = _operations()[name]["responses"][key]
    if "$ref" in described:
        pointer = str(described["$ref"]).removeprefix("#")
        return f"{pointer}/content/{_escaped(JSON)}/schema"
    if JSON not in described.get("content", {}):
        return None
    return f"{where}/responses/{key}/content/{_escaped(JSON)}/schema"


def exchange(method: str, path: str, *, status: int = 200, request: object = None, response: object = None) -> Exchange:
    """Give an exchange as a bot would have had it."""
    found = find(api_routes(), method, path)
    return Exchange(
        method=method,
        path=path,
        route=found[0] if found else None,
        query={},
        by_bot=True,
        request=request,
        status=status,
        response=response,
    )


@contextmanager
def held_to_the_description() -> Iterator[list[Observer]]:
    """Give the observers to pass to a playground; at the end everything has to have fitted."""
    if not DESCRIPTION.exists():
        yield []
        return
    check = OpenApiCheck()
    yield [check]
    check.assert_clean()


@pytest.fixture
def openapi() -> Iterator[OpenApiCheck]:
    """Give a check to pass as an observer; the test fails at its end if something did not fit."""
    if not DESCRIPTION.exists():
        pytest.skip(MISSING)
    check = OpenApiCheck()
    yield check
    check.assert_clean()
