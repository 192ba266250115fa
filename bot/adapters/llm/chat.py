"""Chat Completions, for servers that have only that (Ollama, vLLM, llama.cpp, LM Studio …)."""

from typing import Any

from openai import AsyncOpenAI, Omit, omit
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam
from openai.types.chat.completion_create_params import ResponseFormat

from bot.adapters.llm.listening import Piece, Pieces
from bot.adapters.llm.responses import SCHEMA_NAME, told
from bot.adapters.llm.usage import usage_of
from bot.core.ports import ModelCall
from bot.core.records import Json, Usage


async def pieces(
    client: AsyncOpenAI, model: str, call: ModelCall, *, stream: bool, beside: dict[str, Json] | None
) -> Pieces:
    """Send one stateless request and give the answer as it comes; raises openai's errors.

    `beside`: what a server takes beside OpenAI's own fields.
    """
    answer = await client.chat.completions.create(
        model=model,
        messages=_messages(call),
        response_format=_format(call),
        temperature=omit if call.temperature is None else call.temperature,
        max_completion_tokens=call.answer_tokens,
        stream=stream,
        stream_options={"include_usage": True} if stream else omit,
        extra_body=beside,
    )
    async for event in told(answer, ChatCompletion):
        yield _piece(event)


def _piece(event: ChatCompletion | ChatCompletionChunk) -> Piece:
    usage = _usage(event.usage) if event.usage is not None else None
    ended: bool | None = None
    if isinstance(event, ChatCompletion):
        whole = event.choices[0]
        said, reason = whole.message.content, whole.finish_reason
        ended, refusal = reason == "stop", whole.message.refusal
    elif event.choices:
        part = event.choices[0]
        said, refusal = part.delta.content, part.delta.refusal
        if part.finish_reason is not None:
            ended = part.finish_reason == "stop"
    else:
        return Piece(usage=usage)  # the last one of a stream tells only what was used
    return Piece(text=said or "", refusal=refusal or "", usage=usage, ended=ended, response_id=event.id or "")


def _messages(call: ModelCall) -> list[ChatCompletionMessageParam]:
    content: Any = call.input
    if call.images:
        images = [{"type": "image_url", "image_url": {"url": url, "detail": "low"}} for url in call.images]
        content = [{"type": "text", "text": call.input}, *images]
    return [{"role": "system", "content": call.instructions}, {"role": "user", "content": content}]


def _format(call: ModelCall) -> ResponseFormat | Omit:
    if call.schema is None:
        return {"type": "json_object"} if call.wants_json else omit
    return {
        "type": "json_schema",
        "json_schema": {"name": SCHEMA_NAME, "schema": dict(call.schema), "strict": True},
    }


def _usage(used: CompletionUsage) -> Usage:
    details = used.prompt_tokens_details
    return usage_of(
        input_count=used.prompt_tokens,
        output=used.completion_tokens,
        cached=details.cached_tokens if details else 0,
        written=details.cache_write_tokens if details else 0,
    )
