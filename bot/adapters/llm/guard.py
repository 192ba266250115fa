"""The way to servers that communities name: only with TLS, and never into this machine's own network."""

import asyncio
import ipaddress
import json
import re
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import islice, pairwise
from urllib.parse import urlsplit

import httpx2
from openai import OpenAIError

from bot.core.errors import Rejected

LONGEST_ADDRESS = 300
LARGEST_ANSWER_BYTES = 1_000_000
LARGEST_STREAM_BYTES = 16_000_000  # of which each event says little, and much around it
MOST_VALUES, DEEPEST = 2_000, 24  # in an answer, which may repeat our schema (some 800, 15 deep)
MOST_MARKS = 3 * MOST_VALUES  # each has at most a comma, a key and a bracket or a string of its own
UTF_8 = ("utf-8", "utf-8-sig")
MOST_LINES = 1_000  # of an event: a reader may join them one by one, which takes the square
EMPTY_AT_ONCE = 50  # events without words, between two turns of others
LONGEST_END = 4  # bytes between two events
_EVENT_END = re.compile(rb"(?>\r\n|\n|\r){2}")
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{,]', re.DOTALL)
GIVEN_OUT = ipaddress.ip_network("2000::/3")  # all other IPv6 is local, or wraps an IPv4 address (NAT64, SIIT)
# By name: older Pythons' is_global lets some of them through, and what wraps an IPv4 address leads to wherever that is.
NEVER = tuple(
    ipaddress.ip_network(network)
    for network in (
        *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24"),  # this network, carriers, protocols, 6to4
        *("2002::/16", "2001::/23", "3fff::/20"),  # IPv4 inside, documentation
    )
)
LOOKUP_SECONDS = 3.0
FAILED_SECONDS = 60.0  # so long no name is looked up for a server whose name was not found
# A name that never resolves holds a thread: none that others need, and one provider at most one of these at a time.
_LOOKUPS = ThreadPoolExecutor(64, "lookups")
LOCAL = (".local", ".lan", ".internal", ".home.arpa")
NEEDED_HEADERS = frozenset(
    {
        "host",
        "authorization",
        "anthropic-version",
        "x-goog-api-key",
        "content-type",
        "content-length",
        "accept",
        "accept-encoding",
        "user-agent",
        "connection",
    }
)
SAID_BY_US = {"authorization": "Bearer {key}", "x-goog-api-key": "{key}", "user-agent": "selfroom"}
TOO_LONG = "The answer is longer than any model's."
Resolve = Callable[[str, int], Awaitable[list[str]]]


@cache
def trusted() -> ssl.SSLContext:
    """Give whom this machine trusts, read once: that takes 20 ms and nearly a megabyte for each client."""
    return httpx2.create_ssl_context()


class AddressRefused(OpenAIError):
    """A server is where communities may not send us. Not tried again."""


class AnswerRefused(AddressRefused):
    """A server answers what nobody should read: it may have to be paid."""


def checked_address(address: str, *, private: bool) -> str:
    """Give a base URL as it can be used; raises Rejected with a sentence for one that cannot.

    `private`: this machine's own network is allowed, and plain http.
    """
    text = address.strip().rstrip("/")
    try:
        host, parts = _host_of(text), urlsplit(text)
    except (ValueError, httpx2.InvalidURL):
        host, parts = "", urlsplit("")
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


def _host_of(address: str) -> str:
    """Give the host of a base URL; raises ValueError for one that nobody could look up."""
    host, parts = httpx2.URL(address).host, urlsplit(address)
    _ = parts.port
    if not is_address(host):
        host.encode("idna")  # as a look-up does
    return parts.hostname or ""


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
    """Tell whether an IP address is one of the public Internet, and none that wraps another."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    is_given_out = ip.version == 4 or ip in GIVEN_OUT
    return is_given_out and ip.is_global and not ip.is_multicast and not any(ip in network for network in NEVER)


def is_own_machine(url: str | None) -> bool:
    """Tell whether a model server stands on this machine, where tokens cost nothing."""
    return url is not None and urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


def is_near(url: str | None) -> bool:
    """Tell whether a model server stands in this machine's own network: by a private address, or a name of its own."""
    host = (url and urlsplit(url).hostname) or ""
    return bool(host) and (not is_public(host) if is_address(host) else "." not in host or host.endswith(LOCAL))


async def resolved(host: str, port: int) -> list[str]:
    """Give the addresses of a host, the best first; raises OSError."""
    look = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    found = await asyncio.get_running_loop().run_in_executor(_LOOKUPS, look)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


def bare(key: str) -> Callable[[httpx2.Request], Awaitable[None]]:
    """Give what takes away all that the environment adds to requests for the installation, and leaves this key alone.

    It may add an organisation, a project, and headers of its own: keys of gateways among them, under any name.
    """

    async def stripped(request: httpx2.Request) -> None:
        for name in [one for one in request.headers if one.lower() not in NEEDED_HEADERS]:
            del request.headers[name]
        for name, value in SAID_BY_US.items():
            if name in request.headers:
                request.headers[name] = value.format(key=key)

    return stripped


async def unpacked(request: httpx2.Request) -> None:
    """Ask for an answer as it is: what is small on the line is small in memory."""
    request.headers["Accept-Encoding"] = "identity"


async def examined(response: httpx2.Response) -> None:
    """Read an answer within bounds before the client makes something of it; raises AddressRefused for any other.

    A stream is not read here, but each of its events before it goes on.
    """
    response.encoding = "utf-8"  # a server could name a decoder that takes minutes, or unpacks
    if is_event_stream(response):
        response.stream = _Examined(_bounded(response).stream)
    else:
        _examine(await _bounded(response).aread())


def is_event_stream(response: httpx2.Response) -> bool:
    """Tell whether an answer comes as events: a refusal never does, and is read whole like any other answer."""
    said: str = response.headers.get("Content-Type", "")
    return response.is_success and said.strip().lower().startswith("text/event-stream")


def _examine(body: bytes) -> None:
    if json.detect_encoding(body) not in UTF_8 or _is_wide(body):
        raise AnswerRefused(TOO_LONG)
    try:
        left = [(json.loads(body), 0)]
    except RecursionError:
        raise AnswerRefused(TOO_LONG) from None
    except ValueError:  # no JSON: whoever asked says so
        return
    for _ in range(MOST_VALUES):
        if not left:
            return
        one, depth = left.pop()
        if depth > DEEPEST:
            break
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        left += [(each, depth + 1) for each in inner]
    raise AnswerRefused(TOO_LONG)


def _is_wide(body: bytes) -> bool:
    """Tell whether JSON has more values than any answer, before anything is made of it."""
    return sum(1 for _ in islice(_MARK.finditer(body), MOST_MARKS + 1)) > MOST_MARKS


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Connects to the very addresses that were looked at, so that a name cannot mean another one a moment later."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, resolve: Resolve = resolved) -> None:
        self._inner = inner
        self._resolve = resolve
        self._looking = asyncio.Lock()
        self._failed_at = -FAILED_SECONDS

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
        async with self._looking:
            if time.monotonic() - self._failed_at < FAILED_SECONDS:
                raise httpx2.ConnectError(f"{host} could not be looked up a moment ago")
            try:
                async with asyncio.timeout(LOOKUP_SECONDS):
                    found = await self._resolve(host, port)
            except (OSError, UnicodeError) as error:  # TimeoutError is one; the other: of a name that none can have
                self._failed_at = time.monotonic()
                raise httpx2.ConnectError(f"{host} could not be looked up: {error}") from error
        if not all(is_public(address) for address in found):
            raise AddressRefused(private_sentence(host))
        return found

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """An answer's body, cut off with an error where it is longer than any answer is."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the body piece by piece."""
        left = self._most
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise AnswerRefused(TOO_LONG)
            yield piece

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._stream.aclose()


class _Examined(_Bounded):
    """A stream of events, of which each is examined whole before it goes on; those that say nothing do not."""

    def __init__(self, stream: object) -> None:
        assert isinstance(stream, httpx2.AsyncByteStream)  # of an async transport  # noqa: S101
        super().__init__(stream, LARGEST_STREAM_BYTES)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the body event by event."""
        waiting, looked_at = bytearray(), 0
        async for piece in super().__aiter__():
            waiting += piece
            ends = [end.end() for end in _EVENT_END.finditer(waiting, looked_at)]
            for number, (start, end) in enumerate(pairwise([0, *ends]), 1):
                event = bytes(waiting[start:end])
                carries = _carries(event)
                if carries:
                    yield event  # what is made of it may take a while
                if carries or number % EMPTY_AT_ONCE == 0:
                    await asyncio.sleep(0)  # a piece may hold thousands, and others come first in between
            del waiting[: ends[-1] if ends else 0]
            if len(waiting) > LARGEST_ANSWER_BYTES:
                raise AnswerRefused(TOO_LONG)
            looked_at = max(0, len(waiting) - LONGEST_END)
        _carries(bytes(waiting))
        yield bytes(waiting)


def _carries(event: bytes) -> bool:
    """Examine what an event carries; tells whether it carries anything."""
    if event.count(b"\n") + event.count(b"\r") > MOST_LINES:
        if event.strip(b"\r\n"):
            raise AnswerRefused(TOO_LONG)
        return False
    data = data_of(event)
    if data:
        _examine(data)
    return bool(data)


def data_of(event: bytes) -> bytes:
    """Give what an event carries, as its reader puts it together."""
    lines = [line.partition(b":") for line in event.splitlines()]
    return b"\n".join(value.removeprefix(b" ") for name, _, value in lines if name == b"data")


def _bounded(response: httpx2.Response) -> httpx2.Response:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise AnswerRefused("The answer is packed, which was not asked for.")
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # of an async transport  # noqa: S101
    most = LARGEST_STREAM_BYTES if is_event_stream(response) else LARGEST_ANSWER_BYTES
    response.stream = _Bounded(response.stream, most)
    return response


def _pinned(request: httpx2.Request, host: str, address: str) -> httpx2.Request:
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions=dict(request.extensions) | {"sni_hostname": host},
    )
