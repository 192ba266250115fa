"""A replay keeps the order of what is said, and lets nobody wait for somebody else's limit."""

import asyncio
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.core.errors import BadSetting
from bot.replay import LONGEST_LINE, MOST_AHEAD, Line, playback, read_trace, replay

START = datetime(2026, 11, 20, 10, tzinfo=UTC)


class Server:
    """As much of a playground and a face as a replay sees; lets a sender's second message wait once."""

    def __init__(self) -> None:
        self.url = ""
        self.said: list[tuple[str, str, str | None]] = []
        self.tries: Counter[str] = Counter()
        self.refused = ""
        self.visibility = "public"

    async def about(self, _: web.Request) -> web.Response:
        return web.json_response({"guild_id": "1", "face_url": self.url, "person": {"token": "yours"}})

    async def agents(self, _: web.Request) -> web.Response:
        return web.json_response([{"id": 1, "channel_id": "7", "room": {"visibility": self.visibility}}])

    async def person(self, request: web.Request) -> web.Response:
        return web.json_response({"token": (await request.json())["name"]})

    async def tally(self, _: web.Request) -> web.Response:
        return web.json_response({"busy": False})

    async def post(self, request: web.Request) -> web.Response:
        who, body = request.headers["Authorization"], await request.json()
        if body["content"] == self.refused:
            return web.json_response({"message": "Not here"}, status=403)
        self.tries[who] += 1
        if who == "ann" and self.tries[who] == 2:
            return web.json_response({"retry_after": 0.3}, status=429)
        answered: dict[str, Any] = body.get("message_reference", {})
        self.said.append((who, body["content"], answered.get("message_id")))
        return web.json_response({"id": str(100 + len(self.said))})


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    one, app = Server(), web.Application()
    app.router.add_get("/playground", one.about)
    app.router.add_get("/agents", one.agents)
    app.router.add_post("/playground/people", one.person)
    app.router.add_get("/rooms/1/tally", one.tally)
    app.router.add_post("/api/v10/channels/7/messages", one.post)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    one.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield one
    await runner.cleanup()


def chat(*lines: tuple[str, str, int | None]) -> list[Line]:
    return [
        Line(seq=number, t=START + timedelta(seconds=number), sender=who, text=text, reply_to=reply_to)
        for number, (who, text, reply_to) in enumerate(lines, 1)
    ]


async def at_once(_: float) -> None:
    await asyncio.sleep(0)


async def test_who_has_to_wait_keeps_nobody_else_from_speaking(server: Server) -> None:
    lines = chat(("ann", "a", None), ("ann", "b", None), ("ben", "c", None), ("ann", "d", None), ("ben", "e", 2))
    told: list[int] = []
    async with playback(server.url, "1") as one:
        done = await replay(lines, one, speed=1000, progress=lambda count, _: told.append(count), sleep=at_once)
    assert [text for _, text, _ in server.said][:3] == ["a", "c", "b"]
    assert sorted(text for _, text, _ in server.said[3:]) == ["d", "e"]
    assert next(answered for _, text, answered in server.said if text == "e") == "103"
    assert (done.fed, told) == (5, [1, 2, 3, 4, 5])


async def test_a_refusal_is_told_in_a_sentence(server: Server) -> None:
    server.refused = "b"
    with pytest.raises(BadSetting, match=r"The playground refused POST .*: Not here"):
        async with playback(server.url, "1") as one:
            await replay(chat(("ann", "b", None)), one, speed=1, progress=lambda *_: None, sleep=at_once)


async def test_a_room_into_which_nobody_would_be_let_is_refused_before_anything_is_said(server: Server) -> None:
    server.visibility = "private"
    with pytest.raises(BadSetting, match=r"'s room is private, .*use /room visibility there first"):
        async with playback(server.url, "1"):
            pass
    assert server.said == []


def test_what_is_no_trace_is_told_without_a_machines_words(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    with pytest.raises(BadSetting, match=r"cannot be read \(No such file or directory\): check its path"):
        read_trace(trace)
    trace.write_text("hello\n")
    with pytest.raises(BadSetting, match=r"Line 1 of .*, for it is no JSON object: write \{"):
        read_trace(trace)
    trace.write_text('{"seq": 1, "t": "yesterday", "sender": "ann", "text": "hi"}\n')
    with pytest.raises(BadSetting, match=r"for its 't' is missing or wrong: write \{"):
        read_trace(trace)


async def test_times_with_a_zone_and_without_stand_in_one_trace(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    times = ("2026-11-20T10:00:00", "2026-11-20T10:00:01Z", "2026-11-20T12:00:02+02:00")
    trace.write_text(
        "".join(f'{{"seq": {n}, "t": "{t}", "sender": "ann", "text": "hi"}}\n' for n, t in enumerate(times))
    )
    assert [line.t for line in read_trace(trace)] == [START + timedelta(seconds=n) for n in range(3)]


def test_of_a_trace_one_line_is_in_memory_at_a_time(tmp_path: Path) -> None:
    trace, words = tmp_path / "trace.jsonl", "word " * 400
    with trace.open("w") as file:
        for n in range(5_000):
            file.write(f'{{"seq": {n}, "t": "2026-11-20T10:00:00", "sender": "ann", "text": "{words}"}}\n')
    tracemalloc.start()
    try:
        lines = read_trace(trace)
        assert len(lines) == sum(1 for _ in lines) == 5_000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000, "of ten"
    finally:
        tracemalloc.stop()


def test_a_line_that_never_ends_is_refused_in_a_sentence(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(b" " * (LONGEST_LINE + 1))
    with pytest.raises(BadSetting, match="longer than any line of a trace"):
        read_trace(trace)
    with pytest.raises(BadSetting, match="is no file"):
        read_trace(tmp_path)


async def test_not_all_lines_wait_in_memory_to_be_said(server: Server, tmp_path: Path) -> None:
    """However fast it is fed, and however slow the playground is."""
    most = 0

    class Counted(list[Line]):
        def __iter__(self) -> Iterator[Line]:
            nonlocal most
            for number, line in enumerate(super().__iter__()):
                most = max(most, number - len(server.said))
                yield line

    lines = Counted(chat(*(("bea", str(n), None) for n in range(2 * MOST_AHEAD))))
    async with playback(server.url, "1") as one:
        done = await replay(lines, one, speed=1, progress=lambda *_: None, sleep=at_once)
    assert done.fed == 2 * MOST_AHEAD
    assert most <= MOST_AHEAD + 1
