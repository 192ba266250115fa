"""A recorded conversation happens in a room, and what it cost is told."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.__main__ import show_replay
from bot.core.errors import BadSetting
from bot.replay import Line, playback, read_trace, replay
from tests.e2e.conftest import Living
from tests.e2e.visitor import Visitor, until

pytestmark = pytest.mark.e2e

TRACE = Path(__file__).parents[2].parent / "shared" / "traces" / "ubuntu-2011-11-13.jsonl"
LINE = '{"seq": 1, "t": "2011-11-13T21:29:00", "sender": "ann", "text": "hello"}\n'


async def no_wait(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.01))


@pytest.mark.skipif(not TRACE.exists(), reason="the recorded conversations are not there (shared/traces)")
async def test_a_recorded_conversation_is_lived_through_and_counted(home: Living) -> None:
    fed: list[int] = []
    lines = list(read_trace(TRACE))[:25]
    async with playback(home.url, "wren") as one:
        done = await replay(lines, one, speed=1000, progress=lambda count, _: fed.append(count), sleep=no_wait)
    assert done.fed == fed[-1] == 25
    assert done.people == len({line.sender for line in lines})
    assert sum(done.tallies["Wren"].beats.values()) >= 1
    assert done.tallies["Wren"].calls == len(await home.calls())
    assert done.tallies["Wren"].input_tokens > 0
    assert done.tallies["Wren"].coin == "imaginary USD"  # nobody pays the scripted model


async def test_a_room_that_is_not_there_is_said_with_those_that_are(home: Living) -> None:
    with pytest.raises(BadSetting, match="There is no room 77: choose one of Wren \\(1\\), Ledger \\(2\\)"):
        async with playback(home.url, "77"):
            pass


async def test_nobody_home_is_said_in_one_sentence() -> None:
    with pytest.raises(BadSetting, match="No playground answers at"):
        async with playback("http://127.0.0.1:9", "1"):
            pass


def test_a_line_that_is_no_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    file.write_text(LINE + "{nonsense\n", encoding="utf-8")
    with pytest.raises(BadSetting, match=r"Line 2 of .* is no line of a trace"):
        read_trace(file)


def test_an_empty_trace_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    file.write_text("", encoding="utf-8")
    with pytest.raises(BadSetting, match="is empty"):
        read_trace(file)


async def test_a_replay_into_two_rooms_is_forgotten_again_when_that_is_wished(home: Living, owner: Visitor) -> None:
    kept = await owner.say(await owner.channel("wren"), "Wren, good morning to you")
    await owner.answer_after(kept)
    halls = [await owner.channel("wren"), await owner.channel("ledger")]
    before = {hall: [one["id"] for one in await owner.messages(hall)] for hall in halls}
    lines = [
        Line(seq=1, t=datetime(2026, 1, 1, tzinfo=UTC), sender="zoe", text="Wren, Ledger: the password is swordfish"),
        Line(seq=2, t=datetime(2026, 1, 1, tzinfo=UTC), sender="yan", text="Wren, is it?", reply_to=1),
    ]
    async with playback(home.url, "Wren", "2") as one:
        done = await replay(lines, one, speed=1000, progress=lambda *_: None, sleep=no_wait)
        said = [text["content"] for hall in halls for text in await owner.messages(hall)]
        assert said.count("Wren, is it?") == 2
        await one.forget()
    assert list(done.tallies) == ["Wren", "Ledger"]
    assert {hall: [one["id"] for one in await owner.messages(hall)] for hall in halls} == before
    assert await names(home) == ["robin"]
    async with playback(home.url, "Wren") as one:  # and their names are theirs again
        await replay(lines, one, speed=1000, progress=lambda *_: None, sleep=no_wait)
    assert await names(home) == ["robin", "zoe", "yan"]


async def names(home: Living) -> list[str]:
    """Give the usernames of the playground's people."""
    async with home.session.get(f"{home.url}/playground/people") as response:
        return [one["user"]["username"] for one in await response.json()]


async def test_who_speaks_in_a_trace_again_is_who_they_were(home: Living) -> None:
    robin = Line(seq=1, t=datetime(2026, 1, 1, tzinfo=UTC), sender="Robin", text="I am another Robin")
    for _ in range(2):
        async with playback(home.url, "Wren") as one:
            await replay([robin], one, speed=1000, progress=lambda *_: None, sleep=no_wait)
        assert await names(home) == ["robin", "robin2"]


async def test_a_replay_that_is_broken_off_is_forgotten_when_that_was_wished(
    home: Living, owner: Visitor, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.jsonl"
    later = LINE.replace("21:29", "23:59").replace("hello", "bye")
    trace.write_text(LINE.replace("hello", "Wren, hello") + later, encoding="utf-8")
    hall = await owner.channel("wren")
    replaying = asyncio.create_task(show_replay(trace, ["Wren"], 1, home.url, forget=True))

    async def has_begun() -> bool:
        return "Wren, hello" in [one["content"] for one in await owner.messages(hall)]

    await until(has_begun, "first line")
    replaying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await replaying
    assert await names(home) == ["robin"]
    assert await owner.messages(hall) == []
