"""Drawn avatars: the initial on a colour that comes from the id."""

import colorsys
from io import BytesIO

from PIL import Image, ImageDraw

from bot.picture_text import stretches

SIZE = 256
GOLDEN = 0.618033988749895  # steps of the golden ratio keep the colours of neighbouring ids far apart


def colour_of(agent_id: int) -> tuple[int, int, int]:
    """Give the agent's own colour: always of the same brightness, so that white letters read well on it."""
    red, green, blue = colorsys.hls_to_rgb(agent_id * GOLDEN % 1.0, 0.42, 0.55)
    return round(red * 255), round(green * 255), round(blue * 255)


def initial_of(name: str) -> str:
    """Give the letter or digit that stands for a name; names of signs only get a dot."""
    return next((character for character in name if character.isalnum()), "•").upper()[:1]


def drawn_avatar(agent_id: int, name: str) -> bytes:
    """Draw the avatar as PNG, 256 pixels square."""
    image = Image.new("RGB", (SIZE, SIZE), colour_of(agent_id))
    (initial,) = stretches(initial_of(name), round(SIZE * 0.6))
    draw = ImageDraw.Draw(image)
    draw.text((SIZE / 2, SIZE / 2), initial.text, font=initial.font, fill="white", anchor="mm")
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
