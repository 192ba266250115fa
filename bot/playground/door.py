"""Who is let in: this machine only, and pages served from it."""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

NAMES = ("localhost", "127.0.0.1", "::1")
REFUSAL = "The playground only talks to programs and pages on this machine: open it as http://127.0.0.1."
METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
HEADERS = "Authorization, Content-Type, X-Audit-Log-Reason"
EXPOSED = "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset-After, X-RateLimit-Bucket"


def is_loopback(host: str) -> bool:
    """Whether an address or host name is this machine."""
    if host in NAMES:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _host_of(netloc: str) -> str:
    return urlsplit(f"//{netloc}").hostname or ""


def is_let_in(request: web.Request) -> bool:
    """Whether peer, `Host` and `Origin` are all this machine's (a foreign page has a foreign origin)."""
    peer = request.transport.get_extra_info("peername") if request.transport else None
    origin = request.headers.get("Origin")
    return (
        peer is not None
        and is_loopback(str(peer[0]))
        and is_loopback(_host_of(request.headers.get("Host", "")))
        and (origin is None or is_loopback(urlsplit(origin).hostname or ""))
    )


@web.middleware
async def doorkeeper(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse strangers in one sentence, and let this machine's pages read the answers."""
    if not is_let_in(request):
        return web.Response(status=403, text=REFUSAL)
    asks_first = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
    response = web.Response(status=204) if asks_first else await handler(request)
    if not response.prepared:
        _allow(request, response)
    return response


def _allow(request: web.Request, response: web.StreamResponse) -> None:
    if (origin := request.headers.get("Origin")) is not None:
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = HEADERS
        response.headers["Access-Control-Expose-Headers"] = EXPOSED
        response.headers["Vary"] = "Origin"
