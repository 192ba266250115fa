"""Pictures go to models by address; where either is on this machine's own network, as the bytes themselves."""

import asyncio
import base64
from collections.abc import Sequence
from urllib.parse import urlsplit

import httpx2
import structlog

from bot.adapters.llm.guard import is_address, is_public

LARGEST_BYTES = 5_000_000
PATIENCE_SECONDS = 10.0  # for a whole picture
log = structlog.get_logger(__name__)


async def as_taken(addresses: Sequence[str], *, server: str) -> tuple[str, ...]:
    """Give pictures as the model server at that address can take them; one that cannot be had is left out."""
    near = _is_near(server)
    if not any(near or _is_near(one) for one in addresses):
        return tuple(addresses)
    as_it_is = {"Accept-Encoding": "identity"}
    async with httpx2.AsyncClient(timeout=PATIENCE_SECONDS, headers=as_it_is) as http:
        found = [await _bytes_of(http, one) if near or _is_near(one) else one for one in addresses]
    return tuple(one for one in found if one)


async def _bytes_of(http: httpx2.AsyncClient, address: str) -> str:
    if address.startswith("data:"):
        return address
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), http.stream("GET", address) as response:
            response.raise_for_status()
            data = bytearray()
            async for piece in response.aiter_raw():
                data += piece
                if len(data) > LARGEST_BYTES:
                    log.info("a picture is too large for the model", address=address)
                    return ""
    except (httpx2.HTTPError, TimeoutError) as error:
        log.info("a picture could not be had for the model", address=address, why=type(error).__name__)
        return ""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    return f"data:{kind};base64,{base64.b64encode(data).decode()}" if kind.startswith("image/") else ""


def _is_near(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host == "localhost" or (is_address(host) and not is_public(host))
