"""What stands before every request: whose page asks, and what a page of ours may do."""

from collections.abc import Collection, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

LOCAL = ("127.0.0.1", "localhost", "[::1]")
OURS = ("same-origin", "none")  # `none`: somebody typed the address, or a program asks
REFUSAL = "Only the console's own page may ask this: open it by the link that /console open gives."
POLICY = (
    "default-src 'none'",
    "script-src {origin}/js/ {origin}/shared/js/",
    "style-src {origin}/css/ {origin}/shared/",
    "img-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "frame-ancestors 'none'",
)
HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def origins_of(port: int, url: str | None) -> tuple[str, ...]:
    """Give the origins of the console's own page: the one that is set, else this machine's on its port."""
    return (url,) if url is not None else tuple(f"http://{host}:{port}" for host in LOCAL)


def guard(origins: Collection[str]) -> Middleware:
    """Give what lets in only who asks by one of the console's own addresses, and of pages only its own.

    `origins` may still be empty when this is called: where it listens is known once it does.
    """

    @web.middleware
    async def keep(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = own_origin(request, origins)
        if origin is None or not (_is_from_here(request, origin) or _opens_the_page(request)):
            raise web.HTTPForbidden(text=REFUSAL)
        return await handler(request)

    return keep


def own_origin(request: web.Request, origins: Collection[str]) -> str | None:
    """Give the console's origin by which a request came, judged by its Host; None for a name that was bent to it.

    Whoever connects has to be on this machine: people, or the proxy before it.
    """
    peer = request.transport.get_extra_info("peername") if request.transport is not None else None
    if peer is None or not ip_address(peer[0]).is_loopback:
        return None
    return next((one for one in origins if urlsplit(one).netloc == request.headers.get("Host", "")), None)


def _is_from_here(request: web.Request, origin: str) -> bool:
    """Tell whether a program asks, or the page of this very origin; one of another port is another's."""
    site = request.headers.get("Sec-Fetch-Site", "none")
    return request.headers.get("Origin") in (None, origin) and site in OURS


def _opens_the_page(request: web.Request) -> bool:
    """Tell whether a browser opens the page itself by a link: who made that can neither read nor frame it."""
    asked = request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest")
    return asked == ("navigate", "document") and (request.method, request.path) == ("GET", "/")


async def lay_policy(request: web.Request, response: web.StreamResponse) -> None:
    """Put what a browser has to keep to over an answer."""
    response.headers.update(HEADERS)
    if response.content_type == "text/html":
        origin = f"{request.scheme}://{request.host}"
        response.headers["Content-Security-Policy"] = "; ".join(POLICY).format(origin=origin)
