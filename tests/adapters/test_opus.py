"""A voice message lasts as long as it is played, whatever is said of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.opus import seconds_of
from tests.voices import HEAD, TAGS, page, voice


@pytest.mark.parametrize(
    ("packet", "lasts"),
    [
        (b"\x08", 0.02),
        (b"\x18", 0.06),
        (b"\x19", 0.12),
        (b"\x60", 0.01),
        (b"\x80", 0.0025),
        (b"\xfb\x06", 0.12),
        (b"\xfb\x86", 0.12),
        (b"\xf8" + b"x" * 200, 0.02),
    ],
)
def test_each_packet_tells_for_how_long_it_is_played(packet: bytes, lasts: float) -> None:
    assert seconds_of(voice(12.0, packet, lasts), 1_200) == pytest.approx(12.0)


def test_one_megabyte_may_last_for_hours_and_is_counted_until_that_is_too_long() -> None:
    content = voice(3_000.0)
    assert len(content) < 400_000
    assert 1_200 < (seconds_of(content, 1_200) or 0) < 1_206


def test_a_packet_over_several_pages_counts_once() -> None:
    begun, rest = page([b"\x08"], 2), page([b"x"], 3, 1)
    long = begun.replace(b"\x01\x08", b"\xff\x08" + b"x" * 254)
    assert seconds_of(page([HEAD], 0, 2) + page([TAGS], 1) + long + rest, 1_200) == pytest.approx(0.02)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"OggS",
        b"RIFF" + b"\0" * 100,
        b"ID3" + voice(1.0),
        voice(1.0) + b"junk",
        voice(1.0)[:-1],
        page([b"\x01vorbis"], 0, 2),
        page([HEAD], 0, 2) + page([b"\x08"], 1),
        page([HEAD], 0, 2) + page([TAGS], 1) + page([b""], 2),
        page([HEAD], 0, 2) + page([TAGS], 1) + page([b"\x0b"], 2),
        page([HEAD], 0, 2) + page([TAGS], 1) + page([b"\x08"], 2, 1),
        page([HEAD], 0, 2) + page([TAGS], 1) + page([b"\x08"], 2, 2),
    ],
)
def test_what_is_no_voice_message_lasts_for_nobody_knows_how_long(content: bytes) -> None:
    assert seconds_of(content, 1_200) is None


def test_a_second_stream_lasts_as_well() -> None:
    other = page([HEAD], 0, 2, serial=2) + page([TAGS], 1, serial=2) + page([b"\x08"] * 50, 2, serial=2)
    assert seconds_of(voice(1.0) + other, 1_200) == pytest.approx(2.0)


@given(st.binary(max_size=300), st.integers(0, 200))
def test_any_bytes_are_read_to_an_end(content: bytes, at: int) -> None:
    whole = voice(1.0)
    for one in (content, whole[:at] + content + whole[at:]):
        assert (found := seconds_of(one, 1_200)) is None or 0 <= found < 1_210
