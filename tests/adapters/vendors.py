"""Doubles of Anthropic's and Google's servers, held to the shapes that the vendors' own libraries publish."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import TypeAdapter

from tests.fakes import WordTokenizer

Json = dict[str, Any]
MOST_UNIONS, MOST_OPTIONAL = 16, 24
LEAST_CACHED, LOOKED_BACK, MOST_MARKS = 1_024, 20, 4
OURS = "sk-ant-ours"


# The vendors' libraries take a second each to load, which who only lists the tests has no need of.


@cache
def request_of_anthropic() -> TypeAdapter[Any]:
    from anthropic.types.message_create_params import MessageCreateParamsStreaming

    return TypeAdapter(MessageCreateParamsStreaming)


@cache
def event_of_anthropic() -> TypeAdapter[Any]:
    from anthropic.types import RawMessageStreamEvent

    return TypeAdapter(RawMessageStreamEvent)


def refused_of(body: Json) -> str:
    """Say what of a request's schema Anthropic does not take."""
    schema = body.get("output_config", {}).get("format", {}).get("schema", {})
    inner = list(_within(schema))
    if any("maxItems" in one for one in inner):
        return "output_config.format.schema: For 'array' type, property 'maxItems' is not supported"
    unions = sum("anyOf" in one or isinstance(one.get("type"), list) for one in inner)
    if unions > MOST_UNIONS:
        return f"Schemas contains too many parameters with union types ({unions} parameters with type arrays or anyOf)"
    objects = [one for one in inner if isinstance(one.get("properties"), dict)]
    optional = sum(len(one["properties"]) - len(one.get("required", [])) for one in objects)
    return f"Schemas contains too many optional parameters ({optional})" if optional > MOST_OPTIONAL else ""


def _within(part: Any) -> Iterator[Json]:  # noqa: ANN401
    if isinstance(part, dict):
        yield part
    for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _within(one)


def tokens_of(block: Json) -> int:
    return WordTokenizer().count(json.dumps(block))


def opened(block: Json) -> tuple[Json, list[Json]]:
    """Give a block as it is begun, and what comes of it then."""
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
        case "thinking":
            thought = {"type": "thinking_delta", "thinking": block["thinking"]}
            return {"type": "thinking", "thinking": "", "signature": ""}, [
                thought,
                {"type": "signature_delta", "signature": "s"},
            ]
        case _:
            given = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            return {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {}}, [given]


@dataclass
class Anthropic:
    """It answers as it is told, and keeps beginnings as Anthropic does: whole blocks, where a mark is."""

    answer: list[Json] = field(default_factory=lambda: [{"type": "text", "text": '{"responses": []}'}])
    stop_reason: str = "end_turn"
    explanation: str | None = None
    problem: tuple[int, str, str] | None = None  # status, kind, words
    breaks: tuple[str, str] | None = None  # an error in the middle of the stream
    refuses: Callable[[Json], str] = lambda _: ""
    bodies: list[Json] = field(default_factory=list)
    usages: list[Json] = field(default_factory=list)
    url: str = ""
    _kept: set[str] = field(default_factory=set)

    async def take(self, request: web.Request) -> web.StreamResponse:
        assert request.headers["anthropic-version"]
        body = await request.json()
        request_of_anthropic().validate_python(body)
        self.bodies.append(body)
        if request.headers.get("Authorization") != f"Bearer {OURS}":
            return self.no(401, "authentication_error", "invalid key")
        if self.problem is not None:
            return self.no(*self.problem)
        if words := self.refuses(body) or refused_of(body):
            return self.no(400, "invalid_request_error", words)
        used = self.used(body)
        self.usages.append(used)
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(request)
        for event in self.events(used):
            event_of_anthropic().validate_python(event)
            await stream.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            if self.breaks is not None and event["type"] == "content_block_stop":
                kind, words = self.breaks
                error = {"type": "error", "error": {"type": kind, "message": words}}
                await stream.write(f"event: error\ndata: {json.dumps(error)}\n\n".encode())
                return stream
        return stream

    def no(self, status: int, kind: str, words: str) -> web.Response:
        body = {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}
        return web.json_response(body, status=status, headers={"retry-after": "7"})

    def events(self, used: Json) -> list[Json]:
        empty: Json = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": []}
        begun = empty | {"stop_reason": None, "stop_sequence": None, "usage": used | {"output_tokens": 1}}
        events: list[Json] = [{"type": "message_start", "message": begun}]
        for number, block in enumerate(self.answer):
            blank, deltas = opened(block)
            events.append({"type": "content_block_start", "index": number, "content_block": blank})
            events += [{"type": "content_block_delta", "index": number, "delta": one} for one in deltas]
            events.append({"type": "content_block_stop", "index": number})
        details = {"type": "refusal", "category": None, "explanation": self.explanation}
        end: Json = {"stop_reason": self.stop_reason, "stop_sequence": None}
        end |= {"stop_details": details} if self.stop_reason == "refusal" else {}
        return [
            *events,
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 20}},
            {"type": "message_stop"},
        ]

    def used(self, body: Json) -> Json:
        """Count what is read from what was kept: the longest beginning within sight of a mark."""
        blocks = [*body["system"], *body["messages"][0]["content"]]
        marks = [number for number, block in enumerate(blocks) if "cache_control" in block]
        assert len(marks) <= MOST_MARKS
        sizes = [tokens_of(block) for block in blocks]
        beginnings = [json.dumps([one.get("text") for one in blocks[: n + 1]]) for n in range(len(blocks))]
        seen = [
            n for mark in marks for n in range(mark, max(-1, mark - LOOKED_BACK), -1) if beginnings[n] in self._kept
        ]
        read = sum(sizes[: max(seen) + 1]) if seen else 0
        wrote = 0
        for mark in marks:
            if (size := sum(sizes[: mark + 1])) >= LEAST_CACHED and beginnings[mark] not in self._kept:
                self._kept.add(beginnings[mark])
                wrote = size - read
        fresh = sum(sizes) - read - wrote
        return {
            "input_tokens": fresh,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": wrote,
            "output_tokens": 20,
        }


@dataclass
class Google:
    """It answers with the parts that it is told, a chunk each."""

    parts: list[Json] = field(default_factory=lambda: [{"text": '{"responses": []}'}])
    finish: str = "STOP"
    thoughts: int = 30  # tokens, which count as a part of the answer
    blocked: str | None = None
    problem: tuple[int, str, str] | None = None
    refuses: Callable[[Json], str] = lambda _: ""
    bodies: list[Json] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""

    async def take(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.paths.append(request.path)
        if request.headers.get("x-goog-api-key") != OURS:
            return self.no(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
        if self.problem is not None:
            return self.no(*self.problem)
        if words := self.refuses(body):
            return self.no(400, "INVALID_ARGUMENT", words)
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(request)
        from google.genai.types import GenerateContentResponse

        for chunk in self.chunks(body["generationConfig"]["maxOutputTokens"]):
            GenerateContentResponse.model_validate(chunk)
            await stream.write(f"data: {json.dumps(chunk)}\r\n\r\n".encode())
        return stream

    def no(self, status: int, kind: str, words: str) -> web.Response:
        error: Json = {"code": status, "message": words, "status": kind}
        if kind == "RESOURCE_EXHAUSTED":
            error["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "35s"}]
        return web.json_response({"error": error}, status=status)

    def chunks(self, most: int) -> list[Json]:
        used = {
            "promptTokenCount": 2_000,
            "cachedContentTokenCount": 1_500,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": min(self.thoughts, most),
            "totalTokenCount": 2_050,
        }
        base: Json = {"responseId": "resp-1", "modelVersion": "gemini-2.5-flash", "usageMetadata": used}
        if self.blocked is not None:
            return [base | {"promptFeedback": {"blockReason": self.blocked}}]
        if self.thoughts >= most:
            return [base | {"candidates": [{"index": 0, "finishReason": "MAX_TOKENS"}]}]
        chunks = [
            base | {"candidates": [{"index": 0, "content": {"role": "model", "parts": [one]}}]} for one in self.parts
        ]
        return [*chunks, base | {"candidates": [{"index": 0, "finishReason": self.finish}]}]


@asynccontextmanager
async def running(there: Anthropic | Google) -> AsyncIterator[str]:
    """Run a double on a free port; gives its address."""
    app = web.Application()
    app.router.add_post("/{rest:.*}", there.take)
    server = TestServer(app)
    async with server:
        there.url = str(server.make_url("")).rstrip("/")
        yield there.url
