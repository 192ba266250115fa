"""The way to servers that communities name: only with TLS, and never into this machine's own network."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

import httpx2
from openai import OpenAIError

from bot.core.errors import Rejected

LONGEST_ADDRESS = 300
LARGEST_ANSWER_BYTES = 8_000_000
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # NAT64: an IPv4 address in its last 32 bits
NEEDED_HEADERS = frozenset(
    {"host", "authorization", "content-type", "content-length", "accept", "accept-encoding", "user-agent", "connection"}
)
Resolve = Callable[[str, int], Awaitable[list[str]]]


class AddressRefused(OpenAIError):
    """A server is where communities may not send us, or answers what nobody should read. Not tried again."""


def checked_address(address: str, *, private: bool) -> str:
    """Give a base URL as it can be used; raises Rejected with a sentence for one that cannot.

    `private`: this machine's own network is allowed, and plain http.
    """
    text = address.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not host or len(text) > LONGEST_ADDRESS or parts.scheme not in ("https", "http"):
        raise Rejected("Give the server's base URL, such as https://api.example.com/v1.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise Rejected("Give the base URL alone, without name, password, ? or #: the key has a field of its own.")
    if private:
        return text
    if parts.scheme != "https":
        raise Rejected("The base URL must begin with https://: a key never travels in the open.")
    if is_address(host) and not is_public(host):
        raise Rejected(private_sentence(host))
    return text


def private_sentence(host: str) -> str:
    """Word that an address is not one of the public Internet."""
    return f"{host} is not on the public Internet: only whoever runs Selfroom can allow that."


def is_address(host: str) -> bool:
    """Tell whether a host is an IP address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Tell whether an IP address is one of the public Internet, also one that is wrapped in another."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip.teredo is not None or ip.is_site_local:
            return False
    return ip.is_global and not ip.is_multicast


async def resolved(host: str, port: int) -> list[str]:
    """Give the addresses of a host, the best first; raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


async def bare(request: httpx2.Request) -> None:
    """Take away what the environment adds to every request for the installation: organisation, project and the like."""
    for name in [one for one in request.headers if one.lower() not in NEEDED_HEADERS]:
        del request.headers[name]


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Connects to the very addresses that were looked at, so that a name cannot mean another one a moment later."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, resolve: Resolve = resolved) -> None:
        self._inner = inner
        self._resolve = resolve

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to a public address, with the name in its certificate; redirects come here as well."""
        host = request.url.host
        if request.url.scheme != "https":
            raise AddressRefused(f"{host} was asked without TLS.")
        addresses = await self._addresses(host, request.url.port or 443)
        request.headers["Accept-Encoding"] = "identity"  # what is small on the line is small in memory
        error: httpx2.ConnectError | httpx2.ConnectTimeout | None = None
        for address in addresses:
            try:
                return _bounded(await self._inner.handle_async_request(_pinned(request, host, address)))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as one:
                error = one
        raise error or httpx2.ConnectError(f"{host} has no address", request=request)

    async def _addresses(self, host: str, port: int) -> list[str]:
        try:
            found = await self._resolve(host, port)
        except OSError as error:
            raise httpx2.ConnectError(str(error)) from error
        if not all(is_public(address) for address in found):
            raise AddressRefused(private_sentence(host))
        return found

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """An answer's body, cut off with an error where it is longer than any answer is."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the body piece by piece."""
        left = LARGEST_ANSWER_BYTES
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise AddressRefused("The answer is longer than any model's.")
            yield piece

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._stream.aclose()


def _bounded(response: httpx2.Response) -> httpx2.Response:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise AddressRefused("The answer is packed, which was not asked for.")
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # of an async transport  # noqa: S101
    response.stream = _Bounded(response.stream)
    return response


def _pinned(request: httpx2.Request, host: str, address: str) -> httpx2.Request:
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions=dict(request.extensions) | {"sni_hostname": host},
    )
