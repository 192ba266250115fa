"""Files as they are served: those of the chat page, as they lie in `page/`; attachments and avatars, from the state."""

from hashlib import sha256
from pathlib import Path

from aiohttp import web

from bot.playground.bundle import bundled
from bot.playground.faces import LINK, default_face
from bot.playground.world import World

MOST_DIGITS = 4  # of a default avatar's number
SAFE_INLINE = ("image/png", "image/jpeg", "image/gif", "image/webp", "text/plain", "audio/mpeg", "video/mp4")
BYTES = "application/octet-stream"


async def serve(request: web.Request, world: World) -> web.StreamResponse:
    """Answer `attachments/{channel}/{id}/{name}`, `avatars/{user}/{hash}.png`, `embed/avatars/{n}.png`."""
    match request.match_info["tail"].split("/"):
        case ["attachments", _, attachment_id, name]:
            return _file(world, f"{attachment_id}/{name}", name)
        case ["avatars", _, name] | ["guilds", _, "users", _, "avatars", name]:
            return _face(world, name.split(".")[0], to_page="Sec-Fetch-Site" in request.headers)
        case ["embed", "avatars", name] if _is_number(name.split(".")[0]):
            return web.Response(body=default_face(int(name.split(".")[0])), content_type="image/png")
    raise web.HTTPNotFound(text="There is no such file.")


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= MOST_DIGITS


def _file(world: World, key: str, name: str) -> web.Response:
    found = world.journal.blob(key)
    if found is None:
        raise web.HTTPNotFound(text="There is no such file.")
    kind, data = found
    # What a browser could run is only ever downloaded, as bytes of no kind: the page lives on the same origin.
    shown, kind = ("inline", kind) if kind in SAFE_INLINE else ("attachment", BYTES)
    headers = {
        "Content-Disposition": f'{shown}; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox",
    }
    return web.Response(body=data, content_type=kind, headers=headers)


def _face(world: World, key: str, *, to_page: bool) -> web.StreamResponse:
    found = world.journal.blob(f"face/{key}")
    if found is None:
        raise web.HTTPNotFound(text="There is no such picture.")
    kind, data = found
    if kind == LINK:
        place = data.decode()
        if (own := place.removeprefix(world.cdn_url)).startswith("/"):
            raise web.HTTPFound(f"/cdn{own}")
        if to_page:  # a picture elsewhere would tell where its viewer is
            raise web.HTTPNotFound(text="This picture lies elsewhere.")
        raise web.HTTPFound(place)
    return web.Response(body=data, content_type=kind, headers={"X-Content-Type-Options": "nosniff"})


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


class _Script(web.Response):
    """A script of the page that lies in no file."""


async def _script(request: web.Request) -> web.Response:
    text = bundled(PAGE / "js" / "main.js")
    tag = sha256(text.encode()).hexdigest()
    is_known = any(one.value == tag for one in request.if_none_match or ())
    script = _Script(status=304) if is_known else _Script(text=text, content_type="text/javascript")
    script.etag = tag
    script.headers["Cache-Control"] = "no-cache"  # kept, and asked for anew after an update
    return script


def add_to(app: web.Application, *, asks: str) -> None:
    """Serve the page at `/`, which may ask itself and this origin; has to come after every other route."""

    async def protect(request: web.Request, response: web.StreamResponse) -> None:
        if isinstance(response, web.FileResponse | _Script):
            policy = "; ".join(POLICY).format(host=request.host, asks=asks)
            response.headers["Content-Security-Policy"] = policy
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"

    app.on_response_prepare.append(protect)
    app.router.add_get("/", _index)
    app.router.add_get("/js/all.js", _script)
    app.router.add_static("/", PAGE)
