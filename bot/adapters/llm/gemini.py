"""Gemini natively, by Google's own library: strict answers, stop reasons and refusals; it caches by itself."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

import httpx2
from openai import OpenAIError

from bot.adapters.llm.faults import Told, asked_for
from bot.adapters.llm.guard import AnswerRefused, data_of, is_event_stream
from bot.adapters.llm.ladder import Known, Seen
from bot.adapters.llm.listening import LONGEST_ID, Piece, Pieces
from bot.adapters.llm.responses import Fields, fields, several, words
from bot.adapters.llm.usage import usage_of
from bot.core.errors import ModelRefused
from bot.core.models import ModelAnswer, ModelCall, VoiceMessage
from bot.core.records import Json, Usage

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentResponse

ADDRESS: Final = "https://generativelanguage.googleapis.com"
SHAPES: Final = ("HttpOptions", "Content", "GenerateContentConfig", "GenerateContentResponse")
CUT: Final = frozenset({"MAX_TOKENS", "CONTINUATION"})
REFUSED: Final = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "ESCALATION", "MODEL_ARMOR"}
)
EMPTY_HANDED: Final = 400  # with an invalid key Google says that the request is
OVERLOADED: Final = 503  # "The model is overloaded."
FAULT: Final = 500
COUNTS: Final = ("promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
NO_GEMINI: Final = "What answers there does not answer as Gemini does: check the address."


@cache
def _loaded() -> ModuleType:
    """Load the library, and have it make the shapes that it would make amid the first call."""
    genai = import_module("google.genai")
    for shape in SHAPES:
        getattr(genai.types, shape).model_rebuild()
    return genai


class GeminiLine:
    """Google's client, which is loaded when it is first asked."""

    is_known = True
    errors: tuple[type[Exception], ...] = (Told, OpenAIError, httpx2.HTTPError)
    broken: tuple[type[Exception], ...] = (Told, OpenAIError, httpx2.HTTPError)

    def __init__(self, *, base_url: str | None, api_key: str, seconds: float, http: httpx2.AsyncClient) -> None:
        self.address = (base_url or ADDRESS).rstrip("/")
        self._api_key = api_key
        self._seconds = seconds
        hooks = http.event_hooks
        http.event_hooks = {**hooks, "response": [*hooks["response"], _shown_plainly]}
        self._http = http
        self._client: Client | None = None

    async def pieces(self, model: str, call: ModelCall, known: Known, place: int | None) -> Pieces:
        genai = await asyncio.to_thread(_loaded)  # it takes seconds
        parts = await asyncio.to_thread(_parts, call)
        request = {"model": model, "contents": [{"role": "user", "parts": parts}], "config": _config(call)}
        client = await asyncio.to_thread(self._opened, genai)  # it reads certificates
        try:
            stream = await client.aio.models.generate_content_stream(**request)  # type: ignore[arg-type]
            async for event in stream:
                yield _piece(event)
        except genai.errors.APIError as error:
            raise _told(error) from error

    def _opened(self, genai: ModuleType) -> "Client":
        if self._client is None:
            options = {
                "base_url": self.address,
                "timeout": int(self._seconds * 1_000),
                "httpx_async_client": self._http,
                "retry_options": {"attempts": 1},  # it would send again what may have been taken
            }
            made: Client = genai.Client(api_key=self._api_key, vertexai=False, http_options=options)
            self._client = made
        return self._client

    async def objection(self, model: str, text: str) -> str:
        """Say that there is no moderation model here."""
        raise ModelRefused("Google has no moderation model here: name one of another provider.")

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Say that nobody hears here."""
        raise ModelRefused("Google hears no voice messages here: name a model of another provider.")

    async def seen(self, model: str) -> Seen:
        """Give what has not to be asked: Google's servers are no one's own."""
        return Seen()

    async def close(self) -> None:
        await self._http.aclose()


async def _shown_plainly(response: httpx2.Response) -> None:
    """Let the library see of an answer only what is read of it; raises AnswerRefused for one that is no Gemini's.

    It takes for an answer also what stands beside the data of an event, makes shapes of whatever may be in one, which
    takes long for a thousand things, and keeps each word that it does not know for as long as the process lives.
    """
    if is_event_stream(response):
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # of an async transport  # noqa: S101
        response.stream = _Plain(response.stream)
    elif response.is_success:
        raise AnswerRefused(NO_GEMINI)


class _Plain(httpx2.AsyncByteStream):
    """A stream of events, which come whole, each made anew of what is read of it."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the events one by one."""
        async for event in self._stream:
            if data := data_of(event):
                yield f"data: {json.dumps(plain(json.loads(data)))}\n\n".encode()

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._stream.aclose()


def plain(said: object) -> dict[str, Json]:
    """Give what is read of an event: its text, why it ended or is blocked, and what it used; raises TypeError."""
    event = fields(said)
    if "error" in event:
        error = fields(event["error"])
        code = error.get("code")
        return {"error": {"code": code if isinstance(code, int) else FAULT, "message": words(error.get("message"))}}
    counted = fields(event.get("usageMetadata"))
    usage: dict[str, Json] = {name: one for name in COUNTS if isinstance(one := counted.get(name), int)}
    told: dict[str, Json] = {"responseId": words(event.get("responseId"))[:LONGEST_ID]}
    told |= {"usageMetadata": usage} if usage else {}
    blocked = fields(event.get("promptFeedback")).get("blockReason")
    told |= {"promptFeedback": {"blockReason": _known("BlockedReason", blocked)}} if blocked is not None else {}
    for one in several(event.get("candidates") or [])[:1]:
        ended = one.get("finishReason")
        reason: dict[str, Json] = {"finishReason": _known("FinishReason", ended)} if ended is not None else {}
        told["candidates"] = [{"content": {"parts": [{"text": _said(one)}]}, **reason}]
    return told


def _said(candidate: Fields) -> str:
    """Give the words of an event; what a model thinks is neither kept nor posted."""
    parts = several(fields(candidate.get("content")).get("parts") or [])
    return "".join(words(part.get("text")) for part in parts if not part.get("thought"))


def _known(kind: str, name: object) -> str:
    """Give a reason that the library knows, any other as `OTHER`."""
    return name if isinstance(name, str) and name in getattr(_loaded().types, kind).__members__ else "OTHER"


def _config(call: ModelCall) -> dict[str, Json]:
    config: dict[str, Json] = {
        "system_instruction": call.instructions,
        "max_output_tokens": call.answer_tokens,
        "automatic_function_calling": {"disable": True},
        "thinking_config": {"include_thoughts": False},
    }
    if call.temperature is not None:
        config["temperature"] = call.temperature
    if call.schema is not None:
        config |= {"response_mime_type": "application/json", "response_json_schema": dict(call.schema)}
    elif call.wants_json:
        config["response_mime_type"] = "application/json"
    return config


def _parts(call: ModelCall) -> Sequence[dict[str, object]]:
    """Give the text, and the pictures that were fetched: Google fetches none from elsewhere."""
    parts: list[dict[str, object]] = [{"text": call.input}]
    for one in call.images:
        kind, comma, data = one.removeprefix("data:").partition(";base64,")
        if comma:
            parts.append({"inline_data": {"mime_type": kind, "data": base64.b64decode(data)}})
    return parts


def _piece(event: "GenerateContentResponse") -> Piece:
    """Read an event, as it was made plain."""
    usage, response_id = _usage(event), event.response_id or ""
    if event.prompt_feedback is not None and event.prompt_feedback.block_reason is not None:
        why = f"it blocks what it was asked ({event.prompt_feedback.block_reason.name.lower()})."
        return Piece(refusal=why, usage=usage, ended=True, response_id=response_id)
    if not event.candidates:
        return Piece(usage=usage, response_id=response_id)
    one = event.candidates[0]
    parts = (one.content.parts if one.content is not None else None) or []
    text = "".join(part.text for part in parts if part.text)
    reason = one.finish_reason.name if one.finish_reason is not None else None
    refusal = f"it stopped ({reason.lower()})." if reason in REFUSED and reason is not None else ""
    ended = None if reason is None else reason not in CUT
    return Piece(text=text, refusal=refusal, usage=usage, ended=ended, response_id=response_id)


def _usage(event: "GenerateContentResponse") -> Usage | None:
    """Count what was used: thinking is paid for as what is written."""
    told = event.usage_metadata
    if told is None:
        return None
    written = (told.candidates_token_count or 0) + (told.thoughts_token_count or 0)
    cached = told.cached_content_token_count or 0
    return usage_of(input_count=told.prompt_token_count, cached=cached, output=written)


def _told(error: "APIError") -> Told:
    status, said, response = error.code, str(error.message), error.response
    headers = response.headers if isinstance(response, httpx2.Response) else {}
    if status == EMPTY_HANDED and "API key" in said:
        status = 401
    elif status == OVERLOADED:
        status = 529
    return Told(status, said, asked_for(headers.get("retry-after", "")) or _rest(error.details))


def _rest(body: object) -> float | None:
    """Give for how many seconds Google asks to be left alone, as it says in the body: `"retryDelay": "35s"`."""
    error = body.get("error", body) if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    told = [one.get("retryDelay") for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    return next((asked_for(one.removesuffix("s")) for one in told if isinstance(one, str)), None)
