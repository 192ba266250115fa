"""Discord's gateway over SimCord's events: sockets, intents, and who may see what."""

import asyncio
import contextlib
import json
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import discord
from aiohttp import web
from simcord import intents as rules
from simcord.backend import serializers
from simcord.backend.access import channel_accessible
from simcord.gateway import FakeWebSocket

if TYPE_CHECKING:
    from tests.second.server import SimcordServer

Json = dict[str, Any]

DISPATCH, INVALID, HELLO, HEARD = 0, 9, 10, 11
OF_A_CHANNEL = ("MESSAGE_", "TYPING_", "CHANNEL_PINS_", "THREAD_")


class Session:
    """One connection of the bot's or of a person's client."""

    def __init__(self, socket: web.WebSocketResponse, *, squeezed: bool) -> None:
        self.user_id = 0
        self.intents = discord.Intents.all()
        self._socket = socket
        self._zlib = zlib.compressobj() if squeezed else None
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._number = 0

    def put(self, event: str, data: str) -> None:
        """Send an event, after those before it."""
        self._number += 1
        self._waiting.put_nowait(f'{{"op":{DISPATCH},"s":{self._number},"t":"{event}","d":{data}}}')

    def say(self, op: int, data: object = None) -> None:
        """Send something that is no event."""
        self._waiting.put_nowait(json.dumps({"op": op, "d": data, "s": None, "t": None}))

    async def write(self) -> None:
        """Keep sending what waits."""
        while True:
            text = await self._waiting.get()
            if self._zlib is None:
                await self._socket.send_str(text)
            else:
                data = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
                await self._socket.send_bytes(data)

    async def close(self) -> None:
        """End the connection as a server that goes away."""
        await self._socket.close(code=1001)


class Asker:
    """A session, as what SimCord gives members to."""

    _state = None  # it has no discord.py

    def __init__(self, server: "SimcordServer", session: Session) -> None:
        self._server, self._session = server, session

    def deliver(self, event: str, payload: Mapping[str, Any]) -> None:
        """Send what was asked for."""
        self._session.put(event, self._server.worded(dict(payload)))


class Gateway:
    """Gives SimCord's events to the sessions that may have them."""

    def __init__(self, server: "SimcordServer") -> None:
        self._server = server
        self._sessions: list[Session] = []
        server.backend.subscribers.append(self._spread)

    def sessions_of(self, user_id: int) -> list[Session]:
        """Give the connections of one user."""
        return [session for session in self._sessions if session.user_id == user_id]

    async def close(self) -> None:
        """End all connections."""
        for session in list(self._sessions):
            await session.close()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it ends."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        session = Session(socket, squeezed=request.query.get("compress") == "zlib-stream")
        session.say(HELLO, {"heartbeat_interval": 41250})
        writing = asyncio.create_task(session.write())
        try:
            async for frame in socket:
                said = json.loads(frame.data)
                if not await self._hear(session, said["op"], said.get("d")):
                    await socket.close(code=4004)
        finally:
            writing.cancel()
            with contextlib.suppress(ValueError):
                self._sessions.remove(session)
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await writing
        return socket

    async def _hear(self, session: Session, op: int, said: Any) -> bool:  # noqa: ANN401
        """Take one frame; false for a token that is not known."""
        match op:
            case 1:  # a heartbeat
                session.say(HEARD)
            case 2:  # who comes
                user_id = self._server.tokens.get(said["token"])
                if user_id is None:
                    return False
                session.user_id = user_id
                if "intents" in said:
                    session.intents = discord.Intents.none()
                    session.intents.value = said["intents"]
                self._greet(session)
            case 8:  # who asks for members
                asked = {name: said[name] for name in ("query", "user_ids", "nonce") if name in said}
                there = FakeWebSocket(self._server.backend, Asker(self._server, session))
                await there.request_chunks(int(said["guild_id"]), limit=int(said.get("limit") or 0), **asked)
            case 6:  # who comes back: nothing is kept for them
                session.say(INVALID, False)
            case 3:  # how somebody appears is shown to nobody here
                pass
            case _:
                self._server.gaps.append(f"gateway operation {op}")
        return True

    def _greet(self, session: Session) -> None:
        backend, guild = self._server.backend, self._server.guild
        ready = {
            "v": 10,
            "user": serializers.user_payload(backend.users[session.user_id]),
            "guilds": [{"id": str(guild.id), "unavailable": True}],
            "session_id": f"session-{id(session)}",
            "resume_gateway_url": self._server.gateway_url,
            "application": {"id": str(backend.application_id), "flags": 1 << 19},
        }
        session.put("READY", self._server.worded(ready))
        whole = dict(serializers.guild_create_payload(backend, guild))
        rules.prune_guild_create(whole, session.intents, session.user_id)
        session.put("GUILD_CREATE", self._server.worded(whole))
        self._sessions.append(session)

    def _spread(self, event: str, payload: Mapping[str, Any]) -> None:
        text = None
        for session in self._sessions:
            if self._may_hear(session, event, payload):
                text = text or self._server.worded(dict(payload))
                session.put(event, text)

    def _may_hear(self, session: Session, event: str, payload: Mapping[str, Any]) -> bool:
        """Tell whether a session asked for an event and its user sees where it happened."""
        if event == "INTERACTION_CREATE":
            return session.user_id == self._server.bot_id
        intent = rules.required_intent(event, payload)
        if intent is not None and not getattr(session.intents, intent):
            return False
        channel_id = int(payload.get("channel_id") or payload.get("id") or 0)
        if channel_id not in self._server.backend.channels or not event.startswith((*OF_A_CHANNEL, "CHANNEL_")):
            return True
        return bool(channel_accessible(self._server.backend, channel_id, session.user_id))
