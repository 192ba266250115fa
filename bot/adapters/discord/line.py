"""The line to Discord's gateway: held until the client is closed, whatever breaks it or cannot be read."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from functools import partial

import aiohttp
import discord
import structlog

from bot.adapters.discord.inner import Raw, Reconnect, Socket, parsers_of
from bot.adapters.discord.reaching import LOST, again_after, gateway_trouble, may_pass
from bot.core.ports import Metrics

OPENING_SECONDS = 60.0
STEADY_SECONDS = 10.0  # a line that held for so long was a good one
TIMES = 3  # an event that cannot be read so often will never be
RESUMES = 5  # failures in a row after which a session is begun anew
WRONG_TOKEN, NO_INTENT = 4004, 4014
NEEDED = frozenset({"READY", "RESUMED"})  # nothing goes on without them
REMEMBERED = 1_000
log = structlog.get_logger(__name__)

Skipped = Callable[[str, int], None]
Parse = Callable[[Raw], None]


class Unreadable(Exception):
    """discord.py cannot read what the gateway said; all that it knows may be half changed."""


class Reader:
    """Stands between the gateway and discord.py's parsers; `skipped` is told of each event that is given up."""

    def __init__(self, client: discord.Client, metrics: Metrics, skipped: Skipped) -> None:
        self._metrics = metrics
        self._skipped = skipped
        self._unread: Counter[tuple[str, int]] = Counter()
        self._interactions: deque[str] = deque(maxlen=REMEMBERED)
        parsers = parsers_of(client)
        parsers.update({name: partial(self._read, name, parse) for name, parse in parsers.items()})

    def _read(self, name: str, parse: Parse, data: Raw) -> None:
        if name == "INTERACTION_CREATE" and self._is_doubled(data):
            return
        try:
            parse(data)
        except Exception as error:
            self._fail(name, data, error)

    def _is_doubled(self, data: Raw) -> bool:
        """Tell whether an interaction came before: it can be answered once only."""
        if data.get("id") in self._interactions:
            return True
        self._interactions.append(data.get("id"))
        return False

    def _fail(self, name: str, data: Raw, error: Exception) -> None:
        """Begin anew, for we know no more what is so; what fails again and again is skipped instead."""
        guild_id, why = _guild_of(name, data), f"{type(error).__name__}: {error}"[:200]
        self._metrics.count("gateway_events_unread", event=name)
        self._unread[name, guild_id] += 1
        times = self._unread[name, guild_id]
        log.debug("an event could not be read", event_name=name, server=guild_id, exc_info=error)
        if times < TIMES or name in NEEDED:
            log.warning("an event of the gateway cannot be read", event_name=name, server=guild_id, why=why)
            raise Unreadable(f"{name} ({why})") from error
        if times == TIMES:
            log.error("events of the gateway are skipped from now on", event_name=name, server=guild_id, why=why)
            self._skipped(name, guild_id)


def each_answer(tell: Callable[[int], None]) -> aiohttp.TraceConfig:
    """Tell the status of every answer that Discord gives: 429 is what it has too much of."""

    async def answered(_: object, __: object, ended: aiohttp.TraceRequestEndParams) -> None:
        tell(ended.response.status)

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(answered)
    return trace


class Line:
    """Connects and listens, again and again; a good session is resumed."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._failures = 0
        self._resumes = False

    async def hold(self) -> None:
        """Listen until the client is closed; raises what no further try can mend."""
        seconds = 0.0
        while not self._client.is_closed():
            began = asyncio.get_running_loop().time()
            try:
                await self._listen()
            except Reconnect as asked:
                self._resumes, seconds = asked.resume, again_after(self._failures)
            except LOST as error:
                if self._client.is_closed():
                    return
                self._check_hope(error)
                self._resumes, seconds = True, again_after(self._failures + 1)
                log.warning(gateway_trouble(error), again_in_seconds=seconds)
            except Exception as error:
                self._resumes, seconds = False, again_after(self._failures + 1)
                await self._begin_anew(error)
            self._client.dispatch("disconnect")
            held = asyncio.get_running_loop().time() - began >= STEADY_SECONDS
            self._failures = 0 if held else self._failures + 1
            await asyncio.sleep(seconds)

    async def _begin_anew(self, error: Exception) -> None:
        """Leave a session in which something was said that discord.py could not read."""
        if not isinstance(error, Unreadable):  # else it was told where it was read
            log.warning("the gateway said what cannot be read", why=f"{type(error).__name__}: {error}"[:200])
            log.debug("what could not be read", exc_info=error)
        if self._client.ws is not None:
            await self._client.ws.close(1000)

    async def _listen(self) -> None:
        last: Socket | None = self._client.ws
        opening = Socket.from_client(self._client, initial=last is None, **self._session(last))
        self._client.ws = await asyncio.wait_for(opening, OPENING_SECONDS)
        while True:
            await self._client.ws.poll_event()

    def _session(self, last: Socket | None) -> dict[str, Raw]:
        """Give what it takes to go on with a session; a server that does not take it back is asked for a new one."""
        if last is None or last.session_id is None or not self._resumes or self._failures >= RESUMES:
            return {}
        return {"resume": True, "session": last.session_id, "sequence": last.sequence, "gateway": last.gateway}

    def _check_hope(self, error: Exception) -> None:
        """Raise what a person has to mend: the token, the intents, a wrong address at the very start."""
        if isinstance(error, discord.ConnectionClosed):
            if error.code == WRONG_TOKEN:
                raise discord.LoginFailure("Improper token has been passed.") from error
            if error.code == NO_INTENT:
                raise discord.PrivilegedIntentsRequired(error.shard_id) from None
            if error.code != 1000:
                raise error
        elif self._client.ws is None and not may_pass(error):
            raise error


def _guild_of(name: str, data: Raw) -> int:
    """Give the server that an event is about; 0 when it is about none."""
    if not isinstance(data, dict):
        return 0
    id_ = data.get("id") if name.startswith("GUILD_") and "guild_id" not in data else data.get("guild_id")
    return int(id_) if isinstance(id_, str) and id_.isdecimal() else 0
