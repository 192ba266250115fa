"""Who is let in: programs of this machine, and the playground's own page."""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Middleware

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

NAMES = ("localhost", "127.0.0.1", "::1")
HOSTS = ("localhost", "127.0.0.1", "[::1]")
REFUSAL = "The playground only talks to programs on this machine and to its own page: open it as http://127.0.0.1."
PEOPLE_ONLY = "Only people of the playground may see this: send the page's own token as Authorization."
OUR_SITES = ("same-origin", "none")  # `none`: somebody typed the address
FOR_PEOPLE = "/playground/model/"  # what agents were shown stands there


def is_loopback(host: str) -> bool:
    """Whether an address or host name is this machine."""
    if host in NAMES:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_ours(netloc: str, port: int) -> bool:
    """Whether a `Host` is this machine and this port: a name that was bent to it is another's."""
    return netloc in {f"{name}:{port}" for name in HOSTS} or (port == 80 and netloc in HOSTS)


def _is_a_link_to_the_page(request: web.Request) -> bool:
    """Whether a browser opens the page itself, which no other page can read or lay itself over."""
    asked = request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest")
    return asked == ("navigate", "document") and (request.method, request.path) == ("GET", "/")


def is_let_in(request: web.Request) -> bool:
    """Whether the peer is this machine, and whoever asks a program or the page of this very port.

    A page of another port is another origin, and a page without one (`null`) nobody's.
    """
    transport = request.transport
    if transport is None or not is_loopback(str(transport.get_extra_info("peername")[0])):
        return False
    host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site", "none")
    return (
        _is_ours(host, transport.get_extra_info("sockname")[1])
        and origin in (None, f"http://{host}")
        and (site in OUR_SITES or _is_a_link_to_the_page(request))
    )


def doorkeeper(is_person: Callable[[str], bool]) -> Middleware:
    """Give what refuses strangers in one sentence, and keeps what agents were shown for who has a person's token."""

    @web.middleware
    async def keep(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_let_in(request):
            return web.Response(status=403, text=REFUSAL)
        if request.path.startswith(FOR_PEOPLE) and not is_person(request.headers.get("Authorization", "")):
            return web.json_response({"message": PEOPLE_ONLY}, status=401)
        return await handler(request)

    return keep
