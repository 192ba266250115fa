"""OpenAI's Responses API, and how answers of both its interfaces are read: as plain JSON.

The library's own shapes are not made of them: to find which of dozens something is takes seconds and hundreds of
megabytes where a server means ill.
"""

import json
from collections.abc import AsyncGenerator, Mapping

import openai
from openai import AsyncOpenAI, AsyncStream

from bot.adapters.llm.faults import Lost
from bot.adapters.llm.guard import is_event_stream
from bot.adapters.llm.listening import Piece, Pieces
from bot.adapters.llm.usage import usage_of
from bot.core.ports import ModelCall
from bot.core.records import Json, Usage

SCHEMA_NAME = "selfroom_answer"
Fields = Mapping[str, object]


async def pieces(
    client: AsyncOpenAI, model: str, call: ModelCall, *, stream: bool, beside: dict[str, Json] | None
) -> Pieces:
    """Send one stateless request and give the answer as it comes; raises openai's errors.

    `beside`: what a server takes beside OpenAI's own fields.
    """
    body: dict[str, object] = {
        "model": model,
        "instructions": call.instructions,
        "input": _input(call),
        "max_output_tokens": call.answer_tokens,
        "store": False,
        "stream": stream,
    }
    if (form := _format(call)) is not None:
        body["text"] = {"format": form}
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if call.cache_key:
        body["prompt_cache_key"] = call.cache_key
    said = False
    async for event, is_whole in told(client, "/responses", body | (beside or {}), stream=stream):
        piece = _end(event, said=said) if is_whole else _piece(event, said=said)
        said = said or bool(piece.text or piece.refusal)
        yield piece


async def told(
    client: AsyncOpenAI, path: str, body: object, *, stream: bool
) -> AsyncGenerator[tuple[Fields, bool], None]:
    """Ask; gives the events of an answer, or the answer itself where a server gives it whole, and whether it is that.

    Raises openai's errors, and TypeError for what is no such answer.
    """
    answer = await client.post(path, body=body, cast_to=object, stream=stream, stream_cls=AsyncStream[object])
    if not isinstance(answer, AsyncStream):
        yield _an_object(answer), True
        return
    async with answer:
        if not is_event_stream(answer.response):
            yield _an_object(json.loads(await answer.response.aread())), True
            return
        try:
            async for one in answer:
                event = _an_object(one)
                if event.get("type") == "response.failed":
                    error = fields(fields(event.get("response")).get("error"))
                    said = error.get("message")
                    words = said if isinstance(said, str) else "The response failed."
                    raise openai.APIError(words, answer.response.request, body=error)
                yield event, False
        except openai.APIConnectionError as error:
            raise Lost(str(error)) from error


def fields(said: object) -> Fields:
    """Give what a server said as an object, an empty one for nothing; raises TypeError for anything else."""
    return {} if said is None else _an_object(said)


def several(said: object) -> list[Fields]:
    """Give what a server said as a list of objects; raises TypeError for anything else."""
    if not isinstance(said, list):
        raise TypeError(f"a list was expected, not {type(said).__name__}")
    return [_an_object(one) for one in said]


def _an_object(said: object) -> Fields:
    if not isinstance(said, dict):
        raise TypeError(f"an object was expected, not {type(said).__name__}")
    return said


def words(said: object) -> str:
    """Give what a server said as text, an empty one for nothing; raises TypeError for anything else."""
    if said is None:
        return ""
    if not isinstance(said, str):
        raise TypeError(f"text was expected, not {type(said).__name__}")
    return said


def _piece(event: Fields, *, said: bool) -> Piece:
    """Read an event; its end repeats all that was said, which counts where nothing was said before."""
    match event.get("type"):
        case "response.output_text.delta":
            return Piece(text=words(event.get("delta")))
        case "response.refusal.delta":
            return Piece(refusal=words(event.get("delta")))
        case "response.completed" | "response.incomplete":
            return _end(fields(event.get("response")), said=said)
        case _:
            return Piece()


def _end(response: Fields, *, said: bool) -> Piece:
    items = [] if said else [one for one in several(response["output"]) if one.get("type") == "message"]
    parts = [part for one in items for part in several(one.get("content") or [])]
    texts = [words(part.get("text")) for part in parts if part.get("type") == "output_text"]
    refusals = [words(part.get("refusal")) for part in parts if part.get("type") == "refusal"]
    return Piece(
        text="".join(texts),
        refusal=next(iter(refusals), ""),
        usage=used(response.get("usage"), "input_tokens", "output_tokens"),
        ended=response.get("status") == "completed",
        response_id=str(response.get("id") or ""),
    )


def _input(call: ModelCall) -> object:
    if not call.images:
        return call.input
    images = [{"type": "input_image", "image_url": url, "detail": "low"} for url in call.images]
    return [{"role": "user", "content": [{"type": "input_text", "text": call.input}, *images]}]


def _format(call: ModelCall) -> object:
    if call.schema is None:
        return {"type": "json_object"} if call.wants_json else None
    return {"type": "json_schema", "name": SCHEMA_NAME, "schema": dict(call.schema), "strict": True}


def used(told: object, read: str, written: str) -> Usage | None:
    """Give what a server counted, by what it calls tokens `read` and `written`; None where it told nothing."""
    if told is None:
        return None
    counts = fields(told)
    details = fields(counts.get(f"{read}_details"))
    return usage_of(
        input_count=counts.get(read),
        output=counts.get(written),
        cached=details.get("cached_tokens"),
        written=details.get("cache_write_tokens"),
    )
