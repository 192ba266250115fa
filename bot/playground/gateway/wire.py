"""How gateway frames travel: plain text, or one zlib stream for the whole connection."""

import json
import zlib
from typing import Protocol

from aiohttp import WSCloseCode, web


class Wire(Protocol):
    """Sends frames through one socket."""

    async def send(self, text: str) -> None:
        """Send one frame."""
        ...


class PlainWire:
    """One text message per frame."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        """Send one frame."""
        await self._socket.send_str(text)


class ZlibWire:
    """One binary message per frame, flushed so that each can be read on its own."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket
        self._stream = zlib.compressobj(level=1)

    async def send(self, text: str) -> None:
        """Send one frame."""
        data = self._stream.compress(text.encode()) + self._stream.flush(zlib.Z_SYNC_FLUSH)
        await self._socket.send_bytes(data)


def wire_for(socket: web.WebSocketResponse, compress: str | None) -> Wire | None:
    """Choose by the `compress` of the gateway URL; None when it is one we don't speak."""
    if compress is None:
        return PlainWire(socket)
    return ZlibWire(socket) if compress == "zlib-stream" else None


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
