"""Feed a recorded conversation into a room of a running playground, as the people who wrote it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Protocol, TypeVar

import aiohttp
from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from bot.core.errors import BadSetting
from bot.core.terminal import without_secrets

Sleep = Callable[[float], Awaitable[None]]
Progress = Callable[[int, int], None]
LATE_SECONDS = 60.0  # how long agents may still be busy with the last lines
LONGEST_WAIT = 600.0  # seconds that a playground may ask for
LONGEST_REASON = 300  # characters
LARGEST_ANSWER = 4_000_000  # bytes
LONGEST_LINE = 100_000  # bytes
EXAMPLE = '{"seq": 1, "t": "2011-11-13T21:29:00", "sender": "ann", "text": "hello"}'
MOST_AHEAD = 500  # lines that wait for their turn to be said
CONTENT_LIMIT = 2_000  # Discord takes no more in one message


def _in_utc(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class Line(BaseModel):
    """One line of a trace."""

    seq: int
    t: Annotated[datetime, AfterValidator(_in_utc)]
    sender: str
    text: str
    reply_to: int | None = None


class Named(BaseModel):
    """An account."""

    id: str
    bot: bool = False


class Token(BaseModel):
    """Somebody that the playground knows."""

    token: str
    user: Named = Named(id="")


class About(BaseModel):
    """What the playground tells of itself."""

    guild_id: str
    person: Token
    face_url: str | None = None


class Posted(BaseModel):
    """A message that was taken."""

    id: str
    author: Named = Named(id="")


class Nothing(BaseModel):
    """No answer but that it was done."""


class Room(BaseModel):
    """Who sees a room."""

    visibility: str = "public"


class Owner(BaseModel):
    """Whose room is where."""

    id: int
    name: str = ""
    channel_id: str | None
    room: Room | None = None


class Tally(BaseModel):
    """What the room's agents did, as the face tells it."""

    busy: bool
    beats: dict[str, int] = {}
    silent: int = 0
    calls: int = 0
    answers: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0
    coin: str = "USD"


class Refusal(BaseModel):
    """Why something was not taken."""

    message: str = ""
    retry_after: float = Field(default=1, ge=0, le=LONGEST_WAIT)


Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What came of it: how much was fed, and what each room's agents did meanwhile, by the owner's name."""

    fed: int
    people: int
    tallies: dict[str, Tally]


class Lines(Protocol):
    """Lines in their order, which may be gone through again and again."""

    def __len__(self) -> int:
        """How many there are."""

    def __iter__(self) -> Iterator[Line]:
        """Give them one by one."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A chat log of JSON lines in a file, of which one line is in memory at a time; all could be read before."""

    path: Path
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Line]:
        return _lines(self.path)


def read_trace(path: Path) -> Trace:
    """Look through a chat log; raises BadSetting naming the line that cannot be read."""
    if path.exists() and not path.is_file():
        raise BadSetting(f"The trace {path} is no file: give one with one JSON object per line.")
    count = sum(1 for _ in _lines(path))
    if not count:
        raise BadSetting(f"The trace {path} is empty: give a file with one JSON object per line.")
    return Trace(path, count)


def _lines(path: Path) -> Iterator[Line]:
    number = 0
    try:
        with path.open("rb") as file:
            while text := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(text) > LONGEST_LINE:
                    raise BadSetting(f"Line {number} of {path} is longer than any line of a trace: shorten it.")
                yield Line.model_validate_json(text)
    except OSError as error:
        raise BadSetting(f"The trace {path} cannot be read ({error.strerror}): check its path and rights.") from error
    except ValidationError as error:
        at = ".".join(map(str, error.errors()[0]["loc"]))
        what = f"its {at!r} is missing or wrong" if at else "it is no JSON object"
        raise BadSetting(f"Line {number} of {path} is no line of a trace, for {what}: write {EXAMPLE}") from error


class Playback:
    """One replay into one room, or into several at once."""

    def __init__(self, session: aiohttp.ClientSession, url: str, rooms: Sequence[str]) -> None:
        self._session = session
        self._url = url.rstrip("/")
        self._wanted = rooms
        self._rooms: list[Owner] = []
        self._people: dict[str, Token] = {}
        self._posted: dict[tuple[int, int], str] = {}  # by room and line
        self._face = ""
        self._token = ""  # of the playground's own person: the bot's face tells people only
        self._guild = ""
        self._turn = asyncio.Lock()  # what is said keeps its order, but for those who have to wait

    async def find_rooms(self) -> None:
        """Find the playground, the bot's face beside it and the rooms' channels."""
        about = await self._ask(About, "GET", "/playground")
        self._face, self._guild, self._token = about.face_url or "", about.guild_id, about.person.token
        if not self._face:
            raise BadSetting("The playground runs without Selfroom: start both with `selfroom run`.")
        there = [owner for owner in await self._look(list[Owner], "/agents") if owner.channel_id]
        for wanted in self._wanted:
            found = [one for one in there if wanted.casefold() in (str(one.id), one.name.casefold())]
            if not found:
                shown = ", ".join(f"{one.name} ({one.id})" for one in there) or "none yet"
                raise BadSetting(f"There is no room {wanted}: choose one of {shown}.")
            if found[0].room is not None and found[0].room.visibility != "public":
                raise BadSetting(
                    f"{found[0].name}'s room is private, and people of a chat come into no private rooms: use"
                    " /room visibility there first, or name another room."
                )
            self._rooms += found[:1]

    async def say(self, line: Line) -> None:
        """Post a line as its sender, as a reply where the trace has one."""
        if line.sender not in self._people:
            body = {"name": line.sender[:32], "guild_id": self._guild, "again": True}
            self._people[line.sender] = await self._ask(Token, "POST", "/playground/people", body=body)
        for room in self._rooms:
            message: dict[str, object] = {"content": line.text[:CONTENT_LIMIT]}
            if answered := self._posted.get((room.id, line.reply_to or 0)):
                message["message_reference"] = {"message_id": answered, "fail_if_not_exists": False}
            token = self._people[line.sender].token
            posted = await self._ask(Posted, "POST", messages_of(room), body=message, token=token)
            self._posted[room.id, line.seq] = posted.id

    async def forget(self) -> None:
        """Take away what was said, what agents and the bot said since, and the people; agents forget it, too.

        What agents are still at is waited for: it would be said afterwards.
        """
        await self.until_quiet(datetime.now(UTC), asyncio.sleep)
        for room in self._rooms:
            ours = {int(id_) for (room_id, _), id_ in self._posted.items() if room_id == room.id}
            at = min(ours, default=0) - 1
            while ours and (
                page := await self._ask(
                    list[Posted], "GET", f"{messages_of(room)}?limit=100&after={at}", token=self._token
                )
            ):
                at = max(int(one.id) for one in page)
                for one in page:
                    if int(one.id) in ours or one.author.bot:
                        await self._ask(Nothing, "DELETE", f"{messages_of(room)}/{one.id}", token=self._token)
        for person in self._people.values():
            await self._ask(Nothing, "DELETE", f"/playground/people/{person.user.id}")

    async def tallies(self, since: datetime) -> dict[str, Tally]:
        """Ask the bot what each room's agents did."""
        path = f"tally?since={int(since.timestamp() * 1000)}"
        return {room.name: await self._look(Tally, f"/rooms/{room.id}/{path}") for room in self._rooms}

    async def until_quiet(self, since: datetime, sleep: Sleep) -> dict[str, Tally]:
        """Wait until no room's agents are at anything, but not for ever, and give what they did."""
        waited = 0.0
        tallies = await self.tallies(since)
        while any(tally.busy for tally in tallies.values()) and waited < LATE_SECONDS:
            await sleep(0.5)
            waited += 0.5
            tallies = await self.tallies(since)
        return tallies

    @property
    def people(self) -> int:
        """How many senders have spoken."""
        return len(self._people)

    async def _look(self, shape: type[Shape], path: str) -> Shape:
        joined = "&" if "?" in path else "?"
        path = f"{path}{joined}guild_id={self._guild}"
        return await self._ask(shape, "GET", path, base=self._face, token=self._token)

    async def _ask(
        self,
        shape: type[Shape],
        method: str,
        path: str,
        *,
        base: str = "",
        body: Mapping[str, object] | None = None,
        token: str = "",
    ) -> Shape:
        """Ask until there is an answer; raises BadSetting for a refusal, and where no playground answers."""
        where = base or self._url
        try:
            while True:
                status, told = await self._told(method, where + path, body, token)
                if status < 400:
                    return TypeAdapter(shape).validate_json(told or b"{}")
                refusal = Refusal.model_validate_json(told)
                if status != 429:
                    break
                await asyncio.sleep(refusal.retry_after)
        except (aiohttp.ClientConnectionError, TimeoutError) as error:
            shown = without_secrets(where)
            raise BadSetting(f"No playground answers at {shown}: start it with `selfroom run` first.") from error
        except (aiohttp.ClientError, ValueError) as error:
            shown = without_secrets(where)
            raise BadSetting(f"What answers at {shown} is no playground: give its address with --url.") from error
        raise BadSetting(f"The playground refused {method} {path}: {refusal.message[:LONGEST_REASON] or status}")

    async def _told(
        self, method: str, address: str, body: Mapping[str, object] | None, token: str
    ) -> tuple[int, bytes]:
        headers = {"Authorization": token} if token else {}
        async with self._turn, self._session.request(method, address, json=body, headers=headers) as response:
            answer = bytearray()
            async for piece in response.content.iter_any():
                answer += piece
                if len(answer) > LARGEST_ANSWER:
                    raise ValueError("the answer is larger than any of a playground")
            return response.status, bytes(answer)


@asynccontextmanager
async def playback(url: str, *rooms: str) -> AsyncIterator[Playback]:
    """Open a replay into rooms of the playground at `url`, each by its owner's name or id."""
    async with aiohttp.ClientSession() as session:
        one = Playback(session, url, rooms)
        await one.find_rooms()
        yield one


def messages_of(room: Owner) -> str:
    """Give where a room's messages are."""
    return f"/api/v10/channels/{room.channel_id}/messages"


async def replay(
    lines: Lines, one: Playback, *, speed: float, progress: Progress, sleep: Sleep = asyncio.sleep
) -> Replayed:
    """Feed the lines at `speed` times their pace, wait until the agents have finished, and add up what they did.

    Who may not post yet keeps nobody else from speaking.
    """
    started = datetime.now(UTC)
    try:
        await _feed(lines, one, speed, progress, sleep)
    except* BadSetting as errors:
        raise errors.exceptions[0] from None
    tallies = await one.until_quiet(started, sleep)
    return Replayed(fed=len(lines), people=one.people, tallies=tallies)


async def _feed(lines: Lines, one: Playback, speed: float, progress: Progress, sleep: Sleep) -> None:
    """Let everybody say their lines in order, each after the line it answers."""
    said: dict[int, asyncio.Task[None]] = {}  # that are still to be said
    latest: dict[str, asyncio.Task[None]] = {}
    ahead = asyncio.Semaphore(MOST_AHEAD)
    before, count = None, 0

    async def say(line: Line, after: list[asyncio.Task[None]]) -> None:
        nonlocal count
        if after:
            await asyncio.wait(after)
        await one.say(line)
        said.pop(line.seq, None)
        ahead.release()
        count += 1
        progress(count, len(lines))

    async with asyncio.TaskGroup() as group:
        for line in lines:
            await sleep(max(0.0, (line.t - (before or line.t)).total_seconds()) / speed)
            before = line.t
            await ahead.acquire()
            after = [task for task in (latest.get(line.sender), said.get(line.reply_to or 0)) if task is not None]
            said[line.seq] = latest[line.sender] = group.create_task(say(line, after))
