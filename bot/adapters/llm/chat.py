"""Chat Completions, for servers that have only that (Ollama, vLLM, llama.cpp, LM Studio …)."""

from openai import AsyncOpenAI

from bot.adapters.llm.listening import Piece, Pieces
from bot.adapters.llm.responses import SCHEMA_NAME, Fields, fields, several, told, used, words
from bot.core.ports import ModelCall
from bot.core.records import Json


async def pieces(
    client: AsyncOpenAI, model: str, call: ModelCall, *, stream: bool, beside: dict[str, Json] | None
) -> Pieces:
    """Send one stateless request and give the answer as it comes; raises openai's errors.

    `beside`: what a server takes beside OpenAI's own fields.
    """
    body: dict[str, object] = {
        "model": model,
        "messages": _messages(call),
        "max_completion_tokens": call.answer_tokens,
        "stream": stream,
    }
    if (form := _format(call)) is not None:
        body["response_format"] = form
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if stream:
        body["stream_options"] = {"include_usage": True}
    async for event, is_whole in told(client, "/chat/completions", body | (beside or {}), stream=stream):
        yield _piece(event, is_whole=is_whole)


def _piece(event: Fields, *, is_whole: bool) -> Piece:
    usage = used(event.get("usage"), "prompt_tokens", "completion_tokens")
    choices = several(event.get("choices") or [])
    if not choices and not is_whole:
        return Piece(usage=usage)  # the last one of a stream tells only what was used
    part, reason = choices[0], choices[0].get("finish_reason")
    said = fields(part["message" if is_whole else "delta"])
    return Piece(
        text=words(said.get("content")),
        refusal=words(said.get("refusal")),
        usage=usage,
        ended=reason == "stop" if is_whole or reason is not None else None,
        response_id=str(event.get("id") or ""),
    )


def _messages(call: ModelCall) -> object:
    content: object = call.input
    if call.images:
        images = [{"type": "image_url", "image_url": {"url": url, "detail": "low"}} for url in call.images]
        content = [{"type": "text", "text": call.input}, *images]
    return [{"role": "system", "content": call.instructions}, {"role": "user", "content": content}]


def _format(call: ModelCall) -> object:
    if call.schema is None:
        return {"type": "json_object"} if call.wants_json else None
    return {
        "type": "json_schema",
        "json_schema": {"name": SCHEMA_NAME, "schema": dict(call.schema), "strict": True},
    }
