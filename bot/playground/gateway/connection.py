"""One gateway connection from hello to close, opcode by opcode."""

import asyncio
import contextlib
import json
from collections import deque

from aiohttp import WSMessage, WSMsgType, web

from bot.playground.events import ALL_INTENTS, PRIVILEGED
from bot.playground.gateway.wire import GOING_AWAY, GatewayClosed, Wire, plain, wire_for
from bot.playground.hub import new_session_id
from bot.playground.kinds import DIRECT, Op
from bot.playground.presence import tell_presence, tell_when_away
from bot.playground.rows import Json
from bot.playground.session import Session, frame_text
from bot.playground.shapes.channel import show_direct
from bot.playground.shapes.guild import show_member, show_whole_guild
from bot.playground.shapes.user import show_me
from bot.playground.world import World

ACK_PAUSE = 0.1
POLITELY_IGNORED = (Op.PRESENCE, Op.VOICE, Op.LAZY_GUILDS, Op.GUILD_SUBSCRIPTIONS)

HEARTBEAT_MS = 41_250
SENDS_PER_MINUTE = 120
BATCH = 50
LARGEST_FRAME = 64 * 1024  # bytes of what a client sends, which it may before anybody knows who it is
INVALID_PAUSE = 1.0


class Connection:
    """Speaks with one client; ends by GatewayClosed, by the client, or by `close`."""

    def __init__(self, world: World, socket: web.WebSocketResponse, wire: Wire, *, gateway_url: str) -> None:
        self.world = world
        self.session: Session | None = None
        self._socket = socket
        self._wire = wire
        self._gateway_url = gateway_url
        self._received: deque[float] = deque(maxlen=SENDS_PER_MINUTE)
        self._sender: asyncio.Task[None] | None = None
        self._client_code: int | None = None

    async def run(self) -> None:
        """Greet the client and answer it until either side ends it."""
        await self._wire.send(plain(Op.HELLO, {"heartbeat_interval": HEARTBEAT_MS}))
        try:
            while True:
                await self._hear(await self._socket.receive(timeout=HEARTBEAT_MS * 1.5 / 1000))
        except GatewayClosed as closed:
            await self.close(closed.code, closed.reason)
        except TimeoutError:
            await self.close(4009, "Session timed out.")
        except ConnectionError:
            pass  # the client is gone; its session waits to be resumed
        finally:
            await self._leave()

    async def close(self, code: int, reason: str) -> None:
        """End the connection; the session stays, unless the code says otherwise."""
        if code in (4003, 4004, 4007, 4009, 4010, 4013, 4014) and self.session is not None:
            self.world.hub.drop(self.session)
        await self._socket.close(code=code, message=reason.encode())

    async def _leave(self) -> None:
        if self._sender is not None:
            self._sender.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sender
        session = self.session
        if session is not None and session.connection is self:
            session.connection = None
            session.left_at = self.world.clock.seconds
            tell_when_away(self.world, session.user_id)
            if self._client_code in (1000, 1001):
                self.world.hub.drop(session)

    async def _hear(self, message: WSMessage) -> None:
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            self._client_code = message.data if message.type is WSMsgType.CLOSE else None
            raise ConnectionResetError
        self._count()
        try:
            frame = json.loads(message.data)
            op, data = int(frame["op"]), frame.get("d")
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise GatewayClosed(4002, "Error while decoding payload.") from None
        await self._answer(op, data)

    def _count(self) -> None:
        now = self.world.clock.seconds
        if len(self._received) == SENDS_PER_MINUTE and now - self._received[0] < 60:
            raise GatewayClosed(4008, "You are being rate limited.")
        self._received.append(now)

    async def _answer(self, op: int, data: object) -> None:
        if op == Op.HEARTBEAT:
            self.world.hub.run(self._acknowledge())
        elif op in (Op.IDENTIFY, Op.RESUME):
            await self._begin(op, data)
        elif self.session is None:
            raise GatewayClosed(4003, "Not authenticated.")
        elif op == Op.REQUEST_MEMBERS:
            send_members(self.world, self.session, data)
        elif op not in POLITELY_IGNORED:
            raise GatewayClosed(4001, "Unknown opcode.")

    async def _acknowledge(self) -> None:
        """Answer a heartbeat after a moment: from so near, discord.py would note its sending after the answer."""
        await asyncio.sleep(ACK_PAUSE)
        with contextlib.suppress(ConnectionError):  # it hung up meanwhile
            await self._wire.send(plain(Op.ACK))

    async def _begin(self, op: int, data: object) -> None:
        if self.session is not None:
            raise GatewayClosed(4005, "Already authenticated.")
        if not isinstance(data, dict):
            raise GatewayClosed(4002, "Error while decoding payload.")
        self.world.hub.sweep(self.world.clock.seconds)
        begin = identify if op == Op.IDENTIFY else resume
        session = begin(self.world, data)
        if session is None:
            await asyncio.sleep(self.world.limits.scaled(INVALID_PAUSE))
            await self.invalidate(resumable=False)
        else:
            await self._attach(session, fresh=op == Op.IDENTIFY)

    async def _attach(self, session: Session, *, fresh: bool) -> None:
        if session.connection is not None:
            await session.connection.close(4000, "Resumed elsewhere.")
        was_here = self.world.hub.is_here(session.user_id)
        self.session, session.connection, session.left_at = session, self, None
        if fresh:
            greet(self.world, session, gateway_url=self._gateway_url)
        else:
            session.put("RESUMED", "{}")
        if not was_here:
            tell_presence(self.world, session.user_id)
        session.waiting.set()
        self._sender = asyncio.create_task(self._send_events(session))

    async def invalidate(self, *, resumable: bool) -> None:
        if self.session is not None and not resumable:
            self.world.hub.drop(self.session)
        await self._wire.send(plain(Op.INVALID_SESSION, resumable))

    async def ask_to_reconnect(self) -> None:
        await self._wire.send(plain(Op.RECONNECT))

    async def _send_events(self, session: Session) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                await session.waiting.wait()
                session.waiting.clear()
                if session.fell_behind:
                    await self.close(4009, "Session timed out.")
                    return
                while due := session.due()[:BATCH]:
                    await self._wire.send(*map(frame_text, due))
                    session.sent = due[-1][0]


async def serve(request: web.Request, world: World, gateway_url: str) -> web.WebSocketResponse:
    """Answer a gateway request (`?v=10&encoding=json&compress=zlib-stream`)."""
    socket = web.WebSocketResponse(max_msg_size=LARGEST_FRAME, compress=False, timeout=1.0)
    await socket.prepare(request)
    wire = wire_for(socket, request)
    if request.query.get("v", "10") not in ("9", "10"):
        await socket.close(code=4012, message=b"Invalid API version.")
    elif wire is None or request.query.get("encoding", "json") != "json":
        await socket.close(code=4002, message=b"Only JSON, plain or as a zlib-stream, is spoken here.")
    else:
        connection = Connection(world, socket, wire, gateway_url=gateway_url)
        world.hub.connections.add(connection)
        try:
            await connection.run()
        finally:
            world.hub.connections.discard(connection)
    return socket


async def close_all(world: World) -> None:
    """End every connection: the server is going away."""
    await asyncio.gather(*(c.close(GOING_AWAY, "Going away.") for c in list(world.hub.connections)))


CHUNK = 1000


def send_members(world: World, session: Session, data: object) -> None:
    """Send the members asked for as GUILD_MEMBERS_CHUNK events; nothing for a server one is not in."""
    asked: Json = data if isinstance(data, dict) else {}
    guild_id = str(asked.get("guild_id"))
    if world.member(guild_id, session.user_id) is None:
        return
    found = _matching(world, guild_id, asked)
    members = [show_member(world, row) for row in found]
    chunks = [members[start : start + CHUNK] for start in range(0, len(members), CHUNK)] or [[]]
    for index, chunk in enumerate(chunks):
        chunked: Json = {
            "guild_id": guild_id,
            "members": chunk,
            "chunk_index": index,
            "chunk_count": len(chunks),
            "not_found": _missing(asked, found),
        }
        if asked.get("nonce") is not None:
            chunked["nonce"] = asked["nonce"]
        session.put("GUILD_MEMBERS_CHUNK", json.dumps(chunked))


def _matching(world: World, guild_id: str, asked: Json) -> list[Json]:
    rows = list(world.members.within(guild_id).values())
    ids = asked.get("user_ids")
    if ids:
        wanted = {str(i) for i in (ids if isinstance(ids, list) else [ids])}
        return [row for row in rows if row["user_id"] in wanted]
    query = str(asked.get("query") or "").lower()
    limit = _limit(asked) or len(rows)
    return [row for row in rows if _starts(world, row, query)][:limit]


def _limit(asked: Json) -> int:
    try:
        limit = int(asked.get("limit") or 0)
    except (ValueError, TypeError, OverflowError):
        limit = -1
    if limit < 0:
        raise GatewayClosed(4002, "Error while decoding payload.")
    return limit


def _starts(world: World, row: Json, query: str) -> bool:
    user = world.users.rows[row["user_id"]]
    names = (user["username"], user.get("global_name"), row.get("nick"))
    return any(name and name.lower().startswith(query) for name in names)


def _missing(asked: Json, found: list[Json]) -> list[str]:
    ids = asked.get("user_ids") or []
    there = {row["user_id"] for row in found}
    return [str(i) for i in (ids if isinstance(ids, list) else [ids]) if str(i) not in there]


def identify(world: World, data: Json) -> Session | None:
    """Open a session; None when a bot does so too often; raises GatewayClosed when it can't be."""
    user = world.user_with(str(data.get("token", "")).removeprefix("Bot "))
    if user is None:
        raise GatewayClosed(4004, "Authentication failed.")
    is_bot = bool(user.get("bot"))
    intents = _intents(world, user, data.get("intents")) if is_bot else ALL_INTENTS
    shard = _shard(data.get("shard") or [0, 1])
    if is_bot and not world.limits.may_identify(user["id"]):
        return None
    if not world.hub.has_room_for(user["id"]):
        raise GatewayClosed(4008, "Too many sessions are open.")
    session = Session(
        id=new_session_id(),
        user_id=user["id"],
        token=user["token"],
        is_bot=is_bot,
        intents=intents,
        shard=shard,
    )
    return world.hub.open(session)


def _intents(world: World, user: Json, asked: object) -> int:
    if not isinstance(asked, int) or asked < 0 or asked & ~ALL_INTENTS:
        raise GatewayClosed(4013, "Invalid intent(s).")
    application = world.applications.get(user["id"]) or {"flags": 0}
    for intent, flag in PRIVILEGED.items():
        if asked & intent and not application["flags"] & flag:
            raise GatewayClosed(4014, "Disallowed intent(s).")
    return asked


def _shard(asked: object) -> tuple[int, int]:
    match asked:
        case [int(number), int(count)] if 0 <= number < count:
            return number, count
        case _:
            raise GatewayClosed(4010, "Invalid shard.")


def greet(world: World, session: Session, *, gateway_url: str) -> None:
    """Send READY and, one by one, the servers the user is in."""
    guilds = [guild for guild in world.guilds_of(session.user_id) if session.serves(guild["id"])]
    session.put("READY", json.dumps(_ready(world, session, guilds, gateway_url)))
    if session.hears_guilds:
        for guild in guilds:
            session.put("GUILD_CREATE", json.dumps(show_whole_guild(world, guild, session) | {"unavailable": False}))


def _ready(world: World, session: Session, guilds: list[Json], gateway_url: str) -> Json:
    user = world.users.rows[session.user_id]
    ready: Json = {
        "v": 10,
        "user": show_me(user),
        "guilds": [{"id": guild["id"], "unavailable": True} for guild in guilds],
        "session_id": session.id,
        "resume_gateway_url": gateway_url,
        "session_type": "normal",
        "user_settings": {},
        "presences": [],
        "relationships": [],
        "private_channels": [] if session.is_bot else _conversations(world, session.user_id),
        "shard": list(session.shard),
    }
    if (application := world.applications.get(user["id"])) is not None:
        ready["application"] = {"id": application["id"], "flags": application["flags"]}
    return ready


def _conversations(world: World, user_id: str) -> list[Json]:
    channels = world.channels.within(None).values()
    return [
        show_direct(world, channel, user_id)
        for channel in channels
        if channel["type"] in DIRECT and user_id in channel["recipients"]
    ]


def resume(world: World, data: Json) -> Session | None:
    """Give the session to go on with; None when it is unknown or too much has been missed."""
    session = world.hub.find(str(data.get("session_id")))
    token = str(data.get("token", "")).removeprefix("Bot ")
    if session is None or session.token != token:
        return None
    seq = data.get("seq")
    if not isinstance(seq, int) or seq > session.seq:
        raise GatewayClosed(4007, "Invalid seq.")
    if not session.can_replay_after(seq):
        world.hub.drop(session)
        return None
    session.sent = seq
    return session
