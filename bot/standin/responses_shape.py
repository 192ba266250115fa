"""`/v1/responses`: the finished object, and the events of a stream."""

import json
from collections.abc import Iterator

from bot.standin.completion import Completion, Shape, new_id

PREFIX = "resp_"


def whole(reply: Completion) -> Shape:
    return envelope(reply, final_status(reply), [message(reply, new_id("msg_"))])


def events(reply: Completion) -> Iterator[str]:
    """Server-sent events in the order and numbering of the real service."""
    item_id = new_id("msg_")
    for number, event in enumerate(bare_events(reply, item_id)):
        data = json.dumps(event | {"sequence_number": number}, ensure_ascii=False)
        yield f"event: {event['type']}\ndata: {data}\n\n"


def bare_events(reply: Completion, item_id: str) -> Iterator[Shape]:
    opened = message(reply, item_id) | {"status": "in_progress", "content": []}
    yield {"type": "response.created", "response": envelope(reply, "in_progress", [])}
    yield {"type": "response.in_progress", "response": envelope(reply, "in_progress", [])}
    yield {"type": "response.output_item.added", "output_index": 0, "item": opened}
    yield from content_events(reply, {"item_id": item_id, "output_index": 0, "content_index": 0})
    finished = message(reply, item_id)
    yield {"type": "response.output_item.done", "output_index": 0, "item": finished}
    status = final_status(reply)
    yield {"type": f"response.{status}", "response": envelope(reply, status, [finished])}


def content_events(reply: Completion, place: Shape) -> Iterator[Shape]:
    refused = reply.refusal is not None
    name, key = ("refusal", "refusal") if refused else ("output_text", "text")
    extra: Shape = {} if refused else {"logprobs": []}
    full = part(reply)
    yield {"type": "response.content_part.added", **place, "part": full | {key: ""}}
    for piece in reply.pieces():
        yield {"type": f"response.{name}.delta", **place, "delta": piece, **extra}
    yield {"type": f"response.{name}.done", **place, key: full[key], **extra}
    yield {"type": "response.content_part.done", **place, "part": full}


def final_status(reply: Completion) -> str:
    return "incomplete" if reply.incomplete else "completed"


def part(reply: Completion) -> Shape:
    if reply.refusal is not None:
        return {"type": "refusal", "refusal": reply.refusal}
    return {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}


def message(reply: Completion, item_id: str) -> Shape:
    held: Shape = {"id": item_id, "type": "message", "role": "assistant", "status": final_status(reply)}
    return held | {"content": [part(reply)]}


def envelope(reply: Completion, status: str, output: list[Shape]) -> Shape:
    body, done = reply.question.body, status != "in_progress"
    return {
        "id": reply.id,
        "object": "response",
        "created_at": reply.created,
        "completed_at": reply.created if status == "completed" else None,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "model": reply.question.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "prompt_cache_key": reply.question.cache_key,
        "service_tier": "default",
        "store": body.get("store", True),
        "temperature": body.get("temperature", 1.0),
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": body.get("top_p", 1.0),
        "truncation": "disabled",
        "usage": usage(reply) if done else None,
        "metadata": body.get("metadata") or {},
    }


def usage(reply: Completion) -> Shape:
    return {
        "input_tokens": reply.usage.input_tokens,
        "input_tokens_details": {"cached_tokens": reply.usage.cached_tokens, "cache_write_tokens": 0},
        "output_tokens": reply.usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.usage.total_tokens,
    }
