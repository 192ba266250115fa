"""What the console serves, described for programs: OpenAPI 3.1, made from the very routes that are served."""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from bot.console.routes import LARGEST_NUMBER, NUMBERS, PLACE, Route, Schema

TITLE: Final = "Selfroom's console"
PROBLEM: Final = "application/problem+json"
REFUSALS: Final = {
    HTTPStatus.BAD_REQUEST: "What was said cannot be used.",
    HTTPStatus.UNAUTHORIZED: "There is no session, or it has ended; the token opens nothing.",
    HTTPStatus.FORBIDDEN: "The rules, or Discord, do not allow it to who asks; nothing has changed.",
    HTTPStatus.NOT_FOUND: "There is no such thing, or it is not for who asks.",
    HTTPStatus.METHOD_NOT_ALLOWED: "By this method nothing is asked there.",
    HTTPStatus.REQUEST_TIMEOUT: "It took too long to say it.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "More was said than is read.",
    HTTPStatus.TOO_MANY_REQUESTS: "It was asked too often.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong inside Selfroom; its log tells what.",
    HTTPStatus.SERVICE_UNAVAILABLE: "It cannot be done just now.",
}
PROBLEM_SCHEMA: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what to do, in one sentence."},
    },
}
SECURITY: Final[list[dict[str, list[str]]]] = [{"token": []}, {"session": [], "proof": []}]


def described(routes: Sequence[Route], version: str, cookie: str, proof: str) -> dict[str, object]:
    """Describe what is served; everything in it follows from the routes."""
    paths: dict[str, dict[str, object]] = {}
    schemas: dict[str, object] = {"Problem": PROBLEM_SCHEMA}
    for route in routes:
        paths.setdefault(f"/api/v1{route.path}", {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": version},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "Of `selfroom token create`."},
                "session": {"type": "apiKey", "in": "cookie", "name": cookie},
                "proof": {"type": "apiKey", "in": "header", "name": proof},
            },
        },
        "security": SECURITY,
    }


def _operation(route: Route, schemas: dict[str, object]) -> dict[str, object]:
    refused = {str(int(status)): _refusal(words) for status, words in REFUSALS.items()}
    told: dict[str, object] = {
        "operationId": PLACE.sub(r"by_\1", f"{route.method.lower()}{route.path}").replace("/", "_"),
        "summary": route.about,
        "description": f"Scope of a token: `{route.scope}`.",
        "parameters": list(_parameters(route)),
        "responses": {str(route.status): _answer(route, schemas), **refused},
    }
    if route.body is not None:
        told["requestBody"] = {"required": True, "content": {route.takes: {"schema": _schema(route.body, schemas)}}}
    elif route.takes != "application/json":
        told["requestBody"] = {"required": True, "content": {route.takes: {}}}
    return told


def _schema(told: Any, schemas: dict[str, object], mode: JsonSchemaMode = "validation") -> Schema:  # noqa: ANN401 - a type
    """Describe a type, whose parts come into `schemas`; raises LookupError where two of them have one name."""
    made = TypeAdapter(told).json_schema(mode=mode, ref_template="#/components/schemas/{model}")
    parts = made.pop("$defs", {})
    if "title" in made:
        parts[made["title"]] = made
        made = {"$ref": f"#/components/schemas/{made['title']}"}
    for name, part in parts.items():
        if mode == "serialization" and "properties" in part:
            part["additionalProperties"] = False  # what is told has no key that is not described
        if "const" in part.get("properties", {}).get("type", {}):
            part["required"] = sorted({*part.get("required", []), "type"})  # an action is told by it
        if schemas.setdefault(name, part) != part:
            raise LookupError(f"two things are described as {name}: give one another name")
    return made


def _parameters(route: Route) -> Iterator[dict[str, object]]:
    for name in PLACE.findall(route.path):
        number = {"type": "integer", "minimum": 0, "maximum": NUMBERS.get(name, LARGEST_NUMBER)}
        yield {"name": name, "in": "path", "required": True, "schema": number}
    for name, words in route.query.items():
        yield {"name": name, "in": "query", "description": words, "schema": {"type": "string"}}


def _answer(route: Route, schemas: dict[str, object]) -> dict[str, object]:
    if route.status == HTTPStatus.NO_CONTENT:
        return {"description": route.about}
    shape = {"schema": _schema(route.gives, schemas, "serialization")} if route.gives is not None else {}
    return {"description": route.about, "content": {route.content: shape}}


def _refusal(words: str) -> dict[str, object]:
    return {"description": words, "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
