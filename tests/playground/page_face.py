"""A stand-in for the bot's own endpoint, which tells the page of agents and their last beats."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Json = dict[str, Any]

HUD = """================================================================================
AGENT 1: Ada (ID: 1, Model: gpt-4o-mini)
================================================================================
>>> IDENTITY <<<
type: "persona"
seed: "A calm gardener who likes short answers."
>>> KNOWLEDGE STORE <<<
people.you.likes: "tea"
>>> ROOMS <<<
--- Room: Ada (ID: 1) ---
-- 2026-11-20 --
[122 10:30] @you: good morning Ada
[123 10:31] Ada: Good morning. The roses are awake.
>>> BUDGET STATUS <<<
412/10000 tokens (4%)"""


def agent(channel_id: str | None, **changed: Any) -> Json:  # noqa: ANN401
    """Give an agent as the bot tells of it."""
    told: Json = {
        "id": 1,
        "name": "Ada",
        "type": "persona",
        "model": "gpt-4o-mini",
        "channel_id": channel_id,
        "state": "idle",
        "interval_seconds": 5.0,
        "resting_interval_seconds": 10.0,
        "last_beat_at": None,
        "last_reason": None,
        "next_beat_at": None,
        "waits_for": None,
    }
    return told | changed


def seat(number: int, name: str, **changed: Any) -> Json:  # noqa: ANN401
    """Give a seat of a scene as the bot tells of it."""
    told: Json = {"seat": number, "name": name, "user_id": None, "awaited": False, "away": False, "dead": False}
    return told | changed


def scene(**changed: Any) -> Json:  # noqa: ANN401
    """Give a scene as the bot tells of it to who watches."""
    told: Json = {
        "id": 3,
        "title": "Council 3: Tea",
        "status": "running",
        "phase": "debate",
        "seats": [
            seat(1, "Ada", awaited=True),
            seat(2, "@you"),
            seat(3, "Bo", away=True),
        ],
        "facts": [["About", "Tea"], ["Motion 2", "**Tea at five** (1) We drink tea at five."]],
        "bars": [["yes", 2], ["no", 1], ["abstained", 0]],
        "lines": [],
        "why": "",
        "until": None,
        "board_post_id": None,
    }
    return told | changed


def beat(**changed: Any) -> Json:  # noqa: ANN401
    """Give a beat as the bot tells of it."""
    told: Json = {
        "beat_id": 7,
        "at": "2026-11-20T10:31:22+00:00",
        "reason": "addressed",
        "side": "public",
        "model": "gpt-4o-mini",
        "format": "text",
        "hud": HUD,
        "answer": '{"agents": [{"agent_id": 1, "responses": [{"room_id": 1, "message": "Good morning."}]}]}',
        "thoughts": "They greet me; a short answer will do.",
        "tokens": {"input": 2312, "cached": 1900, "output": 48},
        "agents_in_call": 1,
        "cost_usd": 0.000391,
        "imaginary": True,
        "latency_seconds": 0.82,
        "sections": [
            {"name": "system", "tokens": 1880},
            {"name": "identity", "tokens": 96},
            {"name": "knowledge", "tokens": 24},
            {"name": "rooms", "tokens": 312},
        ],
        "outcome": ["said “Good morning.” in room 1", "set people.you.likes"],
    }
    return told | changed


class Face:
    """What the endpoint tells just now; a test changes it."""

    def __init__(self) -> None:
        self.agents: list[Json] = []
        self.beats: dict[int, Json] = {}
        self.scenes: dict[str, Json] = {}
        self.refusal = ""  # why who asks may not see them
        self.asked_by: set[str] = set()  # tokens
        self.url = ""

    async def tell_agents(self, request: web.Request) -> web.Response:
        """GET /agents."""
        self.asked_by.add(request.headers.get("Authorization", ""))
        return web.json_response(self.agents)

    async def tell_scene(self, request: web.Request) -> web.Response:
        """GET /scenes/{thread}."""
        return web.json_response(self.scenes.get(request.match_info["thread"]))

    async def tell_trees(self, request: web.Request) -> web.Response:
        """GET /trees."""
        return web.json_response([])

    async def tell_beat(self, request: web.Request) -> web.Response:
        """GET /agents/{id}/beat."""
        if self.refusal:
            return web.json_response({"message": self.refusal}, status=403)
        found = self.beats.get(int(request.match_info["id"]))
        return web.json_response(found) if found else web.Response(status=404)


@web.middleware
async def readable_from_the_page(request: web.Request, handler: Any) -> web.StreamResponse:  # noqa: ANN401
    """Let the page, which has another port, read the answer."""
    response: web.StreamResponse = web.Response() if request.method == "OPTIONS" else await handler(request)
    response.headers["Access-Control-Allow-Origin"] = request.headers.get("Origin", "")
    response.headers["Access-Control-Allow-Headers"] = "Authorization"
    return response


@asynccontextmanager
async def facing() -> AsyncIterator[Face]:
    """Run the endpoint on a free port."""
    face = Face()
    app = web.Application(middlewares=[readable_from_the_page])
    app.router.add_get("/agents", face.tell_agents)
    app.router.add_get("/trees", face.tell_trees)
    app.router.add_get("/scenes/{thread}", face.tell_scene)
    app.router.add_get("/agents/{id}/beat", face.tell_beat)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    face.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield face
    finally:
        await runner.cleanup()
