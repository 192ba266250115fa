"""`/v1/chat/completions`: the finished object, and the chunks of a stream."""

import json
from collections.abc import Iterator

from bot.standin.completion import Completion, Shape

PREFIX = "chatcmpl-"


def whole(reply: Completion) -> Shape:
    content = None if reply.refusal is not None else reply.text
    message: Shape = {"role": "assistant", "content": content, "refusal": reply.refusal, "annotations": []}
    choice: Shape = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason(reply)}
    return frame(reply, "chat.completion") | {"choices": [choice], "usage": usage(reply)}


def events(reply: Completion) -> Iterator[str]:
    """Server-sent events: chunks, the usage when it was asked for, and [DONE]."""
    for chunk in chunks(reply):
        yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
    yield "data: [DONE]\n\n"


def chunks(reply: Completion) -> Iterator[Shape]:
    base = frame(reply, "chat.completion.chunk")
    if reply.question.usage_in_stream:
        base["usage"] = None
    refused = reply.refusal is not None
    first: Shape = {"role": "assistant", "content": None if refused else "", "refusal": None}
    yield base | {"choices": [choice_of(first)]}
    for piece in reply.pieces():
        yield base | {"choices": [choice_of({"refusal" if refused else "content": piece})]}
    yield base | {"choices": [choice_of({}, finish_reason(reply))]}
    if reply.question.usage_in_stream:
        yield base | {"choices": [], "usage": usage(reply)}


def choice_of(delta: Shape, finish: str | None = None) -> Shape:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def finish_reason(reply: Completion) -> str:
    return "length" if reply.incomplete else "stop"


def frame(reply: Completion, kind: str) -> Shape:
    return {
        "id": reply.id,
        "object": kind,
        "created": reply.created,
        "model": reply.question.model,
        "service_tier": "default",
        "system_fingerprint": "fp_playground",
    }


def usage(reply: Completion) -> Shape:
    return {
        "prompt_tokens": reply.usage.input_tokens,
        "completion_tokens": reply.usage.output_tokens,
        "total_tokens": reply.usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.usage.cached_tokens, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
