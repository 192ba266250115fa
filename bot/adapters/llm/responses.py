"""OpenAI's Responses API."""

import json
from collections.abc import AsyncGenerator
from typing import Any, TypeVar

import openai
from openai import AsyncOpenAI, AsyncStream, BaseModel, Omit, omit
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFailedEvent,
    ResponseIncompleteEvent,
    ResponseInputParam,
    ResponseRefusalDeltaEvent,
    ResponseStreamEvent,
    ResponseTextConfigParam,
    ResponseTextDeltaEvent,
)

from bot.adapters.llm.faults import Lost
from bot.adapters.llm.guard import is_event_stream
from bot.adapters.llm.listening import Piece, Pieces
from bot.adapters.llm.usage import usage_of
from bot.core.ports import ModelCall
from bot.core.records import Json, Usage

SCHEMA_NAME = "selfroom_answer"
Event = TypeVar("Event")
Whole = TypeVar("Whole", bound=BaseModel)


async def pieces(
    client: AsyncOpenAI, model: str, call: ModelCall, *, stream: bool, beside: dict[str, Json] | None
) -> Pieces:
    """Send one stateless request and give the answer as it comes; raises openai's errors.

    `beside`: what a server takes beside OpenAI's own fields.
    """
    answer = await client.responses.create(
        model=model,
        instructions=call.instructions,
        input=_input(call),
        text=_format(call),
        temperature=omit if call.temperature is None else call.temperature,
        max_output_tokens=call.answer_tokens,
        prompt_cache_key=call.cache_key or omit,
        store=False,
        stream=stream,
        extra_body=beside,
    )
    said = False
    async for event in told(answer, Response):
        piece = _piece(event, said=said)
        said = said or bool(piece.text or piece.refusal)
        yield piece


async def told(answer: AsyncStream[Event] | Whole, whole: type[Whole]) -> AsyncGenerator[Event | Whole, None]:
    """Give the events of an answer, or the answer itself where a server gives it whole, asked for a stream or not."""
    if not isinstance(answer, AsyncStream):
        yield answer
        return
    async with answer:
        if not is_event_stream(answer.response):
            yield whole.construct(**json.loads(await answer.response.aread()))
            return
        try:
            async for event in answer:
                if isinstance(event, ResponseFailedEvent):
                    error = event.response.error
                    body = error.model_dump() if error is not None else None
                    said = error.message if error is not None else "The response failed."
                    raise openai.APIError(said, answer.response.request, body=body)
                yield event
        except openai.APIConnectionError as error:
            raise Lost(str(error)) from error


def _piece(event: Response | ResponseStreamEvent, *, said: bool) -> Piece:
    """Read an event; its end repeats all that was said, which counts where nothing was said before."""
    match event:
        case ResponseTextDeltaEvent():
            return Piece(text=event.delta)
        case ResponseRefusalDeltaEvent():
            return Piece(refusal=event.delta)
        case Response():
            return _end(event, said=said)
        case ResponseCompletedEvent() | ResponseIncompleteEvent():
            return _end(event.response, said=said)
        case _:
            return Piece()


def _end(response: Response, *, said: bool) -> Piece:
    return Piece(
        text="" if said else response.output_text,
        refusal="" if said else _refusal(response),
        usage=_usage(response),
        ended=response.status == "completed",
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


def _refusal(response: Response) -> str:
    said = [part for item in response.output if item.type == "message" for part in item.content]
    return next((part.refusal for part in said if part.type == "refusal"), "")


def _usage(response: Response) -> Usage | None:
    used = response.usage
    if used is None:
        return None
    details = used.input_tokens_details
    return usage_of(
        input_count=used.input_tokens,
        output=used.output_tokens,
        cached=details.cached_tokens if details else 0,
        written=details.cache_write_tokens if details else 0,
    )
