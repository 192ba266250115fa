"""Claude natively, by Anthropic's own library: prompt caching, strict answers, stop reasons and refusals."""

import asyncio
from collections import OrderedDict
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

import httpx2
from openai import OpenAIError

from bot.adapters.llm.faults import Lost, Told, asked_for
from bot.adapters.llm.ladder import Known, Seen
from bot.adapters.llm.listening import Piece, Pieces
from bot.adapters.llm.responses import Fields, fields, words
from bot.adapters.llm.usage import usage_of
from bot.core.errors import ModelRefused
from bot.core.models import ModelAnswer, ModelCall, VoiceMessage
from bot.core.records import Json, Usage
from bot.core.schema import of_few_unions

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

ADDRESS: Final = "https://api.anthropic.com"
ENDED: Final = frozenset({"end_turn", "stop_sequence", "tool_use"})
ANSWER_TOOL: Final = "answer"
STATUS_OF: Final = {  # of errors that come in a stream, where the status was 200
    "authentication_error": 401,
    "billing_error": 402,
    "invalid_request_error": 400,
    "not_found_error": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "timeout_error": 504,
}
LEAST_GROWN: Final = 120  # characters: for less no new mark is set
MOST_ENDS: Final = 50  # then an input is cut anew, which costs one reading
ASKERS_KEPT: Final = 200
MOST_KEPT: Final = 8_000_000  # characters of what they were shown: how much that is anybody sets


class ClaudeLine:
    """Anthropic's client, which is loaded when it is first asked."""

    is_known = True
    errors: tuple[type[Exception], ...] = (Told, OpenAIError, httpx2.HTTPError)
    broken: tuple[type[Exception], ...] = (Told, Lost, httpx2.HTTPError)

    def __init__(self, *, base_url: str | None, api_key: str, seconds: float, http: httpx2.AsyncClient) -> None:
        self.address = (base_url or ADDRESS).rstrip("/")
        self._api_key = api_key
        self._seconds = seconds
        self._http = http
        self._client: AsyncAnthropic | None = None
        self._beginnings = Beginnings()

    async def pieces(self, model: str, call: ModelCall, known: Known, place: int | None) -> Pieces:
        anthropic: ModuleType = await asyncio.to_thread(import_module, "anthropic")  # it takes a second to load
        request = self._request(model, call, known)
        used = Usage()
        try:
            asked, kind = self._opened(anthropic), anthropic.AsyncStream[object]
            stream = await asked.post("/v1/messages", body=request, cast_to=object, stream=True, stream_cls=kind)
            async with stream:
                async for one in stream:  # as plain JSON: the library's shapes take long to find
                    event = fields(one)
                    if event.get("type") == "message_start":
                        used = _usage(fields(fields(event["message"]).get("usage")), used)
                    elif event.get("type") == "message_delta":
                        used = _usage(fields(event.get("usage")), used)
                    yield _piece(event, used)
        except anthropic.APIConnectionError as error:
            raise (error.__cause__ if isinstance(error.__cause__, httpx2.HTTPError) else Lost(str(error))) from error
        except anthropic.APIStatusError as error:
            raise _told(error.status_code, error.body, error.message, error.response) from error
        except anthropic.AnthropicError as error:
            raise Lost(str(error)) from error

    def _opened(self, anthropic: ModuleType) -> "AsyncAnthropic":
        if self._client is None:
            made: AsyncAnthropic = anthropic.AsyncAnthropic(
                api_key=self._api_key,
                base_url=self.address,
                timeout=httpx2.Timeout(self._seconds, connect=min(self._seconds, 10.0)),
                max_retries=0,  # it would send again what may have been taken: agents come back by themselves
                http_client=self._http,
            )
            self._client = made
        return self._client

    def _request(self, model: str, call: ModelCall, known: Known) -> dict[str, Json]:
        """Word a request, with marks where the constant part ends and where what the asker was shown before does."""
        request: dict[str, Json] = {
            "model": model,
            "max_tokens": call.answer_tokens,
            "system": [_text(call.instructions, is_marked=True)],
            "messages": [{"role": "user", "content": [*self._blocks(call), *map(_image, call.images)]}],
            "stream": True,
        }
        if call.schema is not None:
            request["output_config"] = {"format": {"type": "json_schema", "schema": of_few_unions(call.schema)}}
        elif call.wants_json:
            tool: Json = {"name": ANSWER_TOOL, "description": "Give the answer.", "input_schema": {"type": "object"}}
            request |= {"tools": [tool], "tool_choice": {"type": "tool", "name": ANSWER_TOOL}}
        return request

    def _blocks(self, call: ModelCall) -> list[Json]:
        ends = self._beginnings.ends(call.whose, call.input)
        places = zip([0, *ends], [*ends, len(call.input)], strict=True)
        cut = [call.input[start:end] for start, end in places if end > start]
        return [_text(text, is_marked=number == len(ends) - 1) for number, text in enumerate(cut)]

    async def objection(self, model: str, text: str) -> str:
        """Say that there is no moderation model here."""
        raise ModelRefused("Anthropic has no moderation model: name one of another provider.")

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Say that nobody hears here."""
        raise ModelRefused("Anthropic hears no voice messages: name a model of another provider.")

    async def seen(self, model: str) -> Seen:
        """Give what has not to be asked: Anthropic's servers are no one's own."""
        return Seen()

    async def close(self) -> None:
        await self._http.aclose()


class Beginnings:
    """Where the beginnings of each asker's inputs end that stayed the same from one call to the next.

    What is marked there is read from the cache by the next call; the ends stay where they were, for a cache knows whole
    blocks only.
    """

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[str, list[int]]] = OrderedDict()
        self._size = 0

    def ends(self, whose: str, text: str) -> list[int]:
        """Give where an input is to be cut: the last place is the one to mark; nowhere in a first one."""
        before, ends = self._last.pop(whose, ("", []))
        self._size -= len(before)
        same = text.rfind("\n", 0, _common(before, text)) + 1
        ends = [end for end in ends if end <= same]
        if same - max(ends, default=0) >= LEAST_GROWN:
            ends = [*ends, same] if len(ends) < MOST_ENDS else [same]
        if whose:
            self._last[whose] = text, ends
            self._size += len(text)
        while len(self._last) > ASKERS_KEPT or self._size > MOST_KEPT:
            self._size -= len(self._last.popitem(last=False)[1][0])
        return ends


def _common(one: str, other: str) -> int:
    """Give how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _text(text: str, *, is_marked: bool) -> dict[str, Json]:
    block: dict[str, Json] = {"type": "text", "text": text}
    return block | {"cache_control": {"type": "ephemeral"}} if is_marked else block


def _image(address: str) -> Json:
    kind, comma, data = address.removeprefix("data:").partition(";base64,")
    if comma:
        return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
    return {"type": "image", "source": {"type": "url", "url": address}}


def _piece(event: Fields, used: Usage) -> Piece:
    """Read an event: text, or the input of the one tool; what a model thinks is neither kept nor posted."""
    delta = fields(event.get("delta"))
    match event.get("type"):
        case "message_start":  # what is written is counted at the end: cut off, nobody knows
            return Piece(response_id=str(fields(event["message"]).get("id") or ""))
        case "content_block_delta" if delta.get("type") == "text_delta":
            return Piece(text=words(delta.get("text")))
        case "content_block_delta" if delta.get("type") == "input_json_delta":
            return Piece(text=words(delta.get("partial_json")))
        case "message_delta" if delta.get("stop_reason") == "refusal":
            why = words(fields(delta.get("stop_details")).get("explanation"))
            return Piece(refusal=why or "it gave no reason.", usage=used, ended=True)
        case "message_delta":
            return Piece(usage=used, ended=words(delta.get("stop_reason")) in ENDED)
        case _:
            return Piece()


def _usage(told: Fields, before: Usage) -> Usage:
    """Add up what was read: Anthropic counts what comes from the cache, and what goes into it, apart."""
    read, written = told.get("cache_read_input_tokens") or 0, told.get("cache_creation_input_tokens") or 0
    fresh: object = told.get("input_tokens")
    if fresh is None:  # the end of a stream may tell only what was written
        counted: tuple[object, object, object] = before.input_tokens, before.cached_tokens, before.cache_write_tokens
    else:
        parts = [one for one in (fresh, read, written) if isinstance(one, int)]
        counted = sum(parts), read, written
    return usage_of(input_count=counted[0], cached=counted[1], written=counted[2], output=told.get("output_tokens"))


def _told(status: int, body: object, said: str, response: httpx2.Response) -> Told:
    """Give what Anthropic said, with the status that an error in the middle of a stream would have had."""
    error = body.get("error") if isinstance(body, dict) else None
    kind = str(error.get("type")) if isinstance(error, dict) else ""
    words = str(error.get("message") or said) if isinstance(error, dict) else said
    status = STATUS_OF.get(kind, status if status >= 400 else 500)
    if "credit balance" in words:
        status = 402
    return Told(status, words, asked_for(response.headers.get("retry-after", "")))
