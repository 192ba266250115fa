"""A request to either endpoint, read into one record; a strict schema as the vendor would accept or refuse it."""

import json
import re
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from bot.core.hud.formats.document import Document
from bot.core.hud.values import fields
from bot.core.records import Json
from bot.standin.problems import Problem, bad_request, no_such_model
from bot.standin.schema import Schema

Endpoint = Literal["responses", "chat"]

NO_TEMPERATURE = re.compile(r"^(o\d|gpt-5(-mini|-nano)?($|-20))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked: `text` is everything sent, in order; `schema` is what the answer must look like."""

    endpoint: Endpoint
    model: str
    text: str
    schema: Document | None = None
    schema_name: str | None = None
    json_wanted: bool = False
    strict: bool = False
    stream: bool = False
    usage_in_stream: bool = False
    cache_key: str | None = None
    max_output_tokens: int | None = None
    body: Document = field(default_factory=dict)

    @property
    def prompt(self) -> str:
        """What is counted as input: the schema comes before the text, as it does for a real model."""
        return (json.dumps(self.schema, ensure_ascii=False) if self.schema else "") + self.text


def read_question(body: Json, endpoint: Endpoint) -> Question:
    """Check a request's body and read it; raises `Problem` as the real service would."""
    if not isinstance(body, dict):
        raise bad_request("The body of your request must be a JSON object.")
    model = model_of(body, endpoint)
    check_temperature(body, model)
    text = responses_text(body) if endpoint == "responses" else chat_text(body)
    form = form_of(body, endpoint)
    schema, name, strict = schema_of(form)
    check_form(form, text, endpoint)
    return Question(
        endpoint=endpoint,
        model=model,
        text=text,
        schema=schema,
        schema_name=name,
        json_wanted=form.get("type") in ("json_schema", "json_object"),
        strict=strict,
        stream=body.get("stream") is True,
        usage_in_stream=bool(fields(body.get("stream_options")).get("include_usage")),
        cache_key=text_or_none(body.get("prompt_cache_key")),
        max_output_tokens=limit_of(body, endpoint),
        body=body,
    )


def model_of(body: Document, endpoint: Endpoint) -> str:
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise bad_request("you must provide a model parameter", param="model")
    if model == "missing-model":
        raise no_such_model(model, endpoint=endpoint)
    return model


def check_temperature(body: Document, model: str) -> None:
    value = body.get("temperature")
    if value is None:
        return
    if not isinstance(value, int | float) or not 0 <= value <= 2:
        raise bad_request("Invalid 'temperature': expected a number from 0 to 2.", param="temperature")
    if NO_TEMPERATURE.match(model) and value != 1:
        message = "Unsupported parameter: 'temperature' is not supported with this model."
        raise bad_request(message, param="temperature", code="unsupported_parameter")


def form_of(body: Document, endpoint: Endpoint) -> Document:
    form = fields(body.get("text")).get("format") if endpoint == "responses" else body.get("response_format")
    return form if isinstance(form, dict) else {"type": "text"}


def schema_of(form: Document) -> tuple[Document | None, str | None, bool]:
    """The schema, its name and whether it is strict: Responses has them flat, chat nests them."""
    if form.get("type") != "json_schema":
        return None, None, False
    held = fields(form.get("json_schema")) or form
    schema = held.get("schema")
    if not isinstance(schema, dict):
        raise missing("schema")
    return schema, text_or_none(held.get("name")), held.get("strict") is True


def text_or_none(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def check_form(form: Document, text: str, endpoint: Endpoint) -> None:
    schema, name, strict = schema_of(form)
    if schema is not None and not name:
        raise missing("name")
    if schema is not None and strict:
        complaint = complaint_about(schema)
        if complaint:
            message = f"Invalid schema for response_format '{name}': {complaint}"
            raise bad_request(message, param="response_format", code="invalid_json_schema")
    if form.get("type") == "json_object" and "json" not in text.lower():
        part = "messages" if endpoint == "chat" else "input"
        message = f"'{part}' must contain the word 'json' in some form, to use 'json_object'."
        raise bad_request(message, param=part)


def limit_of(body: Document, endpoint: Endpoint) -> int | None:
    name = "max_output_tokens"
    if endpoint == "chat":
        name = "max_completion_tokens" if body.get("max_completion_tokens") is not None else "max_tokens"
    least = 16 if endpoint == "responses" else 1
    limit = body.get(name)
    if limit is not None and (not isinstance(limit, int) or limit < least):
        message = f"Invalid '{name}': expected a whole number >= {least}, but got {reprlib.repr(limit)} instead."
        raise bad_request(message, param=name, code="integer_below_min_value")
    return limit


def responses_text(body: Document) -> str:
    asked = body.get("input")
    if asked is None:
        raise missing("input")
    parts = [text_or_none(body.get("instructions")) or ""]
    parts += [text_of(item) for item in asked] if isinstance(asked, list) else [text_of(asked)]
    return "\n".join(part for part in parts if part)


def chat_text(body: Document) -> str:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise missing("messages")
    return "\n".join(text_of(message) for message in messages)


def text_of(item: Json) -> str:
    """The words of one message: its content is a text or a list of parts; pictures have none."""
    if not isinstance(item, dict):
        return item if isinstance(item, str) else ""
    content = item.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def missing(param: str) -> Problem:
    message = f"Missing required parameter: '{param}'."
    return bad_request(message, param=param, code="missing_required_parameter")


FORBIDDEN = ("oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")
MAX_DEPTH = 10
MAX_PROPERTIES = 5_000


def complaint_about(given: Mapping[str, object]) -> str | None:
    """Say the first thing that is wrong with a strict schema, or None when it would be accepted."""
    schema = cast(Schema, given)
    if schema.get("type") != "object":
        return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'."
    properties = 0
    for where, part, depth in walk(schema, ()):
        wrong = fault_of(part)
        if wrong:
            return f"In context={where!r}, {wrong}"
        properties += len(part.get("properties", {}))
        if depth > MAX_DEPTH:
            return f"In context={where!r}, schema exceeds the limit of {MAX_DEPTH} levels of nesting."
    if properties > MAX_PROPERTIES:
        return f"schema has more than {MAX_PROPERTIES} properties."
    return None


def fault_of(part: Schema) -> str | None:
    for word in FORBIDDEN:
        if word in part:
            return f"'{word}' is not permitted."
    if "$ref" in part and len(part) > 1:
        return f"$ref cannot have keywords {sorted(set(part) - {'$ref'})}."
    if "properties" not in part and part.get("type") != "object":
        return None
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    absent = [name for name in part.get("properties", {}) if name not in part.get("required", [])]
    if absent:
        return f"'required' is required to be an array with every key in properties. Missing '{absent[0]}'."
    return None


def walk(part: Schema, where: tuple[str, ...], depth: int = 1) -> Iterator[tuple[tuple[str, ...], Schema, int]]:
    """Every schema inside a schema, with the path to it and how many objects and lists it is deep."""
    yield where, part, depth
    for key, child in part.get("properties", {}).items():
        yield from walk(child, (*where, "properties", key), depth + 1)
    for key, child in (part.get("$defs", {}) | part.get("definitions", {})).items():
        yield from walk(child, (*where, "$defs", key), 1)
    for index, child in enumerate(part.get("anyOf", [])):
        yield from walk(child, (*where, "anyOf", str(index)), depth)
    if isinstance(part.get("items"), dict):
        yield from walk(part["items"], (*where, "items"), depth)
