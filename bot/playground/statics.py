"""The chat page's files, as they lie in `page/`."""

from collections.abc import Iterable
from pathlib import Path

from aiohttp import web

PAGE = Path(__file__).parent / "page"
POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob: http: https:",
    "media-src 'self' blob: http: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "frame-ancestors 'none'",  # no other page may lay itself over this one
)


async def _index(_: web.Request) -> web.FileResponse:
    return web.FileResponse(PAGE / "index.html")


def add_to(app: web.Application, *, asks: Iterable[str]) -> None:
    """Serve the page at `/`, which may ask itself and these origins; has to come after every other route."""
    policy = "; ".join((*POLICY, f"connect-src 'self' {' '.join(asks)}"))

    async def protect(_: web.Request, response: web.StreamResponse) -> None:
        if isinstance(response, web.FileResponse):
            response.headers["Content-Security-Policy"] = policy
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"

    app.on_response_prepare.append(protect)
    app.router.add_get("/", _index)
    app.router.add_static("/", PAGE)
