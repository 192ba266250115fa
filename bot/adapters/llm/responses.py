"""OpenAI's Responses API."""

from typing import Any

from openai import AsyncOpenAI, Omit, omit
from openai.types.responses import Response, ResponseInputParam, ResponseTextConfigParam

from bot.adapters.llm.faults import Declined
from bot.adapters.llm.usage import usage_of
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import Usage

SCHEMA_NAME = "selfroom_answer"


async def ask(client: AsyncOpenAI, model: str, call: ModelCall) -> ModelAnswer:
    """Send one stateless request and give the text and usage; raises openai's errors."""
    response = await client.responses.create(
        model=model,
        instructions=call.instructions,
        input=_input(call),
        text=_format(call),
        temperature=omit if call.temperature is None else call.temperature,
        max_output_tokens=call.answer_tokens,
        prompt_cache_key=call.cache_key or omit,
        store=False,
    )
    return ModelAnswer(
        text=_text(response),
        usage=_usage(response),
        complete=response.status == "completed",
        response_id=response.id,
    )


def _input(call: ModelCall) -> str | ResponseInputParam:
    if not call.images:
        return call.input
    content: list[Any] = [{"type": "input_text", "text": call.input}]
    content += [{"type": "input_image", "image_url": url, "detail": "low"} for url in call.images]
    return [{"role": "user", "content": content}]


def _format(call: ModelCall) -> ResponseTextConfigParam | Omit:
    if call.schema is None:
        return {"format": {"type": "json_object"}} if call.wants_json else omit
    return {"format": {"type": "json_schema", "name": SCHEMA_NAME, "schema": dict(call.schema), "strict": True}}


def _text(response: Response) -> str:
    """Give the answer's text; a refusal is an error, for it is no answer to any of the agents."""
    for item in response.output:
        if item.type == "message":
            for part in item.content:
                if part.type == "refusal":
                    raise Declined(part.refusal, _usage(response))
    return response.output_text


def _usage(response: Response) -> Usage:
    used = response.usage
    if used is None:
        return Usage()
    details = used.input_tokens_details
    return usage_of(
        input_count=used.input_tokens,
        output=used.output_tokens,
        cached=details.cached_tokens if details else 0,
        written=details.cache_write_tokens if details else 0,
    )
