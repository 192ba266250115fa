"""Which address is answered by what."""

from aiohttp import web

MODELS = ("gpt-4o-mini", "gpt-4o", "gpt-4.1-mini", "scripted")
BORN = 1_700_000_000


async def list_models(_: web.Request) -> web.Response:
    data = [{"id": name, "object": "model", "created": BORN, "owned_by": "playground"} for name in MODELS]
    return web.json_response({"object": "list", "data": data})


def add_routes(app: web.Application) -> None:
    app.router.add_get("/v1/models", list_models)
