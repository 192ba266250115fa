"""Pictures: legible on light and dark, quick, and told in words."""

from io import BytesIO

import discord
import pytest
from PIL import Image

from cogs.ui.pictures import GROUND, INK, Bar, alt_text, chart, drawn


def rows(count: int) -> list[Bar]:
    return [Bar(label=f"Agent {number}", share=number / count, note=f"{number} %") for number in range(count)]


def opened(file: discord.File) -> Image.Image:
    return Image.open(BytesIO(file.fp.read()))


def brightness(colour: str) -> float:
    """Give the relative luminance of a colour, as contrast is reckoned."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_words_stand_out_from_their_ground() -> None:
    assert (brightness(INK) + 0.05) / (brightness(GROUND) + 0.05) > 7


async def test_a_picture_is_an_opaque_png_that_grows_with_its_rows() -> None:
    small = opened(await chart("pets", "Title", rows(1)))
    large = opened(await chart("pets", "Title", rows(8)))
    assert small.format == "PNG"
    assert small.mode == "RGB"
    assert large.height > small.height


def test_a_fuller_bar_has_more_colour() -> None:
    def coloured(share: float) -> int:
        image = Image.open(BytesIO(drawn("Title", [Bar(label="One", share=share, note="")])))
        return sum(count for count, colour in image.getcolors(1 << 16) or () if colour == (0x5A, 0xA9, 0xE6))

    assert coloured(0.0) == 0
    assert coloured(1.0) > 1.8 * coloured(0.5) > 0


@pytest.mark.parametrize("share", [-1.0, 0.0, 0.001, 1.0, 7.0])
def test_any_share_can_be_drawn(share: float) -> None:
    assert drawn("T", [Bar(label="x" * 300, share=share, note="n")])


def test_many_rows_end_with_how_many_there_are() -> None:
    image = Image.open(BytesIO(drawn("Title", rows(450))))
    assert image.height < 1_000


def test_the_picture_is_told_in_words() -> None:
    assert alt_text("Pace", rows(2)) == "Pace: Agent 0 0 %; Agent 1 1 %"
