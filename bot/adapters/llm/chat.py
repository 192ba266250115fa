"""Chat Completions, for servers that have only that (Ollama, vLLM, llama.cpp, LM Studio …)."""

from typing import Any

from openai import AsyncOpenAI, Omit, omit
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionMessageParam
from openai.types.chat.completion_create_params import ResponseFormat

from bot.adapters.llm.faults import Declined
from bot.adapters.llm.responses import SCHEMA_NAME
from bot.adapters.llm.usage import usage_of
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import Usage


async def ask(client: AsyncOpenAI, model: str, call: ModelCall) -> ModelAnswer:
    """Send one stateless request and give the text and usage; raises openai's errors."""
    completion = await client.chat.completions.create(
        model=model,
        messages=_messages(call),
        response_format=_format(call),
        temperature=omit if call.temperature is None else call.temperature,
        max_completion_tokens=call.answer_tokens,
    )
    choice = completion.choices[0]
    if choice.message.refusal:
        raise Declined(choice.message.refusal, _usage(completion.usage))
    return ModelAnswer(
        text=choice.message.content or "",
        usage=_usage(completion.usage),
        complete=choice.finish_reason == "stop",
        response_id=completion.id,
    )


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


def _usage(used: CompletionUsage | None) -> Usage:
    if used is None:
        return Usage()
    details = used.prompt_tokens_details
    return usage_of(
        input_count=used.prompt_tokens,
        output=used.completion_tokens,
        cached=details.cached_tokens if details else 0,
        written=details.cache_write_tokens if details else 0,
    )
