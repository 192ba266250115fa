"""The chat page's files, as they lie in `page/`."""

from pathlib import Path

from aiohttp import web

PAGE = Path(__file__).parent / "page"


async def _index(_: web.Request) -> web.FileResponse:
    return web.FileResponse(PAGE / "index.html")


def add_to(app: web.Application) -> None:
    """Serve the page at `/`; has to come after every other route."""
    app.router.add_get("/", _index)
    app.router.add_static("/", PAGE)
