"""The real openai client against a moderation endpoint."""

import asyncio
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.adapters.llm.communities import Providers
from bot.adapters.llm.prices import Prices
from bot.core.errors import ModelUnreachable
from bot.engine.timelines.chance import settle
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


async def test_what_hangs_for_one_community_leaves_another_a_judge() -> None:
    go, hanging = asyncio.Event(), 0

    async def slow(request: web.Request) -> web.Response:
        nonlocal hanging
        if (await request.json())["input"] == "hang":
            hanging += 1
            await go.wait()
        return await judge(request)

    app = web.Application()
    app.router.add_post("/v1/moderations", slow)
    server = TestServer(app)
    async with server, made(server) as ours:
        mine, yours = (Providers(ours._providers, Prices(), whose=whose) for whose in ("1", "2"))
        assert await yours.objection("omni-moderation-latest", "Good morning.") == ""
        hang = [asyncio.create_task(mine.objection("omni-moderation-latest", "hang")) for _ in range(3)]
        while not hanging:
            await settle()
        async with asyncio.timeout(5):
            assert await yours.objection("omni-moderation-latest", "spade") == "harassment, threatening; violence"
        assert hanging == 1  # of two places
        go.set()
        await asyncio.gather(*hang)
