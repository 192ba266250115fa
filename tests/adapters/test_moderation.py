"""The real openai client against a moderation endpoint."""

from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.core.errors import ModelUnreachable
from tests.adapters.test_providers import made

KINDS = (
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/intent",
    "self-harm/instructions",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
)


async def judge(request: web.Request) -> web.Response:
    asked: dict[str, Any] = await request.json()
    assert asked["model"] == "omni-moderation-latest"
    if asked["input"] == "trouble":
        return web.json_response({"error": {"message": "out of order"}}, status=500)
    struck = {"violence", "harassment/threatening"} if "spade" in asked["input"] else set()
    result = {
        "flagged": bool(struck),
        "categories": {kind: kind in struck for kind in KINDS},
        "category_scores": dict.fromkeys(KINDS, 0.0),
        "category_applied_input_types": {kind: ["text"] for kind in KINDS},
    }
    return web.json_response({"id": "modr-1", "model": asked["model"], "results": [result]})


async def test_a_provider_says_what_it_objects_to() -> None:
    app = web.Application()
    app.router.add_post("/v1/moderations", judge)
    server = TestServer(app)
    async with server, made(server) as providers:
        assert await providers.objection("omni-moderation-latest", "Good morning.") == ""
        assert await providers.objection("omni-moderation-latest", "spade") == "harassment, threatening; violence"
        with pytest.raises(ModelUnreachable):
            await providers.objection("omni-moderation-latest", "trouble")
