"""The chat page's files, as they lie in `page/`."""

from pathlib import Path

from aiohttp import web

PAGE = Path(__file__).parent / "page"
POLICY = (
    "default-src 'none'",
    "script-src http://{host}/js/",  # not 'self': what people upload lies there too
    "style-src http://{host}/style.css http://{host}/css/",
    "img-src 'self' blob:",  # a picture elsewhere would tell where its viewer is
    "media-src 'self' blob:",
    "connect-src 'self' ws://{host} {asks}",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "frame-ancestors 'none'",  # no other page may lay itself over this one
)


async def _index(_: web.Request) -> web.FileResponse:
    # Never out of a browser's store: there it keeps the policy with where the bot was asked before it was started anew.
    return web.FileResponse(PAGE / "index.html", headers={"Cache-Control": "no-store"})


def add_to(app: web.Application, *, asks: str) -> None:
    """Serve the page at `/`, which may ask itself and this origin; has to come after every other route."""

    async def protect(request: web.Request, response: web.StreamResponse) -> None:
        if isinstance(response, web.FileResponse):
            policy = "; ".join(POLICY).format(host=request.host, asks=asks)
            response.headers["Content-Security-Policy"] = policy
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"

    app.on_response_prepare.append(protect)
    app.router.add_get("/", _index)
    app.router.add_static("/", PAGE)
