"""A recorded conversation happens in a room, and what it cost is told."""

import asyncio
from pathlib import Path

import pytest

from bot.core.errors import BadSetting
from bot.replay import playback, read_trace, replay
from tests.e2e.conftest import Living

pytestmark = pytest.mark.e2e

TRACE = Path(__file__).parents[2].parent / "shared" / "traces" / "ubuntu-2011-11-13.jsonl"
LINE = '{"seq": 1, "t": "2011-11-13T21:29:00", "sender": "ann", "text": "hello"}\n'


async def no_wait(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.01))


@pytest.mark.skipif(not TRACE.exists(), reason="the recorded conversations are not there (shared/traces)")
async def test_a_recorded_conversation_is_lived_through_and_counted(home: Living) -> None:
    fed: list[int] = []
    lines = read_trace(TRACE)[:25]
    async with playback(home.url, 1) as one:
        done = await replay(lines, one, speed=1000, progress=lambda count, _: fed.append(count), sleep=no_wait)
    assert done.fed == fed[-1] == 25
    assert done.people == len({line.sender for line in lines})
    assert sum(done.tally.beats.values()) >= 1
    assert done.tally.calls == len(await home.calls())
    assert done.tally.input_tokens > 0


async def test_a_room_that_is_not_there_is_said_with_those_that_are(home: Living) -> None:
    with pytest.raises(BadSetting, match="There is no room 77: choose one of 1, 2"):
        async with playback(home.url, 77):
            pass


async def test_nobody_home_is_said_in_one_sentence() -> None:
    with pytest.raises(BadSetting, match="No playground answers at"):
        async with playback("http://127.0.0.1:9", 1):
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
