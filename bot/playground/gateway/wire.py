"""How gateway frames travel: plain text, or one zlib stream for the whole connection."""

import asyncio
import json
import struct
import zlib
from collections.abc import Sequence
from typing import Protocol

from aiohttp import WSCloseCode, web


class Wire(Protocol):
    """Sends frames through one socket."""

    async def send(self, *texts: str) -> None:
        """Send frames, in one go."""
        ...


TEXT, BINARY = 0x81, 0x82


def _framed(kind: int, data: bytes) -> bytes:
    """Give one whole websocket message as a server sends it: final, not masked."""
    size = len(data)
    if size < 126:
        return struct.pack("!BB", kind, size) + data
    if size < 1 << 16:
        return struct.pack("!BBH", kind, 126, size) + data
    return struct.pack("!BBQ", kind, 127, size) + data


def _write(transport: asyncio.Transport, kind: int, messages: Sequence[bytes]) -> None:
    """Write several messages at once: with many listeners the calls to the system are what costs."""
    if transport.is_closing():
        raise ConnectionResetError
    transport.write(b"".join(_framed(kind, message) for message in messages))


class PlainWire:
    """One text message per frame."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport) -> None:
        self._socket = socket
        self._transport = transport

    async def send(self, *texts: str) -> None:
        """Send frames; the last one goes through the socket, which waits for a slow reader."""
        *most, last = texts
        if most:
            _write(self._transport, TEXT, [text.encode() for text in most])
        await self._socket.send_str(last)


class ZlibWire:
    """One binary message per frame, flushed so that each can be read on its own."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport) -> None:
        self._socket = socket
        self._transport = transport
        self._stream = zlib.compressobj(level=1)

    async def send(self, *texts: str) -> None:
        """Send frames; the last one goes through the socket, which waits for a slow reader."""
        *most, last = [self._squeezed(text) for text in texts]
        if most:
            _write(self._transport, BINARY, most)
        await self._socket.send_bytes(last)

    def _squeezed(self, text: str) -> bytes:
        return self._stream.compress(text.encode()) + self._stream.flush(zlib.Z_SYNC_FLUSH)


def wire_for(socket: web.WebSocketResponse, request: web.Request) -> Wire | None:
    """Choose by the `compress` of the gateway URL; None when it is one we don't speak."""
    transport = request.transport
    if transport is None:
        raise ConnectionResetError
    match request.query.get("compress"):
        case None:
            return PlainWire(socket, transport)
        case "zlib-stream":
            return ZlibWire(socket, transport)
    return None


def plain(op: int, data: object = None) -> str:
    """Give a frame that is not a dispatch."""
    return json.dumps({"t": None, "s": None, "op": op, "d": data})


class GatewayClosed(Exception):
    """The connection ends with one of Discord's close codes."""

    def __init__(self, code: int, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(f"{code} {reason}")


GOING_AWAY = WSCloseCode.GOING_AWAY
