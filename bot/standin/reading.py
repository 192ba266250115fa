"""The bodies of requests: JSON of a bounded size and depth, for it is read while everything else waits."""

import json

from aiohttp import web

from bot.core.records import Json
from bot.standin.problems import Problem, bad_request

LARGEST_QUESTION = 4_000_000  # bytes: what the largest windows of models hold
LARGEST_SETUP = 1_000_000
MOST_BRACKETS = 200_000  # each may become a list, which takes far longer to make than text
DEEPEST = 64  # lists and objects within one another


async def json_of(request: web.Request, most: int) -> Json:
    """Give the JSON of a body; raises Problem for none, and for more than may be read."""
    data = bytearray()
    async for chunk in request.content.iter_any():
        data += chunk
        if len(data) > most:
            raise Problem(413, f"The body of your request is too large: send {most:,} bytes at most.")
    try:
        if data.count(b"[") + data.count(b"{") > MOST_BRACKETS:
            raise ValueError
        body: Json = json.loads(data)
    except (ValueError, RecursionError):
        message = "We could not parse the JSON body of your request: it is not valid JSON."
        raise bad_request(message) from None
    if is_deep(body):
        raise bad_request(f"The JSON body of your request is nested too deeply: {DEEPEST} levels are read.")
    return body


def is_deep(body: Json) -> bool:
    """Whether more lists and objects lie within one another than are read."""
    level: list[Json] = [[body]]
    for _ in range(DEEPEST + 1):
        held = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, list | dict))
        level = [inner for some in held for inner in some if isinstance(inner, list | dict)]
    return bool(level)
