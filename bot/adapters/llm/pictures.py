"""Pictures go to models by address; where either is on this machine's own network, as the bytes themselves."""

import asyncio
import base64
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import httpx2
import structlog

from bot.adapters.llm.guard import is_address, is_public, trusted
from bot.adapters.llm.queue import Queue
from bot.core.models import ModelCall

LARGEST_BYTES = 1_000_000
LARGEST_CALL_BYTES = 4_000_000
CDN, MEDIA = "cdn.discordapp.com", "media.discordapp.net"  # the second gives pictures smaller
WIDTH = 512  # what models look at
PATIENCE_SECONDS = 10.0  # for a whole picture
AT_ONCE, TURN_SECONDS = 3, 20.0  # calls that carry pictures themselves, and how long others wait for them
log = structlog.get_logger(__name__)


def are_fetched(addresses: Sequence[str], *, server: str) -> bool:
    """Tell whether a model server there is sent some of these pictures themselves."""
    return any(_is_near(server) or _is_near(one) for one in addresses)


class PictureTurns:
    """Lets few calls carry pictures themselves, for they take much memory: of each community one at a time."""

    def __init__(self) -> None:
        self._queue = Queue(AT_ONCE, of_each=1)

    @asynccontextmanager
    async def of(self, call: ModelCall, whose: str, *, server: str) -> AsyncIterator[Sequence[str]]:
        """Give the pictures that a call may carry for the block; who waits for others too long is asked without."""
        async with AsyncExitStack() as stack:
            pictures = call.images
            if are_fetched(pictures, server=server):
                try:
                    await stack.enter_async_context(self._queue.turn(call, seconds=TURN_SECONDS, whose=whose))
                except TimeoutError:
                    log.info("a model is asked without pictures: those of others take long")
                    pictures = ()
            yield pictures


async def as_taken(addresses: Sequence[str], *, server: str) -> tuple[str, ...]:
    """Give pictures as the model server at that address can take them; one that cannot be had is left out."""
    if not are_fetched(addresses, server=server):
        return tuple(addresses)
    near, left, found = _is_near(server), LARGEST_CALL_BYTES, list[str]()
    as_it_is = {"Accept-Encoding": "identity"}
    async with httpx2.AsyncClient(verify=trusted(), timeout=PATIENCE_SECONDS, headers=as_it_is) as http:
        for one in addresses:
            taken = await _bytes_of(http, one, min(left, LARGEST_BYTES)) if near or _is_near(one) else one
            left -= len(taken) * 3 // 4 if taken.startswith("data:") else 0
            found += [taken] if taken else []
    return tuple(found)


async def _bytes_of(http: httpx2.AsyncClient, address: str, most: int) -> str:
    if address.startswith("data:"):
        return address if len(address) * 3 // 4 <= most else ""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), http.stream("GET", smaller(address)) as response:
            response.raise_for_status()
            if int(response.headers.get("Content-Length", 0)) > most:
                log.info("a picture is too large for the model", address=address)
                return ""
            data = bytearray()
            async for piece in response.aiter_raw():
                data += piece
                if len(data) > most:
                    log.info("a picture is too large for the model", address=address)
                    return ""
    except (httpx2.HTTPError, TimeoutError, ValueError) as error:
        log.info("a picture could not be had for the model", address=address, why=type(error).__name__)
        return ""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if not kind.startswith("image/"):
        return ""
    return f"data:{kind};base64,{(await asyncio.to_thread(base64.b64encode, data)).decode()}"


def smaller(address: str) -> str:
    """Give where Discord has a picture in the size that models look at; any other address as it is."""
    parts = urlsplit(address)
    if parts.hostname not in (CDN, MEDIA):
        return address
    query = "&".join(filter(None, (parts.query, f"width={WIDTH}")))
    return urlunsplit((parts.scheme, MEDIA, parts.path, query, parts.fragment))


def _is_near(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host == "localhost" or (is_address(host) and not is_public(host))
