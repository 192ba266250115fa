"""Names in any script can be read on a picture."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image, ImageDraw

from bot.picture_text import fitting, stretches, width, write

SIZE = 18
NAMES = [
    *("Größe", "Анна", "Ωμέγα", "漢字の名前", "中文名字", "한국어", "مرحبا", "שלום"),
    *("हिन्दी", "ไทย", "🦊", "👩\u200d🚀", "❤️"),
]


def ink(text: str) -> bytes:
    image = Image.new("L", (400, 40))
    write(ImageDraw.Draw(image), (5, 20), text, SIZE, "white")
    return image.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_drawn_in_its_own_letters(name: str) -> None:
    assert "".join(one.text for one in stretches(name, SIZE)) == name
    assert ink(name) != ink("\U0010ffff" * len(name))
    assert any(ink(name))


def test_a_letter_that_no_font_has_is_marked() -> None:
    assert "".join(one.text for one in stretches("a𒀀b", SIZE)) == "a?b"


def test_words_of_one_script_stay_together_so_that_they_can_be_read_from_the_right() -> None:
    assert [one.text for one in stretches("שלום עולם", SIZE)] == ["שלום עולם"]


def test_line_breaks_and_controls_are_no_letters() -> None:
    assert "".join(one.text for one in stretches("two\n\tlines", SIZE)) == "two lines"


@settings(deadline=None)  # the first letter of a script loads its font
@given(some.text(max_size=60), some.integers(20, 200))
def test_any_text_can_be_drawn_and_cut(text: str, pixels: int) -> None:
    assert width(fitting(text, SIZE, pixels), SIZE) <= max(pixels, width("…", SIZE))
    ink(text)


def test_what_fits_is_not_cut() -> None:
    assert fitting("Wren", SIZE, 150) == "Wren"
    assert fitting("Wren of the long long river", SIZE, 60).endswith("…")


@pytest.mark.parametrize("mark", ["x", "word ", "\u0301", "漢", "🦊"])
def test_what_is_far_too_long_is_measured_a_few_times_only(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive may hold a motion of twenty thousand letters, which would be measured with each of them taken off."""
    measured: list[int] = []

    def counted(text: str, size: int) -> float:
        measured.append(len(text))
        return width(text, size)

    monkeypatch.setattr("bot.picture_text.width", counted)
    assert len(fitting(mark * (20_000 // len(mark)), SIZE, 200)) <= 201
    assert sum(measured) < 4_000
