"""Text in any script on a picture: each stretch of it in a font that has its letters."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from PIL import ImageDraw, ImageFont

REGULAR: Final = 400  # the weight, of fonts that have several
NOBODY: Final = "\U0010ffff"  # no font has it: it looks like every letter that a font lacks
UNKNOWN: Final = "?"
EMOJI: Final = "Emoji"
JOINING: Final = frozenset({"Mn", "Me", "Mc", "Cf", "Sk"})  # marks that belong to the letter before them


class Stretch(NamedTuple):
    """A part of a text that one font can draw."""

    text: str
    font: ImageFont.FreeTypeFont


def width(text: str, size: int) -> float:
    """Give how wide a text is drawn, in pixels."""
    return sum(one.font.getlength(one.text) for one in stretches(text, size))


def write(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, fill: str, *, right: bool = False
) -> None:
    """Draw a text on one line, its middle at the height given, beginning there or (`right`) ending there."""
    x, y = at
    if right:
        x -= width(text, size)
    for one in stretches(text, size):
        draw.text((x, y), one.text, font=one.font, fill=fill, anchor="lm")
        x += one.font.getlength(one.text)


def fitting(text: str, size: int, pixels: float) -> str:
    """Cut a text so that it is no wider than that, however long it is: a letter takes a pixel at least."""
    shown = text[: int(pixels)]
    if shown == text and width(text, size) <= pixels:
        return text
    kept = bisect_right(range(1, len(shown) + 1), pixels, key=lambda many: width(f"{shown[:many]}…", size))
    return shown[:kept].rstrip() + "…"


def stretches(text: str, size: int) -> list[Stretch]:
    """Divide a text into parts that one font can draw; what no font has becomes a question mark."""
    marked = groupby(_placed(text), key=lambda one: one[1])
    return [Stretch("".join(mark for mark, _ in part), _font(path, size)) for path, part in marked]


def _placed(text: str) -> Iterator[tuple[str, Path]]:
    """Give each character with its font; marks and spaces stay with what is before them."""
    paths = _paths()
    here = paths[0]
    for mark in " ".join(text.split()):
        if unicodedata.category(mark) in JOINING or mark == " ":
            here = paths[0] if mark == " " and EMOJI in here.name else here  # whose space is as wide as a picture
            yield mark, here
            continue
        path = _path(mark)
        here = path or paths[0]
        yield (mark if path else UNKNOWN), here


@lru_cache(maxsize=4_096)
def _path(mark: str) -> Path | None:
    return next((path for path in _paths() if _has(_font(path, 16), mark)), None)


def _has(font: ImageFont.FreeTypeFont, mark: str) -> bool:
    return bytes(font.getmask(mark)) != bytes(font.getmask(NOBODY))


@lru_cache(maxsize=1)
def _paths() -> tuple[Path, ...]:
    """Give the fonts that come along, Latin, Greek and Cyrillic first, then by script."""
    folders = [Path(str(files(name))) for name in ("manimgx_fonts", "manimgx_fonts_cjk")]
    found = [path for folder in folders for path in folder.iterdir() if path.suffix in (".ttf", ".ttc", ".otf")]
    upright = [path for path in found if "Italic" not in path.name]
    return tuple(sorted(upright, key=lambda path: (not path.name.startswith("NotoSans["), path.name)))


@lru_cache(maxsize=128)
def _font(path: Path, size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(path, size)
    font.set_variation_by_axes([REGULAR])
    return font
